/* The linear algebra of the inducing engines for one replicate: y_d = f_d + noise, f_d = K_fu K_uu^-1 u + remainder.
 *
 * With K_uu = L L', B = K_fu L^-T and, for each output, the covariance Lambda_d of what u does not explain,
 *
 *   dtc, variational  Lambda_d = Sigma_d + K_private
 *   fitc              Lambda_d = Sigma_d + diag(K_ff - B B') + K_private
 *   pitc              Lambda_d = Sigma_d + K_ff - B B' + K_private
 *
 * the log likelihood is log N(y | 0, B B' + Lambda); the variational bound subtracts 1/2 tr Lambda^-1 (K_ff - B B').
 * Sigma_d is the noise, K_ff the covariance of the shared forces, K_private that of the private part, which is not
 * approximated. With Lambda = C C', B <- C^-1 B and y <- C^-1 y, the work is with I + B B' (n, n) or I + B'B (M, M),
 * whichever is smaller. Where several processes share the rows it is with I + B'B: they exchange B'B and B'y, and the rest is a sum over
 * rows. Rows of an output whose Lambda_d is not diagonal are on one process. */
#ifndef LF_INDUCING_INDUCING_SYSTEM_H
#define LF_INDUCING_INDUCING_SYSTEM_H

#include "engine/targets.h"
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
    size_t target;            /* the first of its targets, which it has one for each row unless rows are compressed */
    int dense;                /* Lambda_d is not diagonal */
    int there;                /* K_fu is made on the device (device_features.h), and is not in Z */
    double *C;                /* (n, n) dense: lower triangle, Cholesky factor of Lambda_d */
    double *shared, *private; /* (n, n) dense: K_ff and K_private, NULL where they are not needed */
    double trace;             /* dense, variational, on a device: tr Lambda_d^-1 (K_ff - B B') */
} lf_inducing_part;

typedef struct lf_inducing_system {
    const lf_model *model;
    struct lf_device *device; /* NULL: the processor; otherwise B is NULL, and whitened too unless it is asked for */
    lf_inducing_method method;
    int shared;              /* the rows are those of one of several processes */
    size_t n, M, N;          /* compressed rows, inducing values, observations */
    size_t count;            /* outputs */
    lf_inducing_part *parts; /* (count) */
    double *B;               /* (n, M) */
    double *whitened;        /* (n, M) C^-1 B */
    double *Z;          /* (n, M) (I + B B')^-1 B of the whitened B; lf_inducing_system_backward: dL/dB, dL/dK_fu */
    double *core;       /* (n, n) or (M, M): Cholesky factor of I + B B' or I + B'B of the whitened B */
    double *lambda;     /* (n) Lambda where it is diagonal */
    double *K_diagonal; /* (n) diagonal of K_ff; after lf_inducing_system_fill, of K_ff - B B' */
    double *y, *e;      /* (n) C^-1 y and (I + B B')^-1 C^-1 y */
    double *mean;       /* (M) posterior mean of L^-1 u */
    lf_targets targets; /* of the replicate, at the last lf_inducing_system_fill */
} lf_inducing_system;

/* The model and the rows must outlive the system. After a failure it must still be cleared. */
lf_status lf_inducing_system_create(lf_context *ctx, const lf_model *model, const lf_inducing_kernel *kernel,
                                    lf_inducing_method method, const lf_rows *rows, int replicate,
                                    lf_inducing_system *system);
void lf_inducing_system_clear(lf_inducing_system *system);
/* Whether the compressed rows are no longer accurate at the current parameters. */
int lf_inducing_system_needs_regrid(const lf_model *model, const lf_inducing_kernel *kernel,
                                    const lf_inducing_system *system);

/* Computes B, Lambda, C^-1 B and C^-1 y. The kernel must be prepared. */
lf_status lf_inducing_system_fill(lf_context *ctx, const lf_inducing_kernel *kernel, const lf_targets *targets,
                                  lf_inducing_system *system);
/* A (M, M), lower triangle, = B'B and b (M) = B'y of the whitened B and y, summed over the processes that share the rows. With a device
 * they are core and mean, which hold the sums of this process. */
lf_status lf_inducing_system_sums(lf_context *ctx, const lf_inducing_system *system, double *A, double *b);
/* Adds -log p, or minus the variational bound, or a share of it, to *value. The system must be filled. with_gradient: also computes Z. */
lf_status lf_inducing_system_solve(lf_context *ctx, lf_inducing_system *system, int with_gradient, double *value);
/* gradient += d(-log p)/d(natural values), or a share of it, and sets by_y and by_noise of the targets, without the contributions through by_uu and by_Y, which are added to for
 * lf_inducing_kernel_backward. The system must be solved with_gradient. */
lf_status lf_inducing_system_backward(lf_context *ctx, const lf_inducing_kernel *kernel, lf_inducing_system *system,
                                      double *by_uu, double *by_Y, double *gradient);

/* Derivatives with respect to the matrices of dense parts and the diagonals of the other parts. */
typedef struct lf_inducing_adjoints {
    double *diagonal; /* (n) dL/dK_ff, its diagonal */
    double **lambda;  /* (count) dense parts: (n_d, n_d) dL/dLambda */
    double **shared;  /* (count) dense parts: (n_d, n_d) dL/dK_ff */
} lf_inducing_adjoints;

/* Whether outputs are computed side by side, each on one thread. With a device there are only their covariances to compute, each on all
 * threads where these are more than the outputs. */
int lf_inducing_side_by_side(const lf_context *ctx, const lf_inducing_system *system);

/* ---- parts of these, for device_system.c ---- */

/* Noise variance of row i of a part, and its value: the targets or, of compressed rows, what follows from the model. */
double lf_inducing_noise(const lf_inducing_system *system, const lf_inducing_part *part, size_t i);
double lf_inducing_value(const lf_inducing_system *system, const lf_inducing_part *part, size_t i);
/* Rows from … from + n - 1 of a part whose Lambda is diagonal: from |row of B|^2 in system->lambda and the diagonal of K_ff to Lambda,
 * the diagonal of K_ff - B B' and the whitened y. */
lf_status lf_inducing_diagonal_lambda(lf_context *ctx, lf_inducing_system *system, const lf_inducing_part *part,
                                      size_t from, size_t n);
/* Fails because Lambda_d is not positive definite. */
lf_status lf_inducing_not_positive(lf_context *ctx, const lf_model *model, int d);
/* Derivatives by the targets of n rows of a part from `from` on: by_lambda[i stride] is dL/dLambda_ii, e (n) dL/dy. */
void lf_inducing_target_backward(const lf_inducing_system *system, const lf_inducing_part *part, size_t from, size_t n,
                                 const double *by_lambda, size_t stride, const double *e);
/* Derivatives with respect to noise variance and offset of one output. by_noise: trace of dL/dLambda; e (n): dL/dy. */
void lf_inducing_noise_backward(const lf_inducing_system *system, const lf_inducing_part *part, double by_noise,
                                const double *e, double *gradient);

/* X (n, M) <- X L^-T or, with backward, X L^-1, block by block for each force. */
void lf_inducing_whiten(const lf_inducing_kernel *kernel, size_t n, int backward, double *X, size_t ld);

/* explained[i] = |row i of B|^2, the diagonal of B B'; B (n, M) with leading dimension ld. */
void lf_row_squares(size_t n, size_t M, const double *B, size_t ld, double *explained);

#endif
