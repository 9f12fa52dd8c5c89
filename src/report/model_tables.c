/* Tables of a model. */
#include "report/model_tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "report/documents.h"
#include "report/remarks.h"

enum { NAME = 512 };

static lf_status parameters_table(lf_context *ctx, const lf_model *model, lf_table **table)
{
    static const lf_table_heading headings[] = {{"name", LF_WORDS},
                                                {"value", LF_NUMBERS},
                                                {"standard_error", LF_NUMBERS},
                                                {"unit", LF_WORDS},
                                                {"lower", LF_NUMBERS},
                                                {"upper", LF_NUMBERS},
                                                {"fixed", LF_NUMBERS},
                                                {"tied_to", LF_WORDS},
                                                {"searched_lower", LF_NUMBERS},
                                                {"searched_upper", LF_NUMBERS}};
    lf_status status = lf_table_create(ctx, sizeof headings / sizeof *headings, headings, table);
    for (size_t i = 0; !status && i < model->parameter_count; i++) {
        char unit[LF_UNIT_SIZE];
        double low, high;
        lf_parameter parameter = lf_parameter_get(model, i);
        lf_parameter_unit(model, i, unit);
        lf_parameter_searched(model, i, &low, &high);
        lf_table_add_word(*table, parameter.name);
        lf_table_add_number(*table, parameter.value);
        lf_table_add_number(*table, parameter.standard_error);
        lf_table_add_word(*table, unit);
        lf_table_add_number(*table, parameter.lower);
        lf_table_add_number(*table, parameter.upper);
        lf_table_add_number(*table, parameter.fixed);
        lf_table_add_word(*table, parameter.tied_to == LF_NONE ? "" : model->parameters[parameter.tied_to].name);
        lf_table_add_number(*table, low);
        lf_table_add_number(*table, high);
    }
    return status;
}

/* The constants of the equations. */
static lf_status constants_table(lf_context *ctx, const lf_model *model, lf_table **table)
{
    static const lf_table_heading headings[] = {
        {"constant", LF_WORDS}, {"value", LF_NUMBERS}, {"standard_error", LF_NUMBERS}, {"fixed", LF_WORDS}};
    size_t first, count = lf_model_constants(model, &first);
    lf_status status = lf_table_create(ctx, sizeof headings / sizeof *headings, headings, table);
    for (size_t i = first; !status && i < first + count; i++) {
        lf_parameter parameter = lf_parameter_get(model, i);
        lf_table_add_word(*table, parameter.name);
        lf_table_add_number(*table, parameter.value);
        lf_table_add_number(*table, parameter.standard_error);
        lf_table_add_word(*table, parameter.fixed ? "fixed" : "");
    }
    return status;
}

/* ---- quantities: those of the equations, then time constants, frequencies and damping of outputs ---- */

static void add_quantity(lf_table *table, const char *name, double value, double error, const char *unit)
{
    lf_table_add_word(table, name);
    lf_table_add_number(table, value);
    lf_table_add_number(table, error);
    lf_table_add_word(table, unit);
}

static void add_derived(lf_table *table, const lf_model *model, int d)
{
    lf_output_info output = lf_model_output(model, d);
    const char *time = lf_model_input(model, 0).unit;
    char name[NAME], unit[LF_UNIT_SIZE] = "";
    snprintf(unit, sizeof unit, *time ? "rad/%.40s" : "", time);
    const struct {
        const char *name;
        double value, error;
        const char *unit;
    } readings[] = {{"time_constant", output.time_constant, output.time_constant_error, time},
                    {"natural_frequency", output.natural_frequency, output.natural_frequency_error, unit},
                    {"damping_ratio", output.damping_ratio, output.damping_ratio_error, ""}};
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        if (!isnan(readings[i].value)) {
            snprintf(name, sizeof name, "%s.%s", output.name, readings[i].name);
            add_quantity(table, name, readings[i].value, readings[i].error, readings[i].unit);
        }
    }
}

