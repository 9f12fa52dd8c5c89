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

/* "A, B and 3 more" of the parameters of kind `which`. */
static void list_parameters(const lf_verdict_evidence *e, const char *kind, char which, int count)
{
    enum { MOST = 5 };
    int listed = 0, shown = count > MOST ? MOST + 1 : count;
    for (size_t i = 0; i < e->model->parameter_count && listed < MOST; i++) {
        if (kind[i] == which) {
            lf_remark_text(e->remarks, "%s%s", lf_list_separator(listed, shown), e->model->parameters[i].name);
            listed++;
        }
    }
    if (count > MOST) {
        lf_remark_text(e->remarks, " and %d more", count - MOST);
    }
}

/* Free constants of operators: of kind 1 where the standard error exceeds the value, of kind 2 where there is none although others
 * have one, because a direction in which the parameter takes part leaves the likelihood as it is. */
static void mark_undetermined(const lf_verdict_evidence *e, char *kind)
{
    const lf_model *model = e->model;
    int errors = 0;
    for (size_t i = 0; i < model->parameter_count; i++) {
        errors = errors || !isnan(model->parameters[i].standard_error);
    }
    for (int d = 0; errors && d < model->output_count; d++) {
        for (int k = 0; k < model->outputs[d].constant_count; k++) {
            size_t i = (size_t)(lf_index_constants(model, d) + k);
            const lf_parameter_entry *p = &model->parameters[i];
            if (!lf_parameter_is_fixed(model, i) && p->tied_to < 0 && !is_on_bound(e, p->name)) {
                kind[i] = isnan(p->standard_error) ? 2 : p->standard_error > fabs(*p->value) ? 1 : 0;
            }
        }
    }
}

static int count_of(const char *kind, size_t n, char which)
{
    int count = 0;
    for (size_t i = 0; i < n; i++) {
        count += kind[i] == which;
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
    for (size_t i = 0; i < n; i++) {
        bounds[i] = (char)(is_on_bound(e, e->model->parameters[i].name) != 0);
    }
    mark_undetermined(e, undetermined);
    int on_bounds = count_of(bounds, n, 1), large = count_of(undetermined, n, 1), open = count_of(undetermined, n, 2);
    if (on_bounds) {
        lf_remark_begin(e->remarks, "note", NULL);
        list_parameters(e, bounds, 1, on_bounds);
        lf_remark_text(e->remarks,
                       on_bounds == 1 ? " ended on a bound: the data ask for a value beyond it, or do not determine it."
                                      : " ended on bounds: the data ask for values beyond them, or do not "
                                        "determine them.");
    }
    if (large) {
        lf_remark_begin(e->remarks, "note", NULL);
        lf_remark_text(e->remarks, "The data do not determine ");
        list_parameters(e, undetermined, 1, large);
        lf_remark_text(e->remarks, large == 1 ? ": its standard error exceeds its value."
                                              : ": their standard errors exceed their values.");
    }
    if (open) {
        lf_remark_begin(e->remarks, "note", NULL);
        list_parameters(e, undetermined, 2, open);
        lf_remark_text(e->remarks, open == 1 ? " has" : " have");
        lf_remark_text(e->remarks,
                       " no standard error: other parameters can make up for a change. Fewer forces, or values "
                       "fixed with --fix, may determine %s.",
                       open == 1 ? "it" : "them");
    }
    free(bounds);
    free(undetermined);
    return LF_OK;
}
