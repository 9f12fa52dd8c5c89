T' = (To - T)/tau
input To
output T
