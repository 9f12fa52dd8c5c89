# A heated room as three nodes: radiator, air and envelope. The radiator has a thermometer of its own.
# Temperatures in degC, power in kW, resistances in K/kW, capacities in kWh/K, sun in kW/m2.
time h
input To, sun             # outside temperature; radiation on the windows
input Qh constant         # heat given to the radiator
force draughts ~ white
Ch*Th' = (Ti - Th)/Rh + Qh
Ci*Ti' = (Th - Ti)/Rh + (Te - Ti)/Ri + window*sun + draughts
Ce*Te' = (Ti - Te)/Ri + (To - Te)/Ro
output Th
output Ti
quantity HLC = 1000/(Ro + Ri)     # W/K; window is an area in m2
