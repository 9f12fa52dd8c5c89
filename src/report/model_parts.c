/* Tables of forces, outputs, sensitivities, known inputs and modes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "model/description.h"
#include "report/diagnosis.h"
#include "report/model_tables.h"
#include "report/quantity.h"

#define TWO_PI 6.28318530717958647692

enum { TEXT = 1024, NAME = 512 };

/* ---- forces ---- */

/* Value, error, unit, "fixed" of the parameter "OWNER.WHAT". */
static void add_parameter(lf_table *table, const lf_model *model, const char *owner, const char *what, int number)
{
    char unit[LF_UNIT_SIZE] = "";
    size_t index;
    lf_parameter parameter = lf_parameter_of(model, owner, what, number, &index);
    if (index < model->parameter_count) {
        lf_parameter_unit(model, index, unit);
    }
    lf_table_add_number(table, parameter.value);
    lf_table_add_number(table, parameter.standard_error);
    lf_table_add_word(table, unit);
    lf_table_add_word(table, parameter.fixed ? "fixed" : "");
}

lf_status lf_forces_table(lf_context *ctx, const lf_model *model, lf_table **table)
{
    static const lf_table_heading headings[] = {{"force", LF_WORDS},
                                                {"kernel", LF_WORDS},
                                                {"lengthscale", LF_NUMBERS},
                                                {"lengthscale_error", LF_NUMBERS},
                                                {"lengthscale_unit", LF_WORDS},
                                                {"lengthscale_fixed", LF_WORDS},
                                                {"amplitude", LF_NUMBERS},
                                                {"amplitude_error", LF_NUMBERS},
                                                {"amplitude_unit", LF_WORDS},
                                                {"amplitude_fixed", LF_WORDS},
                                                {"lengthscales", LF_WORDS},
                                                {"values", LF_WORDS},
                                                {"white", LF_NUMBERS},
                                                {"idle", LF_WORDS}};
    lf_status status = lf_table_create(ctx, sizeof headings / sizeof *headings, headings, table);
    int forces = model->force_count, white = lf_model_white_count(model);
    for (int q = 0; !status && q < forces + white; q++) {
        char name[NAME], lengthscales[TEXT] = "", values[TEXT] = "-";
        if (q < forces) {
            lf_model_force_name(model, q, sizeof name, name);
            lf_lengthscale_quantities(model, &model->forces[q], lf_index_kernel(model, q), sizeof lengthscales,
                                      lengthscales);
            lf_kernel_quantities(model, &model->forces[q], lf_index_kernel(model, q), sizeof values, values);
        } else {
            snprintf(name, sizeof name, "%s", lf_model_white_name(model, q - forces));
        }
        lf_table_add_word(*table, name);
        lf_table_add_word(*table, q < forces ? lf_force_kernel_text(&model->forces[q]) : "white");
        add_parameter(*table, model, name, "lengthscale", 0);
        add_parameter(*table, model, name, q < forces ? "amplitude" : "sd", 0);
        lf_table_add_word(*table, lengthscales);
        lf_table_add_word(*table, values);
        lf_table_add_number(*table, q >= forces || lf_model_force_is_white(model, q));
        lf_table_add_word(*table, q < forces && lf_model_force_is_idle(model, q) ? "idle" : "");
    }
    return status;
}

/* ---- outputs ---- */

/* "matern12, lengthscale 2 h, amplitude 0.3"; "-" where there is none. */
static void describe_private(const lf_model *model, int d, size_t size, char *text)
{
    const lf_output *output = &model->outputs[d];
    const lf_force *force = &output->private_force;
    int first = lf_index_private_kernel(model, d), plain = force->lengthscale_count > 0;
    char values[TEXT], amplitude[LF_QUANTITY_SIZE];
    snprintf(text, size, "-");
    if (!output->has_private) {
        return;
    }
    (plain ? lf_lengthscale_quantities : lf_kernel_quantities)(model, force, first, sizeof values, values);
    lf_parameter_quantity(model, (size_t)lf_index_private_amplitude(model, d), amplitude);
    int has_values = strcmp(values, "-") != 0;
    snprintf(text, size, "%s, %s%.800s%samplitude %s", lf_force_kernel_text(force), plain ? "lengthscale " : "",
             has_values ? values : "", has_values ? ", " : "", amplitude);
}

/* "mass 1, damper 0.07 1/h, spring 0.1225 1/h^2" */
static void describe_constants(const lf_model *model, int d, size_t size, char *text)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < model->outputs[d].constant_count && used < size; k++) {
        char number[LF_QUANTITY_SIZE];
        lf_parameter_quantity(model, (size_t)(lf_index_constants(model, d) + k), number);
        int written =
            snprintf(text + used, size - used, "%s%s %s", k ? ", " : "", lf_model_constant_name(model, d, k), number);
        used += written > 0 ? (size_t)written : 0;
    }
}

