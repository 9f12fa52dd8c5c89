/* Random, scrambled and orthogonal frequencies on real data: the arm of a robot, two torques against seven joint positions
 * (sarcos_long.csv.gz of the shared data), at parameters that were fitted with the exact covariance to 4000 of the training
 * rows. Scores of the second torque, averaged over seeds; then the time of one objective + gradient against its floor. */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "predict/score.h"

enum { SEEDS = 8, INPUTS = 7 };

static const char *const arm =
    "{\"format\":\"latentforce-model\",\"version\":1,\"input_dim\":7,\"forces\":["
    "{\"kernel\":\"eq\",\"lengthscale\":[2.91,3.182,3.553,3.137,1.057,2.614,5.556]},"
    "{\"kernel\":\"eq\",\"lengthscale\":[0.9246,1.818,2.324,1.288,1.107,1.592,0.7958]}],\"outputs\":["
    "{\"name\":\"torque1\",\"operator\":{\"type\":\"gaussian\",\"precision\":58.94},\"sensitivity\":[0.8545,1.039],"
    "\"noise_variance\":0.4309,\"offset\":13.39,\"scale\":20.09},"
    "{\"name\":\"torque2\",\"operator\":{\"type\":\"gaussian\",\"precision\":144.7},\"sensitivity\":[-2.897,0.2715],"
    "\"noise_variance\":0.2322,\"offset\":-24.5,\"scale\":14.78}]}";

typedef struct test_rows {
    size_t n;
    double *x, *y, *mean, *variance, noise;
    int *target;
} test_rows;

static test_rows take_test_rows(lf_context *ctx, const lf_model *model, const lf_data *all)
{
    lf_data *data;
    need(ctx, lf_data_select(ctx, all, NULL, "test", &data));
    size_t n = lf_data_count(data, LF_KIND_ROW);
    test_rows test = {.n = n,
                      .x = malloc(n * INPUTS * sizeof *test.x),
                      .y = malloc(n * sizeof *test.y),
                      .mean = malloc(n * sizeof *test.mean),
                      .variance = malloc(n * sizeof *test.variance),
                      .target = malloc(n * sizeof *test.target)};
    for (size_t i = 0; i < n; i++) {
        lf_observation row = lf_data_row(data, i);
        memcpy(test.x + i * INPUTS, row.x, INPUTS * sizeof *row.x);
        test.y[i] = row.y;
        test.target[i] = lf_model_find_output(model, lf_data_name(data, LF_KIND_OUTPUT, (size_t)row.output));
        test.noise = lf_model_noise_variance(model, test.target[i]);
    }
    lf_data_free(data);
    return test;
}

static lf_score_summary score(lf_context *ctx, const lf_model *model, const lf_data *training,
                              lf_engine_options options, test_rows *test)
{
    lf_engine *engine;
    lf_posterior *posterior;
    lf_point_list points = {.n = test->n, .target = test->target, .x = test->x};
    need(ctx, lf_engine_create(ctx, model, training, &options, &engine));
    need(ctx, lf_engine_posterior(engine, &posterior));
    need(ctx, lf_predict_list(posterior, &points, test->mean, test->variance, NULL));
    for (size_t i = 0; i < test->n; i++) {
        test->variance[i] += test->noise;
    }
    lf_posterior_free(posterior);
    lf_engine_free(engine);
    return lf_score_rows(test->n, test->y, test->mean, test->variance);
}

static void compare_rules(lf_context *ctx, const lf_model *model, const lf_data *training, test_rows *test)
{
    static const char *const rules[] = {"mc", "qmc", "orthogonal"};
    static const size_t numbers[] = {50, 100, 200, 500, 1000};
    printf("%6s %12s %10s %10s %10s\n", "S", "nodes", "nmse", "+-", "nlpd");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        for (int rule = 0; rule < 3; rule++) {
            double nmse = 0, square = 0, nlpd = 0;
            int seeds = numbers[i] > 200 ? SEEDS / 2 : SEEDS;
            for (int seed = 1; seed <= seeds; seed++) {
                lf_engine_options options = {.size = sizeof(lf_engine_options),
                                             .engine = "lowrank",
                                             .nodes = rules[rule],
                                             .features = numbers[i]};
                lf_context_set_seed(ctx, (uint64_t)seed);
                lf_score_summary s = score(ctx, model, training, options, test);
                nmse += s.nmse / seeds;
                square += s.nmse * s.nmse / seeds;
                nlpd += s.nlpd / seeds;
            }
            printf("%6zu %12s %10.4f %10.4f %10.4f\n", numbers[i], rules[rule], nmse,
                   sqrt(fmax(square - nmse * nmse, 0) / (seeds - 1)), nlpd);
        }
    }
}

static void time_objective(lf_context *ctx, const lf_model *model, const lf_data *training)
{
    lf_engine_options options = {
        .size = sizeof(lf_engine_options), .engine = "lowrank", .nodes = "qmc", .features = 500};
    lf_engine *engine;
    need(ctx, lf_engine_create(ctx, model, training, &options, &engine));
    lf_engine_info info = lf_engine_describe(engine);
    double *gradient = malloc(lf_parameter_count(model) * sizeof *gradient), value, both;
    BEST_OF(both, 3, need(ctx, lf_engine_evaluate(engine, lf_parameter_count(model), NULL, &value, gradient)));
    double least = multiply_floor(info.rows, info.columns);
    printf("\n%zu rows, M = %zu: objective + gradient %.2f s, dsyrk + dgemm %.2f s, ratio %.2f\n", info.rows,
           info.columns, both, least, both / least);
    free(gradient);
    lf_engine_free(engine);
}

int main(void)
{
    const char *shared = getenv("LF_SHARED");
    char path[4096];
    if (!shared || !*shared) {
        puts("skipped: the shared data are not at hand");
        return 0;
    }
    snprintf(path, sizeof path, "%s/data/sarcos_long.csv.gz", shared);
    lf_context *ctx = lf_context_create();
    lf_data *data, *training;
    lf_model *model;
    need(ctx, lf_data_read(ctx, path, NULL, &data));
    need(ctx, lf_data_select(ctx, data, NULL, "train", &training));
    need(ctx, lf_model_parse(ctx, arm, "bench", &model));
    need(ctx, lf_model_standardise(ctx, model, training));
    test_rows test = take_test_rows(ctx, model, data);
    compare_rules(ctx, model, training, &test);
    time_objective(ctx, model, training);
    free(test.x);
    free(test.y);
    free(test.mean);
    free(test.variance);
    free(test.target);
    lf_model_free(model);
    lf_data_free(training);
    lf_data_free(data);
    lf_context_free(ctx);
    return 0;
}
