/* The kalman engine on a year of air temperatures (four stations, every five minutes: 205 548 rows; first-order outputs, two
 * Matern-3/2 forces, a private one each: 16 states) against a textbook filter in the same run; and how the time depends on
 * the number of times. Uses the real data where they are at hand. */
#include <string.h>
#include <sys/resource.h>

#include "bench.h"
#include "engine/engine.h"
#include "textbook.h"

static const char *const stations[] = {"Bramblemet-ATMP", "Cambermet-ATMP", "Chimet-ATMP", "Sotonmet-ATMP"};

static lf_data *weather(lf_context *ctx)
{
    const char *shared = getenv("LF_SHARED");
    lf_data *all, *data;
    need(ctx, lf_data_create(ctx, 1, &data));
    if (!shared || !*shared) {
        for (int d = 0; d < 4; d++) {
            for (int i = 1; i < 105408; i += 1 + (i % (11 + d) < 6)) {
                double x = i / 288.0, y = 10 + 5 * sin(6.28 * x) + sin(40 * x + d);
                need(ctx,
                     lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = stations[d], .x = &x, .y = y}));
            }
        }
        return data;
    }
    char path[4096];
    snprintf(path, sizeof path, "%s/data/weather2020_long.csv.gz", shared);
    need(ctx, lf_data_read(ctx, path, NULL, &all));
    for (size_t i = 0; i < lf_data_count(all, LF_KIND_ROW); i++) {
        lf_observation row = lf_data_row(all, i);
        const char *name = lf_data_name(all, LF_KIND_OUTPUT, (size_t)row.output);
        if (strstr(name, "-ATMP")) {
            need(ctx,
                 lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = name, .x = row.x, .y = row.y}));
        }
    }
    lf_data_free(all);
    return data;
}

static lf_model *weather_model(lf_context *ctx)
{
    char text[8192];
    lf_model *model;
    int used = snprintf(text, sizeof text,
                        "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"stationary\",\"forces\":["
                        "{\"kernel\":\"matern32\",\"lengthscale\":0.5},{\"kernel\":\"matern32\",\"lengthscale\":0.1}],"
                        "\"outputs\":[");
    for (int d = 0; d < 4; d++) {
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "%s{\"name\":\"%s\",\"operator\":{\"type\":\"ode1\",\"decay\":%g},\"sensitivity\":[3,%g],"
                         "\"noise_variance\":0.001,\"offset\":11,\"scale\":5,\"private\":{\"kernel\":\"matern32\","
                         "\"lengthscale\":%g,\"amplitude\":2}}",
                         d ? "," : "", stations[d], 2 + 0.5 * d, 1 - 0.5 * d, 0.15 + 0.05 * d);
    }
    snprintf(text + used, sizeof text - (size_t)used, "]}");
    need(ctx, lf_model_parse(ctx, text, "bench", &model));
    return model;
}

/* Seconds of this thread: one replicate is filtered by one, and other programs do not count. */
static double cpu_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double time_value(lf_context *ctx, const lf_model *model, lf_engine *engine, double *value, double *gradient)
{
    double best = 1e300;
    for (int repeat = 0; repeat < 5; repeat++) {
        double start = cpu_now();
        need(ctx, lf_engine_evaluate(engine, lf_parameter_count(model), NULL, value, gradient));
        best = fmin(best, cpu_now() - start);
    }
    return best;
}

