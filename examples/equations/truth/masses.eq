# The truth behind masses.csv: masses.eq with all values, from which simulate.sh draws.
time s
force load ~ matern32(lengthscale = 0.3, amplitude = 500)
parameter m1 = 2 fixed
parameter m2 = 2 fixed
parameter m3 = 1 fixed
m1*x1'' = -k1*x1 - c1*x1' + k2*(x2 - x1) + c2*(x2' - x1')
m2*x2'' = k2*(x1 - x2) + c2*(x1' - x2') + k3*(x3 - x2) + c3*(x3' - x2')
m3*x3'' = k3*(x2 - x3) + c3*(x2' - x3') + load
output x1 = x1 noise = 0.05
output x2 = x2 noise = 0.05
output x3 = x3 noise = 0.05
parameter k1 = 300
parameter k2 = 200
parameter k3 = 150
parameter c1 = 2
parameter c2 = 1.5
parameter c3 = 1
start steady
