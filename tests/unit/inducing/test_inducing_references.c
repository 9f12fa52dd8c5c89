/* The variational bound on the experiments of the paper, at a fixed parameter vector, against the authors' code: value,
 * gradient and predictions. Needs the shared folder; exit status 77 without. */
#include "support.h"

#include "inducing/inducing.h"

enum { FORCES = 6 };

typedef struct experiment {
    const char *name, *rows;
    int inducing, second_order, features;
    /* Tolerances: of the bound, of entries of its gradient (floor: relative to the largest of them), of means in units of
     * scale and size, of variances. */
    double bound, gradient, floor, mean, variance;
} experiment;

/* The parameters of a reference with its gradient, by name. */
typedef struct references {
    size_t n;
    char names[600][32];
    double value[600], gradient[600];
} references;

static FILE *open_reference(const char *name, const char *what)
{
    char file[128], path[SHARED_PATH];
    snprintf(file, sizeof file, "refs/bound_%s_%s.csv", name, what);
    assert_non_null(shared_file(file, path));
    return fopen(path, "r");
}

static void read_references(const char *name, references *r)
{
    FILE *file = open_reference(name, "params_grad");
    assert_int_equal(fscanf(file, "%*[^\n]"), 0);
    for (r->n = 0;
         r->n < 600 && fscanf(file, " %31[^,],%lf,%lf", r->names[r->n], &r->value[r->n], &r->gradient[r->n]) == 3;
         r->n++) {
    }
    fclose(file);
}

static double parameter(const references *r, const char *what, int i, int j, double otherwise)
{
    char name[64];
    snprintf(name, sizeof name, j ? "%s_%d_%d" : "%s_%d", what, i, j);
    for (size_t k = 0; k < r->n; k++) {
        if (strcmp(r->names[k], name) == 0) {
            return r->value[k];
        }
    }
    return otherwise;
}

/* Offset and scale of an output as the authors take them: first sample and standard deviation of all rows. */
static void units(const lf_data *data, int output, double *offset, double *scale)
{
    double n = 0, mean = 0, square = 0, first = INFINITY;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < lf_data_count(data, LF_KIND_ROW); i++) {
            lf_observation row = lf_data_row(data, i);
            if (row.output != output) {
                continue;
            }
            if (pass == 0) {
                n++;
                mean += row.y;
                *offset = row.x[0] < first ? row.y : *offset;
                first = fmin(first, row.x[0]);
            } else {
                square += (row.y - mean) * (row.y - mean);
            }
        }
        mean /= pass ? 1 : n;
    }
    *scale = sqrt(square / (n - 1));
}

static lf_model *reference_model(lf_context *ctx, const experiment *e, const references *r, const lf_data *data)
{
    size_t room = 1 << 20, used = 0;
    char *text = malloc(room);
#define PRINT(...) used += (size_t)snprintf(text + used, room - used, __VA_ARGS__)
    PRINT("{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[");
    for (int q = 1; q <= FORCES; q++) {
        PRINT("%s{\"kernel\":\"eq\",\"lengthscale\":%.17g,\"inducing_noise\":%.17g}", q > 1 ? "," : "",
              sqrt(2 / exp(parameter(r, "log_inverseWidth", q, 0, 0))), exp(parameter(r, "log_gamma", q, 0, 0)));
    }
    PRINT("],\"outputs\":[");
    for (int d = 1; d <= (int)lf_data_count(data, LF_KIND_OUTPUT); d++) {
        double offset = 0, scale = 1;
        if (e->second_order) {
            units(data, d - 1, &offset, &scale);
            PRINT("%s{\"operator\":{\"type\":\"ode2\",\"mass\":%.17g,\"damper\":%.17g,\"spring\":%.17g}",
                  d > 1 ? "," : "", exp(parameter(r, "log_mass", d, 0, 0)), exp(parameter(r, "log_damper", d, 0, 0)),
                  exp(parameter(r, "log_spring", d, 0, 0)));
        } else {
            PRINT("%s{\"operator\":{\"type\":\"ode1\",\"decay\":%.17g}", d > 1 ? "," : "",
                  exp(parameter(r, "log_decay", d, 0, 0)));
        }
        PRINT(",\"name\":\"%s\",\"offset\":%.17g,\"scale\":%.17g,\"noise_variance\":%.17g,\"sensitivity\":[",
              lf_data_name(data, LF_KIND_OUTPUT, (size_t)(d - 1)), offset, scale,
              exp(-parameter(r, "log_beta", d, 0, 0)));
        for (int q = 1; q <= FORCES; q++) {
            PRINT("%s%.17g", q > 1 ? "," : "", parameter(r, "S", d, q, 0));
        }
        PRINT("]}");
    }
    PRINT("]}");
#undef PRINT
    lf_model *model = parse_model(ctx, text);
    free(text);
    return model;
}

