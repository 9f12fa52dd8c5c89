/* The panels of a figure and their tables, from the library. */
#include <stdio.h>
#include <string.h>

#include "message.h"
#include "options/model_parts.h"
#include "options/session.h"
#include "plot/plot.h"

/* Rows of one series in a panel: more cannot be distinguished and make the files large. */
#define MOST_ROWS "2000"

static const char *panels_of(lf_kind kind)
{
    return kind == LF_KIND_OUTPUT  ? "outputs"
           : kind == LF_KIND_FORCE ? "forces"
           : kind == LF_KIND_STATE ? "states"
                                   : "inputs";
}

static void name_of(const lf_model *model, cli_target target, size_t size, char *name)
{
    if (target.kind == LF_KIND_FORCE) {
        snprintf(name, size, "%s", cli_name(model, LF_KIND_FORCE, target.index));
    } else if (target.kind == LF_KIND_STATE) {
        snprintf(name, size, "%s", cli_name(model, LF_KIND_STATE, target.index));
    } else {
        snprintf(name, size, "%s",
                 target.kind == LF_KIND_KNOWN ? cli_name(model, LF_KIND_KNOWN, target.index)
                                              : cli_name(model, LF_KIND_OUTPUT, target.index));
    }
}

/* The panels that are wanted. */
static lf_status choose(lf_context *ctx, const cli_drawing *plot, int count, const cli_target *target, int replicates,
                        int residuals, lf_options *options)
{
    lf_status status = LF_OK;
    for (int t = 0; !status && t < count; t++) {
        char name[256];
        name_of(plot->model, target[t], sizeof name, name);
        status = lf_options_set(ctx, options, "panels", residuals ? "residuals" : panels_of(target[t].kind));
        status = status ? status : lf_options_set(ctx, options, "only", name);
    }
    int all = (int)cli_posterior(plot->posterior).replicates;
    for (int r = 0; !status && replicates < all && r < replicates; r++) {
        status = lf_options_set(ctx, options, "replicate", lf_posterior_name(plot->posterior, (size_t)r));
    }
    return status;
}

static lf_status set_options(lf_context *ctx, const cli_drawing *plot, size_t grid, lf_options *options)
{
    const cli_settings *settings = plot->settings;
    char number[32];
    snprintf(number, sizeof number, "%zu", grid);
    lf_status status = lf_options_set(ctx, options, "grid", number);
    status = status ? status : lf_options_set(ctx, options, "rows", MOST_ROWS);
    status = status ? status : lf_options_set(ctx, options, "model", settings->model);
    if (!status && settings->data) {
        status = lf_options_set(ctx, options, "data", settings->data);
    }
    if (!status && settings->horizon) {
        status = lf_options_set(ctx, options, "horizon", settings->horizon);
    }
    return status;
}

/* Where the panels begin and end. */
static int find_limits(lf_context *ctx, cli_drawing *plot)
{
    plot->info.size = sizeof plot->info;
    int p = cli_count(plot->model, LF_KIND_INPUT),
        status = cli_check(ctx, lf_report_get(ctx, plot->report, &plot->info));
    const char *path = plot->table ? plot->settings->data : plot->settings->model;
    if (status == CLI_DONE && plot->info.ranges == 0 && !plot->table) {
        return cli_fail("%s: its posterior predicts at any input, so the range of the figure is unknown; give the data "
                        "with --data DATA",
                        path);
    }
    for (int k = 0; status == CLI_DONE && k < p; k++) {
        if (plot->info.ranges == 0 || !(plot->info.low[k] < plot->info.high[k])) {
            return cli_fail("%s: there is no range of inputs to draw: all values of input %d are equal", path, k + 1);
        }
        plot->low[k] = plot->info.low[k];
        plot->high[k] = plot->info.high[k];
    }
    return status;
}

