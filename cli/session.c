/* Steps that several commands share: reading data that match the model, conditioning on them, restoring posteriors. */
#include "session.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "message.h"

static int check_outputs(const cli_settings *settings, const lf_model *model, const char *path, const lf_data *data)
{
    for (int i = 0; i < lf_data_output_count(data); i++) {
        const char *name = lf_data_output_name(data, i);
        if (lf_model_find_output(model, name) < 0) {
            return cli_fail("%s: the output '%s' is not in the model %s; 'latentforce show' lists its outputs", path,
                            name, settings->model);
        }
    }
    return CLI_DONE;
}

static int read_csv(lf_context *ctx, const cli_settings *settings, const lf_model *model, const char *path,
                    int inputs_only, lf_data **data)
{
    const lf_read_options options = {
        .size = sizeof options, .ignore_columns = settings->ignore_columns, .inputs_only = inputs_only};
    int status = cli_check(ctx, lf_data_read(ctx, path, &options, data));
    if (status == CLI_DONE && lf_data_input_dim(*data) != lf_model_input_dim(model)) {
        status = cli_fail("%s: a row has %d input column(s), but the model %s has input_dim %d", path,
                          lf_data_input_dim(*data), settings->model, lf_model_input_dim(model));
    }
    return status;
}

static void free_on_failure(int status, lf_data **data)
{
    if (status != CLI_DONE) {
        lf_data_free(*data);
        *data = NULL;
    }
}

int cli_read_data(lf_context *ctx, const cli_settings *settings, const lf_model *model, const char *path,
                  lf_data **data)
{
    *data = NULL;
    int status = read_csv(ctx, settings, model, path, 0, data);
    status = status ? status : check_outputs(settings, model, path, *data);
    free_on_failure(status, data);
    return status;
}

int cli_read_inputs(lf_context *ctx, const cli_settings *settings, const lf_model *model, int any_output,
                    lf_data **inputs)
{
    *inputs = NULL;
    int status = read_csv(ctx, settings, model, settings->at, 1, inputs);
    if (status == CLI_DONE && !any_output) {
        status = check_outputs(settings, model, settings->at, *inputs);
    }
    free_on_failure(status, inputs);
    return status;
}

int cli_refuse_replicates(const cli_settings *settings, const lf_data *inputs)
{
    return lf_data_replicate_count(inputs) == 0
               ? CLI_DONE
               : cli_fail(
                     "%s: has a replicate column, but there is no covariance between replicates; remove the column",
                     settings->at);
}

int cli_is_test(lf_row row) { return row.split && strcmp(row.split, "test") == 0; }

int cli_select(lf_context *ctx, const char *path, const lf_data *data, const char *split, lf_data **selected)
{
    if (lf_data_select(ctx, data, split, selected) != LF_OK) {
        return cli_fail("%s: %s", path, lf_message(ctx));
    }
    return CLI_DONE;
}

lf_engine_options cli_engine_options(const cli_settings *settings)
{
    return (lf_engine_options){.size = sizeof(lf_engine_options),
                               .engine = settings->engine,
                               .nodes = settings->nodes,
                               .tolerance = settings->tolerance,
                               .features = settings->features,
                               .inducing = settings->inducing,
                               .inducing_inputs = settings->inducing_inputs};
}

int cli_set_horizon(const cli_settings *settings, const lf_data *training, const cli_points *required,
                    lf_engine_options *options)
{
    if (lf_data_input_dim(training) > 1) {
        return CLI_DONE;
    }
    double first, last, low, high;
    cli_data_limits(training, &first, &last);
    low = first;
    high = last;
    if (!isnan(settings->horizon)) {
        if (settings->horizon < last) {
            return cli_fail("--horizon %.10g lies before the last training input %.10g", settings->horizon, last);
        }
        high = settings->horizon;
    }
    if (required && required->n > 0) {
        double from, to;
        cli_points_limits(required, &from, &to);
        low = fmin(low, from);
        high = fmax(high, to);
    }
    options->ahead = high - last;
    options->behind = first - low;
    return CLI_DONE;
}

