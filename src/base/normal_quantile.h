/* Quantiles of the normal distribution: the one source of the intervals that are shown and tested. */
#ifndef LF_BASE_NORMAL_QUANTILE_H
#define LF_BASE_NORMAL_QUANTILE_H

/* The root x >= 0 of erfc(x) = u, 0 < u <= 1. */
double lf_inverse_erfc(double u);
/* The x below which a standard normal variate lies with this probability, 0 < probability < 1. */
double lf_normal_quantile(double probability);

#endif
