/* One objective + gradient of the dense engine against its floor: dpotrf + dpotri of the same size in the same run. */
#include <math.h>
#include <string.h>

#include "bench.h"

static const char *const text =
    "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":1},{\"kernel\":"
    "\"eq\",\"lengthscale\":0.5}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode2\",\"mass\":1,\"damper\":3,"
    "\"spring\":1},\"sensitivity\":[1,2],\"noise_variance\":0.1},{\"name\":\"b\",\"operator\":{\"type\":\"ode2\","
    "\"mass\":1,\"damper\":0.2,\"spring\":2},\"sensitivity\":[2,-1],\"noise_variance\":0.1,\"private\":{\"kernel\":"
    "\"eq\",\"lengthscale\":0.7,\"amplitude\":1}},{\"name\":\"c\",\"operator\":{\"type\":\"ode1\",\"decay\":0.8},"
    "\"sensitivity\":[1,1],\"noise_variance\":0.1}]}";

int main(void)
{
    lf_context *ctx = lf_context_create();
    lf_model *model;
    need(ctx, lf_model_parse(ctx, text, "bench", &model));
    size_t parameters = lf_parameter_count(model);
    double *gradient = malloc(parameters * sizeof *gradient);
    printf("%8s %12s %20s %20s %8s\n", "rows", "value (s)", "value+gradient (s)", "dpotrf+dpotri (s)", "ratio");
    for (size_t n = 750; n <= 3000; n *= 2) {
        lf_data *data;
        lf_engine *engine;
        const char *const names[] = {"a", "b", "c"};
        need(ctx, lf_data_create(ctx, 1, &data));
        for (size_t i = 0; i < n; i++) {
            double x = 10.0 * (double)i / (double)n;
            need(ctx, lf_data_add(ctx, data,
                                  &(lf_row){.size = sizeof(lf_row),
                                            .output = names[i % 3],
                                            .x = &x,
                                            .y = sin(x) + 0.3 * sin(7.0 * (double)i)}));
        }
        const lf_engine_options options = {.size = sizeof(lf_engine_options), .engine = "dense"};
        need(ctx, lf_engine_create(ctx, model, data, &options, &engine));
        double value, alone, both, least = factor_and_invert(n);
        BEST_OF(alone, 3, need(ctx, lf_engine_evaluate(engine, 0, NULL, &value, NULL)));
        BEST_OF(both, 3, need(ctx, lf_engine_evaluate(engine, lf_parameter_count(model), NULL, &value, gradient)));
        printf("%8zu %12.3f %20.3f %20.3f %8.2f\n", n, alone, both, least, both / least);
        lf_engine_free(engine);
        lf_data_free(data);
    }
    free(gradient);
    lf_model_free(model);
    lf_context_free(ctx);
    return 0;
}
