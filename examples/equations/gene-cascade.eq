# A cascade of genes: an unseen transcription factor drives gene 1, whose product drives gene 2, whose product drives gene 3.
# Expression in arbitrary units, time in h, decays D in 1/h. Nothing is expressed before the treatment at time 0.
# The decay of gene 1 was measured on its own: with an unseen drive only, it cannot be separated from the smoothness of the drive.
time h
force tf ~ eq
parameter D1 = 0.8 fixed
f1' = -D1*f1 + S1*tf
f2' = -D2*f2 + S2*f1
f3' = -D3*f3 + S3*f2
output gene1 = f1
output gene2 = f2
output gene3 = f3
start rest
