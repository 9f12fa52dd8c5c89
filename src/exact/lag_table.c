/* Chebyshev interpolation on panels: as wide as a lengthscale around lag 0, wider in the tails if the exponentials
 * there permit. TERMS terms resolve exp(-r^2/l^2) on a panel of width l, and e^{-rate r} on a panel of width 3.6/rate,
 * to rounding. */
#include "exact/lag_table.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/numbers.h"

enum { TERMS = 18 };

/* Beyond REACH lengthscales exp(-r^2/l^2) < 1e-21. */
#define REACH 7.0

/* The three segments for lags lowest … highest. Returns the number of panels. */
static size_t lay_out(lf_lag_segment *segments, double lowest, double highest, double lengthscale, double rate)
{
    double reach = REACH * lengthscale, wide = rate > 0 ? fmax(lengthscale, 3.6 / rate) : INFINITY;
    double edges[4] = {lowest, fmin(fmax(-reach, lowest), highest), fmax(fmin(reach, highest), lowest), highest};
    size_t panels = 0;
    for (int k = 0; k < 3; k++) {
        double length = edges[k + 1] - edges[k], count = ceil(length / (k == 1 ? lengthscale : wide));
        count = length > 0 ? fmax(count, 1) : k == 1;
        segments[k] = (lf_lag_segment){.start = edges[k], .first = panels, .count = (size_t)count};
        segments[k].width = count > 0 && length > 0 ? length / count : lengthscale;
        panels += (size_t)count;
    }
    return panels;
}

double lf_lag_table_size(double lowest, double highest, double lengthscale, double rate)
{
    double reach = REACH * lengthscale, wide = rate > 0 ? fmax(lengthscale, 3.6 / rate) : INFINITY;
    double near = fmin(highest, reach) - fmax(lowest, -reach), far = highest - lowest - fmax(near, 0);
    return TERMS * (3 + fmax(near, 0) / lengthscale + far / wide);
}

int lf_lag_table_create(double lowest, double highest, double lengthscale, double rate, lf_lag_table *table)
{
    *table = (lf_lag_table){0};
    table->panels = lay_out(table->segments, lowest, highest, lengthscale, rate);
    table->nodes = table->panels * TERMS;
    table->lag = lf_doubles(table->nodes, 1);
    table->coefficients = lf_doubles(table->nodes, 1);
    if (!table->lag || !table->coefficients) {
        lf_lag_table_clear(table);
        return -1;
    }
    double *lag = table->lag;
    for (int k = 0; k < 3; k++) {
        const lf_lag_segment *segment = &table->segments[k];
        for (size_t panel = 0; panel < segment->count; panel++) {
            for (int i = 0; i < TERMS; i++) {
                double x = cos(LF_PI * (i + 0.5) / TERMS);
                *lag++ = segment->start + segment->width * ((double)panel + 0.5 * (1 + x));
            }
        }
    }
    return 0;
}

void lf_lag_table_clear(lf_lag_table *table)
{
    free(table->lag);
    free(table->coefficients);
    *table = (lf_lag_table){0};
}

/* Chebyshev polynomials at the nodes, with the factors of the discrete transform: (k, i). */
static void transform_matrix(double matrix[TERMS][TERMS])
{
    for (int k = 0; k < TERMS; k++) {
        for (int i = 0; i < TERMS; i++) {
            matrix[k][i] = (k == 0 ? 1.0 : 2.0) / TERMS * cos(LF_PI * k * (i + 0.5) / TERMS);
        }
    }
}

void lf_lag_table_fit(lf_lag_table *table, const double *values)
{
    double matrix[TERMS][TERMS];
    transform_matrix(matrix);
    for (size_t panel = 0; panel < table->panels; panel++) {
        const double *f = values + panel * TERMS;
        double *c = table->coefficients + panel * TERMS;
        for (int k = 0; k < TERMS; k++) {
            c[k] = 0;
            for (int i = 0; i < TERMS; i++) {
                c[k] += f[i] * matrix[k][i];
            }
        }
    }
}

/* The panel of a lag, and the position x in [-1, 1] within it. */
static inline size_t find_panel(const lf_lag_table *table, double r, double *x)
{
    const lf_lag_segment *segment = &table->segments[1];
    if (r < segment->start && table->segments[0].count) {
        segment = &table->segments[0];
    } else if (table->segments[2].count && r > table->segments[2].start) {
        segment = &table->segments[2];
    }
    double position = (r - segment->start) / segment->width;
    size_t panel = position > 0 ? (size_t)position : 0;
    panel = panel < segment->count ? panel : segment->count - 1;
    *x = 2 * (position - (double)panel) - 1;
    return segment->first + panel;
}

double lf_lag_table_value(const lf_lag_table *table, double r)
{
    double x, b1 = 0, b2 = 0;
    const double *c = table->coefficients + find_panel(table, r, &x) * TERMS;
    for (int k = TERMS - 1; k > 0; k--) {
        double b = c[k] + 2 * x * b1 - b2;
        b2 = b1;
        b1 = b;
    }
    return c[0] + x * b1 - b2;
}

void lf_lag_table_gather(const lf_lag_table *table, size_t n, const double *t, double s, const double *g,
                         double *weights)
{
    for (size_t i = 0; i < n; i++) {
        double x, last, here;
        double *w = weights + find_panel(table, t[i] - s, &x) * TERMS;
        last = g[i];
        here = g[i] * x;
        for (int k = 0; k < TERMS; k++) {
            w[k] += last;
            double next = 2 * x * here - last;
            last = here;
            here = next;
        }
    }
}

void lf_lag_table_weights(const lf_lag_table *table, double *weights)
{
    double matrix[TERMS][TERMS];
    transform_matrix(matrix);
    for (size_t panel = 0; panel < table->panels; panel++) {
        double sums[TERMS], *w = weights + panel * TERMS;
        for (int k = 0; k < TERMS; k++) {
            sums[k] = w[k];
        }
        for (int i = 0; i < TERMS; i++) {
            w[i] = 0;
            for (int k = 0; k < TERMS; k++) {
                w[i] += sums[k] * matrix[k][i];
            }
        }
    }
}
