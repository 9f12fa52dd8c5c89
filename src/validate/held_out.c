/* What rows that were left out say about the variances that were predicted for them. */
#include "validate/held_out.h"

#include <math.h>

#define QUANTILE 3.841458820694124 /* of a squared standard normal, 95 % */
#define LOG_TWO_PI 1.837877066409345

/* The factor of its variance with which an interval just contains the reading. */
static double needed_factor(const lf_held_row *row)
{
    return row->variance > 0 ? (row->error * row->error / QUANTILE - row->noise) / row->variance : 1;
}

double lf_held_out_coverage(size_t n, const lf_held_row *rows, double factor)
{
    size_t covered = 0;
    for (size_t i = 0; i < n; i++) {
        covered += needed_factor(&rows[i]) <= factor;
    }
    return (double)covered / (double)n;
}

double lf_variance_factor(size_t n, const lf_held_row *rows, double weight, double share)
{
    double low = 0, high = 1, next = 1; /* high covers enough */
    for (size_t i = 0; i < n; i++) {
        high = fmax(high, needed_factor(&rows[i]));
    }
    while (high - low > 1e-12 * high && high > 1) {
        double as_the_model_says = erf(sqrt(next * QUANTILE / 2));
        int enough = weight * lf_held_out_coverage(n, rows, next) + (1 - weight) * as_the_model_says >= share;
        low = enough ? low : next;
        high = enough ? next : high;
        next = (low + high) / 2;
    }
    return high;
}

double lf_held_out_density(size_t n, const lf_held_row *rows, double factor)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double variance = factor * rows[i].variance + rows[i].noise;
        sum -= 0.5 * (LOG_TWO_PI + log(variance) + rows[i].error * rows[i].error / variance);
    }
    return sum / (double)n;
}
