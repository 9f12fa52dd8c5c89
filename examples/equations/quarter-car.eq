# A quarter of a car on a rough road: wheel (zu), body (zs). Accelerometers on both, and the travel of the suspension.
# The road is integrated white noise, as usual; the car drives at constant speed. The masses were weighed (kg).
# Positions in mm, accelerations in mm/s2.
time s
force rough ~ white
parameter ms = 300 fixed
parameter mu = 40 fixed
road' = rough - 0.5*road                       # the mean of the road over long distances is 0
ms*zs'' = ks*(zu - zs) + cs*(zu' - zs')
mu*zu'' = -ks*(zu - zs) - cs*(zu' - zs') + kt*(road - zu)
output body = zs''
output wheel = zu''
output travel = zu - zs
