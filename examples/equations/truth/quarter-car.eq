# The truth behind quarter-car.csv: quarter-car.eq with all values, from which simulate.sh draws.
time s
force rough ~ white(sd = 15)
parameter ms = 300 fixed
parameter mu = 40 fixed
road' = rough - 0.5*road
ms*zs'' = ks*(zu - zs) + cs*(zu' - zs')
mu*zu'' = -ks*(zu - zs) - cs*(zu' - zs') + kt*(road - zu)
output body = zs'' noise = 30
output wheel = zu'' noise = 200
output travel = zu - zs noise = 0.2
parameter ks = 18000
parameter cs = 1200
parameter kt = 180000
start steady
