/* The posterior of the inducing engines: a Gaussian over L^-1 u of each replicate and, for outputs that have something for
 * themselves, what the rows say about that. */
#ifndef LF_INDUCING_INDUCING_POSTERIOR_H
#define LF_INDUCING_INDUCING_POSTERIOR_H

#include "inducing/inducing.h"

/* What an output has for itself (K_own), given u:  with W = R' C^-T at the inputs x of its rows,
 *   mean K_own(*, x) g,  g = W (C^-1 y - C^-1 B mean);  the row of u's weights less K_own(*, x) F,  F = W C^-1 B. */
typedef struct lf_inducing_private {
    int output;
    size_t n;
    double *x; /* (n, p) */
    double *W; /* (n, n) */
    double *g; /* (n) */
    double *F; /* (n, M) */
} lf_inducing_private;

typedef struct lf_inducing_weights {
    double *mean; /* (M) of L^-1 u */
    double *A;    /* (M, M) lower triangle of the factor of I + B'B */
    size_t count;
    lf_inducing_private *private; /* (count) */
} lf_inducing_weights;

typedef struct lf_inducing_posterior {
    lf_model *model; /* a copy: the kernel refers to it */
    lf_inducing_kernel kernel;
    int count;
    lf_inducing_weights *replicates; /* (count) */
} lf_inducing_posterior;

/* A posterior without replicates for what the kernel says about its source; takes over its demand. After a failure it must
 * still be forgotten. */
lf_status lf_inducing_posterior_allocate(lf_context *ctx, const lf_model *model, const lf_inducing_kernel *like,
                                         const size_t *K, const double *z, int replicates,
                                         lf_inducing_posterior **posterior);
lf_status lf_inducing_weights_create(lf_context *ctx, size_t M, lf_inducing_weights *weights);
lf_status lf_inducing_private_create(lf_context *ctx, size_t n, size_t p, size_t M, lf_inducing_private *private);

#endif
