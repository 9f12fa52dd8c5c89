# The truth behind tanks.csv: tanks.eq with all values, from which simulate.sh draws.
time s
input q constant
force draw ~ matern32(lengthscale = 20, amplitude = 8)
parameter A1 = 154 fixed
parameter A2 = 154 fixed
A1*h1' = q - k12*(h1 - h2)
A2*h2' = k12*(h1 - h2) - k2*h2 - draw
output h1 = h1 noise = 0.1
output h2 = h2 noise = 0.1
parameter k12 = 6
parameter k2 = 3
start h1 ~ normal(0, 0.1)
start h2 ~ normal(0, 0.1)
