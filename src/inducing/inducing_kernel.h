/* Covariances for the inducing engines, with derivatives: K_uu of the inducing values u_q(z), K_fu of outputs with
 * them, and K_ff of an output with itself. Three sources:
 *
 *   exact        K_fu and K_ff from as many uniform nodes as make them exact to rounding; K_uu from the force kernel
 *   features     K_uu, K_fu and K_ff from the features of the given nodes
 *   closed form  exact/exact_covariance.h: one error function per entry or, for Matern forces, the state space
 *
 * From nodes with weights w_q, with the response columns V_d and E_q = [cos, sin](lambda z):
 *
 *   K_fu = S_dq V_d Y_q,   Y_q = w_q E_q'
 *
 * The private part of an output is its private force and its free initial state. by_X is dL/dX. */
#ifndef LF_INDUCING_INDUCING_KERNEL_H
#define LF_INDUCING_INDUCING_KERNEL_H

#include "exact/exact_covariance.h"
#include "features/features.h"
#include "inducing/row_compression.h"

typedef enum lf_inducing_source { LF_INDUCING_EXACT, LF_INDUCING_FEATURES, LF_INDUCING_CLOSED_FORM } lf_inducing_source;

/* The inducing values of one force. */
typedef struct lf_inducing_force {
    size_t first, K; /* columns first … first + K - 1 of M */
    size_t S2;       /* 2 S of its grid; 0: closed form */
    double *z;       /* (K, p), points into kernel->u.x */
    double *L;       /* (K, K) lower triangle, Cholesky factor of K_uu + noise + jitter */
    double *E;       /* (K, 2S) */
    double *Y;       /* (2S, K) */
    size_t Y_offset; /* position of Y in an array of the Y of all forces */
} lf_inducing_force;

typedef struct lf_inducing_kernel {
    const lf_model *model;
    struct lf_device *device; /* of its engine, which computes there (device_system.h); NULL: the processor */
    lf_inducing_source source;
    lf_exact_covariance exact; /* for predictions and, in closed form, for all covariances */
    int has_features;          /* spec and features exist */
    lf_grid_spec spec;
    lf_features features;
    lf_point_set u;            /* the inducing values as points, one group for each force */
    lf_inducing_force *forces; /* (Q) */
    size_t Y_size;             /* entries of Y of all forces; 0: no features */
    double jitter;             /* the largest of the last lf_inducing_kernel_prepare, relative to the diagonal */
    double reported_jitter;    /* the largest in a note so far */
    /* Copies of the model without the private parts, and with the private parts only; NULL for features or where no
     * output has a private part. */
    lf_model *shared_model, *private_model;
} lf_inducing_kernel;

/* K_ff of an output at n rows, or derivatives with respect to it. NULL: not needed. */
typedef struct lf_inducing_blocks {
    double *diagonal; /* (n) of the shared forces */
    double *shared;   /* (n, n) of the shared forces, both triangles */
    double *private;  /* (n, n) of the private part, both triangles */
} lf_inducing_blocks;

/* Chooses the inducing inputs and the frequencies. After a failure it must still be cleared. */
lf_status lf_inducing_kernel_create(lf_context *ctx, const lf_model *model, const lf_rows *rows,
                                    const lf_engine_options *options, lf_inducing_kernel *kernel);
void lf_inducing_kernel_clear(lf_inducing_kernel *kernel);
/* For predictions: kernel->source, exact and, for features, spec are set by the caller. K[q] inducing values of each
 * force at z (M, p). The kernel is prepared. */
lf_status lf_inducing_kernel_restore(lf_context *ctx, const lf_model *model, const size_t *K, const double *z,
                                     lf_inducing_kernel *kernel);
int lf_inducing_kernel_needs_regrid(const lf_model *model, const lf_inducing_kernel *kernel);

/* Whether an output has a private force or a free initial state. */
int lf_output_has_private_part(const lf_model *model, int output);

/* Computes what does not depend on the output at the current parameters: frequencies, Y, and the factors of K_uu. */
lf_status lf_inducing_kernel_prepare(lf_context *ctx, lf_inducing_kernel *kernel);

/* X (n, M) = K_fu at the compressed rows of one output, leading dimension ld, and the blocks of K_ff. */
lf_status lf_inducing_kernel_rows(lf_context *ctx, const lf_inducing_kernel *kernel, const lf_row_compression *rows,
                                  double *X, size_t ld, lf_inducing_blocks blocks);
/* gradient[i] += dL/d(natural value of parameter i) from by_X and by_blocks, without the contribution through Y, which
 * is added to by_Y (Y_size). */
lf_status lf_inducing_kernel_rows_backward(lf_context *ctx, const lf_inducing_kernel *kernel,
                                           const lf_row_compression *rows, const double *by_X, size_t ld,
                                           lf_inducing_blocks by_blocks, double *gradient, double *by_Y);
/* The contribution through Y and K_uu, once for all outputs: adds to the derivatives with respect to lengthscales,
 * inducing inputs and inducing noise. by_uu: dL/dK_uu of each force (K, K), both triangles, one force after the
 * other. */
lf_status lf_inducing_kernel_backward(lf_context *ctx, const lf_inducing_kernel *kernel, const double *by_uu,
                                      const double *by_Y, double *gradient);

#endif
