/* The table of likelihoods, and what they have in common. */
#include "likelihood/likelihood.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/normal_quantile.h"

#define LF_ROW(name, text) &lf_likelihood_##name,
static const lf_likelihood *const likelihoods[] = {LF_LIKELIHOODS(LF_ROW)};
#undef LF_ROW

const lf_likelihood *lf_likelihood_find(const char *name)
{
    name = strcmp(name, "negbinomial") == 0 ? lf_likelihood_negative_binomial.name : name;
    for (size_t i = 0; i < sizeof likelihoods / sizeof *likelihoods; i++) {
        if (strcmp(likelihoods[i]->name, name) == 0) {
            return likelihoods[i];
        }
    }
    return NULL;
}

int lf_likelihood_is_direct(const lf_likelihood *likelihood) { return likelihood->link(2) == 2; }

double lf_likelihood_score(const lf_likelihood *likelihood, const lf_reading *r, double m, double v)
{
    double p = likelihood->distribution(r, m, v, r->y);
    p = likelihood->discrete ? 0.5 * (p + likelihood->distribution(r, m, v, r->y - 1)) : p;
    return lf_normal_quantile(fmin(fmax(p, 1e-300), 1 - 1e-16));
}

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

/* The least count. */
static double count_between(const lf_likelihood *likelihood, const lf_reading *r, double m, double v,
                            double probability, double low, double high)
{
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

double lf_likelihood_quantile(const lf_likelihood *likelihood, const lf_reading *r, double m, double v,
                              double probability)
{
    double high = reach(likelihood, r, m, v, probability, 0), low = reach(likelihood, r, m, v, probability, 1);
    if (likelihood->discrete) {
        return count_between(likelihood, r, m, v, probability, floor(low), ceil(high));
    }
    /* false position, with the value at an end that stays halved (Illinois) */
    double below = likelihood->distribution(r, m, v, low) - probability,
           above = likelihood->distribution(r, m, v, high) - probability, size = high - low;
    int side = 0;
    if (above <= 0) {
        return high;
    }
    for (int i = 0; i < 100 && high - low > 1e-10 * size; i++) {
        double y = high - above * (high - low) / (above - below);
        y = y > low && y < high ? y : low + (high - low) / 2;
        double value = likelihood->distribution(r, m, v, y) - probability;
        if (fabs(value) < 1e-13) {
            return y;
        }
        if (value > 0) {
            high = y;
            above = value;
            below *= side > 0 ? 0.5 : 1;
            side = 1;
        } else {
            low = y;
            below = value;
            above *= side < 0 ? 0.5 : 1;
            side = -1;
        }
    }
    return low + (high - low) / 2;
}
