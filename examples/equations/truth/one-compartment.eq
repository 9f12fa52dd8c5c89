# The truth behind one-compartment.csv: one-compartment.eq with all values, from which simulate.sh draws.
time h
input dose impulse
V*c' = -CL*c + dose
output conc = c noise = 0.2
parameter V = 20
parameter CL = 4
start rest
