/* The inducing engines on the settings of the paper (weather: 4 first-order outputs, 200 inducing values for each of 6
 * forces; golf and walk: 56 and 48 second-order outputs, 25 values each): seconds of one variational bound + gradient on one
 * thread, step by step, with sampled features and with exact covariances; and the other three approximations against the
 * bound. Uses the real data where they are at hand, rows of the same layout otherwise. */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "inducing/inducing.h"

enum { FORCES = 6 };

typedef struct setting {
    const char *name;
    int outputs, rows, second_order;
    size_t inducing;
    double from, step; /* of the made-up rows */
} setting;

static lf_data *rows_of(lf_context *ctx, const setting *s)
{
    const char *shared = getenv("LF_SHARED");
    lf_data *data, *training;
    if (shared && *shared) {
        char path[4096];
        snprintf(path, sizeof path, "%s/data/%s.csv", shared, s->name);
        need(ctx, lf_data_read(ctx, path, NULL, &data));
        need(ctx, lf_data_select(ctx, data, NULL, "train", &training));
        lf_data_free(data);
        return training;
    }
    need(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < s->rows; i++) {
        char name[32];
        double x = s->from + s->step * (i / s->outputs + 1);
        snprintf(name, sizeof name, "output%d", i % s->outputs);
        need(ctx,
             lf_data_add(ctx, data,
                         &(lf_row){.size = sizeof(lf_row), .output = name, .x = &x, .y = sin(x + i % s->outputs)}));
    }
    return data;
}

static lf_model *model_for(lf_context *ctx, const setting *s, const lf_data *data)
{
    size_t room = 1 << 20, used = 0;
    char *text = malloc(room);
    lf_model *model;
#define PRINT(...) used += (size_t)snprintf(text + used, room - used, __VA_ARGS__)
    PRINT("{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[");
    for (int q = 0; q < FORCES; q++) {
        PRINT("%s{\"kernel\":\"eq\",\"lengthscale\":%g,\"inducing_noise\":0.135}", q ? "," : "", 0.5 + 0.2 * q);
    }
    PRINT("],\"outputs\":[");
    for (int d = 0; d < (int)lf_data_count(data, LF_KIND_OUTPUT); d++) {
        PRINT("%s{\"name\":\"%s\",\"noise_variance\":0.5,\"operator\":", d ? "," : "",
              lf_data_name(data, LF_KIND_OUTPUT, (size_t)d));
        if (s->second_order) {
            PRINT("{\"type\":\"ode2\",\"mass\":1,\"damper\":%g,\"spring\":%g},\"sensitivity\":[", 0.5 + 0.05 * d,
                  2 + 0.1 * d);
        } else {
            PRINT("{\"type\":\"ode1\",\"decay\":%g},\"sensitivity\":[", 0.8 + 0.3 * d);
        }
        for (int q = 0; q < FORCES; q++) {
            PRINT("%s%g", q ? "," : "", sin(d + 2.0 * q));
        }
        PRINT("]}");
    }
    PRINT("]}");
#undef PRINT
    need(ctx, lf_model_parse(ctx, text, "bench", &model));
    free(text);
    return model;
}

enum { STEPS = 5 };

/* One bound + gradient, its steps timed: K_uu, K_fu and K_ff, the algebra, back through these, and the rest. */
static void timed_evaluation(lf_context *ctx, lf_engine *engine, double *gradient, double *by_uu, size_t squares,
                             double *by_Y, double step[STEPS])
{
    lf_inducing *state = engine->state;
    lf_targets targets;
    double mark[STEPS + 1], value = 0;
    memset(by_uu, 0, squares * sizeof *by_uu);
    memset(by_Y, 0, state->kernel.Y_size * sizeof *by_Y);
    need(ctx, lf_engine_set_targets(engine, NULL, &targets));
    mark[0] = processor_now();
    need(ctx, lf_inducing_prepare(ctx, state, &targets));
    mark[1] = processor_now();
    need(ctx, lf_inducing_system_fill(ctx, &state->kernel, &targets, &state->systems[0]));
    mark[2] = processor_now();
    need(ctx, lf_inducing_system_solve(ctx, &state->systems[0], 1, &value));
    mark[3] = processor_now();
    need(ctx, lf_inducing_system_backward(ctx, &state->kernel, &state->systems[0], by_uu, by_Y, gradient));
    mark[4] = processor_now();
    need(ctx, lf_inducing_kernel_backward(ctx, &state->kernel, by_uu, by_Y, gradient));
    mark[5] = processor_now();
    for (int k = 0; k < STEPS; k++) {
        step[k] = mark[k + 1] - mark[k];
    }
}

