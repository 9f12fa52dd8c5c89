/* latentforce score: the accuracy of predictions of test rows, per output and over all outputs. */
#include <math.h>
#include <stdlib.h>

#include "commands.h"
#include "formats.h"
#include "message.h"
#include "points.h"
#include "scores.h"
#include "session.h"
#include "table.h"

/* Test rows with their predictions, in the order of the file, and the scores. */
typedef struct scoring {
    cli_points points;
    double *y, *mean, *s2; /* (n) */
    lf_score *score;       /* (outputs) */
    lf_score overall;
} scoring;

static int has_split(const lf_data *data)
{
    for (size_t i = 0; i < lf_data_count(data); i++) {
        if (lf_data_row(data, i).split != NULL) {
            return 1;
        }
    }
    return 0;
}

/* The rows to score and the training rows to condition on; *training stays NULL if the stored posterior is used. */
static int select_rows(lf_context *ctx, const cli_settings *settings, const lf_model *model, lf_data **test,
                       lf_data **training)
{
    lf_data *all = NULL, *data = NULL;
    int status = cli_read_data(ctx, settings, model, settings->rows, &all);
    int split = status == CLI_DONE && has_split(all), stored = !settings->data && lf_model_has_posterior(model);
    if (status == CLI_DONE && !split && !settings->data && !stored) {
        status =
            cli_fail("%s: has no split column and so no training rows: give the training data with --data DATA, or "
                     "store a posterior in %s with 'latentforce condition'",
                     settings->rows, settings->model);
    }
    if (status == CLI_DONE && settings->data) {
        status = cli_read_data(ctx, settings, model, settings->data, &data);
    }
    if (status == CLI_DONE && !stored) {
        status = data ? cli_select(ctx, settings->data, data, "train", training)
                      : cli_select(ctx, settings->rows, all, "train", training);
    }
    if (status == CLI_DONE && split) {
        status = cli_select(ctx, settings->rows, all, "test", test);
    } else if (status == CLI_DONE) {
        *test = all;
        all = NULL;
    }
    lf_data_free(all);
    lf_data_free(data);
    return status;
}

static int make_points(lf_context *ctx, const cli_settings *settings, const lf_model *model, const lf_data *test,
                       const lf_data *training, lf_posterior **posterior, cli_points *points)
{
    const char *source = !training ? settings->model : settings->data ? settings->data : settings->rows;
    int status = cli_points_from_inputs(model, test, 0, points);
    if (status == CLI_DONE) {
        status = training ? cli_condition_on(ctx, settings, model, training, points, posterior)
                          : cli_restore(ctx, "score", settings, model, posterior);
    }
    int named = status == CLI_DONE && cli_has_named_replicates(*posterior);
    if (named && !points->replicate) {
        status = cli_fail("%s: has no replicate column, but %s has replicates", settings->rows, source);
    }
    if (status == CLI_DONE) {
        status = cli_points_match_replicates(points, test, settings->rows, *posterior, named, source);
    }
    return status || training ? status : cli_check_range(settings, model, settings->rows, points, *posterior);
}

/* s2 = variance of f + noise variance of the output + sd^2 of the row. */
static int predict(lf_context *ctx, const lf_model *model, const lf_data *test, lf_posterior *posterior,
                   scoring *result)
{
    size_t n = result->points.n;
    result->y = calloc(n + 1, sizeof *result->y);
    result->mean = calloc(n + 1, sizeof *result->mean);
    result->s2 = calloc(n + 1, sizeof *result->s2);
    result->score = calloc((size_t)lf_model_output_count(model) + 1, sizeof *result->score);
    if (!result->y || !result->mean || !result->s2 || !result->score) {
        return cli_no_memory();
    }
    lf_points view = cli_points_view(&result->points);
    int status = cli_check(ctx, lf_predict(posterior, &view, result->mean, result->s2, NULL));
    for (size_t i = 0; status == CLI_DONE && i < n; i++) {
        lf_row row = lf_data_row(test, i);
        result->y[i] = row.y;
        result->s2[i] = fmax(result->s2[i], 0) + lf_model_noise_variance(model, result->points.target[i]);
        result->s2[i] += row.sd * row.sd;
    }
    return status;
}

