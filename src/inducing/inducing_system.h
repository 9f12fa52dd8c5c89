/* The linear algebra of the inducing engines, one replicate: y_d = f_d + noise with f_d = K_fu K_uu^-1 u + rest.
 *
 * With K_uu = L L', B = K_fu L^-T and, output by output, the covariance Lambda_d of what u does not explain,
 *   dtc, variational  Sigma_d                            (+ K_own: what an output has for itself is never approximated)
 *   fitc              Sigma_d + diag(K_ff - B B')        (+ K_own)
 *   pitc              Sigma_d + K_ff - B B'              (+ K_own)
 * the likelihood is log N(y | 0, B B' + Lambda), less 1/2 tr Lambda^-1 (K_ff - B B') for the variational bound. Where
 * Lambda = C C':  B <- C^-1 B, y <- C^-1 y, and all work is with I + B B' (n x n) or I + B'B (M x M), whichever is less. */
#ifndef LF_INDUCING_INDUCING_SYSTEM_H
#define LF_INDUCING_INDUCING_SYSTEM_H

#include "inducing/inducing_kernel.h"

typedef enum lf_inducing_method {
    LF_METHOD_DTC,
    LF_METHOD_VARIATIONAL,
    LF_METHOD_FITC,
    LF_METHOD_PITC
} lf_inducing_method;

/* One output of the replicate. */
typedef struct lf_inducing_part {
    lf_row_compression rows;
    size_t first;             /* its rows are first … first + rows.n - 1 of n */
    int dense;                /* Lambda_d is a matrix */
    double *C;                /* (n, n) dense: lower triangle of the factor of Lambda_d */
    double *shared, *private; /* (n, n) dense, where they are needed: K_ff of the shared forces, and of the rest */
} lf_inducing_part;

typedef struct lf_inducing_system {
    const lf_model *model;
    lf_inducing_method method;
    size_t n, M, N; /* rows, inducing values, observations */
    size_t count;   /* outputs */
    lf_inducing_part *parts;
    double *B;        /* (n, M) */
    double *whitened; /* (n, M) C^-1 B */
    double *Z;        /* (n, M) (I + B B')^-1 B of the whitened B; later the derivatives by B */
    double *core;     /* (n, n) or (M, M): I + B B' or I + B'B, its factor */
    double *lambda;   /* (n) Lambda where it is diagonal */
    double *k;        /* (n) diagonal of K_ff of the shared forces */
    double *y, *e;    /* (n) C^-1 y and (I + B B')^-1 C^-1 y */
    double *mean;     /* (M) of L^-1 u */
} lf_inducing_system;

/* The model and the replicate outlive the system. After a failure it must still be cleared. */
lf_status lf_inducing_system_create(lf_context *ctx, const lf_model *model, const lf_inducing_kernel *kernel,
                                    lf_inducing_method method, const lf_replicate *replicate,
                                    lf_inducing_system *system);
void lf_inducing_system_clear(lf_inducing_system *system);
/* Whether the reductions of its rows no longer do. */
int lf_inducing_system_needs_regrid(const lf_model *model, const lf_inducing_kernel *kernel,
                                    const lf_inducing_system *system);

/* B, Lambda, and their whitened forms, at a prepared kernel. */
lf_status lf_inducing_system_fill(lf_context *ctx, const lf_inducing_kernel *kernel, lf_inducing_system *system);
/* Adds -log p, or minus the bound, to *value, after a fill; with_gradient also makes Z. */
lf_status lf_inducing_system_solve(lf_context *ctx, lf_inducing_system *system, int with_gradient, double *value);
/* gradient += d(-log p)/d(natural values), by_uu and by_Y += what lf_inducing_kernel_backward needs, after solving
 * with_gradient. */
lf_status lf_inducing_system_backward(lf_context *ctx, const lf_inducing_kernel *kernel, lf_inducing_system *system,
                                      double *by_uu, double *by_Y, double *gradient);

/* X (n, M) <- X L^-T force by force, or X L^-1. */
void lf_inducing_whiten(const lf_inducing_kernel *kernel, size_t n, int back, double *X, size_t ld);

/* explained[i] = |row i of B (n, M)|^2, leading dimension ld. */
void lf_row_squares(size_t n, size_t M, const double *B, size_t ld, double *explained);

#endif
