/* Where the inputs of inducing values stand. */
#ifndef LF_INDUCING_INDUCING_INPUTS_H
#define LF_INDUCING_INDUCING_INPUTS_H

#include "points/rows.h"

/* `count` inputs z (count, p), placed over n inputs x (n, p): "even" (one input; evenly spaced from first to last), "data"
 * (a subset that is spread over them) or "kmeans" (centres of clusters). NULL: even, with several inputs kmeans. */
lf_status lf_place_inducing_inputs(lf_context *ctx, int input_dim, size_t n, const double *x, size_t count,
                                   const char *placement, double *z);

/* The inputs of all rows (n, p), released by free; NULL without memory. */
double *lf_rows_inputs(const lf_rows *rows, int input_dim);

#endif
