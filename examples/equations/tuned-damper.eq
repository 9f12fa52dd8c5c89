# A tower with a tuned mass damper in gusty wind. Accelerometer on the tower, and the stroke of the damper.
# Masses in t and positions in m, so that forces are in kN; accelerations in m/s2. The masses are known from the design.
# The damping of the bare tower, 2 % of critical, was measured before the damper was installed: it shows little beside the damper.
time s
force wind                # on the tower, kN
parameter M = 100 fixed
parameter m = 5 fixed
parameter D = 8 fixed
M*x'' = -K*x - D*x' + k*(y - x) + d*(y' - x') + wind
m*y'' = k*(x - y) + d*(x' - y')
output accel = x''
output stroke = y - x
quantity f_tower = sqrt(K/M)/6.283185307       # Hz
quantity f_damper = sqrt(k/m)/6.283185307
quantity zeta = d/(2*sqrt(k*m))                # damping ratio of the damper
