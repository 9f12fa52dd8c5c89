/* latentforce score: the accuracy of predictions of rows, per output and over all outputs. */
#include <string.h>

#include "commands.h"
#include "message.h"
#include "options/points.h"
#include "options/session.h"
#include "scores/cross_validation.h"
#include "show/score.h"

static void count_marks(const lf_model *model, const lf_data *data, size_t *marked, size_t *test)
{
    *marked = *test = 0;
    for (size_t i = 0; i < lf_data_count(data, LF_KIND_ROW); i++) {
        lf_observation row = lf_data_row(data, i);
        if (lf_model_find_known(model, lf_data_name(data, LF_KIND_OUTPUT, (size_t)row.output)) < 0) {
            *marked += row.split != NULL;
            *test += (size_t)cli_is_test(row);
        }
    }
}

/* The rows of outputs that are marked test or, unless there are any, those that are not. */
static int select_scored(cli_scoring *s, const lf_data *all, int test)
{
    const char *path = s->settings->rows;
    lf_data *rows = NULL;
    int status = cli_select(s->ctx, s->model, path, all, test ? "test" : "train", &rows);
    status = status ? status : cli_select(s->ctx, s->model, path, rows, "outputs", &s->table);
    lf_data_free(rows);
    return status ? status : cli_drop_before_start(s->ctx, s->settings, s->model, path, &s->table);
}

static int fail_no_training(const cli_settings *settings)
{
    return cli_fail("%s: has no split column and so no training rows: give the training data with --data DATA, store a "
                    "posterior in %s with 'latentforce condition', or withhold parts of these rows with "
                    "--cross-validate 5",
                    settings->rows, settings->model);
}

/* Reads the rows to score and the training rows to condition on. */
static int read_rows(cli_scoring *s)
{
    const cli_settings *settings = s->settings;
    lf_context *ctx = s->ctx;
    lf_data *all = NULL, *data = NULL;
    size_t marked = 0, test = 0;
    int stored = !settings->data && lf_model_has_posterior(s->model);
    int status = cli_read_whole_data(ctx, settings, s->model, settings->rows, &all);
    if (status == CLI_DONE) {
        count_marks(s->model, all, &marked, &test);
    }
    if (status == CLI_DONE && marked == 0 && !settings->data && !stored) {
        status = fail_no_training(settings);
    }
    if (status == CLI_DONE && settings->data) {
        status = cli_read_whole_data(ctx, settings, s->model, settings->data, &data);
    }
    if (status == CLI_DONE && !stored) {
        status = data ? cli_select(ctx, s->model, settings->data, data, "train", &s->training)
                      : cli_select(ctx, s->model, settings->rows, all, "train", &s->training);
    }
    s->kind = test > 0 ? CLI_SCORED_TEST : marked > 0 && stored ? CLI_SCORED_TRAINING : CLI_SCORED_ALL;
    status = status ? status : select_scored(s, all, test > 0);
    status = status ? status : cli_select(ctx, s->model, settings->rows, all, "known", &s->inputs);
    lf_data_free(all);
    lf_data_free(data);
    return status;
}

static int make_points(cli_scoring *s, cli_points *points)
{
    const cli_settings *settings = s->settings;
    const char *source = !s->training ? settings->model : settings->data ? settings->data : settings->rows;
    int status = cli_points_from_inputs(s->model, s->table, 0, points);
    if (status == CLI_DONE) {
        status = s->training ? cli_condition_on(s->ctx, settings, s->model, s->training, points, &s->posterior)
                             : cli_restore(s->ctx, "score", settings, s->model, &s->posterior);
    }
    status = status ? status : cli_add_inputs(s->ctx, settings->rows, s->inputs, s->posterior);
    int named = status == CLI_DONE && cli_has_named_replicates(s->posterior);
    if (named && !points->replicate) {
        status = cli_fail("%s: has no replicate column, but %s has replicates", settings->rows, source);
    }
    if (status == CLI_DONE) {
        status = cli_points_match_replicates(points, s->table, settings->rows, s->posterior, named, source);
    }
    return status || s->training ? status : cli_check_range(settings, s->model, settings->rows, points, s->posterior);
}

