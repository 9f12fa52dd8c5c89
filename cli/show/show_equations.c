/* The tables of show for a model given by equations, and for known inputs. */
#include "show/show_equations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "options/session.h"
#include "show/quantity.h"
#include "show/table.h"
#include "show/visible.h"

#define TWO_PI 6.28318530717958647692

/* The text, with a margin of two spaces. */
static int print_text(FILE *stream, const char *text)
{
    fputs("\nEquations\n", stream);
    while (*text) {
        size_t length = strcspn(text, "\n");
        char *line = strndup(text, length);
        if (!line) {
            return cli_no_memory();
        }
        fputs(*line ? "  " : "", stream);
        cli_put_visible(stream, line);
        fputc('\n', stream);
        free(line);
        text += length + (text[length] == '\n');
    }
    return CLI_DONE;
}

static int print_constants(FILE *stream, const lf_model *model)
{
    size_t first, count = lf_model_constants(model, &first);
    if (count == 0) {
        return CLI_DONE;
    }
    fputs("\nConstants\n", stream);
    int any_fixed = 0;
    for (size_t i = first; i < first + count; i++) {
        any_fixed = any_fixed || lf_parameter_get(model, i).fixed;
    }
    cli_table table = cli_table_create(any_fixed ? "lrl" : "lr");
    cli_table_add_headings(&table, (const char *const[]){"constant", "value", any_fixed ? "" : NULL, NULL});
    for (size_t i = first; i < first + count; i++) {
        lf_parameter parameter = lf_parameter_get(model, i);
        cli_table_add(&table, "%s", parameter.name);
        cli_table_add_quantity(&table, parameter.value, parameter.standard_error, "");
        if (any_fixed) {
            cli_table_add(&table, parameter.fixed ? "fixed" : "");
        }
    }
    return cli_table_print(&table, stream);
}

static int print_quantities(lf_context *ctx, FILE *stream, const lf_model *model)
{
    if (lf_model_quantity_count(model) == 0) {
        return CLI_DONE;
    }
    fputs("\nQuantities\n", stream);
    cli_table table = cli_table_create("lr");
    cli_table_add_headings(&table, (const char *const[]){"quantity", "value", NULL});
    int status = CLI_DONE;
    for (int i = 0; status == CLI_DONE && i < lf_model_quantity_count(model); i++) {
        double value;
        status = lf_model_quantity_value(ctx, model, i, &value) == LF_ERROR_MEMORY ? cli_no_memory() : CLI_DONE;
        cli_table_add(&table, "%s", lf_model_quantity_name(model, i));
        cli_table_add_quantity(&table, value, lf_model_quantity_error(model, i), "");
    }
    int printed = cli_table_print(&table, stream); /* releases the table */
    return status ? status : printed;
}

/* The value and the error of the parameter "OWNER.WHAT". */
static void add_parameter(lf_context *ctx, cli_table *table, const lf_model *model, const char *owner, const char *what)
{
    char unit[LF_UNIT_SIZE] = "";
    size_t index;
    if (!cli_find_parameter(ctx, model, owner, what, 0, &index)) {
        cli_table_add(table, "-");
        return;
    }
    lf_parameter parameter = lf_parameter_get(model, index);
    char text[CLI_QUANTITY_SIZE];
    lf_parameter_unit(model, index, unit);
    cli_quantity(text, parameter.value, parameter.standard_error, unit);
    cli_table_add(table, "%s%s", text, parameter.fixed ? " fixed" : "");
}

static int print_forces(lf_context *ctx, FILE *stream, const lf_model *model)
{
    int forces = lf_model_force_count(model), white = lf_model_white_count(model);
    if (forces + white == 0) {
        return CLI_DONE;
    }
    cli_table table = cli_table_create("lllr");
    fprintf(stream, "\nForces%s\n",
            white ? " (of a white force: the standard deviation of its integral over a time 1)" : "");
    cli_table_add_headings(&table, (const char *const[]){"force", "kernel", "lengthscale", "amplitude", NULL});
    for (int q = 0; q < forces; q++) {
        char name[256];
        lf_model_force_name(model, q, sizeof name, name);
        cli_table_add(&table, "%s%s", name, lf_model_force_is_idle(model, q) ? " (idle)" : "");
        cli_table_add(&table, "%s", lf_model_force(model, q).kernel);
        add_parameter(ctx, &table, model, name, "lengthscale");
        add_parameter(ctx, &table, model, name, "amplitude");
    }
    for (int i = 0; i < white; i++) {
        const char *name = lf_model_white_name(model, i);
        cli_table_add(&table, "%s", name);
        cli_table_add(&table, "white");
        cli_table_add(&table, "-");
        add_parameter(ctx, &table, model, name, "sd");
    }
    return cli_table_print(&table, stream);
}

