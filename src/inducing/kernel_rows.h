/* Functions shared by the covariances of the inducing engines at the rows of one output and their derivatives. */
#ifndef LF_INDUCING_KERNEL_ROWS_H
#define LF_INDUCING_KERNEL_ROWS_H

#include "features/response.h"
#include "inducing/inducing_kernel.h"

/* Whether a force with this grid may drive the output. */
int lf_inducing_grid_drives(const lf_inducing_kernel *kernel, int output, int grid);

/* c (S) = sum of S_dq^2 w_q over the shared forces with this grid or, with shared 0, the private force of the output.
 * Returns 0 where there is no such force. */
int lf_inducing_coupling(const lf_inducing_kernel *kernel, int output, int grid, int shared, double *c);

/* Rows first … first + n - 1 as a point set that refers to them. target (1) and start (2): storage for the set. */
lf_point_set lf_inducing_points(const lf_inducing_kernel *kernel, const lf_row_compression *rows, size_t first,
                                size_t n, int *target, size_t *start);

/* How many of `rows` to take together for K_fu: through the state space the covariances of n rows with M inducing values
 * cost (n + M)^2. */
size_t lf_inducing_chunk(const lf_inducing_kernel *kernel, size_t rows);

/* Chain rule from sampled frequencies (by_lambda) to the lengthscales of their force, the first of which is parameter
 * `first`. */
void lf_inducing_frequency_backward(const lf_source *source, const lf_nodes *nodes, int first, const double *by_lambda,
                                    double *gradient);

/* lf_inducing_kernel_rows_backward for LF_INDUCING_CLOSED_FORM. */
lf_status lf_inducing_closed_form_backward(lf_context *ctx, const lf_inducing_kernel *kernel,
                                           const lf_row_compression *rows, const double *by_X, size_t ld,
                                           lf_inducing_blocks by, double *gradient, double *by_Y);

#endif
