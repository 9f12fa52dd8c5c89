/* The verdict on a fit in sentences: convergence, shares, idle forces, residuals, parameters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "report/verdict.h"

double lf_verdict_number(const lf_verdict_evidence *e, const char *key)
{
    const json_t *value = json_object_get(e->provenance, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

int lf_verdict_count(const lf_verdict_evidence *e, lf_output_test test)
{
    int count = 0;
    for (int d = 0; d < e->model->output_count; d++) {
        count += test(e, d) != 0;
    }
    return count;
}

int lf_verdict_list(const lf_verdict_evidence *e, lf_output_test test, const char *before, const char *after)
{
    enum { MOST = 5 };
    int count = lf_verdict_count(e, test), listed = 0;
    for (int d = 0; d < e->model->output_count && listed < MOST; d++) {
        if (test(e, d)) {
            int shown = count > MOST ? MOST + 1 : count;
            lf_remark_text(e->remarks, "%s%s%s", listed ? "" : before, lf_list_separator(listed, shown),
                           lf_verdict_name(e, d));
            listed++;
        }
    }
    if (count > MOST) {
        lf_remark_text(e->remarks, " and %d more", count - MOST);
    }
    if (count) {
        lf_remark_text(e->remarks, "%s", after);
    }
    return count;
}

/* What to do about a fit that ended early depends on why it ended. */
static void add_remedy(const lf_verdict_evidence *e, const char *reason, double iterations)
{
    if (reason && strstr(reason, "cancelled")) {
        lf_remark_text(e->remarks, "The fit was stopped on request before it converged, so the parameters are "
                                   "preliminary. Run it again to the end; with --checkpoint FILE --resume a later run "
                                   "continues.");
    } else if (reason && strstr(reason, "--max-seconds")) {
        lf_remark_text(e->remarks, "The fit was stopped by --max-seconds before it converged, so the parameters are "
                                   "preliminary. Give it more time; with --checkpoint FILE --resume a later run "
                                   "continues.");
    } else if (reason && strstr(reason, "no step")) {
        lf_remark_text(e->remarks, "The fit did not converge: no further step improved it. Compare it with more "
                                   "starting values: --restarts 4");
    } else {
        lf_remark_text(e->remarks,
                       "The fit did not converge after %.0f iteration%s: run it longer with --max-iterations %.0f",
                       iterations, lf_plural((size_t)fmax(iterations, 0)), fmax(2 * iterations, 500));
    }
}

static void add_convergence(const lf_verdict_evidence *e)
{
    const json_t *converged = json_object_get(e->provenance, "converged");
    double iterations = lf_verdict_number(e, "iterations");
    if (json_is_true(converged)) {
        lf_remark_add(e->remarks, LF_REMARK_CONVERGENCE, "good", NULL, "The fit converged.");
    } else if (json_is_false(converged) && iterations >= 0 && iterations < 1e15) {
        lf_remark_begin(e->remarks, LF_REMARK_CONVERGENCE, "warning", NULL);
        add_remedy(e, json_string_value(json_object_get(e->provenance, "reason")), iterations);
    }
}

static void add_size(const lf_verdict_evidence *e)
{
    double rows = lf_verdict_number(e, "rows"), parameters = lf_verdict_number(e, "parameters");
    if (parameters > rows) {
        int simple = e->model->force_count <= 1 && !e->model->outputs[0].has_private;
        lf_remark_add(e->remarks, LF_REMARK_PREDICTIONS, "warning", NULL,
                      "%.0f rows do not determine %.0f parameters: %sfix some with --fix, or add rows.", rows,
                      parameters, simple ? "" : "use fewer (--forces 1 --no-private), ");
    }
}

lf_status lf_verdict_create(lf_context *ctx, const lf_model *model, lf_verdict **verdict)
{
    lf_diagnosis *diagnosis = NULL;
    lf_remarks remarks = {0};
    *verdict = NULL;
    lf_status status = lf_diagnosis_restore(ctx, model, &diagnosis);
    const lf_verdict_evidence e = {
        .model = model, .provenance = model->provenance, .diagnosis = diagnosis, .remarks = &remarks};
    if (!status) {
        add_convergence(&e);
        add_size(&e);
        if (diagnosis) {
            lf_verdict_shares(&e);
            lf_verdict_residuals(&e);
        }
        status = model->provenance ? lf_verdict_parameters(ctx, &e) : LF_OK;
    }
    status = lf_remarks_finish(ctx, status, &remarks, verdict);
    lf_diagnosis_free(diagnosis);
    return status;
}
