/* Parts of the document of a report. */
#ifndef LF_PAGE_DOCUMENT_H
#define LF_PAGE_DOCUMENT_H

#include "base/document.h"
#include "page/report.h"
#include "predict/score.h"

/* [value, standard error]; null where unknown. The second: of the parameter "OWNER.WHAT". */
void lf_report_pair(lf_document *d, const char *key, double value, double error);
void lf_report_named(lf_document *d, const char *key, const lf_model *model, const char *owner, const char *what);

/* "forces", "known_inputs", "equations", "outputs" (with constants, scores and residuals) and "overall". The rows are predicted. */
lf_status lf_report_describe_model(lf_context *ctx, lf_document *d, const lf_report *report);
/* "known_inputs" and "equations" (null without). */
lf_status lf_report_describe_equations(lf_context *ctx, lf_document *d, const lf_report *report);
/* "residuals" and "innovations" of an output, null where there are none. output NULL: nothing is known. */
lf_status lf_report_describe_residuals(lf_context *ctx, lf_document *d, const lf_output_diagnosis *output);
/* "charts", with every panel of an output, force and state, and "input_charts". The rows are predicted. */
lf_status lf_report_describe_panels(lf_context *ctx, lf_document *d, lf_report *report);

/* Scores of the rows marked "test": score (outputs + 1), n = 0 for an output without any; the last pools all rows, and its nmse is the sum of squared
 * errors divided by the sum of squared deviations of each output from its own mean. */
lf_status lf_report_score(lf_context *ctx, const lf_report *report, lf_score_summary *score);

#endif
