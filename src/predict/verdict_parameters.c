/* Sentences about parameters on bounds, and constants that the data do not determine. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "predict/verdict.h"

/* Whether the provenance lists a parameter under a key. */
static int is_listed(const lf_verdict_evidence *e, const char *key, const char *parameter)
{
    const json_t *list = json_object_get(e->provenance, key);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        if (name && strcmp(name, parameter) == 0) {
            return 1;
        }
    }
    return 0;
}

static int is_on_bound(const lf_verdict_evidence *e, const char *parameter)
{
    return is_listed(e, "on_bounds", parameter);
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

static void mark(const lf_verdict_evidence *e, size_t i, char *kind)
{
    const lf_parameter_entry *p = &e->model->parameters[i];
    if (!lf_parameter_is_fixed(e->model, i) && p->tied_to < 0 && !is_on_bound(e, p->name) &&
        !is_listed(e, "undetermined", p->name)) {
        kind[i] = isnan(p->standard_error) ? 2 : p->standard_error > fabs(*p->value) ? 1 : 0;
    }
}

/* Free constants of operators and equations: of kind 1 where the standard error exceeds the value, of kind 2 where there is none although
 * others have one, because a direction in which the parameter takes part leaves the likelihood as it is. */
static void mark_undetermined(const lf_verdict_evidence *e, char *kind)
{
    const lf_model *model = e->model;
    int errors = 0;
    for (size_t i = 0; i < model->parameter_count; i++) {
        errors = errors || !isnan(model->parameters[i].standard_error);
    }
    for (int d = 0; errors && d < model->output_count; d++) {
        for (int k = 0; k < model->outputs[d].constant_count; k++) {
            mark(e, (size_t)(lf_index_constants(model, d) + k), kind);
        }
    }
    for (int k = 0; errors && model->system && k < model->system->equations->parameter_count; k++) {
        size_t i = (size_t)(lf_index_system_constants(model) + k);
        if (model->parameters[i].transform == LF_TRANSFORM_LOG) { /* others may well be 0 */
            mark(e, i, kind);
        }
    }
}

/* Parameters along which the likelihood does not change, and what the data say about them. */
static void tell_open(const lf_verdict_evidence *e, const char *kind, int count)
{
    const char *determined = json_string_value(json_object_get(e->provenance, "determined_combinations"));
    lf_remark_begin(e->remarks, "note", NULL);
    lf_remark_text(e->remarks, "The data do not determine ");
    list_parameters(e, kind, 1, count);
    if (determined) {
        lf_remark_text(e->remarks, ", only %s: fix %s with --fix, or write the equations with fewer parameters.",
                       determined, count == 2 ? "one of them" : "some of them");
    } else {
        lf_remark_text(e->remarks, ": other values describe them as well.");
    }
}

/* Amplitudes of equations on their lower limit, which stands for 0, are of kind 2. */
static void mark_vanished(const lf_verdict_evidence *e, char *bounds)
{
    const lf_model *model = e->model;
    for (int f = 0; model->system && f < model->system->equations->force_count; f++) {
        int i = lf_index_amplitudes(model) + f;
        const lf_parameter_entry *p = &model->parameters[i];
        int limited = p->lower > 0 || isfinite(p->upper);
        bounds[i] = (char)(bounds[i] && !limited ? 2 : bounds[i]);
    }
}

/* Whether a parameter is the lengthscale of an envelope that is long for its cycle. */
static int is_of_lasting_cycle(const lf_model *model, const lf_parameter_entry *p)
{
    enum { LONG = 10 }; /* periods */
    for (int q = 0; q < model->force_count; q++) {
        for (int i = 0; i < model->forces[q].term_count; i++) {
            const lf_force_term *term = &model->forces[q].terms[i];
            if (p->value == &term->lengthscale && term->modulation && term->lengthscale > LONG * term->period) {
                return 1;
            }
        }
    }
    return 0;
}

/* Envelopes on their upper limit, which stands for a cycle that never changes, are of kind 3. */
static void mark_lasting(const lf_verdict_evidence *e, char *bounds)
{
    for (size_t i = 0; i < e->model->parameter_count; i++) {
        if (bounds[i] && is_of_lasting_cycle(e->model, &e->model->parameters[i])) {
            bounds[i] = 3;
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
    char *bounds = calloc(n + 1, 1), *undetermined = calloc(n + 1, 1), *listed = calloc(n + 1, 1);
    if (!bounds || !undetermined || !listed) {
        free(bounds);
        free(listed);
        free(undetermined);
        return lf_no_memory(ctx);
    }
    for (size_t i = 0; i < n; i++) {
        bounds[i] = (char)is_on_bound(e, e->model->parameters[i].name);
        listed[i] = (char)is_listed(e, "undetermined", e->model->parameters[i].name);
    }
    mark_undetermined(e, undetermined);
    mark_vanished(e, bounds);
    mark_lasting(e, bounds);
    int on_bounds = count_of(bounds, n, 1), vanished = count_of(bounds, n, 2), lasting = count_of(bounds, n, 3),
        large = count_of(undetermined, n, 1), open = count_of(undetermined, n, 2);
    if (on_bounds) {
        lf_remark_begin(e->remarks, "note", NULL);
        list_parameters(e, bounds, 1, on_bounds);
        lf_remark_text(e->remarks,
                       on_bounds == 1 ? " ended on a bound: the data ask for a value beyond it, or do not determine it."
                                      : " ended on bounds: the data ask for values beyond them, or do not "
                                        "determine them.");
    }
    if (vanished) {
        lf_remark_begin(e->remarks, "note", NULL);
        list_parameters(e, bounds, 2, vanished);
        lf_remark_text(e->remarks, " went to 0: the data do not ask for %s.", vanished == 1 ? "it" : "them");
    }
    if (lasting) {
        lf_remark_begin(e->remarks, "note", NULL);
        list_parameters(e, bounds, 3, lasting);
        lf_remark_text(e->remarks, lasting == 1
                                       ? " ended on its upper bound: the cycle does not change its shape."
                                       : " ended on their upper bounds: the cycles do not change their shapes.");
    }
    if (count_of(listed, n, 1)) {
        tell_open(e, listed, count_of(listed, n, 1));
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
    free(listed);
    free(undetermined);
    return LF_OK;
}
