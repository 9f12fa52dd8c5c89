# The truth behind rc2.csv: rc2.eq with all values, from which simulate.sh draws.
time h
input To
input Qh constant
force draughts ~ white(sd = 0.15)
Cw*Tw' = (To - Tw)/Ro + (Ti - Tw)/Ri
Ci*Ti' = (Tw - Ti)/Ri + Qh + draughts
output Ti = Ti noise = 0.05
parameter Ro = 4
parameter Ri = 0.8
parameter Cw = 15
parameter Ci = 1.5
start Tw ~ normal(14, 0.1)
start Ti ~ normal(20, 0.1)
