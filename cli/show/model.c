/* The tables of a model: of its equations, forces, outputs, known inputs. */
#include "show/model.h"

#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "options/model_parts.h"
#include "show/result_table.h"
#include "show/visible.h"

#define COUNT(columns) (sizeof(columns) / sizeof *(columns))

/* Prints a table of the model below a heading. */
static int show(lf_context *ctx, FILE *stream, const lf_model *model, const char *what, const char *heading,
                size_t count, const cli_shown *columns)
{
    lf_table *table = NULL;
    int status = cli_check(ctx, lf_model_table(ctx, model, what, &table));
    if (status == CLI_DONE && lf_table_rows(table) > 0) {
        fputs(heading, stream);
        status = cli_result_table_show(ctx, stream, table, count, columns);
    }
    lf_table_free(table);
    return status;
}

/* The text of the equations, with a margin of two spaces. */
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

/* Those of equations, without outputs; those of outputs, which time constants of the slowest modes describe. */
static int show_modes(lf_context *ctx, FILE *stream, const lf_model *model)
{
    static const cli_shown columns[] = {{.heading = "output", .value = "output"},
                                        {"time constant", "time_constant", "time_constant_error", "time_unit", NULL, 0},
                                        {.heading = "natural frequency", .value = "frequency", .side = 'r'},
                                        {"period", "period", "period_error", "time_unit", NULL, 0},
                                        {"damping ratio", "damping_ratio", "damping_ratio_error", NULL, NULL, 0},
                                        {.heading = "stable", .value = "stable"}};
    int timed = *cli_input(model, 0).unit != '\0';
    if (!cli_about(model).equations) {
        return show(ctx, stream, model, "modes",
                    timed ? "\nPhysical readings\n" : "\nPhysical readings (frequencies per unit of input)\n",
                    COUNT(columns), columns);
    }
    return show(ctx, stream, model, "modes",
                timed ? "\nModes, the slowest first\n"
                      : "\nModes, the slowest first (times and frequencies in the unit of the input)\n",
                COUNT(columns) - 1, columns + 1);
}

/* The column of marks only where there are any. */
static int show_constants(lf_context *ctx, FILE *stream, const lf_model *model)
{
    static const cli_shown columns[] = {{.heading = "constant", .value = "constant"},
                                        {"value", "value", "standard_error", NULL, NULL, 0},
                                        {.heading = "", .value = "fixed"}};
    lf_table *table = NULL;
    int status = cli_check(ctx, lf_model_table(ctx, model, "constants", &table));
    if (status == CLI_DONE && lf_table_rows(table) > 0) {
        fputs("\nConstants\n", stream);
        status = cli_result_table_show(ctx, stream, table, cli_has_any(ctx, table, "fixed") ? 3 : 2, columns);
    }
    lf_table_free(table);
    return status;
}

static int show_forces(lf_context *ctx, FILE *stream, const lf_model *model)
{
    static const cli_shown by_equations[] = {
        {"force", "force", NULL, NULL, "idle", 0},
        {.heading = "kernel", .value = "kernel"},
        {"lengthscale", "lengthscale", "lengthscale_error", "lengthscale_unit", "lengthscale_fixed", 'l'},
        {"amplitude", "amplitude", "amplitude_error", "amplitude_unit", "amplitude_fixed", 0}};
    static const cli_shown plain[] = {{"force", "force", NULL, NULL, "idle", 0},
                                      {.heading = "kernel", .value = "kernel"},
                                      {.heading = "lengthscale", .value = "lengthscales"}};
    static const cli_shown by_name[] = {{"force", "force", NULL, NULL, "idle", 0},
                                        {.heading = "kernel", .value = "kernel"},
                                        {.heading = "values", .value = "values"}};
    if (cli_about(model).equations) {
        return show(ctx, stream, model, "forces",
                    cli_count(model, LF_KIND_WHITE)
                        ? "\nForces (of a white force: the standard deviation of its integral over a time 1)\n"
                        : "\nForces\n",
                    COUNT(by_equations), by_equations);
    }
    lf_table *table = NULL;
    int status = cli_check(ctx, lf_model_table(ctx, model, "forces", &table));
    if (status == CLI_DONE) {
        int named = 0;
        for (size_t q = 0; q < lf_table_rows(table); q++) {
            named = named || !*cli_word_at(ctx, table, "lengthscales", q);
        }
        fputs("\nForces\n", stream);
        status = cli_result_table_show(ctx, stream, table, COUNT(plain), named ? by_name : plain);
    }
    lf_table_free(table);
    return status;
}

static int has_standardised_inputs(const lf_model *model)
{
    for (int k = 0; k < cli_count(model, LF_KIND_INPUT); k++) {
        lf_label input = cli_input(model, k);
        if (input.offset != 0 || input.scale != 1) {
            return 1;
        }
    }
    return 0;
}

/* Whether readings of any output are not Gaussian. */
static int has_likelihoods(const lf_model *model)
{
    int d = 0, count = cli_count(model, LF_KIND_OUTPUT);
    while (d < count && strcmp(cli_output(model, d).likelihood, "gaussian") == 0) {
        d++;
    }
    return d < count;
}

static int has_links(const lf_model *model)
{
    int d = 0, count = cli_count(model, LF_KIND_OUTPUT);
    while (d < count && !cli_output(model, d).link) {
        d++;
    }
    return d < count;
}

