/* Diagnoses in memory and in the provenance of a model file:
 *
 *   "diagnosis": {"shares": "posterior" or "prior", "idle": [numbers of forces, from 1],
 *                 "outputs": [{"name": …, "rows": …, "shared": …, "forces": [Q], …}, …]}
 *
 * Numbers are rounded to four digits; what is not known is null. */
#include "report/diagnosis.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "model/model.h"
#include "report/whiteness.h"

/* The numbers of an output, by their keys. */
typedef struct number_field {
    const char *key;
    size_t offset;
} number_field;

static const number_field number_fields[] = {
    {"shared", offsetof(lf_output_diagnosis, shared)},
    {"private", offsetof(lf_output_diagnosis, private_force)},
    {"start", offsetof(lf_output_diagnosis, start)},
    {"noise", offsetof(lf_output_diagnosis, noise)},
    {"residual_mean", offsetof(lf_output_diagnosis, residual_mean)},
    {"residual_rms", offsetof(lf_output_diagnosis, residual_rms)},
    {"autocorrelation_p", offsetof(lf_output_diagnosis, autocorrelation_p)},
    {"skewness", offsetof(lf_output_diagnosis, skewness)},
    {"excess_kurtosis", offsetof(lf_output_diagnosis, excess_kurtosis)},
    {"normality_p", offsetof(lf_output_diagnosis, normality_p)},
    {"coverage95", offsetof(lf_output_diagnosis, coverage95)},
    {"coverage_p", offsetof(lf_output_diagnosis, coverage_p)},
    {"periodogram", offsetof(lf_output_diagnosis, periodogram)},
    {"periodogram_p", offsetof(lf_output_diagnosis, periodogram_p)},
    {"periodogram_bound", offsetof(lf_output_diagnosis, periodogram_bound)},
    {"peak_period", offsetof(lf_output_diagnosis, peak_period)},
    {"peak_share", offsetof(lf_output_diagnosis, peak_share)},
    {"peak_expected", offsetof(lf_output_diagnosis, peak_expected)},
    {"spacing", offsetof(lf_output_diagnosis, spacing)},
    {"largest_residual", offsetof(lf_output_diagnosis, largest_residual)},
    {"largest_at", offsetof(lf_output_diagnosis, largest_at)},
    {"known", offsetof(lf_output_diagnosis, known)},
    {"process", offsetof(lf_output_diagnosis, process)},
    {"cancellation", offsetof(lf_output_diagnosis, cancellation)},
    {"scatter_p", offsetof(lf_output_diagnosis, scatter_p)},
    {"scatter_ratio", offsetof(lf_output_diagnosis, scatter_ratio)},
    {"scatter_least_at", offsetof(lf_output_diagnosis, scatter_least_at)},
    {"scatter_most_at", offsetof(lf_output_diagnosis, scatter_most_at)},
};
static const number_field flag_fields[] = {{"autocorrelated", offsetof(lf_output_diagnosis, autocorrelated)},
                                           {"not_white", offsetof(lf_output_diagnosis, not_white)},
                                           {"not_normal", offsetof(lf_output_diagnosis, not_normal)},
                                           {"too_narrow", offsetof(lf_output_diagnosis, too_narrow)},
                                           {"constant", offsetof(lf_output_diagnosis, constant)},
                                           {"interpolated", offsetof(lf_output_diagnosis, interpolated)},
                                           {"uneven_scatter", offsetof(lf_output_diagnosis, uneven_scatter)}};
enum {
    NUMBERS = sizeof number_fields / sizeof *number_fields,
    FLAGS = sizeof flag_fields / sizeof *flag_fields,
};

static double *number_of(const lf_output_diagnosis *output, size_t i)
{
    return (double *)((char *)output + number_fields[i].offset);
}

static int *flag_of(const lf_output_diagnosis *output, size_t i)
{
    return (int *)((char *)output + flag_fields[i].offset);
}

lf_diagnosis *lf_diagnosis_allocate(int output_count, int force_count, int input_count)
{
    lf_diagnosis *diagnosis = calloc(1, sizeof *diagnosis);
    if (!diagnosis) {
        return NULL;
    }
    size_t Q = (size_t)force_count, K = (size_t)input_count;
    diagnosis->force_count = force_count;
    diagnosis->input_count = input_count;
    diagnosis->idle = calloc(Q + 1, sizeof *diagnosis->idle);
    diagnosis->outputs = calloc((size_t)output_count + 1, sizeof *diagnosis->outputs);
    int done = diagnosis->idle && diagnosis->outputs;
    for (int d = 0; done && d < output_count; d++) {
        lf_output_diagnosis *output = &diagnosis->outputs[d];
        diagnosis->output_count++;
        output->forces = lf_doubles(Q, 1);
        output->force_variances = lf_doubles(Q, 1);
        output->autocorrelation = lf_doubles(LF_MOST_LAGS, 1);
        output->inputs = lf_doubles(K, 1);
        done = output->forces && output->force_variances && output->autocorrelation && output->inputs;
        for (size_t k = 0; done && k < K; k++) {
            output->inputs[k] = (double)NAN;
        }
        for (size_t q = 0; done && q < Q; q++) {
            output->forces[q] = output->force_variances[q] = (double)NAN;
        }
        for (size_t i = 0; i < NUMBERS; i++) {
            *number_of(output, i) = (double)NAN;
        }
        output->jump_input = -1;
    }
    if (!done) {
        lf_diagnosis_free(diagnosis);
        return NULL;
    }
    return diagnosis;
}

