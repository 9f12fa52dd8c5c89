input v
force u
x''' + a^b*x'' - (-b)*x' = -x + u*b^2 - y/a + v
y' = -exp(-a)*y + 2^b*x'' + log(c)*v - sqrt(c)
output p = x''' - y'/b
quantity s = (a + b)^(1/c) - 2^a
