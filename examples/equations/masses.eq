# A chain of three masses between springs and dampers, fixed to a wall at one end; an unknown load acts on the last.
# The masses were weighed (kg). Positions in mm, time in s, so that springs are in N/m and the load in mN.
# Without a known mass nothing would have a scale: equations times a number are the same equations.
time s
force load
parameter m1 = 2 fixed
parameter m2 = 2 fixed
parameter m3 = 1 fixed
m1*x1'' = -k1*x1 - c1*x1' + k2*(x2 - x1) + c2*(x2' - x1')
m2*x2'' = k2*(x1 - x2) + c2*(x1' - x2') + k3*(x3 - x2) + c3*(x3' - x2')
m3*x3'' = k3*(x2 - x3) + c3*(x2' - x3') + load
output x1
output x2
output x3
