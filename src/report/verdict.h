/* The parts of a verdict. */
#ifndef LF_REPORT_VERDICT_H
#define LF_REPORT_VERDICT_H

#include <jansson.h>

#include "model/model.h"
#include "report/diagnosis.h"
#include "report/remarks.h"

/* What the sentences are made from. */
typedef struct lf_verdict_evidence {
    const lf_model *model;
    const json_t *provenance;
    const lf_diagnosis *diagnosis; /* NULL: none */
    lf_remarks *remarks;
} lf_verdict_evidence;

/* A property of an output. */
typedef int (*lf_output_test)(const lf_verdict_evidence *e, int d);

static inline const char *lf_verdict_name(const lf_verdict_evidence *e, int d) { return e->model->outputs[d].name; }

int lf_verdict_count(const lf_verdict_evidence *e, lf_output_test test);
/* Appends the names of the outputs that satisfy the test, at most five, between `before` and `after`; returns how many satisfy
 * it, and appends nothing for 0. */
int lf_verdict_list(const lf_verdict_evidence *e, lf_output_test test, const char *before, const char *after);

/* The value of a number of the provenance; NaN: it has none. */
double lf_verdict_number(const lf_verdict_evidence *e, const char *key);

void lf_verdict_shares(const lf_verdict_evidence *e);
void lf_verdict_residuals(const lf_verdict_evidence *e);
lf_status lf_verdict_parameters(lf_context *ctx, const lf_verdict_evidence *e);

#endif
