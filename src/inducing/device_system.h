/* The system of a replicate (inducing_system.h) with its products and factors on a device.
 *
 * The device works on tiles of rows and adds up B'B and B'y of the whitened B; a second pass turns K_fu into dL/dK_fu. An output whose
 * Lambda_d is not diagonal is one tile. K_fu is made there where it can be (device_features.h). Otherwise the processor computes K_fu (n, M),
 * which system->Z holds, and the blocks of K_ff, and continues from their derivatives to the parameters. */
#ifndef LF_INDUCING_DEVICE_SYSTEM_H
#define LF_INDUCING_DEVICE_SYSTEM_H

#include "device/device.h"
#include "inducing/device_features.h"
#include "inducing/inducing_system.h"

/* From K_fu in system->Z: Lambda, C, C^-1 y and, in system->core (M, M), lower triangle, and system->mean (M), B'B and B'y. system->whitened,
 * unless NULL, becomes C^-1 B. */
lf_status lf_inducing_device_fill(lf_context *ctx, const lf_inducing_kernel *kernel, lf_inducing_system *system);
/* From these sums: the mean, log|I + B'B| and y'(I + B B')^-1 y, of several processes the share of this one; core becomes the Cholesky factor of I + B'B or, with_gradient, its inverse,
 * both triangles. */
lf_status lf_inducing_device_solve(lf_context *ctx, lf_inducing_system *system, int with_gradient,
                                   double *log_determinant, double *quadratic_form);
/* From K_fu to dL/dK_fu in system->Z, to dL/dK_ff and dL/dLambda, to by_uu and the gradient by noise and offsets; of outputs whose K_fu is
 * made on the device to by_Y and all of the gradient. */
lf_status lf_inducing_device_backward(lf_context *ctx, const lf_inducing_kernel *kernel, lf_inducing_system *system,
                                      const lf_inducing_adjoints *adjoints, double *by_uu, double *by_Y,
                                      double *gradient);

/* ---- shared by the two passes ---- */

/* Everything but `device` and the numbers is on the device. */
typedef struct lf_inducing_tiles {
    lf_device *device;
    size_t M, rows;  /* rows of a tile at most */
    double **L;      /* (Q) the factors of K_uu */
    double *B, *Z;   /* (rows, M); Z: with gradient only */
    double *A;       /* (M, M) B'B, or (I + B'B)^-1 */
    double *mean;    /* (M) B'y, or the mean */
    double **H;      /* (Q) with gradient: -1/2 B' dL/dB of each force (K, K) */
    double *vectors; /* (rows, 3) */
    int makes;       /* some parts are made on the device */
    lf_inducing_device_rows made;
} lf_inducing_tiles;

/* Tiles for the diagonal parts, as large as memory permits beside the largest dense part. After a failure they must still be cleared. */
lf_status lf_inducing_tiles_create(lf_context *ctx, const lf_inducing_kernel *kernel, const lf_inducing_system *system,
                                   int with_gradient, lf_inducing_tiles *tiles);
void lf_inducing_tiles_clear(const lf_inducing_kernel *kernel, lf_inducing_tiles *tiles);

/* lf_inducing_whiten of X (n, M) on the device. */
void lf_inducing_tiles_whiten(const lf_inducing_kernel *kernel, const lf_inducing_tiles *tiles, size_t n, int backward,
                              double *X, size_t ld);
/* explained (n), here, = sums over the columns of X o Y (n, columns). sums (n) is on the device. */
void lf_inducing_row_products(const lf_inducing_tiles *tiles, size_t n, size_t columns, const double *X,
                              const double *Y, size_t ld, double *sums, double *explained);
/* tiles->B = K_fu of the n rows of a part from `from` on, made there or from here; whitened. */
lf_status lf_inducing_tiles_load(lf_context *ctx, const lf_inducing_kernel *kernel, lf_inducing_tiles *tiles,
                                 const lf_inducing_system *system, const lf_inducing_part *part, size_t from, size_t n,
                                 int with_derivative);

#endif
