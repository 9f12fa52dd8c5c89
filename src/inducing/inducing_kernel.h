/* Covariances for the inducing engines: of outputs with inducing values u_q(z), of these among themselves, and of an output
 * with itself, with their derivatives. Three sources:
 *   exact        uniform nodes so many that K_fu and K_ff are right to rounding; K_uu from the force kernel
 *   features     K_uu, K_fu and K_ff of the features with these nodes
 *   closed form  exact/kernel.h, one error function an entry
 * From nodes, with response columns V_d, E_q = [cos, sin](lambda z), w_q:  K_fu = S_dq V_d Y_q,  Y_q = w_q E_q'. */
#ifndef LF_INDUCING_INDUCING_KERNEL_H
#define LF_INDUCING_INDUCING_KERNEL_H

#include "exact/kernel.h"
#include "features/features.h"
#include "inducing/row_compression.h"

typedef enum lf_inducing_source { LF_INDUCING_EXACT, LF_INDUCING_FEATURES, LF_INDUCING_CLOSED_FORM } lf_inducing_source;

/* The inducing values of one force. */
typedef struct lf_inducing_force {
    size_t first, K; /* columns first … first + K - 1 of M */
    size_t S2;       /* 2 S of its grid; 0: closed form */
    double *z;       /* (K, p), part of kernel->u.x */
    double *L;       /* (K, K) lower triangle of the factor of K_uu + noise */
    double *E;       /* (K, 2S) */
    double *Y;       /* (2S, K) */
    size_t place;    /* of the derivatives by Y among those of all forces */
} lf_inducing_force;

typedef struct lf_inducing_kernel {
    const lf_model *model;
    lf_inducing_source source;
    lf_kernel exact;  /* the route of predictions, and of everything in closed form */
    int has_features; /* demand and features are made */
    lf_grid_spec spec;
    lf_features features;
    lf_point_set u;             /* inducing values, a group for each force */
    lf_inducing_force *forces;  /* (Q) */
    size_t waves;               /* entries of all the Y; 0: without features */
    double jitter;              /* largest relative one of the last preparation */
    double noted;               /* largest one that was told */
    lf_model *shared, *private; /* not for features: the model without what belongs to one output, and with only that */
} lf_inducing_kernel;

/* The (co)variances of an output with itself at n rows, or derivatives by them: of its shared forces, and of what it has
 * for itself (private force, unknown initial state). Those that are NULL are not wanted. */
typedef struct lf_inducing_blocks {
    double *diagonal;         /* (n) shared */
    double *shared, *private; /* (n, n) whole */
} lf_inducing_blocks;

/* Places the inducing values and makes the frequencies. After a failure it must still be cleared. */
lf_status lf_inducing_kernel_create(lf_context *ctx, const lf_model *model, const lf_rows *rows,
                                    const lf_engine_options *options, lf_inducing_kernel *kernel);
void lf_inducing_kernel_clear(lf_inducing_kernel *kernel);
/* For predictions: source, exact and, for features, the demand are set; with K[q] inducing values of each force at z (M, p).
 * Prepared. */
lf_status lf_inducing_kernel_restore(lf_context *ctx, const lf_model *model, const size_t *K, const double *z,
                                     lf_inducing_kernel *kernel);
int lf_inducing_kernel_needs_regrid(const lf_model *model, const lf_inducing_kernel *kernel);

/* Whether an output has anything for itself. */
int lf_output_has_private_part(const lf_model *model, int output);

/* Everything for the model's parameters that does not belong to an output: frequencies, Y, the factors of K_uu. */
lf_status lf_inducing_kernel_prepare(lf_context *ctx, lf_inducing_kernel *kernel);

/* X (n, M) = K_fu at the rows of a reduction, leading dimension ld, and the blocks. */
lf_status lf_inducing_kernel_rows(lf_context *ctx, const lf_inducing_kernel *kernel, const lf_row_compression *rows,
                                  double *X, size_t ld, lf_inducing_blocks blocks);
/* gradient[i] += dL/d(natural value of parameter i), from dL/dX and dL/dblocks; by_Y (waves) += what waits for the end. */
lf_status lf_inducing_kernel_rows_backward(lf_context *ctx, const lf_inducing_kernel *kernel,
                                           const lf_row_compression *rows, const double *by_X, size_t ld,
                                           lf_inducing_blocks by_blocks, double *gradient, double *by_Y);
/* The end, once for all outputs: from by_Y and dL/dK_uu of each force (K, K; symmetric, whole), one after the other in
 * by_uu, to lengthscales, inducing inputs and noise. */
lf_status lf_inducing_kernel_backward(lf_context *ctx, const lf_inducing_kernel *kernel, const double *by_uu,
                                      const double *by_Y, double *gradient);

#endif
