# The truth behind two-compartments.csv: two-compartments.eq with all values, from which simulate.sh draws.
time h
input dose impulse
V1*c1' = -CL*c1 + Q*(c2 - c1) + dose
V2*c2' = Q*(c1 - c2)
output plasma = c1 noise = 0.15
parameter V1 = 10
parameter V2 = 25
parameter CL = 4
parameter Q = 6
start rest
