# Two flats, each with walls and air, and the wall between them: four nodes, of which the two rooms are measured.
# Each flat has its own heating, so that every path of the heat is excited.
# Temperatures in degC, power in kW, resistances in K/kW, capacities in kWh/K.
time h
input To
input Q1, Q2 constant
force g1, g2 ~ white
Cw1*Tw1' = (To - Tw1)/Ro1 + (T1 - Tw1)/Ri1
Cw2*Tw2' = (To - Tw2)/Ro2 + (T2 - Tw2)/Ri2
C1*T1' = (Tw1 - T1)/Ri1 + (T2 - T1)/R12 + Q1 + g1
C2*T2' = (Tw2 - T2)/Ri2 + (T1 - T2)/R12 + Q2 + g2
output T1
output T2
quantity HLC1 = 1000/(Ro1 + Ri1)  # W/K
quantity HLC2 = 1000/(Ro2 + Ri2)
