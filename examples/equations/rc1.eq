# A house as one node: it stores heat, loses it to the outside, and is heated. Sun and people add heat that nobody measures.
# Temperatures in degC, power in kW, resistance in K/kW, capacity in kWh/K.
time h
input To                  # outside temperature
input Qh constant         # heating power, as the thermostat switches it
force gains               # sun, people, cooking, kW
C*Ti' = (To - Ti)/R + Qh + gains
output Ti                 # temperature of the room
quantity HLC = 1000/R     # heat-loss coefficient, W/K
quantity tau = R*C        # time constant, h
