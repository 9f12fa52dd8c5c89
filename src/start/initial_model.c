/* The shape of a model, built from the options with every number 1. */
#include "start/initial_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "data/data.h"
#include "model/model_file.h"
#include "plan/plan.h"
#include "start/force_shapes.h"

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

/* ---- what the options come to for these data ---- */

typedef struct model_shape {
    const char *operator_type;
    const char *kernel, *private_kernel; /* names or formulas */
    int forces;                          /* without those of periods, which come last */
    int repeating, repeating_copies;     /* those of periods, each with its copies */
    int copies, has_private, initial, offset, scale;
    double origin;
} model_shape;

enum { OFFSET_FIRST, OFFSET_MEAN, OFFSET_LEARNED, OFFSET_NONE };
enum { SCALE_SD, SCALE_NONE };

static lf_status check_range(lf_context *ctx, const char *what, int number)
{
    return number >= 1 && number <= 1000
               ? LF_OK
               : lf_fail(ctx, LF_ERROR_ARGUMENT, "the number of %s must be from 1 to 1000, found %d", what, number);
}

static lf_status resolve(lf_context *ctx, const lf_data_summary *summary, const lf_shape_options *options,
                         model_shape *shape)
{
    static const char *const offsets[] = {"first", "mean", "learned", "none", NULL},
                             *const scales[] = {"sd", "none", NULL}, *const switches[] = {"no", "yes", NULL};
    int D = summary->output_count, p = summary->input_dim;
    lf_shape_options filled = *options;
    lf_fill_shape(&filled, D, p);
    shape->operator_type = filled.operator_type;
    shape->origin = options->origin ? *options->origin : summary->begin;
    shape->forces = filled.forces;
    shape->copies = filled.copies;
    shape->repeating_copies = lf_period_copies(D);
    shape->repeating = options->period_count * shape->repeating_copies;
    shape->kernel = filled.force_kernel;
    shape->private_kernel = filled.private_kernel;
    lf_status status = choose(ctx, "initial", options->initial, lf_initial_names, LF_INITIAL_FREE, &shape->initial);
    int fallback = shape->initial == LF_INITIAL_ZERO ? OFFSET_FIRST : OFFSET_MEAN;
    LF_TRY(status, choose(ctx, "offset", options->offset, offsets, fallback, &shape->offset));
    LF_TRY(status, choose(ctx, "scale", options->scale, scales, SCALE_SD, &shape->scale));
    LF_TRY(status, choose(ctx, "choice of private forces", filled.private_forces, switches, 0, &shape->has_private));
    LF_TRY(status, check_range(ctx, "copies", shape->copies));
    return status ? status : check_range(ctx, "forces", shape->forces);
}

/* ---- the parts of the model ---- */

static double *ones(int count)
{
    double *numbers = lf_doubles((size_t)count, 1);
    for (int i = 0; numbers && i < count; i++) {
        numbers[i] = 1;
    }
    return numbers;
}

/* The operator "ode1", "ode2", "ode:P" or "gaussian", with constants of 1 or of (s + 1)^P, which is stable. */
static lf_status make_operator(lf_context *ctx, const char *type, int input_dim, lf_output *output)
{
    char *end = NULL;
    long order = strncmp(type, "ode:", 4) == 0 ? strtol(type + 4, &end, 10) : 0;
    int general = end && *end == '\0' && order > 0 && order <= LF_MAX_ORDER;
    output->op = end ? (general ? &lf_operator_ode : NULL) : strcmp(type, "ode") ? lf_operator_find(type) : NULL;
    if (!output->op) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT,
                       "unknown operator '%s'; it can be ode1, ode2, ode:P with P from 1 to %d, gaussian", type,
                       LF_MAX_ORDER);
    }
    output->order = general ? (int)order : output->op->order;
    output->constant_count = general                      ? (int)order + 1
                             : output->op->constant_count ? output->op->constant_count
                                                          : input_dim;
    output->constants = ones(output->constant_count);
    double binomial = 1;
    for (int i = 0; output->constants && general && i < output->constant_count; i++) {
        output->constants[i] = binomial;
        binomial *= (double)(order - i) / (double)(i + 1);
    }
    return output->constants ? LF_OK : lf_no_memory(ctx);
}

/* The entry "NAME=TYPE" is cut at its last '='. */
static int is_entry_of(const char *entry, const char *name)
{
    const char *equals = strrchr(entry, '=');
    return equals && strlen(name) == (size_t)(equals - entry) && memcmp(entry, name, strlen(name)) == 0;
}

/* The operator of one output: its own, or that of all. */
static const char *operator_of(const lf_shape_options *options, const char *name, const char *fallback)
{
    for (size_t i = 0; options->output_operators && options->output_operators[i]; i++) {
        const char *entry = options->output_operators[i];
        fallback = is_entry_of(entry, name) ? strrchr(entry, '=') + 1 : fallback;
    }
    return fallback;
}

static lf_status check_output_operators(lf_context *ctx, const lf_data *data, const lf_shape_options *options)
{
    for (size_t i = 0; options->output_operators && options->output_operators[i]; i++) {
        const char *entry = options->output_operators[i];
        int known = 0;
        for (int d = 0; d < data->outputs.count; d++) {
            known = known || is_entry_of(entry, data->outputs.name[d]);
        }
        if (!known) {
            return lf_fail(ctx, LF_ERROR_ARGUMENT, "operator '%s': %s", entry,
                           strchr(entry, '=') ? "the data have no output of that name" : "expected NAME=TYPE");
        }
    }
    return LF_OK;
}

