/* What the stages of a fit make, one after the other. A stage writes what is its own and changes nothing that came before. */
#ifndef LF_FIT_PIPELINE_H
#define LF_FIT_PIPELINE_H

#include "base/monitor.h"
#include "base/random.h"
#include "inference/optimise.h"
#include "plan/stage_report.h"
#include "report/diagnosis.h"
#include "validate/calibration.h"

typedef struct lf_pipeline {
    lf_context *ctx;
    struct {
        lf_random random;
        uint64_t seed;
        int threads;
        double memory;
    } before; /* of the context, to which options of a fit come back */
    const lf_data *data;
    const lf_options *options;
    double began, seconds; /* by the clock; what the options allow, 0: no limit */
    lf_monitor monitor;
    int has_monitor;
    lf_problem *problem;
    lf_fit_plan plan;
    lf_structure structure;
    lf_prior prior;
    lf_validation validation;
    lf_optimum optimum;
    lf_diagnosis *diagnosis;
    lf_fit_result *result;
    lf_stage_report *report; /* of the present stage */
    lf_reports *reports;     /* of the result */
} lf_pipeline;

/* ---- pipeline.c ---- */

/* Checks options, checkpoint and device; options NULL: defaults. lf_pipeline_end must follow, also after a failure. */
lf_status lf_pipeline_begin(lf_context *ctx, const lf_data *data, const lf_options *options, lf_pipeline *f);
/* The stages before the named one; NULL: all. */
lf_status lf_pipeline_run(lf_pipeline *f, const char *before);
/* Releases everything that is not taken from it. */
void lf_pipeline_end(lf_pipeline *f);

/* Whether the fit was stopped on request, or before all rows were used: nothing follows but the posterior. */
int lf_fit_is_cut(const lf_pipeline *f);
/* Whether what takes so many seconds would end beyond the deadline of the present stage. */
int lf_is_too_long(const lf_pipeline *f, double seconds);
/* The seconds by the clock of one evaluation in the fit. */
double lf_seconds_of_evaluation(const lf_pipeline *f);

/* ---- finish.c ---- */

/* Standard errors of the fitted parameters, unless they take too long. */
lf_status lf_fit_errors(lf_pipeline *f);
/* The posterior of the fitted model, stored in it with what the rows say about the fit and how it went. */
lf_status lf_fit_finish(lf_pipeline *f);

/* ---- result.c ---- */

/* What the optimum says. */
lf_status lf_fit_result_fill(lf_context *ctx, const lf_optimum *found, const lf_prior *prior, lf_fit_result *result);
/* Releases what the result holds, not the struct itself. */
void lf_fit_result_clear(lf_fit_result *result);

/* ---- decisions.c: what the stages decided, for their reports ---- */

void lf_report_problem(lf_pipeline *f);
void lf_report_plan(lf_pipeline *f);
void lf_report_start(lf_pipeline *f);
void lf_report_fit(lf_pipeline *f);
/* Where intervals were not calibrated. */
void lf_report_no_validation(lf_pipeline *f);
void lf_report_errors(lf_pipeline *f);

/* ---- provenance.c ---- */

/* Stores how the fit went in the model: nothing that depends on time or on the number of threads. */
lf_status lf_fit_add_provenance(lf_pipeline *f);

#endif
