/* Scores of predicted rows. */
#ifndef LF_PREDICT_SCORE_H
#define LF_PREDICT_SCORE_H

#include "base/document.h"
#include "latentforce.h"

/* Accuracy of predictions of some rows. */
typedef struct lf_score_summary {
    size_t n;
    double nmse;       /* mean (y - mean)^2 / mean (y - average y)^2; NaN for a constant series */
    double nlpd;       /* mean of 0.5 [(y - mean)^2 / s2 + log 2 pi s2] */
    double rmse;       /* root of the mean squared error */
    double coverage95; /* share of y within mean +- 1.96 s */
} lf_score_summary;

/* Scores the predictions of n rows; s2 (n) is the variance of a new reading, noise included. */
lf_score_summary lf_score_rows(size_t n, const double *y, const double *mean, const double *s2);

/* As an object of a document; of no rows null. */
void lf_score_describe(lf_document *d, const char *key, const lf_score_summary *score);

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
