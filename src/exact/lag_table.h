/* Evaluates a smooth function of the lag r = t - t' for many pairs of times by piecewise polynomials through few nodes;
 * and the transposed operation, which collects weights of many lags on the nodes.
 *
 * For functions that are an EQ kernel of lengthscale l convolved with something, so that they vary on the scale l, and
 * that are exponentials of rate `rate` or less beyond a few l. Accurate to rounding relative to the largest value. */
#ifndef LF_EXACT_LAG_TABLE_H
#define LF_EXACT_LAG_TABLE_H

#include <stddef.h>

typedef struct lf_lag_segment {
    double start, width; /* of its panels */
    size_t first, count; /* panels */
} lf_lag_segment;

typedef struct lf_lag_table {
    lf_lag_segment segments[3]; /* below, around and above lag 0 */
    size_t panels, nodes;       /* totals */
    double *lag;                /* (nodes) */
    double *coefficients;       /* (nodes) Chebyshev coefficients, panel by panel */
} lf_lag_table;

/* About how many nodes a table would have. */
double lf_lag_table_size(double lowest, double highest, double lengthscale, double rate);

/* Creates the nodes for lags lowest … highest. Returns 0, or -1 when there is no memory. */
int lf_lag_table_create(double lowest, double highest, double lengthscale, double rate, lf_lag_table *table);
void lf_lag_table_clear(lf_lag_table *table);

/* Sets the function by its values (nodes) at table->lag. */
void lf_lag_table_fit(lf_lag_table *table, const double *values);
double lf_lag_table_value(const lf_lag_table *table, double r);

/* The transposed operation, in two steps. lf_lag_table_gather adds sum_i g[i] T_k(t[i] - s) to the Chebyshev
 * coefficients of each panel, weights (nodes), and may be called for many s; lf_lag_table_weights turns these sums into
 * weights of the nodes: sum_mn G[m,n] f(t_m - s_n) = sum_node weight f(lag). */
void lf_lag_table_gather(const lf_lag_table *table, size_t n, const double *t, double s, const double *g,
                         double *weights);
void lf_lag_table_weights(const lf_lag_table *table, double *weights);

#endif
