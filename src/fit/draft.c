/* A model for data: its shape from the options, its starting values from the rows. */
#include "fit/draft.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "data/data.h"

enum { ENOUGH_FORCES = 6, MOST_FORCES = 36 }; /* by default */

/* One of the words (NULL-terminated), or the default where nothing is given. */
static lf_status choose(lf_context *ctx, const char *what, const char *given, const char *const *words, int fallback,
                        int *chosen)
{
    char known[128] = "";
    *chosen = fallback;
    if (!given) {
        return LF_OK;
    }
    for (int i = 0; words[i]; i++) {
        if (strcmp(given, words[i]) == 0) {
            *chosen = i;
            return LF_OK;
        }
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", words[i]);
    }
    return lf_fail(ctx, LF_ERROR_ARGUMENT, "unknown %s '%s'; it can be %s", what, given, known);
}

/* {"type": …} with constants of 1 or of (s + 1)^P, which is stable, from "ode1", "ode2", "ode:P" or "gaussian". */
static lf_status write_operator(lf_context *ctx, const char *type, int input_dim, json_t **written)
{
    char *end;
    long order = strncmp(type, "ode:", 4) == 0 ? strtol(type + 4, &end, 10) : 0;
    if (strcmp(type, "ode1") == 0) {
        *written = json_pack("{s:s,s:f}", "type", type, "decay", 1.0);
    } else if (strcmp(type, "ode2") == 0) {
        *written = json_pack("{s:s,s:f,s:f,s:f}", "type", type, "mass", 1.0, "damper", 1.0, "spring", 1.0);
    } else if (strcmp(type, "gaussian") == 0 || (order > 0 && *end == '\0' && order <= LF_MAX_ORDER)) {
        long count = order > 0 ? order + 1 : input_dim;
        json_t *list = json_array();
        double binomial = 1;
        for (long i = 0; list && i < count; i++) {
            json_array_append_new(list, json_real(order > 0 ? binomial : 1));
            binomial *= (double)(order - i) / (double)(i + 1);
        }
        *written = order > 0 || count > 1 ? json_pack("{s:s,s:o}", "type", order > 0 ? "ode" : type,
                                                      order > 0 ? "coefficients" : "precision", list)
                                          : json_pack("{s:s,s:f}", "type", type, "precision", 1.0);
        if (order == 0 && count == 1) {
            json_decref(list);
        }
    } else {
        return lf_fail(ctx, LF_ERROR_ARGUMENT,
                       "unknown operator '%s'; it can be ode1, ode2, ode:P with P from 1 to %d, gaussian", type,
                       LF_MAX_ORDER);
    }
    return *written ? LF_OK : lf_no_memory(ctx);
}

/* The operator of one output: its own, or that of all. An entry "NAME=TYPE" is cut at its last '='. */
static const char *operator_of(const lf_draft_options *options, const char *name, const char *fallback)
{
    for (size_t i = 0; options->output_operators && options->output_operators[i]; i++) {
        const char *entry = options->output_operators[i], *equals = strrchr(entry, '=');
        if (equals && strlen(name) == (size_t)(equals - entry) && memcmp(entry, name, strlen(name)) == 0) {
            fallback = equals + 1;
        }
    }
    return fallback;
}

static lf_status check_output_operators(lf_context *ctx, const lf_data *data, const lf_draft_options *options)
{
    for (size_t i = 0; options->output_operators && options->output_operators[i]; i++) {
        const char *entry = options->output_operators[i], *equals = strrchr(entry, '=');
        int known = 0;
        for (int d = 0; equals && d < data->outputs.count; d++) {
            const char *name = data->outputs.name[d];
            known |= strlen(name) == (size_t)(equals - entry) && memcmp(entry, name, strlen(name)) == 0;
        }
        if (!known) {
            return lf_fail(ctx, LF_ERROR_ARGUMENT, "operator '%s': %s", entry,
                           equals ? "the data have no output of that name" : "expected NAME=TYPE");
        }
    }
    return LF_OK;
}

static json_t *number_list(int count, double value)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++) {
        json_array_append_new(list, json_real(value));
    }
    return list;
}

