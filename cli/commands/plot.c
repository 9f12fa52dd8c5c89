/* latentforce plot: figures of outputs, forces, states, known inputs, residuals, maps and covariances, drawn by gnuplot. */
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "message.h"
#include "options/model_parts.h"
#include "options/session.h"
#include "plot/figure.h"

/* A posterior of the training rows that reaches all rows and --horizon. */
static int condition(lf_context *ctx, cli_drawing *plot)
{
    const cli_settings *settings = plot->settings;
    int p = cli_count(plot->model, LF_KIND_INPUT);
    lf_data *training = NULL, *rows = NULL;
    cli_points points = {0};
    int status = cli_select(ctx, plot->model, settings->data, plot->table, "train", &training);
    status = status ? status
                    : cli_select(ctx, plot->model, settings->data, plot->table, p == 1 ? "started" : "outputs", &rows);
    status = status ? status : cli_points_from_inputs(plot->model, rows, 0, &points);
    status = status ? status : cli_condition_on(ctx, settings, plot->model, training, &points, &plot->posterior);
    cli_points_free(&points);
    lf_data_free(rows);
    lf_data_free(training);
    return status;
}

static int find_posterior(lf_context *ctx, cli_drawing *plot)
{
    const cli_settings *settings = plot->settings;
    int stored = cli_about(plot->model).has_posterior;
    if (stored && !(plot->table && cli_engine_option_given(settings))) {
        int status = cli_restore(ctx, "plot", settings, plot->model, &plot->posterior);
        return status ? status : cli_add_inputs(ctx, settings->data, plot->table, plot->posterior);
    }
    return plot->table ? condition(ctx, plot) : cli_fail_no_posterior(settings);
}

enum { OUTPUTS, FORCES, STATES, INPUTS, MAP, RESIDUALS, COVARIANCE, FIGURES };

static int check_figure(const cli_drawing *plot, int figure)
{
    const lf_model *model = plot->model;
    const char *path = plot->settings->model, *what = plot->settings->what;
    int p = cli_count(model, LF_KIND_INPUT);
    if (plot->settings->at && figure != COVARIANCE) {
        return cli_usage_error("plot",
                               "--at is for --what covariance; --grid N sets the resolution of curves and maps");
    }
    if (figure == FORCES && cli_count(model, LF_KIND_FORCE) == 0) {
        return cli_fail("%s: has no forces to draw", path);
    }
    if (figure == STATES && cli_count(model, LF_KIND_STATE) == 0) {
        return cli_fail("%s: --what states is for models given by equations ('latentforce fit --equations')", path);
    }
    if (figure == INPUTS && cli_count(model, LF_KIND_KNOWN) == 0) {
        return cli_fail("%s: has no known inputs to draw", path);
    }
    if (figure == MAP && what && p != 2) {
        return cli_fail("--what map: a map is drawn over two inputs, but %s has %d", path, p);
    }
    if (figure == RESIDUALS && (p != 1 || !plot->settings->data)) {
        return p != 1
                   ? cli_fail("--what residuals: errors of predictions from earlier rows need one input, but %s has %d",
                              path, p)
                   : cli_usage_error("plot", "--what residuals needs the readings: give them with --data DATA");
    }
    if (p > 2 && figure != COVARIANCE) {
        return cli_fail("%s: has %d inputs; curves are drawn over one and maps over two. Only --what covariance can be "
                        "drawn, with --at INPUTS.csv",
                        path, p);
    }
    return CLI_DONE;
}

/* The figure of --what, or the default for the model. */
static int choose_figure(cli_drawing *plot, int *figure)
{
    static const char *const words[] = {"outputs", "forces", "states", "inputs", "map", "residuals", "covariance"};
    const char *what = plot->settings->what;
    int p = cli_count(plot->model, LF_KIND_INPUT), word = 0;
    while (what && word < FIGURES && strcmp(words[word], what) != 0) {
        word++;
    }
    if (word == FIGURES) {
        return cli_usage_error(
            "plot", "--what '%s': expected outputs, forces, states, inputs, residuals, map or covariance", what);
    }
    *figure = what ? word : p == 1 ? OUTPUTS : MAP;
    plot->outputs = !what || word == OUTPUTS || word == MAP || word == RESIDUALS;
    plot->forces = what ? word == FORCES || word == STATES || word == INPUTS
                        : p == 1 && cli_count(plot->model, LF_KIND_FORCE) + cli_count(plot->model, LF_KIND_KNOWN) > 0;
    return check_figure(plot, *figure);
}

static int draw(lf_context *ctx, cli_drawing *plot)
{
    const cli_settings *settings = plot->settings;
    int figure = OUTPUTS, status = cli_figure_check(settings);
    status = status ? status : cli_read_model(ctx, settings->model, &plot->model);
    status = status ? status : choose_figure(plot, &figure);
    status = status ? status : cli_plot_choose(ctx, plot);
    if (status == CLI_DONE && settings->data) {
        status = cli_read_data(ctx, settings, plot->model, settings->data, &plot->table);
    }
    if (status == CLI_DONE && figure == COVARIANCE) {
        return cli_plot_covariance(ctx, plot);
    }
    status = status ? status : find_posterior(ctx, plot);
    if (status != CLI_DONE) {
        return status;
    }
    if (figure == RESIDUALS) {
        return cli_plot_residuals(ctx, plot);
    }
    return cli_count(plot->model, LF_KIND_INPUT) == 1 ? cli_plot_curves(ctx, plot) : cli_plot_map(ctx, plot);
}

