/* The covariance of the rows of one replicate, spread over the processes in blocks (base/block_cyclic.h): no process has more of it than its
 * share. Vectors of the rows are the same on all processes. All processes call these functions with the same model and the same points. */
#ifndef LF_DENSE_SPREAD_FACTOR_H
#define LF_DENSE_SPREAD_FACTOR_H

#include "exact/exact_covariance.h"

typedef struct lf_spread_factor {
    size_t n;
    int processes;
    lf_exact_covariance kernel;
    lf_point_set rows, columns; /* of the local part */
    double *L;                  /* (rows.n, columns.n) Cholesky factor of K + Sigma */
} lf_spread_factor;

/* Factorises K + diag(noise). diagonal (n): that of the sum; pivots (n): L_ii, 0 from the first that is not positive on. The points outlive
 * the factor. After a failure it must still be freed. */
lf_status lf_spread_factor_create(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                                  const lf_point_set *points, const double *noise, double *diagonal, double *pivots,
                                  lf_spread_factor **factor);
void lf_spread_factor_free(lf_spread_factor *factor);

/* alpha (n) becomes (L L')^-1 alpha. */
lf_status lf_spread_factor_solve(lf_context *ctx, const lf_spread_factor *factor, double *alpha);

/* Adds the gradient by the noise variances and by the parameters of the covariance. by_noise (n), unless NULL: set to that by the noise of
 * each row. The factor is overwritten. */
lf_status lf_spread_factor_gradient(lf_context *ctx, const lf_model *model, lf_spread_factor *factor,
                                    const double *alpha, double *by_noise, double *gradient);

/* lf_posterior_class.predict. */
lf_status lf_spread_factor_predict(lf_context *ctx, const lf_model *model, const lf_spread_factor *factor,
                                   const double *alpha, const lf_point_set *points, double *mean, double *variance,
                                   double *covariance);

#endif
