# The truth behind rlc.csv: rlc.eq with all values, from which simulate.sh draws.
time s
input v constant
L*q'' + R*q' + q/C = v
output i = q' noise = 0.001
output vc = q/C noise = 0.1
parameter L = 0.01
parameter R = 20
parameter C = 1e-6
start rest
