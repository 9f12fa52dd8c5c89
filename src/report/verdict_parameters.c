/* Sentences about parameters on bounds, and constants that the data do not determine. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "report/verdict.h"

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

static int count_of(const char *kind, size_t n, char which)
{
    int count = 0;
    for (size_t i = 0; i < n; i++) {
        count += kind[i] == which;
    }
    return count;
}

static int ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), after = strlen(end);
    return length >= after && strcmp(name + length - after, end) == 0;
}

/* What follows the name of output d and a dot; NULL: it is no parameter of this output. */
static const char *of_output(const lf_model *model, int d, const char *name)
{
    size_t length = strlen(model->outputs[d].name);
    int own = strncmp(name, model->outputs[d].name, length) == 0 && name[length] == '.';
    return own ? name + length + 1 : NULL;
}

/* Whether nothing depends on a parameter: it is of a force or an output without effect. */
static int is_without_effect(const lf_verdict_evidence *e, const lf_parameter_entry *p)
{
    const lf_diagnosis *diagnosis = e->diagnosis;
    for (int d = 0; diagnosis && d < e->model->output_count; d++) {
        const char *rest = of_output(e->model, d, p->name);
        const lf_output_diagnosis *output = &diagnosis->outputs[d];
        if (rest && (output->constant || (strncmp(rest, "private.", 8) == 0 && output->private_force < 0.01))) {
            return 1;
        }
    }
    for (int q = 0; diagnosis && q < e->model->force_count; q++) {
        char name[40];
        int length = snprintf(name, sizeof name, "force%d.", q + 1);
        if (diagnosis->idle[q] && strncmp(p->name, name, (size_t)length) == 0) {
            return 1;
        }
    }
    return 0;
}