static json_t *write_force(const char *kernel, int input_dim)
{
    return json_pack("{s:s,s:o}", "kernel", kernel, "lengthscale",
                     input_dim > 1 ? number_list(input_dim, 1) : json_real(1));
}

/* One force of the list, which stands for all its copies. */
static json_t *write_copies(const char *kernel, int input_dim, int copies)
{
    json_t *force = write_force(kernel, input_dim);
    if (copies > 1) {
        json_object_set_new(force, "copies", json_integer(copies));
    }
    return force;
}

/* What the options come to for these data. */
typedef struct draft_shape {
    const char *operator_type, *kernel, *private_kernel, *initial;
    int forces, copies, has_private, offset, scale;
    double origin;
} draft_shape;

enum { OFFSET_FIRST, OFFSET_MEAN, OFFSET_LEARNED, OFFSET_NONE };
enum { SCALE_SD, SCALE_NONE };

void lf_draft_kernels(lf_draft_options *options, int outputs, int inputs)
{
    const char *force = options->force_kernel, *own = options->private_kernel;
    int shares = options->private_forces ? strcmp(options->private_forces, "yes") == 0 : outputs > 1;
    if (!force) { /* what few outputs share is smoother than what each has of its own */
        force = inputs > 1 ? "eq" : shares && outputs <= ENOUGH_FORCES ? "matern32" : "matern12";
        own = own || inputs > 1 ? own : "matern12";
    }
    options->force_kernel = force;
    options->private_kernel = own ? own : force;
}

static lf_status resolve(lf_context *ctx, const lf_survey *survey, const lf_draft_options *options, draft_shape *shape)
{
    static const char *const offsets[] = {"first", "mean", "learned", "none", NULL},
                             *const scales[] = {"sd", "none", NULL}, *const answers[] = {"no", "yes", NULL};
    int D = survey->output_count, several = survey->input_dim > 1;
    lf_draft_options kernels = *options;
    lf_draft_kernels(&kernels, D, survey->input_dim);
    shape->operator_type = options->operator_type ? options->operator_type : several ? "gaussian" : "ode1";
    shape->kernel = kernels.force_kernel;
    shape->private_kernel = kernels.private_kernel;
    shape->initial = options->initial ? options->initial : "free";
    shape->origin = options->origin ? *options->origin : survey->low[0];
    shape->forces = options->forces;
    shape->copies = options->copies ? options->copies : 1;
    int zero = strcmp(shape->initial, "zero") == 0;
    lf_status status =
        choose(ctx, "offset", options->offset, offsets, zero ? OFFSET_FIRST : OFFSET_MEAN, &shape->offset);
    status = status ? status : choose(ctx, "scale", options->scale, scales, SCALE_SD, &shape->scale);
    status = status ? status
                    : choose(ctx, "choice of private forces", options->private_forces, answers, D > 1 && !several,
                             &shape->has_private);
    if (shape->forces == 0) { /* more forces than outputs can have different lengthscales, and that pays */
        int enough = D + 2 < ENOUGH_FORCES ? D + 2 : ENOUGH_FORCES, many = D < MOST_FORCES ? D : MOST_FORCES;
        shape->forces = several || D == 1 ? 1 : many > enough ? many : enough;
    }
    if (!status && (shape->copies < 1 || shape->copies > 1000)) {
        status =
            lf_fail(ctx, LF_ERROR_ARGUMENT, "the number of copies must be from 1 to 1000, found %d", shape->copies);
    }
    if (!status && (shape->forces < 1 || shape->forces > 1000)) {
        status =
            lf_fail(ctx, LF_ERROR_ARGUMENT, "the number of forces must be from 1 to 1000, found %d", shape->forces);
    }
    return status;
}