static int run(lf_context *ctx, const cli_settings *settings)
{
    cli_drawing plot = {.settings = settings};
    int status = draw(ctx, &plot);
    free(plot.output);
    free(plot.force);
    lf_report_free(plot.report);
    lf_posterior_free(plot.posterior);
    lf_data_free(plot.table);
    lf_model_free(plot.model);
    return status;
}

static const cli_option operands[] = {CLI_MODEL_OPERAND, CLI_END};

static const cli_option options[] = {
    CLI_OPTION(output, .name = "-o", .argument = "FIGURE", .kind = CLI_RESULT, .choice = 1,
               .help = "file for the figure, which must end in .png, .svg or .pdf; replaced only when complete"),
    CLI_OPTION(data_files, .name = "--data", .argument = "DATA", .kind = CLI_INPUTS,
               .help = "data to draw with the curves; rows marked test have another symbol. A model without a stored "
                       "posterior, or with an engine option given, is conditioned on the other rows. May be repeated"),
    CLI_OPTION(what, .name = "--what", .argument = "WHAT", .kind = CLI_TEXT,
               .values = "outputs, forces, states, inputs, residuals, map, covariance",
               .help = "outputs, forces, states (of equations), inputs (known ones), residuals (autocorrelation and "
                       "cumulative periodogram of one-step errors), map (two inputs: mean and standard deviation) or "
                       "covariance (the prior covariance matrix); default: outputs with forces and known inputs below "
                       "them, for two inputs a map"),
    CLI_OPTION(only, .name = "--only", .argument = "NAMES", .kind = CLI_LIST,
               .help = "draw only these outputs, forces (force1, force2, …), states and known inputs, separated by "
                       "commas; may be repeated "
                       "(default: the first 16 outputs and forces, or the first 4 in a map)"),
    CLI_OPTION(output_names, .name = "--output-name", .argument = "NAME", .kind = CLI_LIST,
               .help = "draw this output, and the forces below; may be repeated"),
    CLI_OPTION(all_forces, .name = "--all-forces", .kind = CLI_FLAG,
               .help = "draw idle forces too: those that explain less than 1 % of every output"),
    CLI_OPTION(title, .name = "--title", .argument = "TEXT", .kind = CLI_TEXT, .help = "title above the figure"),
    CLI_OPTION(xlabel, .name = "--xlabel", .argument = "TEXT", .kind = CLI_TEXT,
               .help = "label of the horizontal axis (default: name and unit of the input)"),
    CLI_OPTION(ylabel, .name = "--ylabel", .argument = "TEXT", .kind = CLI_TEXT,
               .help = "label of the vertical axis of each output (default: none, its name and unit stand above it; in "
                       "a map: name and unit of the second input)"),
    CLI_OPTION(size, .name = "--size", .argument = "WxH", .kind = CLI_TEXT,
               .help = "size of the figure in pixels (800x600) or as a length (16x10cm, 6x4in); default: as large as "
                       "the panels need"),
    CLI_OPTION(
        grid, .name = "--grid", .argument = "N", .kind = CLI_COUNT, .minimum = 2, .maximum = 10000,
        .help =
            "number of inputs of each curve (default: 300 to 800), N x N of a map (default: 60), and per output of a "
            "covariance (default: up to 100)"),
    CLI_OPTION(
        at, .name = "--at", .argument = "INPUTS.csv", .kind = CLI_INPUT,
        .help = "covariance only: file of inputs, with the columns output,x or only x (default: evenly spaced over the "
                "range of the data or of the stored posterior)"),
    CLI_ENGINE_OPTIONS,
    CLI_READ_OPTIONS,
    CLI_THREADS_OPTION,
    CLI_QUIET_OPTION,
    CLI_END};

const cli_command cli_plot = {
    .name = "plot",
    .summary = "draw outputs, forces, states, residuals, maps or covariances",
    .description =
        "Draws a figure with gnuplot, which must be installed (Debian and Ubuntu: gnuplot-nox). Curves are posterior "
        "means. The band contains 95 % of new observations (for forces: of the force). Dots are training rows and open "
        "circles are rows marked test, with 95 % error bars where standard errors are known. Each replicate has a "
        "colour. With --horizon T curves continue to T. Axes have dates where the model has them.\n\n"
        "--what residuals draws how errors of predictions from earlier rows depend on each other: bars of the "
        "autocorrelation, which stay between the dashed lines in 95 % of the cases if the model is right, and the "
        "share "
        "of their variance up to each frequency, which then follows the straight line between the dashed ones.\n\n"
        "A covariance is exact. With --engine features the approximation by features (--nodes, --features) is drawn "
        "beside it, with the Frobenius norm of the difference.",
    .example = "latentforce plot model.json --data data.csv -o figure.svg",
    .operands = operands,
    .options = options,
    .run = run};
