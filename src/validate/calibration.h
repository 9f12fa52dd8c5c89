/* How far predictions in gaps can be trusted. Windows like the gaps of the data are cut out of the training rows, the structure is fitted
 * anew to the rest, and its predictions are compared with the rows in the windows. */
#ifndef LF_VALIDATE_CALIBRATION_H
#define LF_VALIDATE_CALIBRATION_H

#include "base/monitor.h"
#include "plan/stage_report.h"
#include "validate/refit.h"

typedef struct lf_validation {
    const lf_problem *problem;
    const lf_fit_plan *plan;
    lf_structure structure; /* of the fit, with a copy of its model at the starting values */
    lf_monitor *monitor;
    double length;    /* of the windows */
    size_t count;     /* of refits; 0: nothing to do */
    lf_refit *refits; /* (count) */
} lf_validation;

/* Plans the refits of a structure, which begin with the values of the fitted model; there are none unless the plan or gaps in the data ask for
 * them. Problem, plan and monitor outlive the validation, which is to be cleared after a failure too. */
lf_status lf_validation_begin(lf_context *ctx, const lf_problem *problem, const lf_fit_plan *plan,
                              const lf_structure *s, const lf_model *fitted, lf_monitor *monitor, lf_validation *v);
void lf_validation_clear(lf_validation *v);

/* Refit i. Different ones may run in parallel. */
void lf_validation_run(lf_validation *v, lf_context *worker, size_t i);

/* Widens the predictions of the fitted model by what the rows in the windows need to be covered, and notes it. */
lf_status lf_validation_apply(lf_context *ctx, const lf_validation *v, lf_stage_report *report, lf_model *model,
                              lf_fit_result *result);

#endif