static int show_outputs(lf_context *ctx, FILE *stream, const lf_model *model)
{
    /* the last column is that of other likelihoods */
    static const cli_shown columns[] = {
        {.heading = "output", .value = "output"},        {.heading = "operator", .value = "operator"},
        {"noise sd", "noise_sd", NULL, "unit", NULL, 0}, {"offset", "offset", NULL, "unit", NULL, 0},
        {"scale", "scale", NULL, "unit", NULL, 0},       {.heading = "private force", .value = "private"},
        {.heading = "constants", .value = "constants"},  {.heading = "likelihood", .value = "likelihood"}};
    static const cli_shown of_equations[] = {{.heading = "output", .value = "output"},
                                             {"noise sd", "noise_sd", NULL, "unit", NULL, 0},
                                             {.heading = "likelihood", .value = "likelihood"}};
    size_t without = has_likelihoods(model) ? 0 : 1;
    if (cli_about(model).equations) {
        return show(ctx, stream, model, "outputs", "\nOutputs\n", COUNT(of_equations) - without, of_equations);
    }
    const char *title = has_links(model)
                            ? "\nOutputs (noise, offset and scale in the units of the data, or of the link)\n"
                            : "\nOutputs (noise, offset and scale in the units of the data)\n";
    return show(ctx, stream, model, "outputs", title, COUNT(columns) - without, columns);
}

/* Tables that have columns for each force or output: the first ones, then every `step`-th from `from` on as a number, with the following ones as its
 * error, unit and mark. */
static int show_wide(lf_context *ctx, FILE *stream, const lf_table *table, size_t first_count, const cli_shown *first,
                     size_t from, size_t step, const cli_shown *last)
{
    size_t count = 0, columns = lf_table_columns(table);
    cli_shown *shown = calloc(first_count + columns + 1, sizeof *shown);
    int status = shown ? CLI_DONE : cli_no_memory();
    for (size_t k = 0; shown && k < first_count; k++) {
        shown[count++] = first[k];
    }
    for (size_t k = from; status == CLI_DONE && k < columns; k += step) {
        const char *names[4] = {NULL};
        for (size_t i = 0; status == CLI_DONE && i < step; i++) {
            lf_column column = {.size = sizeof column};
            status = cli_check(ctx, lf_table_column_get(ctx, table, k + i, &column));
            names[i] = column.name;
        }
        shown[count++] = (cli_shown){names[0], names[0], step > 2 ? names[1] : NULL, names[2], names[3], 0};
    }
    if (shown && last) {
        shown[count++] = *last;
    }
    status = status ? status : cli_result_table_show(ctx, stream, table, count, shown);
    free(shown);
    return status;
}

static int show_sensitivities(lf_context *ctx, FILE *stream, const lf_model *model)
{
    static const cli_shown output = {.heading = "output", .value = "output"};
    static const cli_shown sd = {.heading = "sd before rows", .value = "sd"};
    lf_table *table = NULL;
    int status = cli_check(ctx, lf_model_table(ctx, model, "sensitivities", &table));
    if (status == CLI_DONE) {
        fputs("\nSensitivities (of the scaled output to each force)\n", stream);
        status = show_wide(ctx, stream, table, 1, &output, 2, 2, cli_has_any(ctx, table, "sd") ? &sd : NULL);
    }
    lf_table_free(table);
    return status;
}

static int show_known(lf_context *ctx, FILE *stream, const lf_model *model)
{
    static const cli_shown first[] = {{"input", "input", NULL, "unit", NULL, 0},
                                      {.heading = "between readings", .value = "meaning"}};
    lf_table *table = NULL;
    int status = cli_check(ctx, lf_model_table(ctx, model, "known", &table));
    if (status == CLI_DONE && lf_table_rows(table) > 0) {
        fprintf(stream, "\nKnown inputs%s\n",
                cli_about(model).equations ? "" : " (with their gains in the equation of each scaled output)");
        status = show_wide(ctx, stream, table, 2, first, 4, 4, NULL);
    }
    lf_table_free(table);
    return status;
}

static int show_equations(lf_context *ctx, FILE *stream, const lf_model *model)
{
    static const cli_shown quantities[] = {{.heading = "quantity", .value = "name"},
                                           {"value", "value", "standard_error", NULL, NULL, 0}};
    int status = print_text(stream, cli_about(model).equations);
    status = status ? status : show_constants(ctx, stream, model);
    status = status ? status : show(ctx, stream, model, "quantities", "\nQuantities\n", 2, quantities);
    status = status ? status : show_modes(ctx, stream, model);
    status = status ? status : show_forces(ctx, stream, model);
    return status ? status : show_outputs(ctx, stream, model);
}

static int show_operators(lf_context *ctx, FILE *stream, const lf_model *model)
{
    static const cli_shown inputs[] = {{.heading = "input", .value = "input"},
                                       {"offset", "offset", NULL, "unit", NULL, 0},
                                       {"scale", "scale", NULL, "unit", NULL, 0}};
    int status = show_modes(ctx, stream, model); /* time constants say more than decay rates */
    status = status ? status : show_forces(ctx, stream, model);
    if (status == CLI_DONE && has_standardised_inputs(model)) {
        status = show(ctx, stream, model, "inputs",
                      "\nInputs (lengthscales and precisions are of (x - offset) / scale)\n", COUNT(inputs), inputs);
    }
    status = status ? status : show_outputs(ctx, stream, model);
    return status ? status : show_sensitivities(ctx, stream, model);
}

int cli_show_model(lf_context *ctx, FILE *stream, const lf_model *model)
{
    int status = (cli_about(model).equations ? show_equations : show_operators)(ctx, stream, model);
    return status ? status : show_known(ctx, stream, model);
}
