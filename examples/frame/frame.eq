# frame.eq: a building of three storeys under a load on its roof; t, kN, m, s
time s
force load                                   # not measured
m1*x1'' = k2*(x2 - x1) + c2*(x2' - x1') - k1*x1 - c1*x1'
m2*x2'' = k3*(x3 - x2) + c3*(x3' - x2') - k2*(x2 - x1) - c2*(x2' - x1')
m3*x3'' = load - k3*(x3 - x2) - c3*(x3' - x2')
output a1 = x1''                             # an accelerometer on the first floor
output a3 = x3''                             # and one on the roof
parameter m1 = 6 fixed                       # from the drawings
parameter m2 = 6 fixed
parameter m3 = 5 fixed
quantity sway = 1000*(1/k1 + 1/k2 + 1/k3)    # of the roof, in mm per kN
