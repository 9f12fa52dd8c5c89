/* The dense engine and the inducing engines on a GPU: seconds of one log likelihood (or bound) with its gradient, and the ratio of those of
 * all processors of the machine to them. Arguments: DEVICE [ROWS_DENSE ROWS_INDUCING INDUCING]; without a device nothing is measured. */
#include <string.h>

#include "bench.h"
#include "device/device.h"

static const char *const operators[] = {"{\"type\":\"gaussian\",\"precision\":2}",
                                        "{\"type\":\"ode2\",\"mass\":1,\"damper\":0.7,\"spring\":2}"};

static lf_model *make_model(lf_context *ctx, int inputs, const char *kernel)
{
    char text[2000];
    lf_model *model;
    snprintf(text, sizeof text,
             "{\"format\":\"latentforce-model\",\"version\":1,\"input_dim\":%d,\"forces\":[{\"kernel\":\"%s\","
             "\"lengthscale\":0.8}],\"outputs\":[{\"name\":\"a\",\"operator\":%s,\"sensitivity\":[1.3],"
             "\"noise_variance\":0.1},{\"name\":\"b\",\"operator\":%s,\"sensitivity\":[-0.7],\"noise_variance\":0.2}]}",
             inputs, kernel, operators[inputs == 1], operators[inputs == 1]);
    need(ctx, lf_model_parse(ctx, text, "bench", &model));
    return model;
}

static lf_data *make_rows(lf_context *ctx, int inputs, size_t n)
{
    lf_data *data;
    need(ctx, lf_data_create(ctx, (size_t)inputs, &data));
    for (size_t i = 0; i < n; i++) {
        double t = (double)i, x[4] = {0.02 * t, 2 * sin(1.1 * t), 2 * cos(1.7 * t), 2 * sin(2.3 * t)};
        x[0] = inputs == 1 ? 40 * t / (double)n : 2 * sin(0.7 * t);
        need(ctx,
             lf_data_add(ctx, data,
                         &(lf_row){.size = sizeof(lf_row), .output = i % 2 ? "a" : "b", .x = x, .y = sin(3 * x[0])}));
    }
    return data;
}

static double seconds_of(lf_context *ctx, const lf_model *model, const lf_data *data, lf_engine_options options,
                         const char *device, double *value)
{
    size_t count = lf_parameter_count(model);
    double *gradient = malloc(count * sizeof *gradient), best;
    lf_engine *engine;
    options.device = device;
    need(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    need(ctx, lf_engine_evaluate(engine, count, NULL, value, gradient));
    BEST_OF(best, 2, need(ctx, lf_engine_evaluate(engine, count, NULL, value, gradient)));
    lf_engine_free(engine);
    free(gradient);
    return best;
}

static void compare(lf_context *ctx, const char *device, int inputs, const char *kernel, size_t n,
                    lf_engine_options options)
{
    lf_model *model = make_model(ctx, inputs, kernel);
    lf_data *data = make_rows(ctx, inputs, n);
    double there, here, value, expected;
    there = seconds_of(ctx, model, data, options, device, &value);
    here = seconds_of(ctx, model, data, options, "cpu", &expected);
    printf("%-12s %-11s %d input%s %-8s %7zu rows %5zu: %8.3f s, cpu %8.3f s, ratio %5.1f, difference %.1e\n",
           options.engine, options.nodes ? options.nodes : "auto", inputs, inputs > 1 ? "s" : " ", kernel, n,
           options.inducing, there, here, here / there, fabs(value - expected) / fabs(expected));
    fflush(stdout);
    lf_data_free(data);
    lf_model_free(model);
}

int main(int argc, char **argv)
{
    const char *device = argc > 1 ? argv[1] : "cpu";
    size_t dense = argc > 2 ? strtoul(argv[2], NULL, 10) : 4000, rows = argc > 3 ? strtoul(argv[3], NULL, 10) : 20000;
    size_t inducing = argc > 4 ? strtoul(argv[4], NULL, 10) : 500;
    static const char *const methods[] = {"variational", "fitc"};
    if (!lf_device_is_named(device)) {
        printf("no device was named: %s DEVICE\n", argv[0]);
        return 0;
    }
    lf_context *ctx = lf_context_create();
    lf_engine_options options = {.size = sizeof options, .engine = "dense"};
    compare(ctx, device, 1, "eq", dense, options);
    compare(ctx, device, 1, "matern32", dense, options);
    compare(ctx, device, 4, "eq", dense, options);
    for (int k = 0; k < 2; k++) {
        options = (lf_engine_options){.size = sizeof options, .engine = methods[k], .inducing = inducing};
        options.inducing_inputs = "data";
        compare(ctx, device, 4, "eq", rows, options);
        options.nodes = "mc";
        options.features = inducing;
        compare(ctx, device, 4, "eq", rows, options);
    }
    options = (lf_engine_options){.size = sizeof options, .engine = "pitc", .inducing = inducing};
    options.inducing_inputs = "data";
    compare(ctx, device, 4, "eq", dense, options);
    lf_context_free(ctx);
    return 0;
}
