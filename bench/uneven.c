/* The kalman engine where every gap between times is different: seconds of a log likelihood, and of one with its gradient, on one thread, for
 * systems of 2 to 36 states; and how they compare with even times. */
#include <string.h>

#include "bench.h"

enum { REPEATS = 5 };

typedef struct system_case {
    const char *name, *text;
    int outputs;
    size_t times;
} system_case;

#define STEADY "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"stationary\","
#define OUTPUT(NAME, DECAY, FIRST, SECOND, LENGTHSCALE)                                                                \
    "{\"name\":\"" NAME "\",\"operator\":{\"type\":\"ode1\",\"decay\":" #DECAY "},\"sensitivity\":[1,0.5," #FIRST      \
    "," #SECOND "],\"noise_variance\":0.1,\"private\":{\"kernel\":\"matern12\",\"lengthscale\":" #LENGTHSCALE          \
    ",\"amplitude\":1}}"

static const system_case systems[] = {
    {"oscillator, white force",
     STEADY "\"forces\":[{\"kernel\":\"white\"}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode2\",\"mass\":"
            "1,\"damper\":0.75,\"spring\":2.25},\"sensitivity\":[1],\"noise_variance\":0.1}]}",
     1, 100000},
    {"order 1, Matern-3/2 force",
     STEADY "\"forces\":[{\"kernel\":\"matern32\",\"lengthscale\":2}],\"outputs\":[{\"name\":\"a\",\"operator\":{"
            "\"type\":\"ode1\",\"decay\":1},\"sensitivity\":[1],\"noise_variance\":0.1}]}",
     1, 100000},
    {"orders 1 and 2, one private force",
     STEADY "\"forces\":[{\"kernel\":\"matern32\",\"lengthscale\":2}],\"outputs\":[{\"name\":\"a\",\"operator\":{"
            "\"type\":\"ode1\",\"decay\":1},\"sensitivity\":[1],\"noise_variance\":0.1},{\"name\":\"b\",\"operator\":{"
            "\"type\":\"ode2\",\"mass\":1,\"damper\":1,\"spring\":2},\"sensitivity\":[2],\"noise_variance\":0.1,"
            "\"private\":{\"kernel\":\"matern52\",\"lengthscale\":1,\"amplitude\":1}}]}",
     2, 20000},
    {"4 outputs with 2 cycles",
     STEADY "\"forces\":[{\"kernel\":\"matern32\",\"lengthscale\":2},{\"kernel\":\"matern32\",\"lengthscale\":5},"
            "{\"kernel\":\"periodic*matern12\",\"lengthscale\":40,\"period\":8,\"period_lengthscale\":1},{\"kernel\":"
            "\"periodic*matern12\",\"lengthscale\":40,\"period\":8,\"period_lengthscale\":1}],\"outputs\":[" OUTPUT(
                "a", 2, 1, 0, 1) "," OUTPUT("b", 1, 1, 0.5, 0.5) "," OUTPUT("c", 0.5, 0, 1, 2) "," OUTPUT("d", 3, 0.5,
                                                                                                          -1, 0.3) "]}",
     4, 4000},
};

/* Readings of every output at each time, some 0.1 apart. */
static lf_data *readings(lf_context *ctx, const system_case *c, int even)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    lf_data *data;
    need(ctx, lf_data_create(ctx, 1, &data));
    for (size_t i = 1; i <= c->times; i++) {
        double x = 0.1 * ((double)i + (even ? 0 : 0.4 * sin((double)i * (double)i)));
        for (int d = 0; d < c->outputs; d++) {
            need(ctx, lf_data_add(ctx, data,
                                  &(lf_row){.size = sizeof(lf_row), .output = names[d], .x = &x, .y = sin(x + d)}));
        }
    }
    return data;
}

/* Microseconds for each time. */
static void measure(lf_context *ctx, const system_case *c, int even)
{
    lf_engine_options options = {.size = sizeof(lf_engine_options), .engine = "kalman"};
    lf_model *model;
    lf_engine *engine;
    lf_data *data = readings(ctx, c, even);
    double value = 0, alone, both;
    need(ctx, lf_model_parse(ctx, c->text, "bench", &model));
    need(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    lf_engine_info info = lf_engine_describe(engine);
    double *gradient = malloc(lf_parameter_count(model) * sizeof *gradient);
    BEST_OF(alone, REPEATS, need(ctx, lf_engine_evaluate(engine, lf_parameter_count(model), NULL, &value, NULL)));
    BEST_OF(both, REPEATS, need(ctx, lf_engine_evaluate(engine, lf_parameter_count(model), NULL, &value, gradient)));
    printf("%-36s %7zu %7zu %-7s %10.3f %16.3f   %.15g\n", c->name, info.columns, c->times, even ? "even" : "uneven",
           1e6 * alone / (double)c->times, 1e6 * both / (double)c->times, value);
    free(gradient);
    lf_engine_free(engine);
    lf_model_free(model);
    lf_data_free(data);
}

int main(int argc, char **argv)
{
    lf_context *ctx = lf_context_create();
    bench_clock = processor_now;
    printf("%-36s %7s %7s %-7s %10s %16s   %s\n", "system", "states", "times", "", "value (us)", "with gradient",
           "log likelihood");
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
        if (argc < 2 || strcmp(argv[1], systems[i].name) == 0) {
            measure(ctx, &systems[i], 0);
            measure(ctx, &systems[i], 1);
        }
    }
    lf_context_free(ctx);
    return 0;
}
