/* The prior mean of the rows of an engine: the response of the model to its known inputs. It is computed here, so that engines see rows
 * from which it is subtracted and are concerned with covariances only. */
#ifndef LF_ENGINE_PRIOR_MEAN_H
#define LF_ENGINE_PRIOR_MEAN_H

#include "dynamics/known_response.h"

typedef struct lf_prior_mean {
    int count;                    /* replicates; 0: the mean is 0 */
    lf_known_response *responses; /* (count) */
    double *by_y;                 /* (rows) for the derivatives of an evaluation by the targets */
    double *by_mean;              /* (rows) work */
} lf_prior_mean;

/* The model and the rows must outlive it. After a failure it must still be cleared. */
lf_status lf_prior_mean_create(lf_context *ctx, const lf_model *model, lf_rows *rows, lf_prior_mean *mean);
void lf_prior_mean_clear(lf_prior_mean *mean);

/* Sets the means of the rows at the current parameters. */
lf_status lf_prior_mean_update(lf_context *ctx, lf_prior_mean *mean, lf_rows *rows);
/* gradient[i] += derivative by natural parameter i, given by_y (rows), the derivatives by the targets. */
lf_status lf_prior_mean_backward(lf_context *ctx, lf_prior_mean *mean, const lf_rows *rows, const double *by_y,
                                 double *gradient);

#endif