void lf_diagnosis_free(lf_diagnosis *diagnosis)
{
    if (!diagnosis) {
        return;
    }
    for (int d = 0; d < diagnosis->output_count; d++) {
        free(diagnosis->outputs[d].forces);
        free(diagnosis->outputs[d].force_variances);
        free(diagnosis->outputs[d].autocorrelation);
        free(diagnosis->outputs[d].inputs);
        free(diagnosis->outputs[d].errors);
        free(diagnosis->outputs[d].error_inputs);
        free(diagnosis->outputs[d].error_replicates);
        free(diagnosis->outputs[d].cumulative);
        free(diagnosis->outputs[d].residuals);
        free(diagnosis->outputs[d].residual_replicates);
    }
    free(diagnosis->outputs);
    free(diagnosis->idle);
    free(diagnosis);
}

/* ---- writing ---- */

/* Rounded to four digits; less than 1e-4 is 0. */
static json_t *rounded(double value)
{
    if (!isfinite(value)) {
        return json_null();
    }
    char text[40];
    snprintf(text, sizeof text, "%.4g", fabs(value) < 1e-4 ? 0.0 : value);
    double result = strtod(text, NULL);
    return result == floor(result) && fabs(result) < 1e15 ? json_integer((json_int_t)result) : json_real(result);
}

/* A place on the axis of the input or a step along it, which may be far from 1 in any unit. */
static json_t *place(double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", value);
    return isfinite(value) ? json_real(strtod(text, NULL)) : json_null();
}

static json_t *write_numbers(size_t n, const double *values)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < n; i++) {
        if (json_array_append_new(list, rounded(values[i]))) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *write_output(const lf_output_diagnosis *output, const lf_model *model, int d)
{
    size_t Q = (size_t)model->force_count, K = (size_t)model->known_count;
    json_t *object = json_object();
    int bad = json_object_set_new(object, "name", json_string(model->outputs[d].name)) |
              json_object_set_new(object, "rows", json_integer((json_int_t)output->rows)) |
              json_object_set_new(object, "innovations", json_integer((json_int_t)output->innovations));
    for (size_t i = 0; i < NUMBERS; i++) {
        const double *number = number_of(output, i);
        int rare = number == &output->known || number == &output->process;
        int along = number == &output->spacing || number == &output->largest_at ||
                    number == &output->scatter_least_at || number == &output->scatter_most_at;
        if (!rare || isfinite(*number)) {
            bad |= json_object_set_new(object, number_fields[i].key, along ? place(*number) : rounded(*number));
        }
    }
    for (size_t i = 0; i < FLAGS; i++) {
        bad |= json_object_set_new(object, flag_fields[i].key, json_boolean(*flag_of(output, i)));
    }
    bad |= json_object_set_new(object, "forces", write_numbers(Q, output->forces)) |
           json_object_set_new(object, "force_variances", write_numbers(Q, output->force_variances)) |
           json_object_set_new(object, "autocorrelation", write_numbers(output->lag_count, output->autocorrelation));
    if (K) {
        bad |= json_object_set_new(object, "inputs", write_numbers(K, output->inputs));
    }
    bad |= json_object_set_new(object, "peak_side", json_integer(output->peak_side));
    if (output->jump_input >= 0) {
        bad |= json_object_set_new(object, "jump_input", json_string(model->known[output->jump_input].name));
    }
    if (bad) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static json_t *write_diagnosis(const lf_diagnosis *diagnosis, const lf_model *model)
{
    json_t *object = json_object(), *outputs = json_array(), *idle = json_array();
    int bad = 0;
    for (int q = 0; q < diagnosis->force_count; q++) {
        bad |= diagnosis->idle[q] ? json_array_append_new(idle, json_integer(q + 1)) : 0;
    }
    for (int d = 0; d < diagnosis->output_count; d++) {
        bad |= json_array_append_new(outputs, write_output(&diagnosis->outputs[d], model, d));
    }
    bad |= json_object_set_new(object, "shares", json_string(diagnosis->from_prior ? "prior" : "posterior")) |
           json_object_set_new(object, "idle", idle) | json_object_set_new(object, "outputs", outputs);
    if (bad) {
        json_decref(object);
        return NULL;
    }
    return object;
}

lf_status lf_diagnosis_store(lf_context *ctx, const lf_diagnosis *diagnosis, lf_model *model)
{
    if (diagnosis->output_count != model->output_count || diagnosis->force_count != model->force_count ||
        diagnosis->input_count != model->known_count) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "the diagnosis is of %d outputs and %d forces, the model has %d and %d",
                       diagnosis->output_count, diagnosis->force_count, model->output_count, model->force_count);
    }
    /* Copies of the model share its provenance. */
    json_t *provenance = json_is_object(model->provenance) ? json_copy(model->provenance) : json_object();
    /* A copy without enough memory lacks members, and nothing else tells. */
    int partial = json_object_size(provenance) < json_object_size(model->provenance);
    if (partial || json_object_set_new(provenance, "diagnosis", write_diagnosis(diagnosis, model))) {
        json_decref(provenance);
        return lf_no_memory(ctx);
    }
    json_decref(model->provenance);
    model->provenance = provenance;
    return LF_OK;
}

