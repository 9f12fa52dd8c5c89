/* What the stages of a fit report: tests and users read these, not the wording of notes. */
#ifndef LF_PLAN_STAGE_REPORT_H
#define LF_PLAN_STAGE_REPORT_H

#include "latentforce.h"

typedef struct lf_stage_report {
    const char *name;   /* "selection: white forces"; a constant */
    double seconds;     /* by the clock */
    size_t evaluations; /* of the likelihood, gradients included */
    char decision[160]; /* "3 forces"; empty: nothing was decided */
    char reason[240];
} lf_stage_report;

enum { LF_MOST_REPORTS = 16 };

typedef struct lf_reports {
    size_t count;
    lf_stage_report each[LF_MOST_REPORTS];
} lf_reports;

/* A stage begins; the report is filled while it runs and closed by lf_report_end. */
lf_stage_report *lf_report_begin(lf_reports *reports, const char *name);
void lf_report_end(lf_stage_report *report);
/* Takes the last report away where nothing was done. */
void lf_report_drop_empty(lf_reports *reports);
/* What was decided and why, as printf; reason NULL: there is none. */
void lf_report_decide(lf_stage_report *report, const char *reason, const char *format, ...) LF_PRINTF(3, 4);

#endif
