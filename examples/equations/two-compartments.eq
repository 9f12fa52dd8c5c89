# A drug given into a vein that also goes into tissue and comes back. Three subjects (column replicate); plasma is measured.
# Doses in mg, concentration in mg/L, clearances in L/h, volumes in L.
time h
input dose impulse
V1*c1' = -CL*c1 + Q*(c2 - c1) + dose
V2*c2' = Q*(c1 - c2)
output plasma = c1
start rest
quantity Vss = V1 + V2                         # volume at steady state, L