int cli_plot_report(lf_context *ctx, cli_drawing *plot, int count, const cli_target *target, int replicates,
                    size_t grid, int residuals)
{
    lf_options *options = NULL;
    lf_status status = lf_options_create(ctx, "report", &options);
    status = status ? status : choose(ctx, plot, count, target, replicates, residuals, options);
    status = status ? status : set_options(ctx, plot, grid, options);
    status = status ? status : lf_report_create(ctx, plot->model, plot->posterior, plot->table, options, &plot->report);
    lf_options_free(options);
    int done = cli_check(ctx, status);
    return done ? done : residuals ? CLI_DONE : find_limits(ctx, plot);
}

int cli_plot_table(lf_context *ctx, const cli_drawing *plot, cli_target target, int replicate, int residuals,
                   const char *what, lf_table **table)
{
    lf_report_info info = {.size = sizeof info};
    *table = NULL;
    lf_status status = lf_report_get(ctx, plot->report, &info);
    for (size_t i = 0; !status && !*table && i < info.panels; i++) {
        lf_panel panel = {.size = sizeof panel};
        status = lf_report_panel_get(ctx, plot->report, i, &panel);
        if (!status && panel.kind == target.kind && panel.index == (size_t)target.index &&
            panel.residuals == residuals && (residuals || panel.replicate == (size_t)replicate)) {
            status = lf_report_table(ctx, plot->report, i, what, table);
        }
    }
    return cli_check(ctx, status);
}

const double *cli_plot_numbers(lf_context *ctx, const lf_table *table, const char *name)
{
    size_t index;
    lf_column column = {.size = sizeof column};
    int found = table && lf_table_find(ctx, table, name, &index) == LF_OK &&
                lf_table_column_get(ctx, table, index, &column) == LF_OK;
    return found ? column.number : NULL;
}

/* How many rows the panel of an output has. */
static size_t count_rows(lf_context *ctx, const cli_drawing *plot, cli_target target, int replicate, int held_out)
{
    for (size_t i = 0; i < plot->info.panels; i++) {
        lf_panel panel = {.size = sizeof panel};
        if (lf_report_panel_get(ctx, plot->report, i, &panel) == LF_OK && panel.kind == target.kind &&
            panel.index == (size_t)target.index && panel.replicate == (size_t)replicate) {
            return held_out ? panel.test : panel.training;
        }
    }
    return 0;
}

size_t cli_plot_points(lf_context *ctx, const cli_drawing *plot, FILE *script, const lf_table *rows, cli_target target,
                       int replicate, int held_out)
{
    size_t count = count_rows(ctx, plot, target, replicate, held_out), drawn = 0, split = 0;
    int along = cli_count(plot->model, LF_KIND_INPUT) == 1;
    const double *x = cli_plot_numbers(ctx, rows, along ? "x" : "x1"),
                 *y = cli_plot_numbers(ctx, rows, along ? "y" : "x2"), *lower = cli_plot_numbers(ctx, rows, "lower"),
                 *upper = cli_plot_numbers(ctx, rows, "upper");
    lf_column column = {.size = sizeof column};
    if (count == 0 || !x || !y || lf_table_find(ctx, rows, "split", &split) ||
        lf_table_column_get(ctx, rows, split, &column)) {
        return 0;
    }
    fprintf(script, "$%s%d << END\n", held_out ? "test" : "train", replicate);
    for (size_t i = 0; i < lf_table_rows(rows); i++) {
        if ((strcmp(column.words[column.code[i]], "test") == 0) == held_out) {
            fprintf(script, "%.12g %.12g %.12g %.12g\n", x[i], y[i], lower[i], upper[i]);
            drawn++;
        }
    }
    fputs("END\n", script);
    if (drawn < count) {
        cli_plot_note(plot, "'%s': %zu of %zu %s rows are drawn, the least and the largest of each short interval",
                      cli_name(plot->model, LF_KIND_OUTPUT, target.index), drawn, count,
                      held_out ? "test" : "training");
    }
    return count;
}
