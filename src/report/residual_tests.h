/* Tests of standardised residuals: autocorrelation, normality, coverage. */
#ifndef LF_REPORT_RESIDUAL_TESTS_H
#define LF_REPORT_RESIDUAL_TESTS_H

#include <stddef.h>

/* P(chi-squared with k >= 1 degrees of freedom > x). */
double lf_chi_squared_tail(int k, double x);

/* P(at most k successes out of n, each of probability p), 0 < p < 1. */
double lf_binomial_tail(size_t n, size_t k, double p);

/* r (lags): autocorrelations of z (n), in the order of the rows, over pairs of the same series (n), with the average of z
 * subtracted. Fewer than n lags. */
void lf_autocorrelations(size_t n, const double *z, const int *series, size_t lags, double *r);

/* The test of Ljung and Box: for independent numbers n (n + 2) sum_k r_k^2 / (n - k) is chi-squared with as many degrees of
 * freedom as lags. */
double lf_ljung_box_p(size_t n, size_t lags, const double *r);

/* Skewness and excess kurtosis of z (n). */
void lf_shape(size_t n, const double *z, double *skewness, double *excess_kurtosis);

/* The K^2 test of D'Agostino and Pearson: skewness and kurtosis, each transformed to a nearly normal number (D'Agostino 1970;
 * Anscombe and Glynn 1983), good from 20 rows on. */
double lf_normality_p(size_t n, double skewness, double excess_kurtosis);

#endif
