# The truth behind rc1.csv: rc1.eq with all values, from which simulate.sh draws.
time h
input To
input Qh constant
force gains ~ matern32(lengthscale = 4, amplitude = 0.5)
C*Ti' = (To - Ti)/R + Qh + gains
output Ti = Ti noise = 0.1
parameter R = 5
parameter C = 8
start Ti ~ normal(20, 0.1)