/* The draws of the authors in place of ours, the same for all forces: lambda = sqrt(2) Z / lengthscale. */
static void take_draws(const experiment *e, lf_engine *engine)
{
    FILE *file = open_reference(e->name, "Z");
    lf_grids *grids = &((lf_inducing *)engine->state)->kernel.features.grids;
    assert_int_equal(fscanf(file, "%*s"), 0);
    for (int s = 0; s < e->features; s++) {
        double z;
        assert_int_equal(fscanf(file, "%lf", &z), 1);
        for (int g = 0; g < grids->grid_count; g++) {
            assert_int_equal(grids->grids[g].count, e->features);
            grids->grids[g].base[s] = sqrt(2) * z;
        }
    }
    fclose(file);
}

/* Our entry of theta for one of theirs; factor: what d(ours)/d(theirs) is. */
static size_t counterpart(lf_context *ctx, const lf_model *model, const char *theirs, double *factor)
{
    char what[32], ours[256];
    int i = 0, j = 0;
    size_t index;
    *factor = 1;
    if (sscanf(theirs, "S_%d_%d", &i, &j) == 2) {
        snprintf(ours, sizeof ours, "%s.sensitivity%d", lf_model_name(model, LF_KIND_OUTPUT, (size_t)(i - 1)), j);
    } else {
        assert_int_equal(sscanf(theirs, "log_%31[^_]_%d", what, &i), 2);
        if (strcmp(what, "inverseWidth") == 0) {
            *factor = -0.5;
            snprintf(ours, sizeof ours, "force%d.lengthscale", i);
        } else if (strcmp(what, "gamma") == 0) {
            snprintf(ours, sizeof ours, "force%d.inducing_noise", i);
        } else {
            int noise = strcmp(what, "beta") == 0;
            *factor = noise ? -1 : 1;
            snprintf(ours, sizeof ours, "%s.%s", lf_model_name(model, LF_KIND_OUTPUT, (size_t)(i - 1)),
                     noise ? "noise_variance" : what);
        }
    }
    assert_ok(ctx, lf_parameter_find(ctx, model, ours, &index));
    return index;
}

static void check_references(lf_context *ctx, const experiment *e, const references *r, const lf_model *model,
                             double value, const double *gradient)
{
    FILE *file = open_reference(e->name, "value");
    double bound, largest = 0;
    assert_int_equal(fscanf(file, "%*[^\n]"), 0);
    assert_int_equal(fscanf(file, "%lf", &bound), 1);
    fclose(file);
    assert_near(value, bound, e->bound * fabs(bound));
    for (size_t i = 0; i < r->n; i++) {
        largest = fmax(largest, fabs(r->gradient[i]));
    }
    for (size_t i = 0; i < r->n; i++) {
        double factor, found = gradient[counterpart(ctx, model, r->names[i], &factor)];
        check_near(factor * found, r->gradient[i], e->gradient * fabs(r->gradient[i]) + e->floor * largest, r->names[i],
                   __FILE__, __LINE__);
    }
}