static lf_status make_output(lf_context *ctx, const model_shape *shape, const lf_data *data, const char *name,
                             const char *operator_type, lf_output *output)
{
    *output = (lf_output){.name = lf_copy_string(name),
                          .sensitivity = ones(shape->forces * shape->copies + shape->repeating),
                          .noise_variance = 1,
                          .scale = 1,
                          .has_private = shape->has_private,
                          .private_amplitude = shape->has_private};
    lf_status status = output->name && output->sensitivity ? make_operator(ctx, operator_type, data->input_dim, output)
                                                           : lf_no_memory(ctx);
    output->initial_variance = ones(output->order);
    status = status || output->initial_variance ? status : lf_no_memory(ctx);
    if (!status && shape->has_private) {
        status = lf_make_force(ctx, shape->private_kernel, data, &output->private_force);
    }
    return status;
}

static lf_status make_model(lf_context *ctx, const lf_data *data, const lf_shape_options *options,
                            const model_shape *shape, lf_model *model)
{
    int plain = shape->forces * shape->copies, forces = plain + shape->repeating;
    *model = (lf_model){.input_dim = data->input_dim,
                        .origin = data->input_dim > 1 ? 0.0 : shape->origin,
                        .initial = (lf_initial)shape->initial,
                        .forces = calloc((size_t)forces + 1, sizeof *model->forces),
                        .outputs = calloc((size_t)data->outputs.count + 1, sizeof *model->outputs)};
    lf_status status = model->forces && model->outputs ? LF_OK : lf_no_memory(ctx);
    while (!status && model->force_count < forces) {
        int q = model->force_count, period = (q - plain) / shape->repeating_copies;
        lf_force *force = &model->forces[model->force_count++];
        status = q < plain ? lf_make_force(ctx, lf_shape_kernel(options, shape->kernel, q / shape->copies), data, force)
                           : lf_make_periodic_force(ctx, options->periods[period], LF_DEFAULT_HARMONICS, force);
    }
    while (!status && model->output_count < data->outputs.count) {
        const char *name = data->outputs.name[model->output_count];
        status = make_output(ctx, shape, data, name, operator_of(options, name, shape->operator_type),
                             &model->outputs[model->output_count++]);
    }
    LF_TRY(status, lf_parameters_build(ctx, model));
    lf_model_drop_errors(model);
    for (int q = 0; !status && q < forces;) {
        int copies = q < plain ? shape->copies : shape->repeating_copies;
        status = lf_model_tie_copies(ctx, model, q, copies);
        q += copies;
    }
    return status ? status : lf_model_check(ctx, model, "the model to fit");
}

/* Offsets and scales; and what no data can determine: the leading coefficient, which only scales the sensitivities. */
static void set_units(const lf_data_summary *summary, const model_shape *shape, lf_model *model)
{
    for (int d = 0; d < model->output_count; d++) {
        const lf_output_summary *seen = &summary->outputs[d];
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

lf_status lf_take_labels(lf_context *ctx, const lf_data *data, lf_model *model)
{
    int known = model->input_dim != data->input_dim; /* which is refused later */
    for (int k = 0; k < model->input_dim; k++) {
        known = known || lf_axis_is_known(lf_model_axis(model, k));
    }
    lf_status status = known ? LF_OK : lf_model_set_axes(ctx, model, data->axes);
    if (!status && !model->columns) {
        status = lf_model_set_headings(ctx, model, data->headings);
    }
    for (int d = 0; d < data->outputs.count && !status; d++) {
        int output = lf_model_find_output(model, data->outputs.name[d]);
        const char *unit = lf_data_output_unit(data, d);
        if (output >= 0 && *unit && !model->outputs[output].unit) {
            model->outputs[output].unit = lf_copy_string(unit);
            status = model->outputs[output].unit ? LF_OK : lf_no_memory(ctx);
        }
        int known_input = lf_model_find_known(model, data->outputs.name[d]);
        if (!status && known_input >= 0 && *unit && !model->known[known_input].unit) {
            model->known[known_input].unit = lf_copy_string(unit);
            status = model->known[known_input].unit ? LF_OK : lf_no_memory(ctx);
        }
    }
    return status;
}

lf_status lf_initial_model(lf_context *ctx, const lf_data *data, const lf_data_summary *summary,
                           const lf_shape_options *options, lf_model **model)
{
    model_shape shape;
    int before = lf_threads_begin(1);
    lf_model *made = *model = calloc(1, sizeof *made);
    lf_status status = made ? LF_OK : lf_no_memory(ctx);
    for (int d = 0; !status && d < summary->output_count; d++) {
        if (summary->outputs[d].n == 0) {
            status = lf_fail(ctx, LF_ERROR_DATA, "the output '%s' has no training rows", data->outputs.name[d]);
        }
    }
    LF_TRY(status, resolve(ctx, summary, options, &shape));
    LF_TRY(status, check_output_operators(ctx, data, options));
    LF_TRY(status, make_model(ctx, data, options, &shape, made));
    LF_TRY(status, lf_take_labels(ctx, data, made));
    if (!status) {
        set_units(summary, &shape, made);
        status = data->input_dim > 1 ? lf_model_standardise(ctx, made, data) : LF_OK;
        LF_TRY(status, lf_starting_values(ctx, summary, made));
    }
    if (status) {
        lf_model_free(made);
        *model = NULL;
    }
    lf_threads_end(before);
    return status;
}
