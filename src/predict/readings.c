/* Intervals of readings through their likelihood. */
#include "predict/readings.h"

#include <math.h>

#include "base/normal_quantile.h"

#define LEAST_LEFT 1e-9 /* of the variance of a site, beside that of f: less is a rounding error */

lf_reading lf_reading_of(const lf_output *output, double y, double sd)
{
    return (lf_reading){.y = y,
                        .noise = output->scale * output->scale * output->noise_variance + sd * sd,
                        .number = output->likelihood_number};
}

void lf_reading_interval(const lf_likelihood *likelihood, const lf_reading *r, lf_latent f, double level,
                         int noise_free, double *lower, double *upper)
{
    double z = lf_normal_quantile(0.5 + level / 2) * sqrt(f.variance), tail = 0.5 * (1 - level);
    *lower = noise_free ? likelihood->inverse_link(f.mean - z)
                        : lf_likelihood_quantile(likelihood, r, f.mean, f.variance, tail);
    *upper = noise_free ? likelihood->inverse_link(f.mean + z)
                        : lf_likelihood_quantile(likelihood, r, f.mean, f.variance, 1 - tail);
}

lf_latent lf_reading_site(const lf_likelihood *likelihood, const lf_reading *r, lf_latent f)
{
    lf_log_density e = likelihood->expectation(r, f.mean, f.variance);
    double variance = -0.5 / e.by_variance;
    return (lf_latent){.mean = f.mean + variance * e.by_mean, .variance = variance};
}

lf_latent lf_reading_without(const lf_likelihood *likelihood, const lf_reading *r, lf_latent f)
{
    lf_latent site = lf_reading_site(likelihood, r, f);
    double variance = f.variance / fmax(1 - f.variance / site.variance, LEAST_LEFT);
    return (lf_latent){.mean = f.mean + variance * (f.mean - site.mean) / site.variance, .variance = variance};
}

double lf_reading_left_out(const lf_likelihood *likelihood, const lf_reading *r, lf_latent f)
{
    lf_latent without = lf_reading_without(likelihood, r, f);
    return lf_likelihood_score(likelihood, r, without.mean, without.variance);
}

void lf_reading_as_gaussian(const lf_likelihood *likelihood, const lf_reading *r, lf_latent f, double *error,
                            double *noise)
{
    double low, high, lowest, highest;
    lf_reading_interval(likelihood, r, f, 0.95, 1, &low, &high);
    lf_reading_interval(likelihood, r, f, 0.95, 0, &lowest, &highest);
    double wider = fmax((highest - lowest) / (high - low), 1);
    *noise = isfinite(wider) ? f.variance * (wider * wider - 1) : 0;
    *error = lf_likelihood_score(likelihood, r, f.mean, f.variance) * sqrt(f.variance + *noise);
}
