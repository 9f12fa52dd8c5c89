# A hot-water tank whose logger keeps two-hour means of the temperature. People draw water when they like.
# Temperatures in degC, power in kW, resistance in K/kW, capacity in kWh/K.
time h
input Ta                  # cellar
input P constant          # electric heater
force draw                # heat taken with the water, kW
C*T' = P - (T - Ta)/R - draw
output Tlog = average(T, 2)
