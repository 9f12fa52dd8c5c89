/* The table of likelihoods, and what they have in common. */
#include "likelihood/likelihood.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define LF_ROW(name, text) &lf_likelihood_##name,
static const lf_likelihood *const likelihoods[] = {LF_LIKELIHOODS(LF_ROW)};
#undef LF_ROW

#define LF_NAME(name, text) ", " text
static const char names[] = "gaussian" LF_LIKELIHOODS_BESIDE_GAUSSIAN(LF_NAME);
#undef LF_NAME

const lf_likelihood *lf_likelihood_find(const char *name)
{
    for (size_t i = 0; i < sizeof likelihoods / sizeof *likelihoods; i++) {
        if (strcmp(likelihoods[i]->name, name) == 0) {
            return likelihoods[i];
        }
    }
    return NULL;
}

const char *lf_likelihood_names(void) { return names; }

/* A y whose probability of not being exceeded is at least p, in growing steps from the mean; below: less than p. */
static double reach(const lf_likelihood *likelihood, const lf_reading *r, double m, double v, double probability,
                    int below)
{
    lf_moments moments = likelihood->moments(r, m, v);
    double step = fmax(sqrt(moments.variance_new), 1e-300), y = moments.mean;
    for (int i = 0; i < 200 && isfinite(y); i++) {
        double p = likelihood->distribution(r, m, v, y);
        if (below ? p < probability : p >= probability) {
            return y;
        }
        y += below ? -step : step;
        step *= 1.6;
    }
    return y;
}

double lf_likelihood_quantile(const lf_likelihood *likelihood, const lf_reading *r, double m, double v,
                              double probability)
{
    double high = reach(likelihood, r, m, v, probability, 0), low = reach(likelihood, r, m, v, probability, 1);
    if (likelihood->discrete) {
        high = ceil(high);
        low = floor(low);
        while (high - low > 1 && high - 1 < high) {
            double middle = floor(low + (high - low) / 2);
            if (likelihood->distribution(r, m, v, middle) < probability) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return high;
    }
    for (int i = 0; i < 200 && high - low > 1e-12 * (fabs(low) + fabs(high)); i++) {
        double middle = low + (high - low) / 2;
        if (likelihood->distribution(r, m, v, middle) < probability) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low + (high - low) / 2;
}
