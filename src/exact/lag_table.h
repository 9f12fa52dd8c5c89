/* A smooth function of the lag r = t - t' on many pairs of times: piecewise polynomials through its values at few nodes,
 * and backwards, weights of many lags gathered onto the nodes.
 *
 * For functions that are an EQ kernel of lengthscale l convolved with something, hence smooth on the scale l, and that
 * are exponentials of rate `rate` or less beyond a few l. Accurate to rounding of the largest value. */
#ifndef LF_EXACT_LAG_TABLE_H
#define LF_EXACT_LAG_TABLE_H

#include <stddef.h>

typedef struct lf_lag_segment {
    double start, width; /* of its panels */
    size_t first, count; /* panels */
} lf_lag_segment;

typedef struct lf_lag_table {
    lf_lag_segment segments[3]; /* before, near and after lag 0 */
    size_t panels, nodes;
    double *lag;          /* (nodes) */
    double *coefficients; /* (nodes) of Chebyshev polynomials, panel by panel */
} lf_lag_table;

/* The number of nodes a table would have. */
double lf_lag_table_size(double lowest, double highest, double lengthscale, double rate);

/* Lays out the nodes for lags lowest … highest; 0 on success, -1 when there is no memory. */
int lf_lag_table_create(double lowest, double highest, double lengthscale, double rate, lf_lag_table *table);
void lf_lag_table_clear(lf_lag_table *table);

/* Takes the values (nodes) of the function. */
void lf_lag_table_fit(lf_lag_table *table, const double *values);
double lf_lag_table_value(const lf_lag_table *table, double r);

/* weights[panel coefficients] += sum_i g[i] T_k(t[i] - s); then lf_lag_table_weights turns the sums into weights of the
 * nodes: sum_mn G[m,n] f(t_m - s_n) = sum_node weight f(lag). */
void lf_lag_table_gather(const lf_lag_table *table, size_t n, const double *t, double s, const double *g,
                         double *weights);
void lf_lag_table_weights(const lf_lag_table *table, double *weights);

#endif
