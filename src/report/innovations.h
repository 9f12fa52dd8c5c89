/* Independent prediction errors of the rows of an output.
 *
 * Residuals of a posterior mean are correlated where the model is right: with the noise variance s their covariance is s I - V, V being
 * the posterior covariance of f. Errors of predictions from earlier rows are not. The kalman engine has them; for the others the residuals
 * r are whitened, L^-1 r with L L' = s I - V, over a stretch of rows. These are errors of predictions from later rows: the factor of
 * s I - V = s K^-1 s starts at the first row. */
#ifndef LF_REPORT_INNOVATIONS_H
#define LF_REPORT_INNOVATIONS_H

#include "engine/scaled_posterior.h"

/* The rows of one output in one replicate. */
typedef struct lf_innovations_rows {
    int target, replicate;          /* the output, the replicate in the posterior */
    const lf_replicate *rows;       /* the replicate */
    const double *all;              /* of the engine, for all rows of the replicate; NULL: it has none */
    const double *y, *mean, *noise; /* scaled, of all rows of the replicate */
    size_t n;
    const size_t *which; /* (n) rows of the output in the replicate, in the order of time */
} lf_innovations_rows;

/* How many errors are computed at most for an output with n rows. */
size_t lf_innovations_capacity(const lf_scaled_posterior *posterior, size_t n);

/* z (*count): standardised errors in the order of time, at most `room` of them; none where rounding errors prevent it. */
lf_status lf_innovations(lf_context *ctx, const lf_scaled_posterior *posterior, const lf_innovations_rows *given,
                         size_t room, double *z, size_t *count);

#endif
