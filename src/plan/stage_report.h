/* What the stages of a fit report: tests and users read these, not the wording of notes. */
#ifndef LF_PLAN_STAGE_REPORT_H
#define LF_PLAN_STAGE_REPORT_H

#include "latentforce.h"

/* Decision and reason depend on data and options only, not on time, on the number of threads or on the memory of the machine: the model file
 * stores them. */
typedef struct lf_stage_report {
    char name[48];      /* "selection: cycles" */
    double seconds;     /* by the clock */
    size_t evaluations; /* of the likelihood, gradients included */
    char decision[160]; /* "3 forces"; empty: nothing was decided */
    char reason[240];
} lf_stage_report;

typedef struct lf_reports {
    size_t count;
    lf_stage_report **each; /* (count) in the order in which the stages began */
    lf_stage_report spare;  /* of a stage for which there was no memory */
    int failed;             /* there was such a stage */
    const char *part_of;    /* the stage that the following reports are parts of, "selection"; NULL: none */
} lf_reports;

/* A stage begins; the report is filled while it runs and closed by lf_report_end. It keeps its place in memory. */
lf_stage_report *lf_report_begin(lf_reports *reports, const char *name);
void lf_report_end(lf_stage_report *report);
/* Takes the last report away where nothing was done. */
void lf_report_drop_empty(lf_reports *reports);
/* What was decided and why, as printf; reason NULL: there is none. */
void lf_report_decide(lf_stage_report *report, const char *reason, const char *format, ...) LF_PRINTF(3, 4);

/* The evaluations of all stages. */
size_t lf_report_evaluations(const lf_reports *reports);
/* The columns stage, seconds, evaluations, decision, reason. */
lf_status lf_stages_table(lf_context *ctx, const lf_reports *reports, lf_table **table);
void lf_reports_clear(lf_reports *reports);

#endif
