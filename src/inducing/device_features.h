/* K_fu of an output on a device, where it comes from nodes and Lambda_d is diagonal (inducing_kernel.h). With the feature rows Phi_q
 * (features/device_rows.h) of a tile,
 *
 *   K_fu = Phi_q U_q,   U_q = sqrt(w_q) E_q',   diag K_ff = row sums of Phi o Phi
 *
 * Derivatives are reduced there too: neither K_fu nor dL/dK_fu exists for all rows anywhere. */
#ifndef LF_INDUCING_DEVICE_FEATURES_H
#define LF_INDUCING_DEVICE_FEATURES_H

#include "features/device_rows.h"
#include "inducing/inducing_kernel.h"

/* Work space for tiles. Everything but `rows` is on the device. */
typedef struct lf_inducing_device_rows {
    lf_device_rows rows;
    double **U, **by_U; /* (Q) (2S, K); by_U with gradient: dL/dU */
    double *shared;     /* (rows, largest 2S or all shared columns) Phi */
    double *by_shared;  /* (rows, all shared columns) with gradient: dL/dPhi */
} lf_inducing_device_rows;

/* Whether K_fu of these rows of an output with a diagonal Lambda_d is made on the device of the kernel. */
int lf_inducing_made_there(const lf_inducing_kernel *kernel, const lf_row_compression *rows);

/* Numbers on the device for each row of a tile, and besides. */
void lf_inducing_device_rows_numbers(const lf_inducing_kernel *kernel, int with_gradient, double *each_row,
                                     double *fixed);
/* After a failure it must still be cleared. */
lf_status lf_inducing_device_rows_create(lf_context *ctx, const lf_inducing_kernel *kernel, size_t rows,
                                         int with_gradient, lf_inducing_device_rows *r);
void lf_inducing_device_rows_clear(const lf_inducing_kernel *kernel, lf_inducing_device_rows *r);

/* X (rows, M) = K_fu of the n rows of an output from `first` on, and Phi. */
lf_status lf_inducing_device_rows_make(lf_context *ctx, const lf_inducing_kernel *kernel, lf_inducing_device_rows *r,
                                       const lf_row_compression *rows, size_t first, size_t n, int with_derivative,
                                       double *X);
/* Adds to the sums of derivatives, given by_X (rows, M) and, on the device, twice dL/d(diag K_ff), by_diagonal (n), or NULL. Phi is
 * overwritten. */
lf_status lf_inducing_device_rows_backward(lf_context *ctx, const lf_inducing_kernel *kernel,
                                           lf_inducing_device_rows *r, const double *by_X, const double *by_diagonal);
/* by_Y and gradient as in lf_inducing_kernel_rows_backward, from the sums over all outputs but for what lf_device_rows_finish adds. */
lf_status lf_inducing_device_rows_finish(lf_context *ctx, const lf_inducing_kernel *kernel,
                                         const lf_inducing_device_rows *r, double *by_Y, double *gradient);

#endif
