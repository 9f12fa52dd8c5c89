# The truth behind motor.csv: motor.eq with all values, from which simulate.sh draws.
time s
input u constant
force load ~ matern32(lengthscale = 0.05, amplitude = 0.02)
L*i' = u - R*i - K*w
J*w' = K*i - b*w - load
output i = i noise = 0.05
output w = w noise = 1
parameter R = 1.2
parameter L = 0.003
parameter K = 0.05
parameter J = 0.0002
parameter b = 0.0005
start rest
