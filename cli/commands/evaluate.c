/* latentforce evaluate: the log marginal likelihood of data at the parameters of a model, its gradient and its run
 * time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "commands.h"
#include "message.h"
#include "options/model_parts.h"
#include "options/session.h"
#include "show/formats.h"
#include "show/table.h"

typedef struct evaluation {
    double log_likelihood, log_density;
    double seconds;               /* least time of the repeats */
    double *gradient;             /* (parameters), NULL without --gradient */
    double error_bound;           /* of the covariances, relative to the largest; NaN: unknown */
    lf_error_bounds error_bounds; /* the same for each kind */
    double rounding;              /* error of the log likelihood; NaN: unknown */
    lf_engine_info engine;
} evaluation;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int evaluate(lf_context *ctx, const cli_settings *settings, const lf_model *model, lf_engine *engine,
                    evaluation *result)
{
    for (size_t i = 0; i < settings->repeat; i++) {
        double start = now();
        int status =
            cli_check(ctx, lf_engine_evaluate(engine, settings->gradient ? lf_model_count(model, LF_KIND_PARAMETER) : 0,
                                              NULL, &result->log_likelihood, result->gradient));
        double seconds = now() - start;
        if (status != CLI_DONE) {
            return status;
        }
        result->seconds = i == 0 || seconds < result->seconds ? seconds : result->seconds;
    }
    result->log_density = result->log_likelihood + lf_engine_log_jacobian(engine);
    result->engine = lf_engine_describe(engine);
    lf_status status = lf_engine_rounding(engine, &result->rounding);
    status = status ? status : lf_engine_error_bounds(engine, &result->error_bounds);
    const lf_error_bounds *b = &result->error_bounds;
    result->error_bound = isnan(b->outputs + b->forces + b->rates) ? NAN : fmax(b->outputs, fmax(b->forces, b->rates));
    return cli_check(ctx, status);
}

/* Whether an optimiser would change the parameter. */
static int is_free(const lf_parameter *parameter) { return !parameter->fixed && parameter->tied_to == LF_NONE; }

static int print_text(FILE *stream, const cli_settings *settings, const lf_model *model, const evaluation *result)
{
    fprintf(stream, "log likelihood          %.15g\n", result->log_likelihood);
    fprintf(stream, "log density of y        %.15g\n", result->log_density);
    fprintf(stream, "engine                  %s (%s)\n", result->engine.engine, result->engine.reason);
    fprintf(stream, "nodes                   %s\n", result->engine.nodes);
    fprintf(stream, "rows                    %zu\n", result->engine.rows);
    fprintf(stream, "columns                 %zu\n", result->engine.columns);
    if (result->engine.jitter > 0) {
        fprintf(stream, "jitter                  %g of the variance of inducing values\n", result->engine.jitter);
    }
    if (isnan(result->error_bound)) {
        fputs(strcmp(result->engine.nodes, "states") == 0 ? "error of covariances    unknown\n"
                                                          : "error of covariances    unknown, the nodes are a sample\n",
              stream);
    } else if (result->error_bound > 0) {
        fprintf(stream, "error of covariances    at most %.2g of the largest\n", result->error_bound);
        fprintf(stream, "  outputs alone         at most %.2g\n", result->error_bounds.outputs);
    }
    if (result->rounding > 1e-9 * fmax(1, fabs(result->log_likelihood))) {
        fprintf(stream, "rounding error          about %.1g\n", result->rounding);
    }
    fprintf(stream, "seconds per evaluation  %.3g (best of %zu, %s gradient)\n", result->seconds, settings->repeat,
            result->gradient ? "with" : "without");
    if (!result->gradient) {
        return CLI_DONE;
    }
    cli_table table = cli_table_create("lrr");
    cli_table_add(&table, "parameter");
    cli_table_add(&table, "value");
    cli_table_add(&table, "gradient");
    for (size_t i = 0; i < lf_model_count(model, LF_KIND_PARAMETER); i++) {
        lf_parameter parameter = cli_parameter(model, i);
        if (is_free(&parameter)) {
            cli_table_add(&table, "%s", parameter.theta_name);
            cli_table_add(&table, "%.6g",
                          strcmp(parameter.transform, "log") == 0 ? log(parameter.value) : parameter.value);
            cli_table_add(&table, "%.10g", result->gradient[i]);
        }
    }
    fputc('\n', stream);
    return cli_table_print(&table, stream);
}

