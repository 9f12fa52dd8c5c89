/* Fits a model of damped springs to the data in a CSV, prints the constants with their standard errors, and predicts every
 * output and every force just after the last reading. Usage: fit DATA.csv MODEL.json
 *
 *   cc -std=c11 fit.c $(pkg-config --cflags --libs latentforce) -lm -o fit
 */
#include <latentforce.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Called after every iteration, and while standard errors are computed; anything but 0 would stop the fit, which then keeps the best parameters found. */
static int show_progress(void *user, const lf_progress *progress)
{
    if (strcmp(progress->stage, "fit") == 0 && progress->iteration % 25 == 0) {
        fprintf(user, "iteration %zu: objective %.1f\n", progress->iteration, progress->objective);
    }
    return 0;
}

static void print_constants(lf_context *ctx, const lf_model *model)
{
    for (size_t d = 0; d < lf_model_count(model, LF_KIND_OUTPUT); d++) {
        lf_output_info output = {.size = sizeof output};
        if (lf_model_output_get(ctx, model, d, &output) != LF_OK) {
            return;
        }
        printf("%-6s  natural frequency %.3f +- %.3f, damping ratio %.3f +- %.3f\n", output.name,
               output.natural_frequency, output.natural_frequency_error, output.damping_ratio,
               output.damping_ratio_error);
    }
}

/* A point asks about a target, an output or a force, at an input. */
static lf_status print_predictions(lf_context *ctx, const lf_model *model, lf_posterior *posterior, double x)
{
    enum { MOST = 64 };
    size_t outputs = lf_model_count(model, LF_KIND_OUTPUT), targets = outputs + lf_model_count(model, LF_KIND_FORCE);
    size_t n = targets < MOST ? targets : MOST;
    double mean[MOST], variance[MOST];
    lf_prediction prediction = {.size = sizeof prediction, .mean = mean, .variance = variance};
    lf_points *points = NULL;
    lf_status status = lf_points_create(ctx, model, &points);
    for (size_t i = 0; status == LF_OK && i < n; i++) {
        uint32_t target;
        status = i < outputs ? lf_model_target(ctx, model, LF_KIND_OUTPUT, i, &target)
                             : lf_model_target(ctx, model, LF_KIND_FORCE, i - outputs, &target);
        status = status ? status : lf_points_add(ctx, points, 1, &target, NULL, &x, NULL);
    }
    status = status ? status : lf_predict(ctx, posterior, points, &prediction);
    for (size_t i = 0; status == LF_OK && i < n; i++) {
        printf("%-6s", i < outputs ? lf_model_name(model, LF_KIND_OUTPUT, i)
                                   : lf_model_name(model, LF_KIND_FORCE, i - outputs));
        printf("  at %g: %.3f +- %.3f\n", x, mean[i], sqrt(variance[i]));
    }
    lf_points_free(points);
    return status;
}

/* Everything that is not set is the default of `latentforce fit`, whose options have the same names. The horizon is the largest
 * input at which predictions will be asked for. */
static lf_status set_options(lf_context *ctx, lf_options *options, double horizon)
{
    char number[32];
    snprintf(number, sizeof number, "%.17g", horizon);
    const char *const settings[][2] = {
        {"operator", "ode2"}, {"forces", "1"}, {"force-kernel", "eq"}, {"private", "no"}, {"horizon", number}};
    lf_status status = LF_OK;
    for (size_t i = 0; status == LF_OK && i < sizeof settings / sizeof settings[0]; i++) {
        status = lf_options_set(ctx, options, settings[i][0], settings[i][1]);
    }
    lf_context_set_progress(ctx, show_progress, stderr);
    return status;
}

static lf_status work(lf_context *ctx, const char *data_path, const char *model_path)
{
    lf_status status;
    lf_data *data = NULL;
    lf_options *options = NULL;
    lf_model *model = NULL;
    lf_fit_result *result = NULL;
    lf_posterior *posterior = NULL;
    double last = 0;
    lf_data_info info = {.size = sizeof info, .high = &last};

    if ((status = lf_data_read(ctx, data_path, NULL, &data)) != LF_OK ||
        (status = lf_data_info_get(ctx, data, NULL, &info)) != LF_OK) {
        goto done;
    }
    if ((status = lf_options_create(ctx, "fit", &options)) != LF_OK ||
        (status = set_options(ctx, options, last + 1)) != LF_OK ||
        (status = lf_fit(ctx, data, options, &model, &result)) != LF_OK) {
        goto done;
    }
    printf("log likelihood %.2f; %s\n", result->log_likelihood, result->reason);
    print_constants(ctx, model);

    /* The model holds its posterior: it predicts without the data. */
    if ((status = lf_posterior_restore(ctx, model, &posterior)) != LF_OK ||
        (status = print_predictions(ctx, model, posterior, last + 0.5)) != LF_OK) {
        goto done;
    }
    status = lf_model_write(ctx, model, model_path);
done:
    lf_posterior_free(posterior);
    lf_fit_result_free(result);
    lf_model_free(model);
    lf_options_free(options);
    lf_data_free(data);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s DATA.csv MODEL.json\n", argv[0]);
        return 2;
    }
    lf_context *ctx = lf_context_create();
    if (!ctx) {
        return 1;
    }
    lf_status status = work(ctx, argv[1], argv[2]);
    if (status != LF_OK) {
        fprintf(stderr, "%s: %s\n", argv[0], lf_context_message(ctx));
    }
    lf_context_free(ctx);
    return status == LF_OK ? 0 : 1;
}
