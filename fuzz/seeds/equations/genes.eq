force "p53 °" ~ eq
"gène 1"' = B1 + S1*"p53 °" - D1*"gène 1"
g2' = (B2 + S2*("gène 1"
        - g3) # continued
       - D2*g2)
g3' = S3*g2 - -g3/D3
output "gène 1"
output "a ""b""" = g3
