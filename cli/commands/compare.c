/* latentforce compare: ranks models of the same data by held-out scores, or by BIC. */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "message.h"
#include "options/session.h"
#include "options/validation.h"
#include "show/scores.h"

/* The models, and the data as read for each of them, because models may measure time otherwise. */
typedef struct compared {
    size_t count;
    lf_model **models; /* (count) */
    lf_data **data;    /* (count) */
} compared;

static int read_models(lf_context *ctx, const cli_settings *settings, compared *c)
{
    const cli_list *files = &settings->data_files;
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < c->count; i++) {
        status = cli_read_model(ctx, settings->models.item[i], &c->models[i]);
        if (i > 0) { /* the notes about the file would be the same */
            lf_context_set_log(ctx, NULL, NULL);
        }
        status =
            status ? status : cli_read_files(ctx, settings, c->models[i], 0, files->count, files->item, &c->data[i]);
        lf_context_set_log(ctx, settings->quiet ? NULL : cli_note, NULL);
    }
    return status;
}

static int check_options(const cli_settings *settings)
{
    if (settings->models.count < 2) {
        return cli_usage_error("compare", "give two models or more");
    }
    for (size_t i = 0; i < settings->data_files.count; i++) {
        if (strcmp(settings->data_files.item[i], "-") == 0) {
            return cli_usage_error("compare", "--data -: the data are read once for each model; name a file");
        }
    }
    if (settings->no_refit && !settings->folds && !settings->rolling) {
        return cli_usage_error("compare", "--no-refit needs --cross-validate K or --rolling T0");
    }
    return CLI_DONE;
}

static int compare(lf_context *ctx, const cli_settings *settings, compared *c)
{
    lf_options *validate = NULL;
    lf_scores *scores = NULL;
    int status = cli_validation(ctx, "compare", settings, &validate);
    status = status ? status : read_models(ctx, settings, c);
    if (status == CLI_DONE) {
        status = cli_check(ctx, lf_compare(ctx, c->count, (const lf_model *const *)c->models,
                                           (const lf_data *const *)c->data, validate, &scores));
    }
    if (status == CLI_DONE) {
        status =
            settings->json ? cli_scores_print_json(ctx, scores) : cli_comparison_print(ctx, scores, settings->data);
    }
    lf_scores_free(scores);
    lf_options_free(validate);
    return status;
}

static int run(lf_context *ctx, const cli_settings *settings)
{
    int status = check_options(settings);
    if (status != CLI_DONE) {
        return status;
    }
    compared c = {.count = settings->models.count};
    c.models = calloc(c.count, sizeof *c.models);
    c.data = calloc(c.count, sizeof *c.data);
    status = c.models && c.data ? compare(ctx, settings, &c) : cli_no_memory();
    for (size_t i = 0; c.models && c.data && i < c.count; i++) {
        lf_data_free(c.data[i]);
        lf_model_free(c.models[i]);
    }
    free(c.models);
    free(c.data);
    return status;
}

static const cli_option operands[] = {
    CLI_OPTION(models, .name = "MODEL", .kind = CLI_MODELS,
               .help = "model files (JSON), or equations (.eq) with all values; two or more"),
    CLI_END};

static const cli_option options[] = {
    CLI_OPTION(data_files, .name = "--data", .argument = "DATA", .kind = CLI_INPUTS, .choice = 1,
               .help = "data file; rows marked test are held out; may be repeated"),
    CLI_OPTION(folds, .name = "--cross-validate", .argument = "K", .kind = CLI_COUNT, .minimum = 2, .maximum = 1000,
               .help = "held-out scores by cross-validation of the training rows, as in 'latentforce score'"),
    CLI_OPTION(rolling, .name = "--rolling", .argument = "T0", .kind = CLI_TEXT,
               .help = "held-out scores of forecasts from one time after the other, as in 'latentforce score'"),
    CLI_OPTION(span, .name = "--span", .argument = "SPAN", .kind = CLI_TEXT,
               .help = "with --rolling: how far each forecast reaches (default: a tenth of the times)"),
    CLI_OPTION(step, .name = "--step", .argument = "SPAN", .kind = CLI_TEXT,
               .help = "with --rolling: from one origin of a forecast to the next (default: the span)"),
    CLI_OPTION(no_refit, .name = "--no-refit", .kind = CLI_FLAG,
               .help = "with --cross-validate or --rolling: keep the parameters of the models, which saw all rows"),
    CLI_JSON_OPTION("the comparison"),
    CLI_ENGINE_OPTIONS,
    CLI_READ_OPTIONS,
    CLI_THREADS_OPTION,
    CLI_QUIET_OPTION,
    CLI_END};

const cli_command cli_compare = {
    .name = "compare",
    .summary = "rank models of the same data",
    .description =
        "Prints for each model the log density of the training rows in the units of the data, the number of free "
        "parameters k, BIC = -2 log density + k log n (n: training rows), and held-out scores: of the rows marked "
        "test, predicted from the training rows, or of a cross-validation, or of forecasts. The best model comes "
        "first: by the held-out "
        "nlpd (the mean negative log predictive density; the smaller the better) or, without held-out rows, by BIC.\n\n"
        "All models are evaluated by the same rules, whatever engine they were fitted with, on the same rows: each "
        "must "
        "have every output of the data. Offsets and scales that were taken from the data do not count as parameters. "
        "The variational engine gives a lower bound of the log density, dtc, fitc and pitc an approximation. A "
        "cross-validation fits each model again with its own options.",
    .example = "latentforce compare one.json two.json --data data.csv --cross-validate 5",
    .operands = operands,
    .options = options,
    .run = run};
