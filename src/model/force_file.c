/* The kernel of a force in the model file. A plain one has its name and lengthscales; a composed one has its formula and the
 * values of its term, or a list of terms:
 *   { "kernel": "periodic*matern32", "lengthscale": 90, "period": 24, "period_lengthscale": 1 }
 *   { "kernel": "periodic*matern32 + eq", "terms": [ { "lengthscale": 90, "period": 24, … "weight": 1 }, { … } ] } */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "model/kernel_formula.h"
#include "model/model_file.h"

/* The value of one parameter; what neither the field nor the formula gives has a default or is missing. */
static lf_status read_value(const lf_field *owner, const lf_force_parameter *parameter)
{
    lf_field field = lf_field_member(owner, parameter->what);
    if (!field.value && isnan(*parameter->value) && strcmp(parameter->what, "period_lengthscale") == 0) {
        *parameter->value = 1;
    }
    return field.value || isnan(*parameter->value) ? lf_field_number(&field, parameter->value) : LF_OK;
}

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

static lf_status read_terms(const lf_field *field, lf_force *force)
{
    static const char *const known[] = {"lengthscale", "period", "period_lengthscale", "weight", NULL};
    lf_field list = lf_field_member(field, "terms");
    size_t count;
    int single = force->term_count == 1;
    if (single && list.value) {
        return lf_field_fail(&list, "the kernel \"%s\" has one term; its values stand beside \"kernel\"",
                             force->formula);
    }
    lf_status status = single ? refuse_others(field, force, 0) : lf_field_list(&list, &count);
    if (!status && !single && count != (size_t)force->term_count) {
        status = lf_field_fail(&list, "expected %d terms for the kernel \"%s\", found %zu", force->term_count,
                               force->formula, count);
    }
    for (size_t i = 0; !status && !single && i < count; i++) {
        lf_field term = lf_field_element(&list, i);
        status = lf_field_object(&term, known);
        status = status ? status : refuse_others(&term, force, (int)i);
    }
    for (int i = 0; !status && i < lf_force_parameter_count(force); i++) {
        lf_force_parameter parameter = lf_force_parameter_at(force, i);
        lf_field term = single ? *field : lf_field_element(&list, (size_t)parameter.term);
        status = read_value(&term, &parameter);
    }
    return status;
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
    force->kernel = lf_force_kernel_find(formula);
    if (force->kernel) {
        static const char *const others[] = {"period", "period_lengthscale", "terms"};
        for (size_t i = 0; !status && i < sizeof others / sizeof *others; i++) {
            lf_field other = lf_field_member(field, others[i]);
            status = other.value ? lf_field_fail(&other, "the kernel \"%s\" has no %s", formula, others[i]) : LF_OK;
        }
        return status;
    }
    if (lf_kernel_parse(field->ctx, formula, NULL, &count, terms)) {
        char problem[sizeof field->ctx->message];
        strcpy(problem, lf_message(field->ctx));
        return lf_field_fail(&kernel, "%s", problem);
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
