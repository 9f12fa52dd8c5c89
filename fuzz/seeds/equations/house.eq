# a wall and the air of a room
time d
input To, Qh
force gains ~ matern32(lengthscale = 0.1, amplitude = 2 fixed)
force w1, w2 ~ white(sd = 0.5)
Cw*Tw' = (To - Tw)/Ro + (Ti - Tw)/Ri + w1
Ci*Ti' = (Tw - Ti)/Ri + Qh + gains + w2
output xi = Ti noise = 0.07
quantity HTC = 1/(Ro + Ri)
start Tw ~ normal(x0_w, 1)
start Ti ~ normal(x0_i, 1)