/* Finds out which of the scored rows are training rows: from the rows themselves, or by the fingerprint in the posterior. */
static int find_training_rows(cli_scoring *s)
{
    size_t count = 0;
    uint64_t fingerprint = 0;
    int status = CLI_DONE;
    if (s->training) {
        status = cli_scored_rows_mark(s->ctx, s->training, &s->rows, &s->known);
        s->kind = s->kind != CLI_SCORED_TEST && s->known == s->rows.n ? CLI_SCORED_TRAINING : s->kind;
        return status;
    }
    if (s->kind == CLI_SCORED_TEST) {
        return CLI_DONE;
    }
    if (lf_posterior_rows(s->posterior, &count, &fingerprint)) {
        s->kind =
            count == s->rows.n && fingerprint == lf_data_fingerprint(s->table) ? CLI_SCORED_TRAINING : CLI_SCORED_ALL;
    }
    s->known = s->kind == CLI_SCORED_TRAINING ? s->rows.n : 0;
    for (size_t i = 0; i < s->rows.n; i++) {
        s->rows.trained[i] = s->kind == CLI_SCORED_TRAINING;
    }
    return CLI_DONE;
}

static int predict_rows(cli_scoring *s)
{
    cli_points points = {0};
    int status = read_rows(s);
    status = status ? status : cli_scored_rows_create(s->model, s->table, &s->rows);
    status = status ? status : make_points(s, &points);
    status = status ? status : cli_scored_rows_predict(s->ctx, s->model, s->posterior, &points, NULL, &s->rows);
    cli_points_free(&points);
    return status ? status : find_training_rows(s);
}

/* Test rows are left alone: what is withheld are training rows. */
static int cross_validate(cli_scoring *s)
{
    const cli_settings *settings = s->settings;
    lf_data *all = NULL;
    if (settings->data) {
        return cli_usage_error("score", "--data has no use with --cross-validate, which takes all rows from %s",
                               settings->rows);
    }
    const char *given = settings->no_refit ? NULL : cli_engine_option_given(settings);
    if (given) {
        return cli_usage_error("score", "%s needs --no-refit: a refit uses the options that the model was fitted with",
                               given);
    }
    s->kind = CLI_SCORED_WITHHELD;
    int status = cli_read_data(s->ctx, settings, s->model, settings->rows, &all);
    status = status ? status : cli_select(s->ctx, s->model, settings->rows, all, "train", &s->table);
    status = status ? status : cli_scored_rows_create(s->model, s->table, &s->rows);
    if (status == CLI_DONE) {
        status = cli_cross_validate(s->ctx, settings, s->model, s->table, settings->rows, &s->rows);
    }
    lf_data_free(all);
    return status;
}

static int check_options(const cli_settings *settings)
{
    if (settings->init && (settings->folds == 0 || settings->no_refit)) {
        return cli_usage_error("score", "--init is for the fits of --cross-validate K, without --no-refit");
    }
    if (settings->folds > 0 && settings->several) {
        return cli_usage_error("score", "--cross-validate: run 'latentforce score', which needs one process");
    }
    if (settings->no_refit && settings->folds == 0) {
        return cli_usage_error("score", "--no-refit needs --cross-validate K");
    }
    if (settings->threshold < 0) {
        return cli_usage_error("score", "--threshold %g: Z must be greater than 0", settings->threshold);
    }
    if (settings->threshold > 0 && !settings->rows_file) {
        return cli_usage_error("score", "--threshold needs --rows FILE");
    }
    if (settings->rows_file && strcmp(settings->rows_file, "-") == 0) {
        return cli_usage_error("score", "--rows -: standard output is for the scores; name a file");
    }
    return CLI_DONE;
}

static int run(lf_context *ctx, const cli_settings *settings)
{
    cli_scoring s = {.ctx = ctx, .settings = settings};
    int status = check_options(settings);
    if (status == CLI_DONE && settings->rows_file) {
        status = cli_check_writable(ctx, settings->rows_file);
    }
    status = status ? status : cli_read_model(ctx, settings->model, &s.model);
    status = status ? status : settings->folds ? cross_validate(&s) : predict_rows(&s);
    status = status ? status : cli_scored_rows_finish(&s.rows);
    if (status == CLI_DONE) {
        cli_score_explain(&s);
    }
    status = status || !settings->rows_file ? status : cli_score_write_rows(&s);
    status = status ? status : cli_score_print(&s);
    cli_scored_rows_free(&s.rows);
    lf_posterior_free(s.posterior);
    lf_data_free(s.training);
    lf_data_free(s.table);
    lf_data_free(s.inputs);
    lf_model_free(s.model);
    return status;
}

