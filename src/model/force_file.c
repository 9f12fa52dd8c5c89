/* The kernel of a force in the model file. A plain one has its name and lengthscales; a composed one has its formula and the
 * values of its term, or a list of terms:
 *   { "kernel": "periodic*matern32", "lengthscale": 90, "period": 24, "period_lengthscale": 1 }
 *   { "kernel": "periodic*matern32 + eq", "terms": [ { "lengthscale": 90, "period": 24, … "weight": 1 }, { … } ] }
 * In a file written by hand the formula may have the values instead: "periodic(24)*matern32(90) + eq(3)". */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "model/kernel_formula.h"
#include "model/model_file.h"

/* Fails for a field that belongs to some kernels, but not to this one. */
static lf_status refuse_others(const lf_field *owner, const lf_force *force, int term)
{
    static const char *const names[] = {"lengthscale", "period", "period_lengthscale", "weight"};
    lf_status status = LF_OK;
    for (size_t k = 0; !status && k < sizeof names / sizeof *names; k++) {
        lf_field field = lf_field_member(owner, names[k]);
        int known = !field.value;
        for (int i = 0; !known && i < lf_force_parameter_count(force); i++) {
            lf_force_parameter parameter = lf_force_parameter_at(force, i);
            known = strcmp(parameter.what, names[k]) == 0 && (parameter.term < 0 || parameter.term == term);
        }
        status = known ? LF_OK : lf_field_fail(&field, "the kernel \"%s\" has no %s", force->formula, names[k]);
    }
    return status;
}

/* The value of one parameter, from the object that has it or else from the formula; owner NULL: there is no such object. */
static lf_status read_value(const lf_field *field, const lf_field *owner, const lf_force *force,
                            const lf_force_parameter *parameter)
{
    lf_field value = lf_field_member(owner ? owner : field, parameter->what);
    if (owner && value.value) {
        return lf_field_number(&value, parameter->value);
    }
    if (isnan(*parameter->value) && strcmp(parameter->what, "period_lengthscale") == 0) {
        *parameter->value = 1;
    }
    if (!isnan(*parameter->value)) {
        return LF_OK;
    }
    lf_field kernel = lf_field_member(field, "kernel");
    return owner ? lf_field_number(&value, parameter->value) /* which says that it is missing */
                 : lf_field_fail(&kernel,
                                 "term %d of \"%s\" has no %s; give it in the formula, as in \"eq(3)\", or give all "
                                 "values in a list \"terms\"",
                                 parameter->term + 1, force->formula, parameter->what);
}

static lf_status read_terms(const lf_field *field, lf_force *force)
{
    static const char *const known[] = {"lengthscale", "period", "period_lengthscale", "weight", NULL};
    lf_field list = lf_field_member(field, "terms");
    size_t count = 0;
    int single = force->term_count == 1;
    if (single && list.value) {
        return lf_field_fail(&list, "the kernel \"%s\" has one term; its values stand beside \"kernel\"",
                             force->formula);
    }
    lf_status status = refuse_others(field, force, -1);
    status = status || !list.value ? status : lf_field_list(&list, &count);
    if (!status && list.value && count != (size_t)force->term_count) {
        status = lf_field_fail(&list, "expected %d terms for the kernel \"%s\", found %zu", force->term_count,
                               force->formula, count);
    }
    for (size_t i = 0; !status && i < count; i++) {
        lf_field term = lf_field_element(&list, i);
        status = lf_field_object(&term, known);
        LF_TRY(status, refuse_others(&term, force, (int)i));
    }
    for (int i = 0; !status && i < lf_force_parameter_count(force); i++) {
        lf_force_parameter parameter = lf_force_parameter_at(force, i);
        lf_field term = lf_field_element(&list, (size_t)(single ? 0 : parameter.term));
        status = read_value(field, single ? field : list.value ? &term : NULL, force, &parameter);
    }
    return status;
}

/* A formula that is a plain kernel, as "eq(3)": without the value, the field "lengthscale" has it. */
static lf_status read_plain(const lf_field *field, const lf_force_term *term, lf_force *force)
{
    lf_field lengthscale = lf_field_member(field, "lengthscale");
    force->kernel = term->envelope;
    if (!lengthscale.value && !isnan(term->lengthscale)) {
        force->lengthscale = lf_doubles(1, 1);
        force->lengthscale_count = 1;
        if (!force->lengthscale) {
            return lf_no_memory(field->ctx);
        }
        force->lengthscale[0] = term->lengthscale;
    }
    return LF_OK;
}

lf_status lf_read_kernel(const lf_field *field, lf_force *force)
{
    const char *formula;
    lf_field kernel = lf_field_member(field, "kernel");
    lf_force_term terms[LF_MAX_TERMS];
    int count;
    lf_status status = lf_field_string(&kernel, &formula);
    if (status) {
        return status;
    }
    if (lf_kernel_parse(field->ctx, formula, NULL, &count, terms)) {
        char problem[sizeof field->ctx->message];
        strcpy(problem, lf_context_message(field->ctx));
        return lf_field_fail(&kernel, "%s", problem);
    }
    if (count == 1 && lf_term_is_plain(terms)) {
        static const char *const others[] = {"period", "period_lengthscale", "terms"};
        for (size_t i = 0; !status && i < sizeof others / sizeof *others; i++) {
            lf_field other = lf_field_member(field, others[i]);
            status = other.value ? lf_field_fail(&other, "the kernel \"%s\" has no %s", formula, others[i]) : LF_OK;
        }
        return status ? status : read_plain(field, terms, force);
    }
    status = lf_force_compose(field->ctx, force, count, terms);
    return status ? status : read_terms(field, force);
}

int lf_write_kernel(const lf_force *force, json_t *object)
{
    int bad = json_object_set_new(object, "kernel", json_string(lf_force_kernel_text(force)));
    json_t *list = force->term_count > 1 ? json_array() : NULL;
    for (int i = 0; i < force->term_count && list; i++) {
        bad |= json_array_append_new(list, json_object());
    }
    for (int i = 0; force->term_count && i < lf_force_parameter_count(force); i++) {
        lf_force_parameter parameter = lf_force_parameter_at(force, i);
        json_t *owner = force->term_count > 1 ? json_array_get(list, (size_t)parameter.term) : object;
        bad |= json_object_set_new(owner, parameter.what, json_real(*parameter.value));
    }
    return force->term_count > 1 ? bad | json_object_set_new(object, "terms", list) : bad;
}
