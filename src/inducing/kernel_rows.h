/* What the values and the derivatives of the inducing engines' covariances share. */
#ifndef LF_INDUCING_KERNEL_ROWS_H
#define LF_INDUCING_KERNEL_ROWS_H

#include "features/response.h"
#include "inducing/inducing_kernel.h"

/* Whether a force on the grid acts on the output. */
int lf_inducing_grid_acts(const lf_inducing_kernel *kernel, int output, int grid);

/* c (S): sum of S^2 w over the shared forces of the grid, or over the private force of the output; 0 when there is none. */
int lf_inducing_coupling(const lf_inducing_kernel *kernel, int output, int grid, int shared, double *c);

/* `n` of the rows from `first` on as points, borrowed; target (1) and start (2) are where the set keeps these. */
lf_point_set lf_inducing_points(const lf_inducing_kernel *kernel, const lf_row_compression *rows, size_t first,
                                size_t n, int *target, size_t *start);

/* From dL/dlambda of sampled frequencies to the lengthscales of their force, the first of which is parameter `first`. */
void lf_inducing_by_frequency(const lf_source *source, const lf_nodes *nodes, int first, const double *by_lambda,
                              double *gradient);

/* lf_inducing_kernel_rows_backward in closed form. */
lf_status lf_inducing_closed_form_backward(lf_context *ctx, const lf_inducing_kernel *kernel,
                                           const lf_row_compression *rows, const double *by_X, size_t ld,
                                           lf_inducing_blocks by, double *gradient, double *by_Y);

#endif
