# cascade.eq: a transcription factor drives gene 1, its protein gene 2, whose protein gene 3
time h
force tf ~ matern52                     # the factor, as the production that it causes; not measured
m1' = tf - d1*m1                        # m: mRNA, p: protein
p1' = e1*(m1 - p1)
m2' = s2*p1 - d2*m2
p2' = e2*(m2 - p2)
m3' = s3*p2 - d3*m3
start rest                              # changes from the level before the stimulus
output gene1 = m1
output gene2 = m2
output gene3 = m3
parameter e1 ~ lognormal(0.25, 0.2)     # half-lives of 2.8 h and 2.0 h, known to about 20 %
parameter e2 ~ lognormal(0.35, 0.2)
quantity half1 = log(2)/d1              # half-lives of the mRNA
quantity half2 = log(2)/d2
quantity half3 = log(2)/d3
