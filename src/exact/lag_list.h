/* The lags between points, pair of targets by pair of targets. Of points at even times many are the same, and a function of the lag is
 * computed once for each that is not. */
#ifndef LF_EXACT_LAG_LIST_H
#define LF_EXACT_LAG_LIST_H

#include <stddef.h>

typedef struct lf_lag {
    int later, earlier; /* targets */
    double lag;         /* >= 0 */
    size_t entry;       /* of a matrix */
    double weight;
} lf_lag;

/* Sorts lags, and stores in first (count + 1) where each set of the same targets and the same lag, to 1e-14 of `span`, begins; and the
 * end. Returns their number. */
size_t lf_lags_sort(size_t count, lf_lag *lags, double span, size_t *first);

#endif
