/* Scores of predicted rows. */
#ifndef LF_PREDICT_SCORE_H
#define LF_PREDICT_SCORE_H

#include "latentforce.h"

/* Rows and their predictions; variance: of a new reading, noise included. */
typedef struct lf_predicted_rows {
    size_t n;
    const int *output;                 /* (n) from 0 */
    const double *y, *mean, *variance; /* (n) */
    const double
        *log_density; /* (n) of y, where not all likelihoods are Gaussian; NULL: it follows from mean and variance */
    const double *covered; /* (n) there: y lies in its 95 % interval, 1 or 0 */
} lf_predicted_rows;

/* score (outputs + 1): of the rows of each output (n = 0: it has none), and of all. Over all outputs nmse is the sum of squared errors divided by the sum of
 * squared deviations of each output from its own mean. */
lf_status lf_score_outputs(lf_context *ctx, const lf_predicted_rows *rows, int outputs, lf_score_summary *score);

#endif
