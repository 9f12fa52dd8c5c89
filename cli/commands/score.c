/* latentforce score: the accuracy of predictions of rows, per output and over all outputs. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "message.h"
#include "options/model_parts.h"
#include "options/points.h"
#include "options/session.h"
#include "options/validation.h"
#include "show/scores.h"

static int fail_no_training(const cli_settings *settings)
{
    return cli_fail("%s: has no split column and so no training rows: give the training data with --data DATA, store a "
                    "posterior in %s with 'latentforce condition', or withhold parts of these rows with "
                    "--cross-validate 5",
                    settings->rows, settings->model);
}

/* Whether a row is marked train or test. */
static int has_marks(const lf_data *data)
{
    const int32_t *split = lf_data_codes(data, "split");
    int found = 0;
    for (size_t i = 0; i < lf_data_count(data, LF_KIND_ROW); i++) {
        found = found || split[i] != 0;
    }
    return found;
}

/* The points that are scored. */
static int make_points(lf_context *ctx, const lf_model *model, const lf_data *all, cli_points *points)
{
    lf_data *test = NULL, *scored = NULL;
    int status = cli_check(ctx, lf_data_select(ctx, all, model, "test", &test));
    const lf_data *rows = status == CLI_DONE && lf_data_count(test, LF_KIND_ROW) > 0 ? test : all;
    status = status ? status : cli_check(ctx, lf_data_select(ctx, rows, model, "started", &scored));
    status = status ? status : cli_points_from_inputs(model, scored, 0, points);
    lf_data_free(scored);
    lf_data_free(test);
    return status;
}

/* The posterior given the training rows of a table, which reaches the rows to score. */
static int condition(lf_context *ctx, const cli_settings *settings, const lf_model *model, const lf_data *all,
                     lf_posterior **posterior)
{
    const char *path = settings->data ? settings->data : settings->rows;
    lf_data *data = NULL, *training = NULL;
    cli_points points = {0};
    int status = settings->data ? cli_read_whole_data(ctx, settings, model, path, &data) : CLI_DONE;
    status = status ? status : cli_select(ctx, model, path, data ? data : all, "train", &training);
    status = status ? status : make_points(ctx, model, all, &points);
    status = status ? status : cli_condition_on(ctx, settings, model, training, &points, posterior);
    cli_points_free(&points);
    lf_data_free(training);
    lf_data_free(data);
    return status;
}

/* The rows of the file, predicted given the training data or from the posterior in the model. */
static int predict(lf_context *ctx, const cli_settings *settings, const lf_model *model, const lf_options *validate,
                   lf_scores **scores)
{
    lf_data *all = NULL;
    lf_posterior *posterior = NULL;
    int stored = !settings->data && cli_about(model).has_posterior;
    int status = cli_read_whole_data(ctx, settings, model, settings->rows, &all);
    if (status == CLI_DONE && !settings->data && !stored && !has_marks(all)) {
        status = fail_no_training(settings);
    }
    if (status == CLI_DONE) {
        status = stored ? cli_restore(ctx, "score", settings, model, &posterior)
                        : condition(ctx, settings, model, all, &posterior);
    }
    status = status ? status : cli_check(ctx, lf_score(ctx, posterior, all, validate, scores));
    lf_posterior_free(posterior);
    lf_data_free(all);
    return status;
}

static int show_fold(void *user, const lf_progress *at)
{
    (void)user;
    if (strcmp(at->stage, "folds") == 0) {
        fprintf(stderr, "\rfold %zu of %zu", at->item + 1, at->items);
    }
    return 0;
}

/* Test rows are left alone: what is withheld are training rows. */
static int cross_validate(lf_context *ctx, const cli_settings *settings, const lf_model *model,
                          const lf_options *validate, lf_scores **scores)
{
    int shown = !settings->quiet && isatty(STDERR_FILENO);
    lf_data *all = NULL;
    int status = cli_read_data(ctx, settings, model, settings->rows, &all);
    lf_context_set_progress(ctx, shown ? show_fold : NULL, NULL);
    lf_status done = status ? LF_OK : lf_cross_validate(ctx, model, all, validate, scores);
    lf_context_set_progress(ctx, NULL, NULL);
    if (shown) {
        fputs("\r\033[K", stderr);
    }
    lf_data_free(all);
    return status ? status : cli_check(ctx, done);
}

static int check_options(const cli_settings *settings)
{
    const char *given = settings->no_refit ? NULL : cli_engine_option_given(settings);
    int folds = settings->folds > 0 || settings->rolling;
    if (settings->init && (!folds || settings->no_refit)) {
        return cli_usage_error("score", "--init is for the fits of --cross-validate or --rolling, without --no-refit");
    }
    if (folds && settings->several) {
        return cli_usage_error("score", "%s: run 'latentforce score', which needs one process",
                               settings->folds ? "--cross-validate" : "--rolling");
    }
    if (folds && settings->data) {
        return cli_usage_error("score", "--data has no use with %s, which takes all rows from %s",
                               settings->folds ? "--cross-validate" : "--rolling", settings->rows);
    }
    if (folds && given) {
        return cli_usage_error("score", "%s needs --no-refit: a refit uses the options that the model was fitted with",
                               given);
    }
    if (settings->no_refit && !folds) {
        return cli_usage_error("score", "--no-refit needs --cross-validate K or --rolling T0");
    }
    if (settings->threshold > 0 && !settings->rows_file) {
        return cli_usage_error("score", "--threshold needs --rows FILE");
    }
    if (settings->rows_file && strcmp(settings->rows_file, "-") == 0) {
        return cli_usage_error("score", "--rows -: standard output is for the scores; name a file");
    }
    return CLI_DONE;
}

