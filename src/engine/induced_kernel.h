/* Covariances for the inducing engines: of outputs with inducing values u_q(z), of these among themselves, and of an output
 * with itself, with their derivatives. Three sources:
 *   exact        uniform nodes so many that K_fu and K_ff are right to rounding; K_uu from the force kernel
 *   features     K_uu, K_fu and K_ff of the features with these nodes
 *   closed form  exact/kernel.h, one error function an entry
 * From nodes, with response columns V_d, E_q = [cos, sin](lambda z), w_q:  K_fu = S_dq V_d Y_q,  Y_q = w_q E_q'. */
#ifndef LF_ENGINE_INDUCED_KERNEL_H
#define LF_ENGINE_INDUCED_KERNEL_H

#include "columns/features.h"
#include "engine/reduction.h"
#include "exact/kernel.h"

typedef enum lf_induced_source { LF_INDUCED_EXACT, LF_INDUCED_FEATURES, LF_INDUCED_CLOSED_FORM } lf_induced_source;

/* The inducing values of one force. */
typedef struct lf_induced_force {
    size_t first, K; /* columns first … first + K - 1 of M */
    size_t S2;       /* 2 S of its grid; 0: closed form */
    double *z;       /* (K, p), part of kernel->u.x */
    double *L;       /* (K, K) lower triangle of the factor of K_uu + noise */
    double *E;       /* (K, 2S) */
    double *Y;       /* (2S, K) */
    size_t place;    /* of the derivatives by Y among those of all forces */
} lf_induced_force;

typedef struct lf_induced_kernel {
    const lf_model *model;
    lf_induced_source source;
    lf_kernel exact;  /* the route of predictions, and of everything in closed form */
    int has_features; /* demand and features are made */
    lf_demand demand;
    lf_features features;
    lf_point_set u;           /* inducing values, a group for each force */
    lf_induced_force *forces; /* (Q) */
    size_t waves;             /* entries of all the Y; 0: without features */
    double jitter;            /* largest relative one of the last preparation */
    double noted;             /* largest one that was told */
    lf_model *shared, *own;   /* not for features: the model without what belongs to one output, and with only that */
} lf_induced_kernel;

/* The (co)variances of an output with itself at n rows, or derivatives by them: of its shared forces, and of what it has
 * for itself (private force, unknown initial state). Those that are NULL are not wanted. */
typedef struct lf_induced_blocks {
    double *diagonal;     /* (n) shared */
    double *shared, *own; /* (n, n) whole */
} lf_induced_blocks;

/* Places the inducing values and makes the frequencies. After a failure it must still be cleared. */
lf_status lf_induced_kernel_create(lf_context *ctx, const lf_model *model, const lf_rows *rows,
                                   const lf_engine_options *options, lf_induced_kernel *kernel);
void lf_induced_kernel_clear(lf_induced_kernel *kernel);
/* For predictions: source, exact and, for features, the demand are set; with K[q] inducing values of each force at z (M, p).
 * Prepared. */
lf_status lf_induced_kernel_restore(lf_context *ctx, const lf_model *model, const size_t *K, const double *z,
                                    lf_induced_kernel *kernel);
int lf_induced_kernel_outgrown(const lf_model *model, const lf_induced_kernel *kernel);

/* Whether an output has anything for itself. */
int lf_has_own(const lf_model *model, int output);

/* Everything for the model's parameters that does not belong to an output: frequencies, Y, the factors of K_uu. */
lf_status lf_induced_prepare(lf_context *ctx, lf_induced_kernel *kernel);

/* X (n, M) = K_fu at the rows of a reduction, leading dimension ld, and the blocks. */
lf_status lf_induced_rows(lf_context *ctx, const lf_induced_kernel *kernel, const lf_reduction *rows, double *X,
                          size_t ld, lf_induced_blocks blocks);
/* gradient[i] += dL/d(natural value of parameter i), from dL/dX and dL/dblocks; by_Y (waves) += what waits for the end. */
lf_status lf_induced_rows_backward(lf_context *ctx, const lf_induced_kernel *kernel, const lf_reduction *rows,
                                   const double *by_X, size_t ld, lf_induced_blocks by_blocks, double *gradient,
                                   double *by_Y);
/* The end, once for all outputs: from by_Y and dL/dK_uu of each force (K, K; symmetric, whole), one after the other in
 * by_uu, to lengthscales, inducing inputs and noise. */
lf_status lf_induced_backward(lf_context *ctx, const lf_induced_kernel *kernel, const double *by_uu, const double *by_Y,
                              double *gradient);

#endif
