/* The fourier engine on the layout of the golf data (56 second-order outputs, 24 926 rows, 6 forces, 100 frequencies, so
 * M = 1200 columns): one objective + gradient against its floor, dpotrf + dpotri of the same size in the same run; and how
 * the time depends on the number of rows. Uses the real data where they are at hand. */
#include <math.h>
#include <string.h>
#include <sys/resource.h>

#include "bench.h"

enum { OUTPUTS = 56, FORCES = 6, FEATURES = 100 };

static lf_data *golf_rows(lf_context *ctx)
{
    const char *shared = getenv("LF_SHARED");
    lf_data *data, *training;
    if (shared && *shared) {
        char path[4096];
        snprintf(path, sizeof path, "%s/data/golf.csv", shared);
        need(ctx, lf_data_read(ctx, path, NULL, &data));
        need(ctx, lf_data_select(ctx, data, NULL, "train", &training));
        lf_data_free(data);
        return training;
    }
    need(ctx, lf_data_create(ctx, 1, &data));
    for (int d = 0; d < OUTPUTS; d++) {
        char name[32];
        snprintf(name, sizeof name, "output%d", d);
        for (int i = 0; i < 448; i++) {
            double x = 0.025 * (i + 1);
            if (d < 2 && i >= 200 && i < 281) {
                continue; /* the two with a gap */
            }
            need(ctx, lf_data_add(ctx, data,
                                  &(lf_row){.size = sizeof(lf_row),
                                            .output = name,
                                            .x = &x,
                                            .y = sin(x + d) + 0.01 * sin(37.0 * i)}));
        }
    }
    return data;
}

static lf_model *model_for(lf_context *ctx, const lf_data *data, const char *initial)
{
    size_t room = 1 << 20, used = 0;
    char *text = malloc(room);
    lf_model *model;
    used += (size_t)snprintf(
        text, room, "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"%s\",\"forces\":[", initial);
    for (int q = 0; q < FORCES; q++) {
        used += (size_t)snprintf(text + used, room - used, "%s{\"kernel\":\"eq\",\"lengthscale\":%g}", q ? "," : "",
                                 0.5 + 0.2 * q);
    }
    used += (size_t)snprintf(text + used, room - used, "],\"outputs\":[");
    for (int d = 0; d < (int)lf_data_count(data, LF_KIND_OUTPUT); d++) {
        used +=
            (size_t)snprintf(text + used, room - used,
                             "%s{\"name\":\"%s\",\"operator\":{\"type\":\"ode2\",\"mass\":1,\"damper\":%g,\"spring\":"
                             "%g},\"noise_variance\":0.1,\"sensitivity\":[",
                             d ? "," : "", lf_data_name(data, LF_KIND_OUTPUT, (size_t)d), 1 + 0.05 * d, 2 + 0.1 * d);
        for (int q = 0; q < FORCES; q++) {
            used += (size_t)snprintf(text + used, room - used, "%s%g", q ? "," : "", sin(d + 2.0 * q));
        }
        used += (size_t)snprintf(text + used, room - used, "]}");
    }
    snprintf(text + used, room - used, "]}");
    need(ctx, lf_model_parse(ctx, text, "bench", &model));
    free(text);
    return model;
}

/* Seconds of one value + gradient; `setup` gets those of the one pass over the rows. */
static double time_engine(lf_context *ctx, const lf_model *model, const lf_data *data, size_t *columns, double *setup)
{
    lf_engine_options options = {.size = sizeof(lf_engine_options), .engine = "fourier", .features = FEATURES};
    lf_engine *engine;
    double value, best, *gradient = malloc(lf_parameter_count(model) * sizeof *gradient), start = seconds_now();
    need(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    *setup = seconds_now() - start;
    *columns = lf_engine_describe(engine).columns;
    BEST_OF(best, 5, need(ctx, lf_engine_evaluate(engine, lf_parameter_count(model), NULL, &value, gradient)));
    lf_engine_free(engine);
    free(gradient);
    return best;
}

static lf_data *many_rows(lf_context *ctx, size_t n, int outputs)
{
    lf_data *data;
    need(ctx, lf_data_create(ctx, 1, &data));
    for (int d = 0; d < outputs; d++) {
        char name[32];
        snprintf(name, sizeof name, "output%d", d);
        for (size_t i = 0; i < n / (size_t)outputs; i++) {
            double x = 11.2 * ((double)i + 0.5 * sin((double)i)) / ((double)n / outputs) + 0.001;
            need(ctx,
                 lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = name, .x = &x, .y = sin(x + d)}));
        }
    }
    return data;
}

int main(void)
{
    lf_context *ctx = lf_context_create();
    lf_data *golf = golf_rows(ctx);
    static const char *const starts[] = {"zero", "stationary", "free"};
    size_t columns;
    double setup;
    printf("golf layout: %d outputs, %zu rows, %d forces, %d frequencies\n\n", (int)lf_data_count(golf, LF_KIND_OUTPUT),
           lf_data_count(golf, LF_KIND_ROW), FORCES, FEATURES);
    printf("%-12s %8s %8s %12s %20s %20s %8s\n", "start", "threads", "columns", "set-up (s)", "value+gradient (s)",
           "dpotrf+dpotri (s)", "ratio");
    for (int threads = 0; threads < 2; threads++) {
        lf_context_set_threads(ctx, (size_t)threads);
        for (int k = 0; k < 3; k++) {
            lf_model *model = model_for(ctx, golf, starts[k]);
            double seconds = time_engine(ctx, model, golf, &columns, &setup), least = factor_and_invert(columns);
            printf("%-12s %8s %8zu %12.3f %20.4f %20.4f %8.2f\n", starts[k], threads ? "1" : "all", columns, setup,
                   seconds, least, seconds / least);
            lf_model_free(model);
        }
    }
    lf_data_free(golf);
    lf_context_set_threads(ctx, 0);
    printf("\nrows against time, 4 outputs, %d forces, %d frequencies\n\n", FORCES, FEATURES);
    printf("%-12s %10s %12s %20s %16s\n", "start", "rows", "set-up (s)", "value+gradient (s)", "to 10^4 rows");
    for (int k = 1; k >= 0; k--) {
        double first = 0;
        for (size_t n = 10000; n <= 1000000; n *= 10) {
            lf_data *data = many_rows(ctx, n, 4);
            lf_model *model = model_for(ctx, data, starts[k]);
            double seconds = time_engine(ctx, model, data, &columns, &setup);
            first = n == 10000 ? seconds : first;
            printf("%-12s %10zu %12.3f %20.4f %16.2f\n", starts[k], n, setup, seconds, seconds / first);
            lf_model_free(model);
            lf_data_free(data);
        }
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("\npeak memory %.0f MiB\n", (double)usage.ru_maxrss / 1024);
    lf_context_free(ctx);
    return 0;
}
