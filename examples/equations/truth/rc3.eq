# The truth behind rc3.csv: rc3.eq with all values, from which simulate.sh draws.
time h
input To, sun
input Qh constant
force draughts ~ white(sd = 0.1)
Ch*Th' = (Ti - Th)/Rh + Qh
Ci*Ti' = (Th - Ti)/Rh + (Te - Ti)/Ri + window*sun + draughts
Ce*Te' = (Ti - Te)/Ri + (To - Te)/Ro
output Th = Th noise = 0.2
output Ti = Ti noise = 0.05
parameter Rh = 6
parameter Ri = 0.9
parameter Ro = 4
parameter Ch = 0.12
parameter Ci = 1.5
parameter Ce = 12
parameter window = 3
start Th ~ normal(20, 0.1)
start Ti ~ normal(20, 0.1)
start Te ~ normal(15, 0.1)
