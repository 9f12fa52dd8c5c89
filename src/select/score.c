/* The scores by which candidates are compared. */
#include <math.h>

#include "select/candidates.h"

/* The objective of a fit with the penalty of Akaike (1974). One that grows with the rows, as in BIC, drops forces that predict. */
double lf_score_of_fit(const lf_optimum *found)
{
    return found->log_likelihood + found->log_prior - (double)found->free_count;
}

double lf_score_of_refit(const lf_refit *r)
{
    if (r->status || !r->count) {
        return -(double)INFINITY;
    }
    return lf_held_out_density(r->count, r->rows, lf_variance_factor(r->count, r->rows, 1, lf_threshold.fewer_covered));
}
