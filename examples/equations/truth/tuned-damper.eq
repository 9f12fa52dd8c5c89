# The truth behind tuned-damper.csv: tuned-damper.eq with all values, from which simulate.sh draws.
time s
force wind ~ matern32(lengthscale = 2, amplitude = 20)
parameter M = 100 fixed
parameter m = 5 fixed
parameter D = 8 fixed
M*x'' = -K*x - D*x' + k*(y - x) + d*(y' - x') + wind
m*y'' = k*(x - y) + d*(x' - y')
output accel = x'' noise = 0.002
output stroke = y - x noise = 0.005
parameter K = 400
parameter k = 18
parameter d = 2
start steady
