# Two coupled tanks around their working point. Levels in cm and flows in cm3/s are deviations from it; the areas were measured (cm2).
# Valves are linearised: flow = k times difference of levels. Somebody draws water from tank 2.
time s
input q constant          # pump, into tank 1
force draw                # out of tank 2, cm3/s
parameter A1 = 154 fixed
parameter A2 = 154 fixed
A1*h1' = q - k12*(h1 - h2)
A2*h2' = k12*(h1 - h2) - k2*h2 - draw
output h1
output h2
