/* Fits a model of damped springs to the data in a CSV, prints the constants with their standard errors, and predicts every
 * output and every force just after the last reading. Usage: fit DATA.csv MODEL.json
 *
 *   cc -std=c11 fit.c $(pkg-config --cflags --libs latentforce) -lm -o fit
 */
#include <latentforce.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Called after every iteration; anything but 0 would stop the fit, which then keeps the best parameters found. */
static int show_progress(void *user, const lf_progress *progress)
{
    if (progress->iteration % 25 == 0) {
        fprintf(user, "iteration %zu: objective %.1f\n", progress->iteration, progress->objective);
    }
    return 0;
}

static void print_constants(const lf_model *model)
{
    for (int d = 0; d < lf_model_output_count(model); d++) {
        lf_output_info output = lf_model_output(model, d);
        printf("%-6s  natural frequency %.3f +- %.3f, damping ratio %.3f +- %.3f\n", output.name,
               output.natural_frequency, output.natural_frequency_error, output.damping_ratio,
               output.damping_ratio_error);
    }
}

/* Targets 0 … D-1 are the outputs, then come the forces. */
static lf_status print_predictions(const lf_model *model, lf_posterior *posterior, double x)
{
    enum { MOST = 64 };
    int outputs = lf_model_output_count(model), target[MOST];
    double inputs[MOST], mean[MOST], variance[MOST];
    lf_points points = {.target = target, .x = inputs};
    for (; points.n < MOST && (int)points.n < outputs + lf_model_force_count(model); points.n++) {
        target[points.n] = (int)points.n;
        inputs[points.n] = x;
    }
    lf_status status = lf_predict(posterior, &points, mean, variance, NULL);
    for (size_t i = 0; status == LF_OK && i < points.n; i++) {
        if (target[i] < outputs) {
            printf("%-6s", lf_model_output_name(model, target[i]));
        } else {
            printf("force%d", target[i] - outputs + 1);
        }
        printf("  at %g: %.3f +- %.3f\n", x, mean[i], sqrt(variance[i]));
    }
    return status;
}

static lf_status work(lf_context *ctx, const char *data_path, const char *model_path)
{
    lf_status status;
    lf_data *rows = NULL, *training = NULL;
    lf_model *model = NULL;
    lf_engine *engine = NULL;
    lf_posterior *posterior = NULL;
    lf_fit_result result = {0};
    lf_draft_options shape = {.operator_type = "ode2", .forces = 1, .force_kernel = "eq", .private_forces = "no"};
    /* Where fields are left out, defaults are taken. `ahead`: how far beyond the data predictions will be asked for. */
    lf_fit_options options = {.restarts = 2, .engine = {.ahead = 1}, .progress = show_progress, .user = stderr};

    if ((status = lf_data_read(ctx, data_path, NULL, &rows)) != LF_OK ||
        (status = lf_data_select(ctx, rows, LF_SPLIT_TRAIN, &training)) != LF_OK ||
        (status = lf_model_draft(ctx, training, &shape, &model)) != LF_OK ||
        (status = lf_fit(ctx, model, training, &options, &result)) != LF_OK) {
        goto done;
    }
    printf("log likelihood %.2f; %s\n", result.log_likelihood, result.reason);
    if ((status = lf_standard_errors(ctx, model, training, &options)) != LF_OK) {
        goto done;
    }
    print_constants(model);

    double last = -INFINITY;
    for (size_t i = 0; i < lf_data_count(training); i++) {
        last = fmax(last, lf_data_row(training, i).x[0]);
    }
    if ((status = lf_engine_create(ctx, model, training, &options.engine, &engine)) != LF_OK ||
        (status = lf_engine_posterior(engine, &posterior)) != LF_OK ||
        (status = print_predictions(model, posterior, last + 0.5)) != LF_OK ||
        (status = lf_posterior_store(posterior, model)) != LF_OK) {
        goto done;
    }
    status = lf_model_write(ctx, model, model_path);
done:
    lf_posterior_free(posterior);
    lf_engine_free(engine);
    lf_fit_result_clear(&result);
    lf_model_free(model);
    lf_data_free(training);
    lf_data_free(rows);
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
        fprintf(stderr, "%s: %s\n", argv[0], lf_message(ctx));
    }
    lf_context_free(ctx);
    return status == LF_OK ? 0 : 1;
}
