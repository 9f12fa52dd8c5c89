force load
m1*x'' + mc*(x'' - y'') + c*(x' - y') + k*x = S1*load + 3
0 = m2*y'' - mc*(x'' - y'') - c*(x' - y') - S2*load
output a1 = x'' + g
output a2 = 2*(y'' - y)/3 noise = 0.1 fixed
start x' ~ normal(-g, 1/k)