static lf_status write_output(lf_context *ctx, const lf_data *data, const lf_draft_options *options,
                              const draft_shape *shape, int d, json_t *outputs)
{
    const char *name = data->outputs.name[d];
    json_t *written;
    lf_status status = write_operator(ctx, operator_of(options, name, shape->operator_type), data->input_dim, &written);
    if (status) {
        return status;
    }
    json_t *output = json_pack("{s:s,s:o,s:o,s:f}", "name", name, "operator", written, "sensitivity",
                               number_list(shape->forces * shape->copies, 1), "noise_variance", 1.0);
    int bad = output == NULL;
    if (!bad && shape->has_private) {
        json_t *force = write_force(shape->private_kernel, data->input_dim);
        bad = json_object_set_new(force, "amplitude", json_real(1)) || json_object_set_new(output, "private", force);
    }
    bad = json_array_append_new(outputs, output) || bad;
    return bad ? lf_no_memory(ctx) : LF_OK;
}

/* The shape as a model file with every number 1: whatever is wrong with it is found where every model is checked. */
static lf_status write_shape(lf_context *ctx, const lf_data *data, const lf_draft_options *options,
                             const draft_shape *shape, lf_model **model)
{
    json_t *forces = json_array(), *outputs = json_array();
    lf_status status = forces && outputs ? LF_OK : lf_no_memory(ctx);
    for (int q = 0; !status && q < shape->forces; q++) {
        status = json_array_append_new(forces, write_copies(shape->kernel, data->input_dim, shape->copies))
                     ? lf_no_memory(ctx)
                     : LF_OK;
    }
    for (int d = 0; !status && d < data->outputs.count; d++) {
        status = write_output(ctx, data, options, shape, d, outputs);
    }
    json_t *file = json_pack("{s:s,s:i,s:i,s:f,s:s,s:o,s:o}", "format", "latentforce-model", "version", 1, "input_dim",
                             data->input_dim, "origin", data->input_dim > 1 ? 0.0 : shape->origin, "initial",
                             shape->initial, "forces", forces, "outputs", outputs);
    char *text = file && !status ? json_dumps(file, 0) : NULL;
    if (!status) {
        status = text ? lf_model_parse(ctx, text, "the model to fit", model) : lf_no_memory(ctx);
    }
    free(text);
    json_decref(file);
    return status;
}

/* Offsets and scales; and what no data can tell: the leading coefficient, which only scales the sensitivities. */
static void set_units(const lf_survey *survey, const draft_shape *shape, lf_model *model)
{
    for (int d = 0; d < model->output_count; d++) {
        const lf_output_survey *seen = &survey->outputs[d];
        lf_output *output = &model->outputs[d];
        int from_first =
            shape->offset == OFFSET_FIRST || (shape->offset == OFFSET_LEARNED && model->initial == LF_INITIAL_ZERO);
        output->offset = shape->offset == OFFSET_NONE ? 0 : from_first ? seen->first : seen->mean;
        output->scale = shape->scale == SCALE_SD && seen->sd > 0 ? seen->sd : 1;
        lf_parameter_fix(model, (size_t)lf_index_offset(model, d), shape->offset != OFFSET_LEARNED);
        if (output->op->is_ode && output->op->first_coefficient == 0) {
            lf_parameter_fix(model, (size_t)lf_index_constants(model, d), 1);
        }
    }
}

lf_status lf_model_draft(lf_context *ctx, const lf_data *data, const lf_draft_options *options, lf_model **model)
{
    static const lf_draft_options defaults;
    options = options ? options : &defaults;
    lf_survey survey;
    draft_shape shape;
    int before = lf_one_thread();
    *model = NULL;
    lf_status status = lf_survey_create(ctx, data, NULL, &survey);
    for (int d = 0; !status && d < survey.output_count; d++) {
        if (survey.outputs[d].n == 0) {
            status = lf_fail(ctx, LF_ERROR_DATA, "the output '%s' has no training rows", data->outputs.name[d]);
        }
    }
    status = status ? status : resolve(ctx, &survey, options, &shape);
    status = status ? status : check_output_operators(ctx, data, options);
    status = status ? status : write_shape(ctx, data, options, &shape, model);
    if (!status) {
        set_units(&survey, &shape, *model);
        status = data->input_dim > 1 ? lf_model_standardise(ctx, *model, data) : LF_OK;
        status = status ? status : lf_start(ctx, &survey, *model);
    }
    if (status) {
        lf_model_free(*model);
        *model = NULL;
    }
    lf_survey_clear(&survey);
    lf_more_threads(before);
    return status;
}
