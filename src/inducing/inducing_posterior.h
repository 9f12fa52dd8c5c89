/* The posterior of the inducing engines: for each replicate a Gaussian over L^-1 u and, for each output with a private
 * part, its posterior given u. */
#ifndef LF_INDUCING_INDUCING_POSTERIOR_H
#define LF_INDUCING_INDUCING_POSTERIOR_H

#include "inducing/inducing.h"

/* The private part of an output given u. At the inputs x of its compressed rows, with W = R' C^-T,
 *
 *   g = W (C^-1 y - C^-1 B mean),   F = W C^-1 B
 *
 * its mean at a point is K_private(*, x) g, and K_private(*, x) F is subtracted from the row of L^-1 u in the
 * covariance (inducing_predict.c). */
typedef struct lf_inducing_private {
    int output;
    size_t n;
    double *x; /* (n, p) */
    double *W; /* (n, n) */
    double *g; /* (n) */
    double *F; /* (n, M) */
} lf_inducing_private;

typedef struct lf_inducing_weights {
    double *mean;                 /* (M) of L^-1 u */
    double *A;                    /* (M, M) lower triangle, Cholesky factor of I + B'B */
    size_t count;                 /* outputs with a private part */
    lf_inducing_private *private; /* (count) */
} lf_inducing_weights;

typedef struct lf_inducing_posterior {
    lf_model *model; /* a copy, which the kernel refers to */
    lf_inducing_kernel kernel;
    int count;                       /* replicates */
    lf_inducing_weights *replicates; /* (count) */
} lf_inducing_posterior;

/* A posterior with empty replicates, with source, exact and, for features, a copy of the spec of the prototype. K[q]
 * inducing values of each force at z (M, p). After a failure it must still be freed. */
lf_status lf_inducing_posterior_allocate(lf_context *ctx, const lf_model *model, const lf_inducing_kernel *prototype,
                                         const size_t *K, const double *z, int replicates,
                                         lf_inducing_posterior **posterior);
lf_status lf_inducing_weights_create(lf_context *ctx, size_t M, lf_inducing_weights *weights);
lf_status lf_inducing_private_create(lf_context *ctx, size_t n, size_t p, size_t M, lf_inducing_private *private);

/* In shared_system.c: the private parts of each process become those of all. status: of what came before. */
lf_status lf_inducing_share_private(lf_context *ctx, lf_status status, const lf_inducing_system *system,
                                    lf_inducing_weights *weights);

#endif