static void mark(const lf_verdict_evidence *e, size_t i, char *kind)
{
    const lf_parameter_entry *p = &e->model->parameters[i];
    if (!lf_parameter_is_fixed(e->model, i) && p->tied_to < 0 && !is_on_bound(e, p->name) &&
        !is_listed(e, "undetermined", p->name) && !is_without_effect(e, p)) {
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

/* ---- bounds ---- */

/* Why a parameter may be on a bound. */
enum {
    PLAIN = 1, /* the data favour a value beyond it, or do not determine it */
    VANISHED,  /* an amplitude that stands for 0 */
    LASTING,   /* the envelope of a cycle that does not change */
    SLOW,      /* a lengthscale on its upper bound */
    FAST,      /* a lengthscale on its lower bound */
    WITHOUT,   /* of a force that explains nothing, of an output that is constant */
    EXACT      /* the noise on its lower bound: a sentence about residuals has it */
};

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

/* Amplitudes of equations on their lower limit, which stands for 0, unless the equations have limits. */
static int has_vanished(const lf_model *model, size_t i)
{
    const lf_parameter_entry *p = &model->parameters[i];
    size_t first = model->system ? (size_t)lf_index_amplitudes(model) : 0;
    return model->system && i >= first && i < first + (size_t)model->system->equations->force_count &&
           !(p->lower > 0 || isfinite(p->upper));
}

static char kind_of_bound(const lf_verdict_evidence *e, size_t i)
{
    const lf_parameter_entry *p = &e->model->parameters[i];
    double low, high;
    int searched = lf_parameter_searched(e->model, i, &low, &high) && low > 0 && isfinite(high);
    int upper = searched && *p->value * *p->value > low * high, lower = searched && !upper;
    int lengthscale = ends_with(p->name, "lengthscale") && !ends_with(p->name, "period_lengthscale");
    return (char)(has_vanished(e->model, i)                        ? VANISHED
                  : is_of_lasting_cycle(e->model, p)               ? LASTING
                  : is_without_effect(e, p)                        ? WITHOUT
                  : lengthscale && upper                           ? SLOW
                  : lengthscale && lower                           ? FAST
                  : lower && ends_with(p->name, ".noise_variance") ? EXACT
                                                                   : PLAIN);
}

static void add_bounds(const lf_verdict_evidence *e, char *bounds)
{
    static const struct {
        char which;
        lf_remark_kind kind;
        const char *one, *several;
    } sentences[] = {
        {PLAIN, LF_REMARK_CONSTANTS,
         " ended on a bound: the data favour a value beyond it, or do not determine it. Do not interpret it.",
         " ended on bounds: the data favour values beyond them, or do not determine them. Do not interpret them."},
        {FAST, LF_REMARK_PREDICTIONS,
         " ended on its lower bound: the force changes faster than the readings show, and predictions in gaps return "
         "to "
         "the average at once.",
         " ended on their lower bounds: these forces change faster than the readings show, and predictions in gaps "
         "return to the average at once."},
        {VANISHED, LF_REMARK_HARMLESS, " went to 0: the data do not need it.",
         " went to 0: the data do not need them."},
        {LASTING, LF_REMARK_HARMLESS,
         " ended on its upper bound: the cycle does not change its waveform. This is harmless.",
         " ended on their upper bounds: the cycles do not change their waveforms. This is harmless."},
        {SLOW, LF_REMARK_HARMLESS, " ended on its upper bound: a slower force would look the same. This is harmless.",
         " ended on their upper bounds: slower forces would look the same. This is harmless."},
        {WITHOUT, LF_REMARK_HARMLESS, " ended on a bound: nothing depends on it. This is harmless.",
         " ended on bounds: nothing depends on them. This is harmless."},
    };
    size_t n = e->model->parameter_count;
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++) {
        int count = count_of(bounds, n, sentences[i].which);
        if (count) {
            lf_remark_begin(e->remarks, sentences[i].kind, "note", NULL);
            list_parameters(e, bounds, sentences[i].which, count);
            lf_remark_text(e->remarks, "%s", count == 1 ? sentences[i].one : sentences[i].several);
        }
    }
}

/* ---- what the data do not determine ---- */

/* Parameters along which the likelihood does not change, and what the data say about them. */
static void add_open(const lf_verdict_evidence *e, const char *kind, int count)
{
    const char *determined = json_string_value(json_object_get(e->provenance, "determined_combinations"));
    lf_remark_begin(e->remarks, LF_REMARK_CONSTANTS, "note", NULL);
    lf_remark_text(e->remarks, "The data do not determine ");
    list_parameters(e, kind, 1, count);
    if (determined) {
        lf_remark_text(e->remarks, ", only %s: fix %s with --fix, or write the equations with fewer parameters.",
                       determined, count == 2 ? "one of them" : "some of them");
    } else {
        lf_remark_text(e->remarks, ": other values describe them as well. Do not interpret %s.",
                       count == 1 ? "it" : "them");
    }
}

static void add_undetermined(const lf_verdict_evidence *e, const char *listed, const char *undetermined)
{
    size_t n = e->model->parameter_count;
    int large = count_of(undetermined, n, 1), open = count_of(undetermined, n, 2);
    if (count_of(listed, n, 1)) {
        add_open(e, listed, count_of(listed, n, 1));
    }
    if (large) {
        lf_remark_begin(e->remarks, LF_REMARK_CONSTANTS, "note", NULL);
        lf_remark_text(e->remarks, "The data do not determine ");
        list_parameters(e, undetermined, 1, large);
        lf_remark_text(e->remarks, large == 1 ? ": its standard error exceeds its value."
                                              : ": their standard errors exceed their values.");
    }
    if (open) {
        lf_remark_begin(e->remarks, LF_REMARK_CONSTANTS, "note", NULL);
        list_parameters(e, undetermined, 2, open);
        lf_remark_text(e->remarks, open == 1 ? " has" : " have");
        lf_remark_text(e->remarks,
                       " no standard error: other parameters can make up for a change. Fewer forces, or values "
                       "fixed with --fix, may determine %s.",
                       open == 1 ? "it" : "them");
    }
}

lf_status lf_verdict_parameters(lf_context *ctx, const lf_verdict_evidence *e)
{
    size_t n = e->model->parameter_count;
    char *bounds = calloc(n + 1, 1), *undetermined = calloc(n + 1, 1), *listed = calloc(n + 1, 1);
    int done = bounds && undetermined && listed;
    for (size_t i = 0; done && i < n; i++) {
        const char *name = e->model->parameters[i].name;
        bounds[i] = is_on_bound(e, name) ? kind_of_bound(e, i) : 0;
        listed[i] = (char)(is_listed(e, "undetermined", name) && !is_without_effect(e, &e->model->parameters[i]));
    }
    if (done) {
        mark_undetermined(e, undetermined);
        add_bounds(e, bounds);
        add_undetermined(e, listed, undetermined);
    }
    free(bounds);
    free(listed);
    free(undetermined);
    return done ? LF_OK : lf_no_memory(ctx);
}
