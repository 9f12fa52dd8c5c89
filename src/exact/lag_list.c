/* Sorting of lags. */
#include "exact/lag_list.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const lf_lag *one = a, *other = b;
    if (one->later != other->later) {
        return one->later < other->later ? -1 : 1;
    }
    if (one->earlier != other->earlier) {
        return one->earlier < other->earlier ? -1 : 1;
    }
    return one->lag < other->lag ? -1 : one->lag > other->lag ? 1 : one->entry < other->entry ? -1 : 1;
}

size_t lf_lags_sort(size_t count, lf_lag *lags, double span, size_t *first)
{
    size_t sets = 0;
    qsort(lags, count, sizeof *lags, compare);
    for (size_t i = 0; i < count; i++) {
        const lf_lag *begin = sets ? &lags[first[sets - 1]] : NULL;
        if (!begin || begin->later != lags[i].later || begin->earlier != lags[i].earlier ||
            lags[i].lag - begin->lag > 1e-14 * span) {
            first[sets++] = i;
        }
    }
    first[sets] = count;
    return sets;
}
