/* latentforce compare: ranks models of the same data by held-out scores, or by BIC. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "message.h"
#include "options/session.h"
#include "scores/cross_validation.h"
#include "scores/scored_rows.h"
#include "show/compare.h"

/* What is needed for one model. */
typedef struct work {
    lf_context *ctx;
    cli_settings settings; /* with `model` the file of this model */
    lf_model *model;
    lf_data *data, *observed, *training; /* all rows, those of outputs, and those that are not held out */
} work;

static int has_output(const lf_data *data, const char *name)
{
    for (int d = 0; d < (int)lf_data_count(data, LF_KIND_OUTPUT); d++) {
        if (strcmp(lf_data_name(data, LF_KIND_OUTPUT, (size_t)d), name) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Whether a parameter "NAME.what" belongs to an output that the data do not have. Of the names that fit, the longest is meant. */
static int is_of_absent_output(const lf_model *model, const char *parameter, const lf_data *data)
{
    const char *owner = NULL;
    for (int d = 0; d < lf_model_output_count(model); d++) {
        const char *name = lf_model_output_name(model, d);
        size_t length = strlen(name);
        if (strncmp(parameter, name, length) == 0 && parameter[length] == '.' && (!owner || length > strlen(owner))) {
            owner = name;
        }
    }
    return owner && !has_output(data, owner);
}

static size_t count_free(const lf_model *model, const lf_data *data)
{
    size_t count = 0;
    for (size_t i = 0; i < lf_parameter_count(model); i++) {
        lf_parameter parameter = lf_parameter_get(model, i);
        count += !parameter.fixed && parameter.tied_to < 0 && !is_of_absent_output(model, parameter.name, data);
    }
    return count;
}

/* Densities must be of the same rows: no output of the data may be left out because a model does not have it. */
static int check_outputs(const work *w, const lf_data *seen, const char *first)
{
    const char *missing = NULL, *path = NULL;
    for (int d = 0; d < (int)lf_data_count(seen, LF_KIND_OUTPUT) && !missing; d++) {
        const char *name = lf_data_name(seen, LF_KIND_OUTPUT, (size_t)d);
        missing = lf_model_find_output(w->model, name) < 0 ? name : NULL;
        path = w->settings.model;
    }
    for (int d = 0; w->observed && d < (int)lf_data_count(w->observed, LF_KIND_OUTPUT) && !missing; d++) {
        const char *name = lf_data_name(w->observed, LF_KIND_OUTPUT, (size_t)d);
        missing = has_output(seen, name) ? NULL : name;
        path = first;
    }
    return missing ? cli_fail("%s: has no output '%s', which is in %s: models are compared on the same rows; compare "
                              "those that have all outputs of the data, or choose outputs that all have with --outputs",
                              path, missing, w->settings.data)
                   : CLI_DONE;
}

/* The data are read for each model, because models may measure time otherwise. seen: as read for the first, NULL: this is it. */
static int read_model(work *w, const lf_data *seen)
{
    const cli_settings *settings = &w->settings;
    int status = cli_read_model(w->ctx, settings->model, &w->model);
    status = status || !seen ? status : check_outputs(w, seen, settings->models.item[0]);
    if (seen) { /* the notes about the file would be the same */
        lf_context_set_log(w->ctx, NULL, NULL);
    }
    status = status ? status : cli_read_data(w->ctx, settings, w->model, settings->data, &w->data);
    lf_context_set_log(w->ctx, settings->quiet ? NULL : cli_note, NULL);
    status = status ? status : cli_select(w->ctx, w->model, settings->data, w->data, "outputs", &w->observed);
    status = status || !seen ? status : check_outputs(w, seen, settings->models.item[0]);
    return status ? status : cli_select(w->ctx, w->model, settings->data, w->data, "train", &w->training);
}

/* The rows marked test, NULL if there are none. */
static int select_test(const work *w, lf_data **test)
{
    *test = NULL;
    for (size_t i = 0; i < lf_data_count(w->data, LF_KIND_ROW); i++) {
        lf_observation row = lf_data_row(w->data, i);
        if (cli_is_test(row) &&
            lf_model_find_known(w->model, lf_data_name(w->data, LF_KIND_OUTPUT, (size_t)row.output)) < 0) {
            int status = cli_select(w->ctx, w->model, w->settings.data, w->data, "test", test);
            return status ? status : cli_drop_before_start(w->ctx, &w->settings, w->model, w->settings.data, test);
        }
    }
    return CLI_DONE;
}

static int score_test(const work *w, lf_engine *engine, const lf_data *test, cli_points *points, lf_score *score)
{
    lf_posterior *posterior = NULL;
    cli_scored_rows rows = {0};
    int status = cli_check(w->ctx, lf_engine_posterior(engine, &posterior));
    if (status == CLI_DONE) {
        status = cli_points_match_replicates(points, test, w->settings.data, posterior,
                                             cli_has_named_replicates(posterior), "its training rows");
    }
    status = status ? status : cli_scored_rows_create(w->model, test, &rows);
    status = status ? status : cli_scored_rows_predict(w->ctx, w->model, posterior, points, NULL, &rows);
    status = status ? status : cli_scored_rows_finish(&rows);
    *score = rows.overall;
    cli_scored_rows_free(&rows);
    lf_posterior_free(posterior);
    return status;
}

/* Log density of the training rows in the units of the data: a model of scaled outputs has the density of y / scale. */
static int evaluate(const work *w, cli_comparison *result)
{
    lf_context *ctx = w->ctx;
    lf_engine_options options = cli_engine_options(&w->settings);
    lf_engine *engine = NULL;
    lf_data *test = NULL;
    cli_points points = {0};
    double log_likelihood = NAN, rounding;
    int status = w->settings.folds ? CLI_DONE : select_test(w, &test);
    status = status || !test ? status : cli_points_from_inputs(w->model, test, 0, &points);
    status =
        status ? status : cli_set_horizon(ctx, &w->settings, w->model, w->training, test ? &points : NULL, &options);
    status = status ? status : cli_check(ctx, lf_engine_create(ctx, w->model, w->training, &options, &engine));
    status = status ? status : cli_check(ctx, lf_engine_evaluate(engine, 0, NULL, &log_likelihood, NULL));
    status = status ? status : cli_check(ctx, lf_engine_rounding(engine, &rounding)); /* for its note */
    if (status == CLI_DONE) {
        result->engine = lf_engine_describe(engine).engine;
        result->rows = lf_engine_describe(engine).rows;
        result->parameters = count_free(w->model, w->data);
        result->log_density = log_likelihood + lf_engine_log_jacobian(engine);
        result->bic = -2 * result->log_density + (double)result->parameters * log((double)result->rows);
    }
    status = status || !test ? status : score_test(w, engine, test, &points, &result->held_out);
    cli_points_free(&points);
    lf_data_free(test);
    lf_engine_free(engine);
    return status;
}

static int cross_validate(const work *w, cli_comparison *result)
{
    cli_scored_rows rows = {0};
    int status = cli_scored_rows_create(w->model, w->training, &rows);
    if (status == CLI_DONE) {
        status = cli_cross_validate(w->ctx, &w->settings, w->model, w->training, w->settings.data, &rows);
    }
    status = status ? status : cli_scored_rows_finish(&rows);
    result->held_out = rows.overall;
    cli_scored_rows_free(&rows);
    return status;
}

/* *seen is kept from the first model on. */
static int judge(lf_context *ctx, const cli_settings *settings, const char *path, lf_data **seen,
                 cli_comparison *result)
{
    work w = {.ctx = ctx, .settings = *settings};
    w.settings.model = path;
    *result = (cli_comparison){.path = path};
    lf_context_set_seed(ctx, settings->seed);
    int status = read_model(&w, *seen);
    status = status ? status : evaluate(&w, result);
    status = status || !settings->folds ? status : cross_validate(&w, result);
    if (*seen) {
        lf_data_free(w.observed);
    } else {
        *seen = w.observed;
    }
    lf_data_free(w.data);
    lf_data_free(w.training);
    lf_model_free(w.model);
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
    if (settings->no_refit && !settings->folds) {
        return cli_usage_error("compare", "--no-refit needs --cross-validate K");
    }
    return CLI_DONE;
}

static int run(lf_context *ctx, const cli_settings *settings)
{
    size_t count = settings->models.count;
    lf_data *seen = NULL;
    int status = check_options(settings);
    cli_comparison *results = calloc(count + 1, sizeof *results);
    status = status || results ? status : cli_no_memory();
    for (size_t i = 0; status == CLI_DONE && i < count; i++) {
        status = judge(ctx, settings, settings->models.item[i], &seen, &results[i]);
    }
    status = status ? status : cli_print_comparison(settings, count, results);
    lf_data_free(seen);
    free(results);
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
    CLI_OPTION(no_refit, .name = "--no-refit", .kind = CLI_FLAG,
               .help = "with --cross-validate: keep the parameters of the models, which saw all rows"),
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
        "test, predicted from the training rows, or of a cross-validation. The best model comes first: by the held-out "
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