static int print_outputs(FILE *stream, const lf_model *model)
{
    fputs("\nOutputs\n", stream);
    cli_table table = cli_table_create("lr");
    cli_table_add_headings(&table, (const char *const[]){"output", "noise sd", NULL});
    for (int d = 0; d < lf_model_output_count(model); d++) {
        cli_table_add(&table, "%s", lf_model_output_name(model, d));
        cli_table_add_quantity(&table, sqrt(lf_model_noise_variance(model, d)), (double)NAN,
                               lf_model_output(model, d).unit);
    }
    return cli_table_print(&table, stream);
}

static int print_modes(lf_context *ctx, FILE *stream, const lf_model *model)
{
    const char *time = lf_model_input(model, 0).unit;
    int room = lf_model_state_count(model), count = 0;
    lf_mode *modes = calloc((size_t)room + 1, sizeof *modes);
    int status = modes ? cli_check(ctx, lf_model_modes(ctx, model, room, modes, &count)) : cli_no_memory();
    if (status != CLI_DONE) {
        free(modes);
        return status;
    }
    fprintf(stream, "\nModes, the slowest first%s\n", *time ? "" : " (times and frequencies in the unit of the input)");
    cli_table table = cli_table_create("rrrrl");
    cli_table_add_headings(
        &table, (const char *const[]){"time constant", "natural frequency", "period", "damping ratio", "stable", NULL});
    for (int i = 0; i < count; i++) {
        char frequency[CLI_QUANTITY_SIZE];
        cli_frequency(frequency, model, modes[i].natural_frequency, (double)NAN);
        cli_table_add_quantity(&table, modes[i].time_constant, (double)NAN, time);
        cli_table_add(&table, "%s", frequency);
        cli_table_add_quantity(&table, TWO_PI / modes[i].natural_frequency, (double)NAN, time);
        cli_table_add_quantity(&table, modes[i].damping_ratio, (double)NAN, "");
        cli_table_add(&table, modes[i].real < 0 ? "yes" : modes[i].real > 0 ? "no" : "integrates");
    }
    free(modes);
    return cli_table_print(&table, stream);
}

/* One column for each output that has gains. */
int cli_show_known_inputs(lf_context *ctx, FILE *stream, const lf_model *model)
{
    int equations = lf_model_equations(model) != NULL, known = lf_model_known_count(model);
    int outputs = equations ? 0 : lf_model_output_count(model);
    if (known == 0) {
        return CLI_DONE;
    }
    fprintf(stream, "\nKnown inputs%s\n", outputs ? " (with their gains in the equation of each scaled output)" : "");
    char *alignment = malloc((size_t)outputs + 3);
    if (!alignment) {
        return cli_no_memory();
    }
    memset(alignment, 'r', (size_t)outputs + 2);
    memcpy(alignment, "ll", 2);
    alignment[outputs + 2] = '\0';
    cli_table table = cli_table_create(alignment);
    cli_table_add_headings(&table, (const char *const[]){"input", "between readings", NULL});
    for (int d = 0; d < outputs; d++) {
        cli_table_add(&table, "%s", lf_model_output_name(model, d));
    }
    for (int k = 0; k < known; k++) {
        const char *between = lf_model_known_between(model, k);
        const char *unit = lf_model_known_unit(model, k);
        cli_table_add(&table, *unit ? "%s [%s]" : "%s", lf_model_known_name(model, k), unit);
        cli_table_add(&table, "%s", strcmp(between, "impulse") == 0 ? "0; readings are impulses" : between);
        for (int d = 0; d < outputs; d++) {
            char what[32];
            snprintf(what, sizeof what, "gain%d", k + 1);
            add_parameter(ctx, &table, model, lf_model_output_name(model, d), what);
        }
    }
    int status = cli_table_print(&table, stream);
    free(alignment);
    return status;
}

int cli_show_equations(lf_context *ctx, FILE *stream, const lf_model *model)
{
    int status = print_text(stream, lf_model_equations(model));
    status = status ? status : print_constants(stream, model);
    status = status ? status : print_quantities(ctx, stream, model);
    status = status ? status : print_modes(ctx, stream, model);
    status = status ? status : print_forces(ctx, stream, model);
    status = status ? status : print_outputs(stream, model);
    return status ? status : cli_show_known_inputs(ctx, stream, model);
}