static void print_json(FILE *stream, const lf_model *model, const scoring *result)
{
    const char *separator = "";
    fputs("{\"outputs\":{", stream);
    for (int d = 0; d < lf_model_output_count(model); d++) {
        if (result->score[d].n > 0) {
            fputs(separator, stream);
            cli_json_string(stream, lf_model_output_name(model, d));
            fputc(':', stream);
            cli_json_score(stream, &result->score[d]);
            separator = ",";
        }
    }
    fputs("},\"overall\":", stream);
    cli_json_score(stream, &result->overall);
    fputs("}\n", stream);
}

static void add_score(cli_table *table, const char *name, const lf_score *score)
{
    cli_table_add(table, "%s", name);
    cli_table_add(table, "%zu", score->n);
    cli_table_add_number(table, score->nmse);
    cli_table_add_number(table, score->nlpd);
    cli_table_add_number(table, score->rmse);
    cli_table_add(table, "%.1f %%", 100 * score->coverage95);
}

static int print_text(FILE *stream, const lf_model *model, const scoring *result)
{
    static const char *const headings[] = {"output", "n", "nmse", "nlpd", "rmse", "coverage of 95 %"};
    cli_table table = cli_table_create("lrrrrr");
    for (size_t k = 0; k < sizeof headings / sizeof headings[0]; k++) {
        cli_table_add(&table, "%s", headings[k]);
    }
    for (int d = 0; d < lf_model_output_count(model); d++) {
        if (result->score[d].n > 0) {
            add_score(&table, lf_model_output_name(model, d), &result->score[d]);
        }
    }
    add_score(&table, "(all)", &result->overall);
    return cli_table_print(&table, stream);
}

static int print(const cli_settings *settings, const lf_model *model, const scoring *result)
{
    int status = CLI_DONE;
    if (settings->json) {
        print_json(stdout, model, result);
    } else {
        status = print_text(stdout, model, result);
    }
    return status ? status : cli_flush();
}

static int run(lf_context *ctx, const cli_settings *settings)
{
    lf_model *model = NULL;
    lf_data *test = NULL, *training = NULL;
    lf_posterior *posterior = NULL;
    scoring result = {0};
    int status = cli_check(ctx, lf_model_read(ctx, settings->model, &model));
    status = status ? status : select_rows(ctx, settings, model, &test, &training);
    status = status ? status : make_points(ctx, settings, model, test, training, &posterior, &result.points);
    status = status ? status : predict(ctx, model, test, posterior, &result);
    if (status == CLI_DONE) {
        status = cli_score_rows(lf_model_output_count(model), result.points.n, result.points.target, result.y,
                                result.mean, result.s2, result.score, &result.overall);
    }
    status = status ? status : print(settings, model, &result);
    free(result.y);
    free(result.mean);
    free(result.s2);
    free(result.score);
    cli_points_free(&result.points);
    lf_posterior_free(posterior);
    lf_data_free(training);
    lf_data_free(test);
    lf_model_free(model);
    return status;
}

static const cli_option operands[] = {
    CLI_MODEL_OPERAND,
    CLI_OPTION(row_files, .name = "TEST", .kind = CLI_INPUTS,
               .help = "data file; rows marked test are scored, or all rows if it has no column split"),
    CLI_END};

static const cli_option options[] = {
    CLI_OPTION(
        data_files, .name = "--data", .argument = "DATA", .kind = CLI_INPUTS,
        .help = "training data; rows marked test are left out (default: the posterior stored in the model or, without "
                "one, the rows of TEST marked train)"),
    CLI_JSON_OPTION("the scores"),
    CLI_ENGINE_OPTIONS,
    CLI_READ_OPTIONS,
    CLI_THREADS_OPTION,
    CLI_QUIET_OPTION,
    CLI_END};

const cli_command cli_score = {
    .name = "score",
    .summary = "score predictions of test rows",
    .description =
        "Predicts test rows given training rows, or from the posterior stored in the model by 'latentforce fit' or "
        "'latentforce condition'. Prints for each output and over all outputs, in the units of the data: nmse, the "
        "mean "
        "squared error divided by the variance of the test rows; nlpd, the mean negative log predictive density; rmse; "
        "and the fraction of rows inside the 95 % interval. The variance of a new observation is the variance of the "
        "output plus the noise variance plus the squared sd of the row.\n\n"
        "Over all outputs the rows are pooled; the pooled nmse is the sum of squared errors divided by the sum of "
        "squared "
        "deviations of each output from its own mean.",
    .example = "latentforce score model.json data.csv --json",
    .operands = operands,
    .options = options,
    .run = run};
