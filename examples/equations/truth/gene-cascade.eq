# The truth behind gene-cascade.csv: gene-cascade.eq with all values, from which simulate.sh draws.
time h
force tf ~ eq(lengthscale = 1.5, amplitude = 1)
parameter D1 = 0.8 fixed
f1' = -D1*f1 + S1*tf
f2' = -D2*f2 + S2*f1
f3' = -D3*f3 + S3*f2
output gene1 = f1 noise = 0.05
output gene2 = f2 noise = 0.05
output gene3 = f3 noise = 0.05
parameter S1 = 1.5
parameter D2 = 0.4
parameter S2 = 0.6
parameter D3 = 0.7
parameter S3 = 1.2
start rest
