# A house as two nodes: walls, which nobody measures, and the air with what is in the rooms.
# Temperatures in degC, power in kW, resistances in K/kW, capacities in kWh/K.
time h
input To                  # outside temperature
input Qh constant         # heating power
force draughts ~ white    # doors and windows: noise of the process
Cw*Tw' = (To - Tw)/Ro + (Ti - Tw)/Ri
Ci*Ti' = (Tw - Ti)/Ri + Qh + draughts
output Ti
quantity HLC = 1000/(Ro + Ri)     # W/K
