/* Expectations under f ~ N(m, v) by the trapezoidal rule in z = (f - m) / sqrt(v), which converges geometrically for analytic functions that
 * decay on both sides: E g = sum_k h phi(z_k) g(m + sqrt(v) z_k), |z| <= 8.5. */
#include <math.h>

#include "base/numbers.h"
#include "likelihood/likelihood.h"

#define REACH 8.5 /* standard deviations */
#define STEP 0.25 /* of them */
#define LEAST_VARIANCE 1e-16
#define MOST_NODES 4000

static double weight(double z, double step) { return step * exp(-0.5 * z * z) / sqrt(2 * LF_PI); }

/* A step that resolves the normal density and a function of this width. */
static double step_for(double v, double width)
{
    return fmax(fmin(STEP, 0.25 * width / sqrt(v)), 2 * REACH / MOST_NODES);
}

double lf_normal_average(double m, double v, double width, double (*g)(const void *data, double f), const void *data)
{
    if (v <= LEAST_VARIANCE) {
        return g(data, m);
    }
    double s = sqrt(v), step = step_for(v, width), sum = 0;
    int half = (int)(REACH / step);
    for (int k = -half; k <= half; k++) {
        sum += weight(k * step, step) * g(data, m + s * k * step);
    }
    return sum;
}

lf_log_density lf_expect_by_quadrature(const lf_likelihood *likelihood, const lf_reading *r, double m, double v)
{
    double s = sqrt(fmax(v, LEAST_VARIANCE));
    lf_log_density sum = {0};
    int half = (int)(REACH / STEP);
    for (int k = 0; k <= half; k++) { /* both sides together: their difference is small where s is */
        double z = k * STEP, w = weight(z, STEP) * (k ? 1 : 0.5);
        lf_log_density above = likelihood->log_density(r, m + s * z), below = likelihood->log_density(r, m - s * z);
        sum.value += w * (above.value + below.value);
        sum.by_mean += w * (above.by_mean + below.by_mean);
        sum.by_variance += w * z * (above.by_mean - below.by_mean) / (2 * s);
        sum.by_noise += w * (above.by_noise + below.by_noise);
        sum.by_number += w * (above.by_number + below.by_number);
    }
    return sum;
}

typedef struct predictive {
    const lf_likelihood *likelihood;
    const lf_reading *r;
    double shift; /* of the log density, so that its exponential does not underflow */
} predictive;

static double density(const void *data, double f)
{
    const predictive *p = data;
    return exp(p->likelihood->log_density(p->r, f).value - p->shift);
}

double lf_log_predictive_by_quadrature(const lf_likelihood *likelihood, const lf_reading *r, double m, double v,
                                       double width)
{
    predictive p = {.likelihood = likelihood, .r = r, .shift = -(double)INFINITY};
    double s = sqrt(v), step = v > LEAST_VARIANCE ? step_for(v, width) : 2 * REACH;
    for (int k = -(int)(REACH / step); k <= (int)(REACH / step); k++) {
        p.shift = fmax(p.shift, likelihood->log_density(r, m + s * k * step).value - 0.5 * k * step * k * step);
    }
    return isfinite(p.shift) ? p.shift + log(lf_normal_average(m, v, width, density, &p)) : p.shift;
}