/* ---- reading: whatever is missing or of another type is not known ---- */

static const json_t *stored(const lf_model *model) { return json_object_get(model->provenance, "diagnosis"); }

static double number(const json_t *value) { return json_is_number(value) ? json_number_value(value) : (double)NAN; }

static void read_output(const json_t *object, const lf_model *model, lf_output_diagnosis *output)
{
    size_t Q = (size_t)model->force_count, K = (size_t)model->known_count;
    const char *jumping = json_string_value(json_object_get(object, "jump_input"));
    const json_t *lags = json_object_get(object, "autocorrelation"), *forces = json_object_get(object, "forces"),
                 *variances = json_object_get(object, "force_variances");
    json_int_t rows = json_integer_value(json_object_get(object, "rows"));
    json_int_t innovations = json_integer_value(json_object_get(object, "innovations"));
    output->rows = rows > 0 ? (size_t)rows : 0;
    output->innovations = innovations > 0 ? (size_t)innovations : 0;
    for (size_t i = 0; i < NUMBERS; i++) {
        *number_of(output, i) = number(json_object_get(object, number_fields[i].key));
    }
    for (size_t i = 0; i < FLAGS; i++) {
        *flag_of(output, i) = json_is_true(json_object_get(object, flag_fields[i].key));
    }
    if (!json_object_get(object, "not_white")) { /* a file of an earlier version */
        output->not_white = output->periodogram_p < LF_SIGNIFICANT && output->periodogram >= LF_PERIODOGRAM_FAR;
    }
    json_int_t side = json_integer_value(json_object_get(object, "peak_side"));
    output->peak_side = side > 0 ? 1 : side < 0 ? -1 : 0;
    output->jump_input = jumping ? lf_model_find_known(model, jumping) : -1;
    for (size_t q = 0; q < Q; q++) {
        output->forces[q] = number(json_array_get(forces, q));
        output->force_variances[q] = number(json_array_get(variances, q));
    }
    for (size_t k = 0; k < K; k++) {
        output->inputs[k] = number(json_array_get(json_object_get(object, "inputs"), k));
    }
    output->lag_count = json_array_size(lags) < LF_MOST_LAGS ? json_array_size(lags) : LF_MOST_LAGS;
    for (size_t k = 0; k < output->lag_count; k++) {
        output->autocorrelation[k] = number(json_array_get(lags, k));
    }
}

int lf_model_force_is_idle(const lf_model *model, int force)
{
    const json_t *idle = json_object_get(stored(model), "idle");
    for (size_t i = 0; i < json_array_size(idle); i++) {
        if (json_integer_value(json_array_get(idle, i)) == force + 1) {
            return 1;
        }
    }
    return 0;
}

lf_status lf_diagnosis_restore(lf_context *ctx, const lf_model *model, lf_diagnosis **diagnosis)
{
    const json_t *object = stored(model), *outputs = json_object_get(object, "outputs"),
                 *shares = json_object_get(object, "shares");
    *diagnosis = NULL;
    if (json_array_size(outputs) != (size_t)model->output_count) {
        return LF_OK;
    }
    lf_diagnosis *result = lf_diagnosis_allocate(model->output_count, model->force_count, model->known_count);
    if (!result) {
        return lf_no_memory(ctx);
    }
    for (int d = 0; d < model->output_count; d++) {
        read_output(json_array_get(outputs, (size_t)d), model, &result->outputs[d]);
    }
    for (int q = 0; q < model->force_count; q++) {
        result->idle[q] = lf_model_force_is_idle(model, q);
    }
    result->from_prior = json_is_string(shares) && strcmp(json_string_value(shares), "prior") == 0;
    *diagnosis = result;
    return LF_OK;
}
