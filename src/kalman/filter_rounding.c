/* What rounding does to the log likelihood of a filter. A measurement update subtracts from the variances of the state what is now
 * known. The remainder has the rounding errors of the variances before, and with it the next S. The magnitudes that S and e are
 * computed from are therefore those of the state before the last update, taken through the time update without signs. */
#include <math.h>

#include "base/rounding.h"
#include "kalman/filter.h"

/* sum_j |A_ij| x_j; A NULL: x_i. */
static double reach(const lf_sparsity *sparsity, const double *A, size_t i, const double *x)
{
    double sum = 0;
    for (int e = sparsity->row_start[i]; A && e < sparsity->row_start[i + 1]; e++) {
        size_t j = (size_t)sparsity->columns[e];
        sum += fabs(A[i * (size_t)sparsity->stride + j]) * x[j];
    }
    return A ? sum : x[i];
}

void lf_filter_begin_rounding(lf_filter *filter, size_t step, const double *A)
{
    const lf_timeline *t = filter->timeline;
    const lf_sparsity *sparsity = &filter->space->sparsity;
    size_t from = t->first_row[step], m = t->first_row[step + 1] - from, s = (size_t)sparsity->stride;
    double *v = filter->magnitude, *g = v + filter->max_rows;
    for (size_t i = 0; i < m; i++) {
        size_t state = (size_t)filter->space->first[t->output[from + i]];
        double deviation = reach(sparsity, A, state, filter->deviation);
        v[i] = fmax(deviation * deviation, filter->P[state * s + state] + filter->noise[t->row[from + i]]);
        g[i] = fabs(filter->y[t->row[from + i]]) + reach(sparsity, A, state, filter->shift);
    }
    for (size_t j = 0; j < (size_t)sparsity->n; j++) {
        filter->deviation[j] = sqrt(fmax(0, filter->P[j * s + j]));
        filter->shift[j] = fabs(filter->mean[j]);
    }
}

void lf_filter_end_rounding(lf_filter *filter, size_t step)
{
    const lf_timeline *t = filter->timeline;
    size_t m = t->first_row[step + 1] - t->first_row[step];
    const double *v = filter->magnitude, *g = v + filter->max_rows;
    double root = 0;
    for (size_t i = 0; i < m; i++) {
        root += sqrt(v[i]) * fabs(filter->w[i]);
    }
    for (size_t j = 0; j < (size_t)filter->space->n; j++) { /* K e, of which K has the errors of P and S */
        filter->shift[j] += fabs(filter->mean[j]) + filter->deviation[j] * root;
    }
    filter->rounding += lf_rounding_error(m, v, filter->S, filter->max_rows + 1, filter->w, g);
}
