/* Small random models and rows for the tests of the kalman engine. */
#ifndef LF_TESTS_RANDOM_MODELS_H
#define LF_TESTS_RANDOM_MODELS_H

#include "model/model.h"
#include "support.h"

static const char *const kernels[] UNUSED = {"matern12", "matern32", "matern52", "eq"};

/* Two outputs, two forces, a private force; orders 1 to 3. */
static UNUSED lf_model *random_model(lf_context *ctx, lf_random *random, const char *initial, int kernel_count,
                                     int damped)
{
    char text[4096], operators[2][256];
    for (int d = 0; d < 2; d++) {
        int order = 1 + (int)(3 * lf_random_uniform(random));
        double decay = uniform_between(random, damped ? 1 : -0.5, 2), w = uniform_between(random, 0.5, 2);
        double c = uniform_between(random, 1.5, 3);
        if (order == 1) {
            snprintf(operators[d], sizeof *operators, "{\"type\":\"ode\",\"coefficients\":[%g,%g]}", c, c * decay);
        } else if (order == 2) {
            snprintf(operators[d], sizeof *operators, "{\"type\":\"ode2\",\"mass\":%g,\"damper\":%g,\"spring\":%g}", c,
                     damped ? 2 * c * decay : 0, c * (decay * decay + w * w));
        } else { /* (s + decay) ((s + 1)^2 + w^2) */
            double q = damped ? 1 : -0.1, s0 = q * q + w * w;
            snprintf(operators[d], sizeof *operators, "{\"type\":\"ode\",\"coefficients\":[%g,%g,%g,%g]}", c,
                     c * (decay + 2 * q), c * (2 * q * decay + s0), c * decay * s0);
        }
    }
#define PICK kernels[(int)(kernel_count * lf_random_uniform(random))]
    snprintf(text, sizeof text,
             "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"%s\",\"origin\":-0.25,\"forces\":["
             "{\"kernel\":\"%s\",\"lengthscale\":%g},{\"kernel\":\"%s\",\"lengthscale\":%g}],\"outputs\":["
             "{\"name\":\"a\",\"operator\":%s,\"sensitivity\":[%g,%g],\"noise_variance\":%g,"
             "\"private\":{\"kernel\":\"%s\",\"lengthscale\":%g,\"amplitude\":%g}},"
             "{\"name\":\"b\",\"operator\":%s,\"sensitivity\":[%g,%g],\"noise_variance\":%g}]}",
             initial, PICK, log_between(random, 0.4, 3), PICK, log_between(random, 0.4, 3), operators[0],
             uniform_between(random, 1, 4), uniform_between(random, -3, 3), log_between(random, 1e-4, 0.1), PICK,
             log_between(random, 0.4, 2), uniform_between(random, 0.5, 2), operators[1], uniform_between(random, -4, 4),
             uniform_between(random, 1, 3), log_between(random, 1e-3, 0.1));
#undef PICK
    return parse_model(ctx, text);
}

/* Rows at shared, own and repeated times, some with error bars. */
static UNUSED lf_data *random_rows(lf_context *ctx, lf_random *random, size_t n, const char *replicate, lf_data *data)
{
    double x = 0.1;
    if (!data) {
        assert_ok(ctx, lf_data_create(ctx, 1, &data));
    }
    for (size_t i = 0; i < n; i++) {
        double u = lf_random_uniform(random);
        x += u < 0.3 ? 0 : u < 0.6 ? 0.125 : 0.4 * lf_random_uniform(random);
        assert_ok(ctx, lf_data_add(ctx, data,
                                   &(lf_row){.size = sizeof(lf_row),
                                             .output = lf_random_uniform(random) < 0.5 ? "a" : "b",
                                             .replicate = replicate,
                                             .x = &x,
                                             .y = lf_random_normal(random),
                                             .sd = i % 3 ? 0 : 0.2}));
    }
    return data;
}

static const lf_engine_options kalman UNUSED = {.size = sizeof(lf_engine_options), .engine = "kalman"};

#endif