/* Seconds of one value and of one value + gradient; returns the value. */
static double time_engine(lf_context *ctx, const lf_model *model, const lf_data *data, double *value_only, double *both)
{
    lf_engine_options options = {.size = sizeof(lf_engine_options), .engine = "kalman"};
    lf_engine *engine;
    double value, *gradient = malloc(lf_parameter_count(model) * sizeof *gradient);
    need(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    *value_only = time_value(ctx, model, engine, &value, NULL);
    *both = time_value(ctx, model, engine, &value, gradient);
    lf_engine_free(engine);
    free(gradient);
    return value;
}

static int free_parameters(const lf_model *model)
{
    int count = 0;
    for (size_t i = 0; i < lf_parameter_count(model); i++) {
        count += !lf_parameter_get(model, i).fixed;
    }
    return count;
}

static void against_textbook(lf_context *ctx, const lf_model *model, const lf_data *data)
{
    lf_rows rows;
    lf_state_space space;
    lf_timeline timeline;
    need(ctx, lf_rows_create(ctx, model, data, &rows));
    need(ctx, lf_state_space_create(ctx, model, 0, &space));
    need(ctx, lf_state_space_update(ctx, &space));
    need(ctx, lf_timeline_create(ctx, model, (double)NAN, &rows.replicates[0].points, NULL, &timeline));
    double *y = malloc(rows.n * sizeof *y), *noise = malloc(rows.n * sizeof *noise), value_only, both;
    lf_rows_scaled(model, &rows.replicates[0], y, noise);
    double ours = time_engine(ctx, model, data, &value_only, &both);
    double steps = (double)timeline.step_count, runs = 1 + free_parameters(model);
    printf("%zu rows at %zu times, %zu distinct gaps, %d states: value %.3f s, value + gradient %.3f s\n\n", rows.n,
           timeline.step_count, timeline.gap_count, space.n, value_only, both);
    printf("%-44s %16s %16s %22s\n", "textbook filter", "value (us/time)", "ratio of values", "ratio with gradient");
    printf("%-44s %16.2f %16.1f %22.1f\n", "(the engine)", 1e6 * value_only / steps, 1.0, 1.0);
    for (int cached = 0; cached < 2; cached++) {
        size_t some =
            cached ? timeline.step_count : timeline.step_count / 20; /* the slower one: a part stands for all */
        double seconds = 1e300, value = 0;
        for (int repeat = 0; repeat < 3; repeat++) {
            double start = cpu_now();
            value = textbook_filter(&space, &timeline, some, cached, y, noise);
            seconds = fmin(seconds, (cpu_now() - start) * steps / (double)some);
        }
        printf("%-44s %16.2f %16.1f %22.1f\n",
               cached ? "transitions once for each gap" : "transitions anew at each time", 1e6 * seconds / steps,
               seconds / value_only, seconds * runs / both);
        if (cached) {
            printf(
                "\nlog likelihood %.10g, of the textbook filter %.10g; its gradient is by differences, %.0f values\n",
                ours, value, runs);
        }
    }
    free(y);
    free(noise);
    lf_timeline_clear(&timeline);
    lf_state_space_clear(&space);
    lf_rows_clear(&rows);
}

static const char small_text[] =
    "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[{\"kernel\":\"matern32\",\"lengthscale\":2}],"
    "\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":1},\"sensitivity\":[1],\"noise_variance\":"
    "0.1},"
    "{\"name\":\"b\",\"operator\":{\"type\":\"ode2\",\"mass\":1,\"damper\":1,\"spring\":2},\"sensitivity\":[2],"
    "\"noise_variance\":0.1,\"private\":{\"kernel\":\"matern52\",\"lengthscale\":1,\"amplitude\":1}}]}";

/* Both outputs at each of n times. */
static lf_data *many_rows(lf_context *ctx, size_t n, int even)
{
    lf_data *data;
    need(ctx, lf_data_create(ctx, 1, &data));
    for (size_t i = 1; i <= n; i++) {
        double x = 0.1 * ((double)i + (even ? 0 : 0.4 * sin((double)i * (double)i)));
        need(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = &x, .y = sin(x)}));
        need(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "b", .x = &x, .y = cos(x)}));
    }
    return data;
}

int main(void)
{
    lf_context *ctx = lf_context_create();
    lf_model *model = weather_model(ctx);
    lf_data *data = weather(ctx);
    struct rusage usage;
    against_textbook(ctx, model, data);
    lf_data_free(data);
    lf_model_free(model);
    need(ctx, lf_model_parse(ctx, small_text, "bench", &model));
    printf("\n%-12s %10s %12s %20s %16s\n", "times", "number", "value (s)", "value+gradient (s)", "to 10^4 times");
    for (int even = 1; even >= 0; even--) {
        double first = 0;
        for (size_t n = 10000; n <= 1000000; n *= 10) {
            double value_only, both;
            data = many_rows(ctx, n, even);
            time_engine(ctx, model, data, &value_only, &both);
            first = n == 10000 ? both : first;
            printf("%-12s %10zu %12.4f %20.4f %16.2f\n", even ? "even" : "irregular", n, value_only, both,
                   both / first);
            lf_data_free(data);
        }
    }
    getrusage(RUSAGE_SELF, &usage);
    printf("\npeak memory %.0f MiB\n", (double)usage.ru_maxrss / 1024);
    lf_model_free(model);
    lf_context_free(ctx);
    return 0;
}