/* "student, degrees 4.2 +- 0.9" */
static void describe_likelihood(const lf_model *model, int d, size_t size, char *text)
{
    const lf_likelihood *likelihood = lf_output_likelihood(&model->outputs[d]);
    int number = lf_index_likelihood_number(model, d);
    char value[LF_QUANTITY_SIZE] = "";
    if (number >= 0) {
        lf_parameter_quantity(model, (size_t)number, value);
    }
    snprintf(text, size, "%s%s%s%s%s", likelihood->name, number < 0 ? "" : ", ", number < 0 ? "" : likelihood->number,
             number < 0 ? "" : " ", value);
}

lf_status lf_outputs_table(lf_context *ctx, const lf_model *model, lf_table **table)
{
    static const lf_table_heading headings[] = {{"output", LF_WORDS},     {"operator", LF_WORDS},
                                                {"order", LF_NUMBERS},    {"unit", LF_WORDS},
                                                {"noise_sd", LF_NUMBERS}, {"offset", LF_NUMBERS},
                                                {"scale", LF_NUMBERS},    {"private", LF_WORDS},
                                                {"constants", LF_WORDS},  {"variance_inflation", LF_NUMBERS},
                                                {"likelihood", LF_WORDS}};
    lf_status status = lf_table_create(ctx, sizeof headings / sizeof *headings, headings, table);
    for (int d = 0; !status && d < model->output_count; d++) {
        char text[2 * TEXT];
        const lf_output *output = &model->outputs[d];
        lf_table_add_word(*table, output->name);
        lf_table_add_word(*table, output->op->name);
        lf_table_add_number(*table, output->order);
        lf_table_add_word(*table, output->unit ? output->unit : "");
        lf_table_add_number(*table, lf_output_likelihood(output)->has_noise ? sqrt(lf_model_noise_variance(model, d))
                                                                            : (double)NAN);
        lf_table_add_number(*table, output->offset);
        lf_table_add_number(*table, output->scale);
        describe_private(model, d, sizeof text, text);
        lf_table_add_word(*table, text);
        describe_constants(model, d, TEXT, text);
        lf_table_add_word(*table, text);
        lf_table_add_number(*table, output->variance_inflation > 0 ? output->variance_inflation : 1);
        describe_likelihood(model, d, sizeof text, text);
        lf_table_add_word(*table, text);
    }
    return status;
}

/* ---- tables with a column for each force or output ---- */

/* Adds headings whose names begin with that of a force or an output. The names are released by clear_headings(). */
static int add_headings(lf_table_heading *headings, size_t *count, const char *name, size_t parts,
                        const lf_table_heading *part)
{
    for (size_t i = 0; i < parts; i++) {
        size_t size = strlen(name) + strlen(part[i].name) + 1;
        char *joined = malloc(size);
        if (!joined) {
            return 0;
        }
        snprintf(joined, size, "%s%s", name, part[i].name);
        headings[(*count)++] = (lf_table_heading){joined, part[i].kind};
    }
    return 1;
}

static void clear_headings(lf_table_heading *headings, size_t first, size_t count)
{
    for (size_t i = first; i < count; i++) {
        free((char *)headings[i].name);
    }
    free(headings);
}

lf_status lf_sensitivities_table(lf_context *ctx, const lf_model *model, lf_table **table)
{
    static const lf_table_heading parts[] = {{"", LF_NUMBERS}, {".error", LF_NUMBERS}};
    size_t count = 2;
    lf_table_heading *headings = calloc(2 * (size_t)model->force_count + 2, sizeof *headings);
    int done = headings != NULL;
    if (done) {
        headings[0] = (lf_table_heading){"output", LF_WORDS};
        headings[1] = (lf_table_heading){"sd", LF_NUMBERS};
    }
    for (int q = 0; done && q < model->force_count; q++) {
        char name[NAME];
        lf_model_force_name(model, q, sizeof name, name);
        done = add_headings(headings, &count, name, 2, parts);
    }
    lf_status status = done ? lf_table_create(ctx, count, headings, table) : lf_no_memory(ctx);
    for (int d = 0; !status && d < model->output_count; d++) {
        int first = lf_index_sensitivity(model, d);
        lf_table_add_word(*table, model->outputs[d].name);
        lf_table_add_number(*table, model->outputs[d].sensitivity_sd);
        for (int q = 0; q < model->force_count; q++) {
            lf_table_add_number(*table, model->outputs[d].sensitivity[q]);
            lf_table_add_number(*table, first < 0 ? (double)NAN : model->parameters[first + q].standard_error);
        }
    }
    clear_headings(headings, 2, count);
    return status;
}

