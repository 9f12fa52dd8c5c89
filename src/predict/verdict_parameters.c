/* Sentences about parameters on bounds, and constants that the data do not determine. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "predict/verdict.h"

static int is_on_bound(const lf_verdict_evidence *e, const char *parameter)
{
    const json_t *bounds = json_object_get(e->provenance, "on_bounds");
    for (size_t i = 0; i < json_array_size(bounds); i++) {
        const char *bound = json_string_value(json_array_get(bounds, i));
        if (bound && strcmp(bound, parameter) == 0) {
            return 1;
        }
    }
    return 0;
}

/* "A, B and 3 more" of the parameters for which `which` is set. */
static void list_parameters(const lf_verdict_evidence *e, const char *which, int count)
{
    enum { MOST = 5 };
    int listed = 0, shown = count > MOST ? MOST + 1 : count;
    for (size_t i = 0; i < e->model->parameter_count && listed < MOST; i++) {
        if (which[i]) {
            lf_remark_text(e->remarks, "%s%s", lf_list_separator(listed, shown), e->model->parameters[i].name);
            listed++;
        }
    }
    if (count > MOST) {
        lf_remark_text(e->remarks, " and %d more", count - MOST);
    }
}

/* Constants of operators whose standard errors exceed their values, or that have none where others have. */
static int mark_undetermined(const lf_verdict_evidence *e, char *which)
{
    const lf_model *model = e->model;
    int count = 0, errors = 0;
    for (size_t i = 0; i < model->parameter_count; i++) {
        errors = errors || !isnan(model->parameters[i].standard_error);
    }
    for (int d = 0; errors && d < model->output_count; d++) {
        for (int k = 0; k < model->outputs[d].constant_count; k++) {
            size_t i = (size_t)(lf_index_constants(model, d) + k);
            const lf_parameter_entry *p = &model->parameters[i];
            if (!lf_parameter_is_fixed(model, i) && p->tied_to < 0 && !is_on_bound(e, p->name) &&
                !(p->standard_error <= fabs(*p->value))) {
                which[i] = 1;
                count++;
            }
        }
    }
    return count;
}

lf_status lf_verdict_parameters(lf_context *ctx, const lf_verdict_evidence *e)
{
    size_t n = e->model->parameter_count;
    char *bounds = calloc(n + 1, 1), *undetermined = calloc(n + 1, 1);
    if (!bounds || !undetermined) {
        free(bounds);
        free(undetermined);
        return lf_no_memory(ctx);
    }
    int on_bounds = 0, count = mark_undetermined(e, undetermined);
    for (size_t i = 0; i < n; i++) {
        bounds[i] = (char)is_on_bound(e, e->model->parameters[i].name);
        on_bounds += bounds[i];
    }
    if (on_bounds) {
        lf_remark_begin(e->remarks, "note", NULL);
        list_parameters(e, bounds, on_bounds);
        lf_remark_text(e->remarks,
                       on_bounds == 1 ? " ended on a bound: the data ask for a value beyond it, or do not determine it."
                                      : " ended on bounds: the data ask for values beyond them, or do not "
                                        "determine them.");
    }
    if (count) {
        lf_remark_begin(e->remarks, "note", NULL);
        lf_remark_text(e->remarks, "The data do not determine ");
        list_parameters(e, undetermined, count);
        lf_remark_text(e->remarks, count == 1 ? ": its standard error exceeds its value."
                                              : ": their standard errors exceed their values.");
    }
    free(bounds);
    free(undetermined);
    return LF_OK;
}
