# A drug given into a vein, three subjects with different doses (column replicate). One well-mixed volume.
# Doses in mg, concentration in mg/L, clearance in L/h, volume in L.
time h
input dose impulse
V*c' = -CL*c + dose
output conc = c
start rest                # no drug before the first dose
quantity half_life = log(2)*V/CL
