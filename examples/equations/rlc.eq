# A coil, a resistor and a capacitor in series behind a generator. q is the charge of the capacitor.
# SI units: V, A, s, ohm, H, F. The switched voltage of the generator is recorded.
time s
input v constant
L*q'' + R*q' + q/C = v
output i = q'
output vc = q/C
start rest
quantity f0 = 1/(6.283185307*sqrt(L*C))        # resonance, Hz
quantity Q = sqrt(L/C)/R                       # quality factor