static double run(lf_context *ctx, const setting *s, const lf_model *model, const lf_data *data,
                  lf_engine_options options, int repeats)
{
    lf_engine *engine;
    double best[STEPS + 1] = {[STEPS] = 1e300}, step[STEPS];
    double *gradient = calloc(lf_parameter_count(model), sizeof *gradient);
    size_t squares = FORCES * s->inducing * s->inducing;
    double *by_uu = malloc(squares * sizeof *by_uu);
    options.inducing = s->inducing;
    need(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    double *by_Y = malloc((((lf_inducing *)engine->state)->kernel.Y_size + 1) * sizeof *by_Y);
    for (int repeat = 0; repeat < repeats + 1; repeat++) { /* the first makes what stays */
        double total = 0;
        timed_evaluation(ctx, engine, gradient, by_uu, squares, by_Y, step);
        for (int k = 0; k < STEPS; k++) {
            total += step[k];
        }
        if ((repeat || !repeats) && total < best[STEPS]) {
            memcpy(best, step, sizeof step);
            best[STEPS] = total;
        }
    }
    const lf_inducing_system *system = &((lf_inducing *)engine->state)->systems[0];
    printf("%-8s %-12s %-12s %8zu %8zu %6zu", s->name, options.engine, options.nodes, system->N, system->n, system->M);
    if (options.features) {
        printf(" %5zu", options.features);
    } else {
        printf(" %5s", "-");
    }
    for (int k = 0; k < STEPS; k++) {
        printf(" %8.4f", best[k]);
    }
    printf(" %9.4f", best[STEPS]);
    fflush(stdout);
    lf_engine_free(engine);
    free(gradient);
    free(by_uu);
    free(by_Y);
    return best[STEPS];
}

int main(void)
{
    static const setting settings[] = {{"weather", 4, 5024, 0, 200, 10, 0.004},
                                       {"golf", 56, 24920, 1, 25, 0, 0.025},
                                       {"walk", 48, 16224, 1, 25, 0, 0.025}};
    lf_context *ctx = lf_context_create();
    lf_context_set_threads(ctx, 1);
    printf("%-8s %-12s %-12s %8s %8s %6s %5s %8s %8s %8s %8s %8s %9s %14s\n", "data", "engine", "nodes", "rows",
           "reduced", "M", "S", "K_uu", "K_fu", "algebra", "back", "end", "seconds", "to exact");
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const setting *s = &settings[i];
        lf_data *data = rows_of(ctx, s);
        lf_model *model = model_for(ctx, s, data);
        double exact =
            run(ctx, s, model, data,
                (lf_engine_options){.size = sizeof(lf_engine_options), .engine = "variational", .nodes = "exact"}, 5);
        printf(" %14.2f\n", 1.0);
        static const size_t features[] = {10, 20, 50, 100};
        for (int k = 0; k < 4; k++) {
            lf_engine_options options = {
                .size = sizeof(lf_engine_options), .engine = "variational", .nodes = "mc", .features = features[k]};
            printf(" %14.2f\n", run(ctx, s, model, data, options, 5) / exact);
        }
        static const char *const others[] = {"dtc", "fitc", "pitc"};
        for (int k = 0; k < 3; k++) {
            lf_engine_options options = {.size = sizeof(lf_engine_options), .engine = others[k], .nodes = "exact"};
            printf(" %14.2f\n", run(ctx, s, model, data, options, 1) / exact);
        }
        if (i == 0) { /* the classical way, in minutes for the others */
            lf_engine_options options = {
                .size = sizeof(lf_engine_options), .engine = "variational", .nodes = "closed-form"};
            printf(" %14.2f\n", run(ctx, s, model, data, options, 0) / exact);
        }
        lf_model_free(model);
        lf_data_free(data);
    }
    lf_context_free(ctx);
    return 0;
}
