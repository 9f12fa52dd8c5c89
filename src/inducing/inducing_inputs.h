/* The choice of inducing inputs. */
#ifndef LF_INDUCING_INDUCING_INPUTS_H
#define LF_INDUCING_INDUCING_INPUTS_H

#include "points/rows.h"

/* Chooses `count` inducing inputs z (count, p) for n inputs x (n, p). placement: "even" (one input dimension; evenly
 * spaced from first to last), "data" (a subset spread over x) or "kmeans" (cluster centres). NULL: "even" or, with
 * several input dimensions, "kmeans". */
lf_status lf_place_inducing_inputs(lf_context *ctx, int input_dim, size_t n, const double *x, size_t count,
                                   const char *placement, double *z);

/* The inputs of the rows that every process has (n, p), to be freed by the caller; NULL: no memory. */
double *lf_rows_inputs(const lf_rows *rows, int input_dim, size_t *n);

#endif