lf_status lf_known_table(lf_context *ctx, const lf_model *model, lf_table **table)
{
    static const lf_table_heading parts[] = {
        {"", LF_NUMBERS}, {".error", LF_NUMBERS}, {".unit", LF_WORDS}, {".fixed", LF_WORDS}};
    int outputs = model->system ? 0 : model->output_count; /* those with gains */
    enum { FIRST = 4 };
    size_t count = FIRST;
    lf_table_heading *headings = calloc(4 * (size_t)outputs + FIRST, sizeof *headings);
    int done = headings != NULL;
    if (done) {
        headings[0] = (lf_table_heading){"input", LF_WORDS};
        headings[1] = (lf_table_heading){"unit", LF_WORDS};
        headings[2] = (lf_table_heading){"between", LF_WORDS};
        headings[3] = (lf_table_heading){"meaning", LF_WORDS};
    }
    for (int d = 0; done && d < outputs; d++) {
        done = add_headings(headings, &count, model->outputs[d].name, 4, parts);
    }
    lf_status status = done ? lf_table_create(ctx, count, headings, table) : lf_no_memory(ctx);
    for (int k = 0; !status && k < model->known_count; k++) {
        lf_table_add_word(*table, model->known[k].name);
        lf_table_add_word(*table, lf_model_known_unit(model, k));
        lf_table_add_word(*table, lf_model_known_between(model, k));
        lf_table_add_word(*table, model->known[k].hold == LF_HOLD_IMPULSE ? "0; readings are impulses"
                                                                          : lf_model_known_between(model, k));
        for (int d = 0; d < outputs; d++) {
            add_parameter(*table, model, model->outputs[d].name, "gain", k + 1);
        }
    }
    clear_headings(headings, FIRST, count);
    return status;
}

/* ---- modes ---- */

/* A value and its error. */
static void add_pair(lf_table *table, double value, double error)
{
    lf_table_add_number(table, value);
    lf_table_add_number(table, error);
}

static void add_mode(lf_table *table, const lf_model *model, const char *output, const lf_output_info *mode,
                     const char *stable)
{
    char text[LF_QUANTITY_SIZE], unit[LF_UNIT_SIZE];
    double period = TWO_PI / mode->natural_frequency;
    lf_frequency_unit(model, unit);
    lf_frequency_quantity(model, mode->natural_frequency, mode->natural_frequency_error, text);
    lf_table_add_word(table, output);
    add_pair(table, mode->time_constant, mode->time_constant_error);
    lf_table_add_word(table, lf_model_input(model, 0).unit);
    add_pair(table, mode->natural_frequency, mode->natural_frequency_error);
    lf_table_add_word(table, unit);
    lf_table_add_word(table, text);
    add_pair(table, period, period * mode->natural_frequency_error / mode->natural_frequency);
    add_pair(table, mode->damping_ratio, mode->damping_ratio_error);
    lf_table_add_word(table, stable);
}

static lf_status add_system_modes(lf_context *ctx, lf_table *table, const lf_model *model)
{
    int states = lf_model_state_count(model), count = 0;
    lf_mode *modes = calloc((size_t)states + 1, sizeof *modes);
    lf_status status = modes ? lf_model_modes(ctx, model, states, modes, &count) : lf_no_memory(ctx);
    for (int i = 0; !status && i < count; i++) {
        lf_output_info mode = {.time_constant = modes[i].time_constant,
                               .natural_frequency = modes[i].natural_frequency,
                               .damping_ratio = modes[i].damping_ratio,
                               .time_constant_error = (double)NAN,
                               .natural_frequency_error = (double)NAN,
                               .damping_ratio_error = (double)NAN};
        add_mode(table, model, "", &mode, modes[i].real < 0 ? "yes" : modes[i].real > 0 ? "no" : "integrates");
    }
    free(modes);
    return status;
}

lf_status lf_modes_table(lf_context *ctx, const lf_model *model, lf_table **table)
{
    static const lf_table_heading headings[] = {
        {"output", LF_WORDS},         {"time_constant", LF_NUMBERS},     {"time_constant_error", LF_NUMBERS},
        {"time_unit", LF_WORDS},      {"natural_frequency", LF_NUMBERS}, {"natural_frequency_error", LF_NUMBERS},
        {"frequency_unit", LF_WORDS}, {"frequency", LF_WORDS},           {"period", LF_NUMBERS},
        {"period_error", LF_NUMBERS}, {"damping_ratio", LF_NUMBERS},     {"damping_ratio_error", LF_NUMBERS},
        {"stable", LF_WORDS}};
    lf_status status = lf_table_create(ctx, sizeof headings / sizeof *headings, headings, table);
    if (model->system) {
        return LF_TRY(status, add_system_modes(ctx, *table, model));
    }
    for (int d = 0; !status && d < model->output_count; d++) {
        lf_output_info output = lf_model_output(model, d);
        if (output.order > 0) {
            add_mode(*table, model, output.name, &output, output.stable ? "yes" : "no");
        }
    }
    return status;
}