static lf_status quantities_table(lf_context *ctx, const lf_model *model, lf_table **table)
{
    static const lf_table_heading headings[] = {
        {"name", LF_WORDS}, {"value", LF_NUMBERS}, {"standard_error", LF_NUMBERS}, {"unit", LF_WORDS}};
    lf_status status = lf_table_create(ctx, sizeof headings / sizeof *headings, headings, table);
    for (int i = 0; !status && i < lf_model_quantity_count(model); i++) {
        double value; /* NaN where it is not defined at the parameters */
        status = lf_model_quantity_value(ctx, model, i, &value) == LF_ERROR_MEMORY ? LF_ERROR_MEMORY : LF_OK;
        add_quantity(*table, lf_model_quantity_name(model, i), value, lf_model_quantity_error(model, i), "");
    }
    for (int d = 0; !status && d < model->output_count; d++) {
        add_derived(*table, model, d);
    }
    return status;
}

static lf_status inputs_table(lf_context *ctx, const lf_model *model, lf_table **table)
{
    static const lf_table_heading headings[] = {
        {"input", LF_WORDS}, {"unit", LF_WORDS}, {"offset", LF_NUMBERS}, {"scale", LF_NUMBERS}, {"zero", LF_WORDS}};
    lf_status status = lf_table_create(ctx, sizeof headings / sizeof *headings, headings, table);
    for (int k = 0; !status && k < model->input_dim; k++) {
        char own[16], zero[64];
        lf_label input = lf_model_input(model, k);
        lf_model_format_input(model, (size_t)k, 0, sizeof zero, zero);
        lf_table_add_word(*table, lf_input_name(model, k, own));
        lf_table_add_word(*table, input.unit);
        lf_table_add_number(*table, input.offset);
        lf_table_add_number(*table, input.scale);
        lf_table_add_word(*table, input.dated ? zero : NULL);
    }
    return status;
}

static lf_status states_table(lf_context *ctx, const lf_model *model, lf_table **table)
{
    static const lf_table_heading headings[] = {{"state", LF_WORDS}};
    lf_status status = lf_table_create(ctx, 1, headings, table);
    for (int i = 0; !status && i < lf_model_state_count(model); i++) {
        char name[NAME];
        lf_model_state_name(model, i, sizeof name, name);
        lf_table_add_word(*table, name);
    }
    return status;
}

static lf_status verdict_table(lf_context *ctx, const lf_model *model, lf_table **table)
{
    static const lf_table_heading headings[] = {{"severity", LF_WORDS}, {"sentence", LF_WORDS}, {"output", LF_WORDS}};
    lf_verdict *verdict = NULL;
    lf_status status = lf_verdict_create(ctx, model, &verdict);
    LF_TRY(status, lf_table_create(ctx, 3, headings, table));
    for (size_t i = 0; !status && i < verdict->count; i++) {
        lf_table_add_word(*table, verdict->remarks[i].severity);
        lf_table_add_word(*table, verdict->remarks[i].sentence);
        lf_table_add_word(*table, verdict->remarks[i].output);
    }
    lf_verdict_free(verdict);
    return status;
}

lf_status lf_model_table(lf_context *ctx, const lf_model *model, const char *what, lf_table **table)
{
    static const struct {
        const char *what;
        lf_status (*make)(lf_context *, const lf_model *, lf_table **);
    } tables[] = {{"parameters", parameters_table},
                  {"constants", constants_table},
                  {"quantities", quantities_table},
                  {"inputs", inputs_table},
                  {"outputs", lf_outputs_table},
                  {"forces", lf_forces_table},
                  {"sensitivities", lf_sensitivities_table},
                  {"known", lf_known_table},
                  {"states", states_table},
                  {"modes", lf_modes_table},
                  {"verdict", verdict_table}};
    enum { COUNT = sizeof tables / sizeof *tables };
    char known[200] = "";
    *table = NULL;
    if (!model) {
        return lf_missing(ctx, "model");
    }
    for (size_t i = 0; i < COUNT; i++) {
        if (strcmp(tables[i].what, what) == 0) {
            lf_status status = tables[i].make(ctx, model, table);
            LF_TRY(status, lf_table_check(ctx, *table));
            if (status) {
                lf_table_free(*table);
                *table = NULL;
            }
            return status;
        }
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, i ? ", %s" : "%s", tables[i].what);
    }
    return lf_fail(ctx, LF_ERROR_ARGUMENT, "a model has no table '%s'; expected one of %s", what, known);
}
