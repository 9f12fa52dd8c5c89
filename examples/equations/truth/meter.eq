# The truth behind meter.csv: meter.eq with all values, from which simulate.sh draws.
time h
input Ta
input P constant
force draw ~ matern12(lengthscale = 1, amplitude = 0.5)
C*T' = P - (T - Ta)/R - draw
output Tlog = average(T, 2) noise = 0.2
parameter C = 0.35
parameter R = 40
start T ~ normal(55, 0.1)
