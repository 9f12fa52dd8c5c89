/* The gamma function, the tail of the gamma distribution and the beta distribution. */
#ifndef LF_BASE_GAMMA_FUNCTION_H
#define LF_BASE_GAMMA_FUNCTION_H

/* log Gamma(x), x > 0. lgamma() writes to a variable of the whole process. */
double lf_log_gamma(double x);

/* The derivative of log Gamma(x), x > 0. */
double lf_digamma(double x);

/* log Q(a, x), Q(a, x) = Gamma(a, x) / Gamma(a): the probability that a gamma variate of shape a and scale 1 exceeds x. */
double lf_log_gamma_tail(double a, double x);
/* The x that it exceeds with this probability. */
double lf_gamma_quantile(double a, double probability);

/* I_x(a, b), a, b > 0: the probability that a beta variate is at most x. */
double lf_beta_distribution(double a, double b, double x);

#endif
