/* What is fitted: the rows and what they show. It is made once and is const for every stage. */
#ifndef LF_PLAN_PROBLEM_H
#define LF_PLAN_PROBLEM_H

#include "data/data.h"
#include "model/model.h"
#include "options/options.h"
#include "plan/data_summary.h"

typedef struct lf_problem {
    const lf_data *training; /* rows of outputs that are not marked test, and all readings of known inputs */
    const lf_data *observed; /* the former alone */
    const lf_data *local;    /* several processes: the rows of this one, over which likelihoods are summed; else NULL */
    const lf_data
        *latent; /* `observed` with the latent values that readings suggest (likelihoods.h); NULL: readings are */
    const lf_data_summary *summary; /* of `latent` or `observed` */
    const lf_model *given;          /* by --init or by equations; NULL: a model is made for the data */
    size_t count;                   /* rows of outputs, of all processes */
    double origin;                  /* the time of the initial state */
    double ahead, behind;           /* how far predictions reach beyond the rows */
    const lf_data *asked;           /* the table that was given, with its test rows; NULL: none */
    int sampled;                    /* `training` has not all rows: they are too many for windows left out */
} lf_problem;

/* From a table and options, with notes on what the rows cannot tell. */
lf_status lf_problem_create(lf_context *ctx, const lf_data *data, const lf_options *options, lf_problem **problem);
/* The problem of the rows that are kept, with the same numbers of outputs, those of the model; it is released before the whole. What was learnt by
 * comparing outputs is that of the whole. */
lf_status lf_problem_part(lf_context *ctx, const lf_problem *whole, const lf_model *model, lf_keep_function keep,
                          const void *user, lf_problem **part);
void lf_problem_free(lf_problem *problem);

/* The rows that likelihoods are made of. */
const lf_data *lf_problem_rows(const lf_problem *problem);

#endif
