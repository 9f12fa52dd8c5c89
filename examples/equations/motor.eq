# A direct-current motor with an unknown load. Voltage, current and speed are recorded.
# SI units: V, A, rad/s, ohm, H, N m. K is the constant of the motor, of its torque and of its back-voltage.
time s
input u constant          # voltage of the drive
force load                # torque at the shaft, N m
L*i' = u - R*i - K*w
J*w' = K*i - b*w - load
output i
output w