/* Says on standard error what was scored where that is not what a score should be of. */
static void explain(const cli_settings *settings, const lf_scores_info *info)
{
    const char *path = settings->rows;
    char note[512];
    if (strcmp(info->scored, "training") == 0) {
        fprintf(stderr,
                "latentforce: WARNING: %s: no row is marked test: these are scores of the %zu TRAINING ROWS, which "
                "say how well the model fits, not how well it predicts; --cross-validate 5 withholds parts of them\n",
                path, info->rows);
    } else if (info->training > 0) {
        fprintf(stderr,
                "latentforce: WARNING: %s: %zu of the %zu scored rows are also TRAINING ROWS; their scores are too "
                "good\n",
                path, info->training, info->rows);
    } else if (strcmp(info->scored, "all") == 0) {
        snprintf(note, sizeof note, "%s: no row is marked test: all %zu rows are scored", path, info->rows);
        cli_note(NULL, LF_LEVEL_NOTE, note);
    } else if (info->folds && !info->refit) {
        cli_note(NULL, LF_LEVEL_NOTE, "the parameters of the model saw all rows, so the scores are somewhat too good");
    }
}

/* Writes the file of --rows. */
static int write_rows(lf_context *ctx, const cli_settings *settings, const lf_scores *scores,
                      const lf_scores_info *info)
{
    lf_table *table = NULL;
    char note[512];
    int status = cli_check(ctx, lf_scores_table(ctx, scores, "rows", &table));
    status = status ? status : cli_check(ctx, lf_table_write(ctx, table, "csv", settings->rows_file));
    lf_table_free(table);
    if (status == CLI_DONE && info->not_left_out && !settings->quiet) {
        snprintf(
            note, sizeof note,
            "%s: training rows are predicted with themselves, so outliers hide: %s; --cross-validate 5 leaves rows "
            "out without it",
            settings->rows_file, info->not_left_out);
        cli_note(NULL, LF_LEVEL_NOTE, note);
    }
    if (status == CLI_DONE && info->unknown > 0 && !settings->quiet) {
        snprintf(note, sizeof note, "%s: %zu rows have no prediction without themselves: their noise is too small",
                 settings->rows_file, info->unknown);
        cli_note(NULL, LF_LEVEL_NOTE, note);
    }
    return status;
}

static int show(lf_context *ctx, const cli_settings *settings, const lf_scores *scores)
{
    lf_scores_info info = {.size = sizeof info};
    int status = cli_check(ctx, lf_scores_get(ctx, scores, &info));
    if (status == CLI_DONE && !settings->quiet) {
        explain(settings, &info);
    }
    status = status || !settings->rows_file ? status : write_rows(ctx, settings, scores, &info);
    return status ? status : settings->json ? cli_scores_print_json(ctx, scores) : cli_scores_print(ctx, scores);
}

static int run(lf_context *ctx, const cli_settings *settings)
{
    lf_model *model = NULL;
    lf_options *validate = NULL;
    lf_scores *scores = NULL;
    int status = check_options(settings);
    status = status ? status : cli_validation(ctx, "score", settings, &validate);
    if (status == CLI_DONE && settings->rows_file) {
        status = cli_check_writable(ctx, settings->rows_file);
    }
    status = status ? status : cli_read_model(ctx, settings->model, &model);
    if (status == CLI_DONE) {
        status = settings->folds || settings->rolling ? cross_validate(ctx, settings, model, validate, &scores)
                                                      : predict(ctx, settings, model, validate, &scores);
    }
    status = status ? status : show(ctx, settings, scores);
    lf_scores_free(scores);
    lf_options_free(validate);
    lf_model_free(model);
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
    CLI_OPTION(rolling, .name = "--rolling", .argument = "T0", .kind = CLI_TEXT,
               .help =
                   "forecast from one time after the other: from T0 (a number or a date, as in the data; auto: the "
                   "middle of the times) on, rows up to a time predict those that follow, by a model that is fitted "
                   "again, and predictions are scored; readings of known inputs are known ahead; rows marked test "
                   "stay out"),
    CLI_OPTION(span, .name = "--span", .argument = "SPAN", .kind = CLI_TEXT,
               .help =
                   "with --rolling: how far each forecast reaches, such as 48h, or a number in the unit of the data "
                   "(default: a tenth of the times)"),
    CLI_OPTION(step, .name = "--step", .argument = "SPAN", .kind = CLI_TEXT,
               .help = "with --rolling: from one origin of a forecast to the next (default: the span)"),
    CLI_OPTION(
        no_refit, .name = "--no-refit", .kind = CLI_FLAG,
        .help =
            "with --cross-validate or --rolling: keep the parameters of the model and withhold rows from its posterior "
            "only; fast, but the parameters saw all rows"),
    CLI_OPTION(
        init, .name = "--init", .argument = "FILE", .kind = CLI_MODEL,
        .help =
            "with --cross-validate or --rolling: the model that the fit of MODEL started from, where it was made with "
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
        "inputs into K random groups, which --seed determines. --rolling scores forecasts: those of the rows that "
        "follow a "
        "time, from the rows up to it.\n\n"
        "--rows predicts a training row from all other rows, so that an outlier does not hide: with the mean m and "
        "variance v of the output given all rows and the noise variance s2 of the row, y - mean is (y - m) s2 / "
        "(s2 - v) and sd^2 is s2^2 / (s2 - v). v is the variance of the model, without the factor by which calibration "
        "widens intervals: that is for gaps, and would hide outliers among neighbours. Other rows have the sd of "
        "predictions.",
    .example = "latentforce score model.json data.csv --cross-validate 5 --rows rows.csv",
    .operands = operands,
    .options = options,
    .run = run};