static const cli_option operands[] = {
    CLI_MODEL_OPERAND,
    CLI_OPTION(row_files, .name = "TEST", .kind = CLI_INPUTS,
               .help = "data file; rows marked test are scored, or all rows if none is"),
    CLI_END};

static const cli_option options[] = {
    CLI_OPTION(folds, .name = "--cross-validate", .argument = "K", .kind = CLI_COUNT, .minimum = 2, .maximum = 1000,
               .help = "withhold every row of TEST once, in K parts, fit the model again without the part, with the "
                       "options that it was fitted with, calibrated if it was, and score the predictions; rows marked "
                       "test stay out"),
    CLI_OPTION(no_refit, .name = "--no-refit", .kind = CLI_FLAG,
               .help = "with --cross-validate: keep the parameters of the model and withhold rows from its posterior "
                       "only; fast, but the parameters saw all rows"),
    CLI_OPTION(init, .name = "--init", .argument = "FILE", .kind = CLI_MODEL,
               .help = "with --cross-validate: the model that the fit of MODEL started from, where it was made with "
                       "--init; the path in MODEL is not opened"),
    CLI_OPTION(rows_file, .name = "--rows", .argument = "FILE", .kind = CLI_RESULT,
               .help = "also write every scored row with its prediction, to find outliers: "
                       "output,x,y,mean,sd,z,flag, where z = (y - mean) / sd; training rows are predicted from all "
                       "other rows, without the widening of calibration"),
    CLI_OPTION(threshold, .name = "--threshold", .argument = "Z", .kind = CLI_NUMBER,
               .help = "with --rows: flag rows with |z| > Z as outlier (default: 3)"),
    CLI_OPTION(
        data_files, .name = "--data", .argument = "DATA", .kind = CLI_INPUTS,
        .help = "training data; rows marked test are left out (default: the posterior stored in the model or, without "
                "one, the rows of TEST marked train); may be repeated"),
    CLI_JSON_OPTION("the scores"),
    CLI_ENGINE_OPTIONS,
    CLI_READ_OPTIONS,
    CLI_THREADS_OPTION,
    CLI_QUIET_OPTION,
    CLI_END};

const cli_command cli_score = {
    .name = "score",
    .summary = "score predictions of rows, find outliers, cross-validate",
    .description =
        "Predicts test rows given training rows, or from the posterior stored in the model by 'latentforce fit' or "
        "'latentforce condition'. Prints for each output and over all outputs, in the units of the data: nmse, the "
        "mean squared error divided by the variance of the scored rows; nlpd, the mean negative log predictive "
        "density; rmse; and the fraction of rows inside the 95 % interval. The variance of a new observation is the "
        "variance of the output plus the noise variance plus the squared sd of the row. Over all outputs the rows are "
        "pooled; the pooled nmse is the sum of squared errors divided by the sum of squared deviations of each output "
        "from its own mean.\n\n"
        "If no row is marked test, all rows are scored. If these are the training rows, a warning says so: such scores "
        "say how well the model fits. --cross-validate gives honest ones. With one input the rows of each output are "
        "cut along time into K windows, and in each fold another window of each output is withheld; with several "
        "inputs into K random groups, which --seed determines.\n\n"
        "--rows predicts a training row from all other rows, so that an outlier does not hide: with the mean m and "
        "variance v of the output given all rows and the noise variance s2 of the row, y - mean is (y - m) s2 / "
        "(s2 - v) and sd^2 is s2^2 / (s2 - v). v is the variance of the model, without the factor by which calibration "
        "widens intervals: that is for gaps, and would hide outliers among neighbours. Other rows have the sd of "
        "predictions.",
    .example = "latentforce score model.json data.csv --cross-validate 5 --rows rows.csv",
    .operands = operands,
    .options = options,
    .run = run};
