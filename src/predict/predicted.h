/* Predictions at the points of a request, which tables and documents show. */
#ifndef LF_PREDICT_PREDICTED_H
#define LF_PREDICT_PREDICTED_H

#include "model/model.h"
#include "options/options.h"
#include "points/asked_points.h"
#include "predict/posterior.h"
#include "predict/predict.h"

enum { LF_TARGET_NAME_SIZE = 256 };

typedef struct lf_predicted {
    const lf_model *model;
    const lf_posterior *posterior;
    const lf_points *points;
    const lf_request_options *options;
    lf_question question;
    lf_point_list list;                     /* of the question: replicates are those of the posterior */
    lf_kind kind;                           /* of all targets; LF_KIND_TARGET: they are of several */
    int noisy;                              /* there are outputs, which have noise */
    int named;                              /* the replicates have names */
    double *mean, *variance, *variance_new; /* (n) */
    double *lower, *upper;                  /* (n) NULL: not asked for */
    double *samples;                        /* (samples, n) */
} lf_predicted;

/* request NULL: defaults. It is to be cleared, also after a failure. */
lf_status lf_predicted_create(lf_context *ctx, lf_posterior *posterior, const lf_points *points,
                              const lf_options *request, lf_predicted *predicted);
void lf_predicted_clear(lf_predicted *predicted);
/* The name of a target; `name` is room for those that are made. */
const char *lf_predicted_name(const lf_predicted *predicted, int target, char name[LF_TARGET_NAME_SIZE]);

#endif