int cli_condition_on(lf_context *ctx, const cli_settings *settings, const lf_model *model, const lf_data *training,
                     const cli_points *required, lf_posterior **posterior)
{
    lf_engine_options options = cli_engine_options(settings);
    lf_engine *engine = NULL;
    int status = cli_set_horizon(settings, training, required, &options);
    status = status ? status : cli_check(ctx, lf_engine_create(ctx, model, training, &options, &engine));
    if (status == CLI_DONE) {
        status = cli_check(ctx, lf_engine_posterior(engine, posterior));
    }
    lf_engine_free(engine);
    return status;
}

const char *cli_engine_option_given(const cli_settings *settings)
{
    const struct {
        const char *name;
        int given;
    } engine_options[] = {{"--engine", settings->engine != NULL},
                          {"--nodes", settings->nodes != NULL},
                          {"--features", settings->features > 0},
                          {"--inducing", settings->inducing > 0},
                          {"--inducing-inputs", settings->inducing_inputs != NULL},
                          {"--tolerance", settings->tolerance > 0},
                          {"--horizon", !isnan(settings->horizon)}};
    for (size_t i = 0; i < sizeof engine_options / sizeof engine_options[0]; i++) {
        if (engine_options[i].given) {
            return engine_options[i].name;
        }
    }
    return NULL;
}

int cli_restore(lf_context *ctx, const char *command, const cli_settings *settings, const lf_model *model,
                lf_posterior **posterior)
{
    const char *given = cli_engine_option_given(settings);
    if (given) {
        return cli_usage_error(command, "%s needs --data DATA: the posterior stored in %s is used as it is", given,
                               settings->model);
    }
    if (lf_posterior_restore(ctx, model, posterior) != LF_OK) {
        return cli_fail("%s: %s", settings->model, lf_message(ctx));
    }
    return CLI_DONE;
}

int cli_fail_no_posterior(const cli_settings *settings)
{
    return cli_fail("%s: holds no posterior, so the training data are needed: give them with --data DATA, or store a "
                    "posterior with 'latentforce condition'",
                    settings->model);
}

/* Several inputs: evenly distributed inputs extend sqrt 3 standard deviations on either side of their mean. */
int cli_stored_limits(const lf_model *model, const lf_posterior *posterior, double *low, double *high)
{
    int p = lf_model_input_dim(model);
    lf_posterior_range(posterior, low, high);
    if (p == 1) { /* if the range is unlimited: that of the training rows */
        double first, last;
        lf_posterior_span(posterior, &first, &last);
        *low = isfinite(*low) ? *low : first;
        *high = isfinite(*high) ? *high : last;
        return isfinite(*low) && isfinite(*high);
    }
    for (int k = 0; k < p; k++) {
        lf_input_info input = lf_model_input(model, k);
        if (input.offset == 0 && input.scale == 1) {
            return 0;
        }
        low[k] = input.offset - sqrt(3) * input.scale;
        high[k] = input.offset + sqrt(3) * input.scale;
    }
    return 1;
}

int cli_has_named_replicates(const lf_posterior *posterior)
{
    return lf_posterior_replicate_count(posterior) > 1 || *lf_posterior_replicate_name(posterior, 0);
}

int cli_check_range(const cli_settings *settings, const char *path, const cli_points *points,
                    const lf_posterior *posterior)
{
    double from, to;
    lf_posterior_range(posterior, &from, &to);
    for (size_t i = 0; i < points->n; i++) {
        double x = points->x[i * (size_t)points->input_dim];
        if (!(x >= from && x <= to)) {
            return cli_fail("%s: x = %.10g lies outside [%.10g, %.10g], where the posterior stored in %s can predict; "
                            "give the data again with --data DATA",
                            path, x, from, to, settings->model);
        }
    }
    return CLI_DONE;
}

double cli_parameter_error(lf_context *ctx, const lf_model *model, const char *owner, const char *what, int number)
{
    char name[1024];
    size_t index;
    int length = number > 0 ? snprintf(name, sizeof name, "%s.%s%d", owner, what, number)
                            : snprintf(name, sizeof name, "%s.%s", owner, what);
    int found = length > 0 && (size_t)length < sizeof name && lf_parameter_find(ctx, model, name, &index) == LF_OK;
    return found ? lf_parameter_get(model, index).standard_error : (double)NAN;
}
