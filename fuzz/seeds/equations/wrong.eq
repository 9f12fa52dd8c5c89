input To
Cw*Tw' = (To - Tw)/Ro + Tw*To - 2x
output Tw
