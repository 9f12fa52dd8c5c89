# The truth behind rc4.csv: rc4.eq with all values, from which simulate.sh draws.
time h
input To
input Q1, Q2 constant
force g1, g2 ~ white(sd = 0.05)
Cw1*Tw1' = (To - Tw1)/Ro1 + (T1 - Tw1)/Ri1
Cw2*Tw2' = (To - Tw2)/Ro2 + (T2 - Tw2)/Ri2
C1*T1' = (Tw1 - T1)/Ri1 + (T2 - T1)/R12 + Q1 + g1
C2*T2' = (Tw2 - T2)/Ri2 + (T1 - T2)/R12 + Q2 + g2
output T1 = T1 noise = 0.03
output T2 = T2 noise = 0.03
parameter Ro1 = 5
parameter Ri1 = 1
parameter Ro2 = 7
parameter Ri2 = 1.4
parameter R12 = 4
parameter Cw1 = 10
parameter Cw2 = 7
parameter C1 = 1.2
parameter C2 = 0.9
start Tw1 ~ normal(14, 0.1)
start Tw2 ~ normal(14, 0.1)
start T1 ~ normal(20, 0.1)
start T2 ~ normal(19, 0.1)
