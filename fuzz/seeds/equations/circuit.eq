time s
input source constant
L*i' + R*i + v = source
C*v' = i
output current = average(i, 1/50)
output vL = L*i' noise = 1e-3
quantity w0 = (L*C)^-0.5
quantity Q = sqrt(L/C)/R
quantity twice = 2*Q
start steady
