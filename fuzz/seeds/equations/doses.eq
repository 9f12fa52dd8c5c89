input dose impulse
parameter V = 5 in 1 .. 20
parameter ke ~ lognormal(0.2, 0.5)
parameter shift = -1 real ~ normal(0, 2) in -inf .. 4
a1' = -(ke + k12)*a1 + k21*a2 + dose
a2' = k12*a1 - k21*a2
output concentration = a1/V + shift
start rest