static void print_json(FILE *stream, const cli_settings *settings, const lf_model *model, const evaluation *result)
{
    fputs("{\"log_likelihood\":", stream);
    cli_json_number(stream, result->log_likelihood);
    fputs(",\"log_density\":", stream);
    cli_json_number(stream, result->log_density);
    fputs(",\"engine\":", stream);
    cli_json_string(stream, result->engine.engine);
    fputs(",\"nodes\":", stream);
    cli_json_string(stream, result->engine.nodes);
    fputs(",\"reason\":", stream);
    cli_json_string(stream, result->engine.reason);
    if (settings->features > 0) {
        fprintf(stream, ",\"features\":%zu", settings->features);
    }
    if (settings->inducing > 0) {
        fprintf(stream, ",\"inducing\":%zu", settings->inducing);
    }
    if (result->engine.jitter > 0) {
        fputs(",\"jitter\":", stream);
        cli_json_number(stream, result->engine.jitter);
    }
    fputs(",\"error_bound\":", stream);
    cli_json_number(stream, result->error_bound);
    if (!isnan(result->rounding)) {
        fputs(",\"rounding\":", stream);
        cli_json_number(stream, result->rounding);
    }
    fprintf(stream, ",\"columns\":%zu,\"rows\":%zu,\"seconds\":", result->engine.columns, result->engine.rows);
    cli_json_number(stream, result->seconds);
    fputs(",\"error_bounds\":{\"outputs\":", stream);
    cli_json_number(stream, result->error_bounds.outputs);
    fputs(",\"forces\":", stream);
    cli_json_number(stream, result->error_bounds.forces);
    fputs(",\"rates\":", stream);
    cli_json_number(stream, result->error_bounds.rates);
    fputs("}", stream);
    if (result->gradient) {
        const char *separator = "";
        fputs(",\"gradient\":{", stream);
        for (size_t i = 0; i < lf_model_count(model, LF_KIND_PARAMETER); i++) {
            lf_parameter parameter = cli_parameter(model, i);
            if (is_free(&parameter)) {
                fputs(separator, stream);
                cli_json_string(stream, parameter.theta_name);
                fputc(':', stream);
                cli_json_number(stream, result->gradient[i]);
                separator = ",";
            }
        }
        fputc('}', stream);
    }
    fputs("}\n", stream);
}

static int print(const cli_settings *settings, const lf_model *model, const evaluation *result)
{
    int status = CLI_DONE;
    if (settings->json) {
        print_json(stdout, settings, model, result);
    } else {
        status = print_text(stdout, settings, model, result);
    }
    return status ? status : cli_flush();
}

static int run(lf_context *ctx, const cli_settings *settings)
{
    lf_engine_options engine_options = cli_engine_options(settings);
    lf_model *model = NULL;
    lf_data *data = NULL, *training = NULL;
    lf_engine *engine = NULL;
    evaluation result = {0};
    int status = cli_read_model(ctx, settings->model, &model);
    status = status ? status : cli_read_data(ctx, settings, model, settings->rows, &data);
    status = status ? status : cli_select(ctx, model, settings->rows, data, "train", &training);
    status = status ? status : cli_set_horizon(ctx, settings, model, training, &engine_options);
    status = status ? status : cli_check(ctx, lf_engine_create(ctx, model, training, &engine_options, &engine));
    if (status == CLI_DONE && settings->gradient) {
        result.gradient = calloc(lf_model_count(model, LF_KIND_PARAMETER) + 1, sizeof *result.gradient);
        status = result.gradient ? CLI_DONE : cli_no_memory();
    }
    status = status ? status : evaluate(ctx, settings, model, engine, &result);
    status = status ? status : print(settings, model, &result);
    free(result.gradient);
    lf_engine_free(engine);
    lf_data_free(training);
    lf_data_free(data);
    lf_model_free(model);
    return status;
}

static const cli_option operands[] = {CLI_MODEL_OPERAND,
                                      CLI_OPTION(row_files, .name = "DATA", .kind = CLI_INPUTS,
                                                 .help = "data file; rows marked test in a split column are left out"),
                                      CLI_END};

static const cli_option options[] = {
    CLI_OPTION(gradient, .name = "--gradient", .kind = CLI_FLAG,
               .help = "also print the derivative by each parameter that is neither fixed nor tied"),
    CLI_OPTION(repeat, .name = "--repeat", .argument = "N", .kind = CLI_COUNT, .minimum = 1,
               .help = "evaluate N times and report the shortest time (default: 1)"),
    CLI_JSON_OPTION("the result"),
    CLI_ENGINE_OPTIONS,
    CLI_READ_OPTIONS,
    CLI_THREADS_OPTION,
    CLI_QUIET_OPTION,
    CLI_END};

const cli_command cli_evaluate = {
    .name = "evaluate",
    .summary = "compute the log likelihood of data, and its gradient",
    .description =
        "Prints the log marginal likelihood of the data at the parameters of the model; nothing is fitted. The log "
        "likelihood is that of the scaled data (y - offset) / scale, the log density is that of y itself. Parameters "
        "whose names contain log_ are logarithms, and the gradient is by the logarithm.\n\n"
        "Also printed are the engine with the reason for its choice, its number of columns and, for lowrank and "
        "fourier "
        "with uniform nodes and for kalman with eq forces, a bound on the error of the covariances. With the "
        "variational "
        "engine the value is a lower bound of the log likelihood. The columns of the inducing engines are their "
        "inducing "
        "values; jitter is the amount that had to be added to the variance of these. A rounding error is shown where "
        "it "
        "matters: the covariance of the rows is then nearly singular.",
    .example = "latentforce evaluate model.json data.csv --gradient",
    .operands = operands,
    .options = options,
    .run = run};