/* Means and correct variances at the test rows, noise included. */
static void check_predictions(lf_context *ctx, const experiment *e, const lf_model *model, lf_engine *engine)
{
    FILE *file = open_reference(e->name, "pred");
    char name[64];
    double x, y, mean, released, full;
    lf_posterior *posterior;
    size_t rows = 0;
    assert_ok(ctx, lf_engine_posterior(engine, &posterior));
    assert_int_equal(fscanf(file, "%*[^\n]"), 0);
    while (fscanf(file, " %63[^,],%lf,%lf,%lf,%lf,%lf", name, &x, &y, &mean, &released, &full) == 6) {
        int target = lf_model_find_output(model, name);
        lf_point_list points = {.n = 1, .target = &target, .x = &x};
        double m, v, scale = lf_model_output(model, target).scale;
        assert_ok(ctx, lf_predict_list(posterior, &points, &m, &v, NULL));
        assert_near(m, mean, e->mean * (fabs(mean) + scale));
        assert_near(v + lf_model_noise_variance(model, target), full, e->variance * full);
        rows++;
    }
    assert_true(rows > 100);
    fclose(file);
    lf_posterior_free(posterior);
}

static void run(lf_context *ctx, const experiment *e)
{
    char rows[128], path[SHARED_PATH];
    lf_data *data, *training;
    lf_engine *engine;
    references *r = malloc(sizeof *r);
    double value;
    snprintf(rows, sizeof rows, "data/%s.csv", e->rows);
    assert_ok(ctx, lf_data_read(ctx, shared_file(rows, path), NULL, &data));
    assert_ok(ctx, lf_data_select(ctx, data, NULL, "train", &training));
    read_references(e->name, r);
    lf_model *model = reference_model(ctx, e, r, data);
    lf_engine_options options = {
        .size = sizeof(lf_engine_options), .engine = "variational", .inducing = (size_t)e->inducing, .nodes = "exact"};
    if (e->features) {
        options.nodes = "mc";
        options.features = (size_t)e->features;
    }
    double *gradient = malloc(lf_parameter_count(model) * sizeof *gradient);
    assert_ok(ctx, lf_engine_create(ctx, model, training, &options, &engine));
    if (e->features) {
        take_draws(e, engine);
    }
    assert_ok(ctx, lf_engine_evaluate(engine, lf_parameter_count(model), NULL, &value, gradient));
    assert_near(lf_engine_describe(engine).jitter, 0, 0);
    check_references(ctx, e, r, model, value, gradient);
    check_predictions(ctx, e, model, engine);
    lf_engine_free(engine);
    lf_model_free(model);
    lf_data_free(data);
    lf_data_free(training);
    free(gradient);
    free(r);
}

static void test_weather(void **state)
{
    run(*state, &(experiment){"weather_sim", "weather", 200, 0, 0, 3e-12, 2e-5, 2e-8, 5e-9, 1e-12});
    run(*state, &(experiment){"weather_kffsim_S10", "weather", 200, 0, 10, 5e-13, 5e-6, 5e-9, 5e-9, 2e-12});
}

static void test_walk(void **state)
{
    /* made with an approximation of the error function that is right to 1e-6: small entries suffer */
    run(*state, &(experiment){"walk_lfm", "walk", 25, 1, 0, 1e-8, 1e-4, 1e-5, 5e-7, 1e-6});
    run(*state, &(experiment){"walk_kfflfm_S10", "walk", 25, 1, 10, 1e-14, 5e-7, 5e-10, 2e-10, 5e-13});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_weather), cmocka_unit_test(test_walk)};
    char path[SHARED_PATH];
    if (!shared_file("data/weather.csv", path) || !shared_file("data/walk.csv", path) ||
        !shared_file("refs/bound_weather_sim_value.csv", path)) {
        return 77;
    }
    return cmocka_run_group_tests(tests, make_context, free_context);
}
