/* What likelihoods with the mean e^f have in common. */
#ifndef LF_LIKELIHOOD_LOG_LINK_H
#define LF_LIKELIHOOD_LOG_LINK_H

#include <math.h>

#include "likelihood/likelihood.h"

/* Mean and variance of e^f, f ~ N(m, v). */
static inline lf_moments lf_log_link_moments(double m, double v)
{
    double mean = exp(m + 0.5 * v);
    return (lf_moments){.mean = mean, .variance = mean * mean * expm1(v)};
}

/* Whether y is 0, 1, 2, … and so small that each of them is a double. */
static inline int lf_is_count(double y) { return y >= 0 && y == floor(y) && y < 9e15; }

/* f as a count suggests it: log y, one half added so that 0 is a start too. */
static inline void lf_start_count(const lf_reading *r, double *m, double *v)
{
    *m = log(r->y + 0.5);
    *v = 1 / (r->y + 0.5);
}

#endif
