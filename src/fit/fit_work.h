/* What one call of lf_fit holds, and its parts: the model that the fit starts from, and what is made of the fitted one. */
#ifndef LF_FIT_FIT_WORK_H
#define LF_FIT_FIT_WORK_H

#include "fit/fit_model.h"
#include "fit/fit_plan.h"
#include "fit/initial_model.h"

/* What one call of lf_fit holds. */
typedef struct lf_fit_work {
    lf_context *ctx;
    lf_fit_options options; /* a copy, with the decisions made here; its texts belong to those of the caller */
    lf_data *training;      /* rows of outputs that are not marked test, and all readings of known inputs */
    lf_data *observed;      /* the former alone */
    /* Several processes that share the rows: choices are made from a sample that all have, likelihoods from the share of each. */
    lf_data *sample, *share; /* NULL: there is one process */
    size_t rows;             /* of `observed`, or of all processes */
    lf_data_summary summary;
    lf_starts starts;
    lf_monitor monitor;
    lf_model *model;
    lf_model *reference; /* the model at its starting values, where a comparison has fitted it already; else NULL */
    lf_fit_result *result;
    lf_diagnosis *diagnosis;
    double *periods;      /* of the shape */
    double ahead, behind; /* how far predictions reach beyond the training rows */
    lf_fallback taken;    /* because of a limit */
} lf_fit_work;

/* What lf_fit_model and what follows it work with. */
lf_training lf_fit_training(lf_fit_work *w);

/* ---- starting_model.c ---- */

/* The model to start from, where a file or equations give one. */
lf_status lf_fit_read_model(lf_fit_work *w);
/* That model with what the data add to it, or one made for the data. *selected: shapes were compared, the comparison was cancelled, and the
 * model is the best so far. */
lf_status lf_fit_make_model(lf_fit_work *w, int *selected);
/* Inducing inputs become part of the model. */
lf_status lf_fit_place_inducing(lf_fit_work *w);
/* Adds forces that repeat, where the data have cycles and nothing speaks against looking for them. *selected as above. */
lf_status lf_fit_add_cycles(lf_fit_work *w, int *selected);

/* ---- fit_posterior.c ---- */

/* Standard errors of the fitted parameters, unless they take too long. */
lf_status lf_fit_find_errors(lf_fit_work *w);
/* The posterior of the fitted model, stored in it; the log likelihood of the result; and what the rows say about the fit. */
lf_status lf_fit_store_posterior(lf_fit_work *w);

#endif
