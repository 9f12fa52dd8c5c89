/* The inducing engines: the reference values of the authors' code on real data, identities between approximations, every
 * gradient, posteriors, and what is said when something cannot be done. */
#include "support.h"

#include "base/numbers.h"
#include "inducing/inducing.h"

static const char *const engines[] = {"dtc", "variational", "fitc", "pitc"};

/* ---- models and rows ---- */

typedef struct recipe {
    const char *initial, *kernel, *operators; /* of two outputs: "ode1", "ode2", "ode3", "gaussian" */
    int private, inducing, noise;
} recipe;

static const char *operator_text(const char *type, int d)
{
    static char text[2][200];
    double tilt = d ? 1.3 : 1;
    if (strcmp(type, "ode1") == 0) {
        snprintf(text[d], sizeof text[d], "{\"type\":\"ode1\",\"decay\":%g}", 0.8 * tilt);
    } else if (strcmp(type, "ode2") == 0) {
        snprintf(text[d], sizeof text[d], "{\"type\":\"ode2\",\"mass\":%g,\"damper\":%g,\"spring\":%g}", 1.1 * tilt,
                 1.4, 2 * tilt);
    } else if (strcmp(type, "ode3") == 0) {
        snprintf(text[d], sizeof text[d], "{\"type\":\"ode\",\"coefficients\":[1,%g,3,%g]}", 2.5 * tilt, 1.5 * tilt);
    } else {
        snprintf(text[d], sizeof text[d], "{\"type\":\"gaussian\",\"precision\":%g}", 4 * tilt);
    }
    return text[d];
}

static lf_model *make_model(lf_context *ctx, recipe r)
{
    char text[6000];
    int used = snprintf(text, sizeof text,
                        "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"%s\",\"forces\":[", r.initial);
    for (int q = 0; q < 2; q++) {
        used += snprintf(text + used, sizeof text - (size_t)used, "%s{\"kernel\":\"%s\",\"lengthscale\":%g",
                         q ? "," : "", r.kernel, 0.7 + 0.5 * q);
        if (r.inducing) {
            used +=
                snprintf(text + used, sizeof text - (size_t)used, ",\"inducing\":[0.2,0.9,1.7,2.6,%g]", 3.1 + 0.2 * q);
        }
        if (r.noise) {
            used += snprintf(text + used, sizeof text - (size_t)used, ",\"inducing_noise\":%g", 0.1 + 0.05 * q);
        }
        used += snprintf(text + used, sizeof text - (size_t)used, "}");
    }
    used += snprintf(text + used, sizeof text - (size_t)used, "],\"outputs\":[");
    for (int d = 0; d < 2; d++) {
        used +=
            snprintf(text + used, sizeof text - (size_t)used,
                     "%s{\"name\":\"%s\",\"operator\":%s,\"sensitivity\":[%g,%g],\"noise_variance\":%g,\"offset\":%g,"
                     "\"scale\":%g",
                     d ? "," : "", d ? "b" : "a", operator_text(r.operators, d), 1.4 - d, 0.6 + 0.9 * d,
                     0.05 + 0.03 * d, 0.3 - d, 1.2);
        if (r.private) {
            used += snprintf(text + used, sizeof text - (size_t)used,
                             ",\"private\":{\"kernel\":\"%s\",\"lengthscale\":%g,\"amplitude\":%g}", r.kernel,
                             0.9 - 0.1 * d, 0.5 + 0.2 * d);
        }
        used += snprintf(text + used, sizeof text - (size_t)used, "}");
    }
    snprintf(text + used, sizeof text - (size_t)used, "]}");
    return parse_model(ctx, text);
}

/* Rows of two outputs on [0, 3.5], in `replicates` runs; with error bars of their own where `bars`. */
static lf_data *make_rows(lf_context *ctx, size_t each, int replicates, int bars)
{
    lf_data *data;
    lf_random random;
    lf_random_seed(&random, 5);
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int r = 0; r < replicates; r++) {
        for (int d = 0; d < 2; d++) {
            for (size_t i = 0; i < each; i++) {
                double x = uniform_between(&random, 0, 3.5), y = sin(2 * x + d + r) + 0.3 * lf_random_normal(&random);
                assert_ok(ctx, lf_data_add(ctx, data,
                                           &(lf_row){.size = sizeof(lf_row),
                                                     .output = d ? "b" : "a",
                                                     .replicate = replicates > 1 ? (r ? "second" : "first") : NULL,
                                                     .x = &x,
                                                     .y = y,
                                                     .sd = bars ? 0.1 + 0.1 * (double)(i % 3) : 0}));
            }
        }
    }
    return data;
}

static double value_of(lf_context *ctx, const lf_model *model, const lf_data *data, lf_engine_options options)
{
    lf_engine *engine;
    double value;
    assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &value, NULL));
    lf_engine_free(engine);
    return value;
}

static void free_inducing(lf_model *model)
{
    for (size_t i = 0; i < lf_parameter_count(model); i++) {
        if (strstr(lf_parameter_get(model, i).name, ".inducing")) {
            lf_parameter_fix(model, i, 0);
        }
    }
}

/* ---- gradients ---- */

static void test_gradients(void **state)
{
    lf_context *ctx = *state;
    static const struct {
        recipe recipe;
        lf_engine_options options; /* but for the engine */
        int replicates, bars;
    } cases[] = {
        {{"zero", "eq", "ode2", 0, 1, 1}, {.size = sizeof(lf_engine_options), .nodes = "exact"}, 1, 0},
        {{"zero", "eq", "ode1", 0, 1, 0}, {.size = sizeof(lf_engine_options), .nodes = "closed-form"}, 1, 0},
        {{"stationary", "eq", "ode2", 1, 1, 1}, {.size = sizeof(lf_engine_options), .nodes = "exact"}, 2, 0},
        {{"free", "eq", "ode2", 1, 1, 1}, {.size = sizeof(lf_engine_options), .nodes = "exact"}, 1, 1},
        {{"free", "eq", "ode2", 1, 1, 1}, {.size = sizeof(lf_engine_options), .nodes = "closed-form"}, 1, 0},
        {{"free", "eq", "ode1", 0, 0, 1},
         {.size = sizeof(lf_engine_options), .nodes = "mc", .features = 12, .inducing = 4},
         1,
         0},
        {{"zero", "eq", "ode3", 1, 1, 1}, {.size = sizeof(lf_engine_options), .nodes = "mc", .features = 9}, 2, 0},
        {{"zero", "matern32", "ode2", 1, 1, 0}, {.size = sizeof(lf_engine_options), .nodes = "exact"}, 1, 0},
        {{"stationary", "matern12", "ode1", 1, 1, 0}, {.size = sizeof(lf_engine_options), .nodes = "exact"}, 1, 1},
        {{"free", "matern52", "ode2", 1, 1, 1}, {.size = sizeof(lf_engine_options), .nodes = "exact"}, 2, 0},
        {{"zero", "matern32", "gaussian", 1, 1, 0}, {.size = sizeof(lf_engine_options), .nodes = "closed-form"}, 1, 0},
        {{"zero", "matern52", "ode1", 0, 1, 0},
         {.size = sizeof(lf_engine_options), .nodes = "qmc", .features = 10},
         1,
         1},
        {{"zero", "eq", "gaussian", 0, 1, 0},
         {.size = sizeof(lf_engine_options), .nodes = "uniform", .features = 15},
         1,
         0},
        {{"zero", "eq", "gaussian", 0, 1, 1}, {.size = sizeof(lf_engine_options), .nodes = "closed-form"}, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += ONE_OF(5)) {
        for (int e = 0; e < 4; e++) {
            lf_model *model = make_model(ctx, cases[i].recipe);
            lf_data *data = make_rows(ctx, 14, cases[i].replicates, cases[i].bars);
            lf_engine_options options = cases[i].options;
            options.engine = engines[e];
            free_inducing(model);
            check_theta_gradient(ctx, model, data, options, 1e-7);
            lf_data_free(data);
            lf_model_free(model);
        }
    }
}

/* The same where the rows are reduced: there are many. */
static void test_gradients_of_many_rows(void **state)
{
    lf_context *ctx = *state;
    static const recipe recipes[] = {
        {"zero", "eq", "ode2", 0, 1, 1}, {"free", "eq", "ode1", 1, 1, 1}, {"zero", "matern32", "ode1", 0, 1, 0}};
    static const char *const nodes[] = {"exact", "mc"};
    for (int i = 0; i < 3; i += ONE_OF(2)) {
        for (int n = 0; n < (i < 2 ? 2 : 1); n++) {
            for (int e = 0; e < 4; e++) {
                lf_model *model = make_model(ctx, recipes[i]);
                lf_data *data = make_rows(ctx, 150, 1, 0);
                lf_engine_options options = {
                    .size = sizeof(lf_engine_options), .engine = engines[e], .nodes = nodes[n], .features = n ? 8 : 0};
                free_inducing(model);
                check_theta_gradient(ctx, model, data, options, 1e-7);
                lf_data_free(data);
                lf_model_free(model);
            }
        }
    }
}

/* ---- identities ---- */

/* So many inducing values that they carry everything. */
static void cover(lf_context *ctx, lf_model *model, const lf_data *data)
{
    assert_ok(ctx, lf_model_place_inducing(ctx, model, data, 22, NULL));
}

static void test_bounds_and_limits(void **state)
{
    lf_context *ctx = *state;
    static const recipe recipes[] = {{"zero", "eq", "ode2", 0, 1, 0},
                                     {"stationary", "eq", "ode1", 1, 1, 0},
                                     {"free", "eq", "ode2", 1, 1, 1},
                                     {"zero", "matern52", "ode1", 0, 1, 0}};
    for (size_t i = 0; i < 4; i += ONE_OF(3)) {
        lf_model *model = make_model(ctx, recipes[i]);
        lf_data *data = make_rows(ctx, 40, 1, 0);
        double exact =
            value_of(ctx, model, data, (lf_engine_options){.size = sizeof(lf_engine_options), .engine = "dense"});
        double dtc =
            value_of(ctx, model, data, (lf_engine_options){.size = sizeof(lf_engine_options), .engine = "dtc"});
        double bound =
            value_of(ctx, model, data, (lf_engine_options){.size = sizeof(lf_engine_options), .engine = "variational"});
        assert_true(bound < exact);
        assert_true(bound < dtc);
        if (i % 2 == 0) { /* a stationary start remembers forces of before the data, a rough one is never covered */
            lf_parameter_set(ctx, model, (size_t)lf_index_inducing_noise(model, 0), 0);
            lf_parameter_set(ctx, model, (size_t)lf_index_inducing_noise(model, 1), 0);
            cover(ctx, model, data);
            for (int e = 0; e < 4; e++) {
                double value = value_of(ctx, model, data,
                                        (lf_engine_options){.size = sizeof(lf_engine_options), .engine = engines[e]});
                assert_near(value, exact, 5e-11 * fabs(exact));
                assert_true(e != 1 || value < exact + 1e-6);
            }
        }
        lf_data_free(data);
        lf_model_free(model);
    }
}

/* Inducing values that are mostly noise explain nothing: dtc leaves noise, fitc independent rows, pitc independent outputs. */
static void test_useless_inducing_values(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = make_model(ctx, (recipe){"zero", "eq", "ode2", 0, 1, 1});
    lf_data *data = make_rows(ctx, 12, 1, 0);
    double alone[4] = {0}, apart = 0;
    for (int q = 0; q < 2; q++) {
        assert_ok(ctx, lf_parameter_set(ctx, model, (size_t)lf_index_inducing_noise(model, q), 1e13));
    }
    for (int d = 0; d < 2; d++) {
        lf_data *one;
        assert_ok(ctx, lf_data_create(ctx, 1, &one));
        for (size_t i = 0; i < lf_data_count(data, LF_KIND_ROW); i++) {
            lf_observation row = lf_data_row(data, i);
            double k, noise = lf_model_noise_variance(model, d) / 1.44;
            double y = (row.y - lf_model_output(model, d).offset) / 1.2;
            lf_point_list points = {.n = 1, .target = &d, .x = row.x};
            if (row.output != d) {
                continue;
            }
            assert_ok(ctx,
                      lf_data_add(ctx, one,
                                  &(lf_row){.size = sizeof(lf_row), .output = d ? "b" : "a", .x = row.x, .y = row.y}));
            assert_ok(ctx, lf_covariance_list(ctx, model, &points, NULL, &k));
            k /= 1.44;
            alone[0] -= 0.5 * (y * y / noise + log(2 * LF_PI * noise));
            alone[1] -= 0.5 * (y * y / noise + log(2 * LF_PI * noise) + k / noise);
            alone[2] -= 0.5 * (y * y / (k + noise) + log(2 * LF_PI * (k + noise)));
        }
        apart += value_of(ctx, model, one, (lf_engine_options){.size = sizeof(lf_engine_options), .engine = "dense"});
        lf_data_free(one);
    }
    alone[3] = apart;
    for (int e = 0; e < 4; e++) {
        assert_near(
            value_of(ctx, model, data, (lf_engine_options){.size = sizeof(lf_engine_options), .engine = engines[e]}),
            alone[e], 2e-11 * fabs(alone[e]));
    }
    lf_data_free(data);
    lf_model_free(model);
}

/* The rows of one output are one block of pitc, whatever the inducing values. */
static void test_pitc_of_one_output_is_exact(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = make_model(ctx, (recipe){"free", "eq", "ode2", 1, 1, 1});
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < 90; i++) {
        double x = 0.04 * i;
        assert_ok(ctx,
                  lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "b", .x = &x, .y = cos(3 * x)}));
    }
    double exact =
        value_of(ctx, model, data, (lf_engine_options){.size = sizeof(lf_engine_options), .engine = "dense"});
    assert_near(value_of(ctx, model, data, (lf_engine_options){.size = sizeof(lf_engine_options), .engine = "pitc"}),
                exact, 3e-14 * fabs(exact));
    lf_data_free(data);
    lf_model_free(model);
}

/* As many inducing values as features: they carry all there is to the feature model. */
static void test_complete_set_is_lowrank(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = make_model(ctx, (recipe){"zero", "eq", "ode2", 1, 0, 0});
    lf_data *data = make_rows(ctx, 60, 2, 0);
    double lowrank = value_of(
        ctx, model, data, (lf_engine_options){.size = sizeof(lf_engine_options), .engine = "lowrank", .features = 5});
    for (int e = 0; e < 4; e++) {
        lf_engine_options options = {
            .size = sizeof(lf_engine_options), .engine = engines[e], .nodes = "uniform", .features = 5, .inducing = 9};
        assert_near(value_of(ctx, model, data, options), lowrank, 1e-14 * fabs(lowrank));
    }
    lf_data_free(data);
    lf_model_free(model);
}

/* Rows with error bars are never reduced; bars of nothing must change nothing. */
static void test_reduced_rows_say_the_same(void **state)
{
    lf_context *ctx = *state;
    static const recipe recipes[] = {
        {"zero", "eq", "ode2", 0, 1, 1}, {"stationary", "eq", "ode1", 1, 1, 1}, {"free", "eq", "ode3", 1, 1, 1}};
    for (int i = 0; i < 3; i++) {
        lf_model *model = make_model(ctx, recipes[i]);
        lf_data *data = make_rows(ctx, 300, 1, 0), *barred;
        assert_ok(ctx, lf_data_create(ctx, 1, &barred));
        for (size_t k = 0; k < lf_data_count(data, LF_KIND_ROW); k++) {
            lf_observation row = lf_data_row(data, k);
            assert_ok(ctx, lf_data_add(ctx, barred,
                                       &(lf_row){.size = sizeof(lf_row),
                                                 .output = row.output ? "b" : "a",
                                                 .x = row.x,
                                                 .y = row.y,
                                                 .sd = 1e-30}));
        }
        for (int e = 0; e < 4; e++) {
            lf_engine_options options = {.size = sizeof(lf_engine_options), .engine = engines[e]};
            lf_engine *engine;
            double value, whole = value_of(ctx, model, barred, options);
            assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
            assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &value, NULL));
            const lf_row_compression *rows = &((lf_inducing *)engine->state)->systems[0].parts[0].rows;
            assert_true(e == 2 ? rows->n == 300 : rows->n < 120);
            assert_near(value, whole, 5e-13 * fabs(whole));
            lf_engine_free(engine);
        }
        lf_data_free(barred);
        lf_data_free(data);
        lf_model_free(model);
    }
}

/* Outputs that ring above the frequencies of their force, almost without damping. */
static void test_resonance_survives_compression(void **state)
{
    lf_context *ctx = *state;
    for (int spring = 20; spring <= 320; spring *= 2) {
        char text[1000];
        snprintf(text, sizeof text,
                 "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"%s\",\"forces\":[{\"kernel\":\"eq\","
                 "\"lengthscale\":0.8,\"inducing_noise\":0.01}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":"
                 "\"ode2\",\"mass\":1,\"damper\":0.01,\"spring\":%d},\"sensitivity\":[30],\"noise_variance\":1e-3}]}",
                 spring == 40 ? "stationary" : "zero", spring);
        lf_model *model = parse_model(ctx, text);
        lf_data *data[2];
        for (int k = 0; k < 2; k++) {
            assert_ok(ctx, lf_data_create(ctx, 1, &data[k]));
            for (int i = 0; i < 800; i++) {
                double x = 0.005 * i;
                assert_ok(
                    ctx,
                    lf_data_add(
                        ctx, data[k],
                        &(lf_row){
                            .size = sizeof(lf_row), .output = "a", .x = &x, .y = sin(5 * x), .sd = k ? 1e-30 : 0}));
            }
        }
        lf_engine_options options = {.size = sizeof(lf_engine_options), .engine = "variational", .inducing = 12};
        double whole = value_of(ctx, model, data[1], options);
        assert_near(value_of(ctx, model, data[0], options), whole, 1e-11 * fabs(whole));
        lf_data_free(data[0]);
        lf_data_free(data[1]);
        lf_model_free(model);
    }
}

static void test_exact_nodes_are_the_closed_form(void **state)
{
    lf_context *ctx = *state;
    static const recipe recipes[] = {{"zero", "eq", "ode2", 1, 1, 1}, {"stationary", "eq", "ode1", 0, 1, 1}};
    for (int i = 0; i < 2; i++) {
        lf_model *model = make_model(ctx, recipes[i]);
        lf_data *data = make_rows(ctx, 80, 1, 0);
        size_t n = lf_parameter_count(model);
        double value[2], gradient[2][100];
        assert_true(n <= 100);
        for (int k = 0; k < 2; k++) {
            lf_engine_options options = {
                .size = sizeof(lf_engine_options), .engine = "variational", .nodes = k ? "closed-form" : "exact"};
            lf_engine *engine;
            assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
            assert_ok(ctx, lf_engine_evaluate(engine, lf_parameter_count(model), NULL, &value[k], gradient[k]));
            lf_engine_free(engine);
        }
        assert_near(value[0], value[1], 5e-14 * fabs(value[1]));
        for (size_t k = 0; k < n; k++) {
            assert_near(gradient[0][k], gradient[1][k], 1e-11 * (1 + fabs(gradient[1][k])));
        }
        lf_data_free(data);
        lf_model_free(model);
    }
}

/* Every covariance of the exact source, at rows as they are, against the error function. */
static void test_exact_covariances(void **state)
{
    lf_context *ctx = *state;
    static const recipe recipes[] = {{"zero", "eq", "ode2", 1, 1, 0},
                                     {"zero", "eq", "ode1", 0, 1, 0},
                                     {"stationary", "eq", "ode2", 1, 1, 0},
                                     {"free", "eq", "ode1", 1, 1, 0},
                                     {"zero", "eq", "gaussian", 0, 1, 0}};
    for (int i = 0; i < 5; i++) {
        lf_model *model = make_model(ctx, recipes[i]);
        lf_data *data = make_rows(ctx, 60, 1, 0);
        enum { N = 60, M = 10 };
        double *value[2], largest = 0;
        for (int k = 0; k < 2; k++) {
            lf_engine_options options = {
                .size = sizeof(lf_engine_options), .engine = "fitc", .nodes = k ? "closed-form" : "exact"};
            lf_engine *engine;
            double ignored;
            assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
            assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &ignored, NULL));
            const lf_inducing *inducing = engine->state;
            double *X = value[k] = calloc(N * M + N + 2 * N * N, sizeof *X), *diagonal = X + N * M;
            int own = lf_output_has_private_part(model, 1);
            lf_inducing_blocks blocks = {diagonal, diagonal + N, own ? diagonal + N + N * N : NULL};
            assert_int_equal(inducing->systems[0].parts[1].rows.n, N);
            assert_ok(ctx, lf_inducing_kernel_rows(ctx, &inducing->kernel, &inducing->systems[0].parts[1].rows, X, N,
                                                   blocks));
            lf_engine_free(engine);
        }
        for (int k = 0; k < N * M + N + 2 * N * N; k++) {
            largest = fmax(largest, fabs(value[1][k]));
        }
        for (int k = 0; k < N * M + N + 2 * N * N; k++) {
            assert_near(value[0][k], value[1][k], 3e-14 * largest);
        }
        free(value[0]);
        free(value[1]);
        lf_data_free(data);
        lf_model_free(model);
    }
}

/* Parameters that move far: frequencies, inducing inputs and the points of reduced rows follow. */
static void test_parameters_may_move_far(void **state)
{
    lf_context *ctx = *state;
    static const char *const nodes[] = {"exact", "mc"};
    for (int k = 0; k < 2; k++) {
        lf_model *model = make_model(ctx, (recipe){"zero", "eq", "ode2", 0, 1, 1});
        lf_data *data = make_rows(ctx, 200, 1, 0);
        lf_engine_options options = {
            .size = sizeof(lf_engine_options), .engine = "variational", .nodes = nodes[k], .features = k ? 10 : 0};
        lf_engine *engine;
        double value, theta[100];
        size_t index;
        assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
        assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &value, NULL));
        assert_ok(ctx, lf_parameter_set(ctx, model, 0, 0.09));
        assert_ok(ctx, lf_parameter_find(ctx, model, "a.damper", &index));
        assert_ok(ctx, lf_parameter_set(ctx, model, index, 60));
        assert_ok(ctx, lf_parameter_find(ctx, model, "force2.inducing1", &index));
        assert_ok(ctx, lf_parameter_set(ctx, model, index, -2.5));
        lf_model_theta(model, theta);
        assert_ok(ctx, lf_engine_evaluate(engine, lf_parameter_count(model), theta, &value, NULL));
        double fresh = value_of(ctx, model, data, options);
        assert_near(value, fresh, 5e-15 * fabs(fresh));
        lf_engine_free(engine);
        lf_data_free(data);
        lf_model_free(model);
    }
}

/* ---- several inputs ---- */

static const char plane[] =
    "{\"format\":\"latentforce-model\",\"version\":1,\"input_dim\":2,\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":[0."
    "7,1.1]"
    "%s},{\"kernel\":\"eq\",\"lengthscale\":0.9}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"gaussian\","
    "\"precision\":[4,9]},\"sensitivity\":[1,0.5],\"noise_variance\":0.1},{\"name\":\"b\",\"operator\":{\"type\":"
    "\"gaussian\",\"precision\":6},\"sensitivity\":[-0.7,1.2],\"noise_variance\":0.2%s}]}";

static lf_data *plane_rows(lf_context *ctx, int n)
{
    lf_data *data;
    lf_random random;
    lf_random_seed(&random, 8);
    assert_ok(ctx, lf_data_create(ctx, 2, &data));
    for (int i = 0; i < 2 * n; i++) {
        double x[2] = {uniform_between(&random, 0, 2), uniform_between(&random, -1, 1)};
        assert_ok(
            ctx,
            lf_data_add(
                ctx, data,
                &(lf_row){.size = sizeof(lf_row), .output = i % 2 ? "b" : "a", .x = x, .y = sin(3 * x[0]) + x[1]}));
    }
    return data;
}

static void test_several_inputs(void **state)
{
    lf_context *ctx = *state;
    char text[2000];
    snprintf(text, sizeof text, plane, ",\"inducing\":[[0.2,0.3],[1.1,-0.4],[1.7,0.8]]",
             ",\"private\":{\"kernel\":\"eq\",\"lengthscale\":0.5,\"amplitude\":0.4}");
    lf_model *model = parse_model(ctx, text);
    lf_data *data = plane_rows(ctx, 15);
    size_t index;
    assert_ok(ctx, lf_parameter_find(ctx, model, "force1.inducing2.x2", &index));
    assert_near(lf_parameter_get(model, index).value, -0.4, 0);
    assert_int_equal(lf_parameter_get(model, index).fixed, 1);
    double exact =
        value_of(ctx, model, data, (lf_engine_options){.size = sizeof(lf_engine_options), .engine = "dense"});
    for (int e = 0; e < 4; e++) {
        lf_engine_options options = {.size = sizeof(lf_engine_options), .engine = engines[e], .inducing = 6};
        check_theta_gradient(ctx, model, data, options, 5e-9);
        options.nodes = "mc";
        options.features = 12;
        check_theta_gradient(ctx, model, data, options, 3e-8);
        lf_engine_options all = {
            .size = sizeof(lf_engine_options), .engine = engines[e], .inducing = 30, .inducing_inputs = "data"};
        lf_model *bare;
        snprintf(text, sizeof text, plane, "", "");
        bare = parse_model(ctx, text);
        exact = value_of(ctx, bare, data, (lf_engine_options){.size = sizeof(lf_engine_options), .engine = "dense"});
        double value = value_of(ctx, bare, data, all);
        assert_true(e != 1 || value <= exact);
        assert_near(value, exact, 0.2 * fabs(exact));
        lf_model_free(bare);
    }
    lf_data_free(data);
    lf_model_free(model);
}

/* ---- placement ---- */

static void test_placement(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = make_model(ctx, (recipe){"zero", "eq", "ode1", 0, 0, 0});
    lf_data *data = make_rows(ctx, 50, 1, 0);
    size_t before = lf_parameter_count(model), index, leader;
    assert_ok(ctx, lf_parameter_find(ctx, model, "b.decay", &index));
    assert_ok(ctx, lf_parameter_find(ctx, model, "a.decay", &leader));
    assert_ok(ctx, lf_parameter_tie(ctx, model, index, leader));
    assert_ok(ctx, lf_parameter_bound(ctx, model, 0, 0.1, 9));
    static const char *const how[] = {"even", "data", "kmeans"};
    for (int k = 0; k < 3; k++) {
        assert_ok(ctx, lf_model_place_inducing(ctx, model, data, 7, how[k]));
        assert_int_equal(lf_parameter_count(model), before + 2 * 8);
        double last = -INFINITY, gap = 0;
        for (int i = 0; i < 7; i++) {
            double z = model->forces[1].inducing[i];
            assert_true(z >= 0 && z <= 3.5);
            gap = i && k < 2 ? fmax(gap, z - last) : gap;
            assert_true(k == 2 || z > last);
            last = z;
        }
        assert_true(gap < 1);
    }
    assert_ok(ctx, lf_parameter_find(ctx, model, "force1.inducing7", &index));
    assert_int_equal(lf_parameter_get(model, index).fixed, 1);
    assert_string_equal(lf_parameter_get(model, index).transform, "identity");
    assert_ok(ctx, lf_parameter_find(ctx, model, "force2.log_inducing_noise", &index));
    assert_int_equal(lf_parameter_get(model, index).fixed, 1); /* it is 0 */
    assert_ok(ctx, lf_parameter_find(ctx, model, "b.decay", &index));
    assert_ok(ctx, lf_parameter_find(ctx, model, "a.decay", &leader));
    assert_int_equal(lf_parameter_get(model, index).tied_to, leader);
    assert_near(lf_parameter_get(model, 0).upper, 9, 0);
    /* the engine places them as the model does */
    double own = value_of(ctx, model, data, (lf_engine_options){.size = sizeof(lf_engine_options), .engine = "dtc"});
    lf_model *bare = make_model(ctx, (recipe){"zero", "eq", "ode1", 0, 0, 0});
    lf_engine_options options = {
        .size = sizeof(lf_engine_options), .engine = "dtc", .inducing = 7, .inducing_inputs = "kmeans"};
    assert_ok(ctx, lf_parameter_find(ctx, bare, "b.decay", &index));
    assert_ok(ctx, lf_parameter_set(ctx, bare, index, 0.8));
    assert_near(value_of(ctx, bare, data, options), own, 1e-15 * fabs(own));
    lf_model_free(bare);
    lf_data_free(data);
    lf_model_free(model);
}

/* ---- posteriors ---- */

typedef struct prediction {
    double mean[20], variance[20], covariance[400];
} prediction;

static void predict(lf_context *ctx, const lf_model *model, const lf_data *data, lf_engine_options options, int stored,
                    prediction *p)
{
    static const int target[] = {0, 0, 1, 1, 2, 3, 3, 4, 5, 5};
    static const int replicate[] = {0, 1, 0, 0, 1, 0, 0, 0, 0, 1};
    static const double x[] = {0.4, 1.3, 2.2, 0.9, 2.4, 1.1, 2.9, 0.7, 1.9, 0.6};
    lf_point_list points = {.n = 10, .target = target, .replicate = replicate, .x = x};
    lf_engine *engine;
    lf_posterior *posterior;
    lf_model *copy;
    assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    assert_ok(ctx, lf_engine_posterior(engine, &posterior));
    assert_ok(ctx, lf_model_copy(ctx, model, &copy));
    if (stored) {
        assert_ok(ctx, lf_posterior_store(posterior, copy));
        lf_posterior_free(posterior);
        assert_ok(ctx, lf_posterior_restore(ctx, copy, &posterior));
    }
    assert_ok(ctx, lf_predict_list(posterior, &points, p->mean, p->variance, p->covariance));
    for (int i = 0; i < 10; i++) {
        assert_near(p->covariance[11 * i], p->variance[i], 1e-14 * (1 + p->variance[i]));
    }
    lf_posterior_free(posterior);
    lf_engine_free(engine);
    lf_model_free(copy);
}

static void compare(const prediction *a, const prediction *b, double of_means, double of_covariances)
{
    for (int i = 0; i < 10; i++) {
        assert_near(a->mean[i], b->mean[i], of_means);
        assert_near(a->variance[i], b->variance[i], of_covariances);
        for (int j = 0; j < 10; j++) {
            assert_near(a->covariance[10 * i + j], b->covariance[10 * i + j], of_covariances);
        }
    }
}

static void test_posterior(void **state)
{
    lf_context *ctx = *state;
    static const recipe recipes[] = {{"zero", "eq", "ode2", 0, 0, 0}, {"free", "eq", "ode2", 1, 0, 0}};
    for (int i = 0; i < 2; i++) {
        lf_model *model = make_model(ctx, recipes[i]);
        lf_data *data = make_rows(ctx, 40, 2, 0);
        prediction exact, features, here, stored;
        lf_engine_options few = {.size = sizeof(lf_engine_options), .nodes = "uniform", .features = 6, .inducing = 11};
        predict(ctx, model, data, (lf_engine_options){.size = sizeof(lf_engine_options), .engine = "dense"}, 0, &exact);
        predict(ctx, model, data,
                (lf_engine_options){.size = sizeof(lf_engine_options), .engine = "lowrank", .features = 6}, 0,
                &features);
        for (int e = 0; e < 4; e++) {
            for (int closed = 0; closed < 2; closed++) { /* inducing values that carry everything */
                lf_engine_options options = {.size = sizeof(lf_engine_options),
                                             .engine = engines[e],
                                             .inducing = 20,
                                             .nodes = closed ? "closed-form" : "exact"};
                predict(ctx, model, data, options, 0, &here);
                compare(&here, &exact, 1e-8, 5e-10);
                predict(ctx, model, data, options, 1, &stored);
                compare(&here, &stored, 1e-15, 1e-15);
            }
            few.engine = engines[e];
            predict(ctx, model, data, few, 0, &here);
            compare(&here, &features, 1e-13, 1e-14);
            predict(ctx, model, data, few, 1, &stored);
            compare(&here, &stored, 1e-15, 1e-15);
        }
        lf_data_free(data);
        lf_model_free(model);
    }
}

/* ---- what is said ---- */

static void count_notes(void *user, lf_level level, const char *note)
{
    (void)level;
    *(int *)user += strstr(note, "inducing values") != NULL;
}

static void test_jitter_is_told(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = make_model(ctx, (recipe){"zero", "eq", "ode1", 0, 0, 0});
    lf_data *data = make_rows(ctx, 20, 1, 0);
    lf_engine_options options = {.size = sizeof(lf_engine_options), .engine = "variational", .inducing = 5};
    lf_engine *engine;
    double value;
    int notes = 0;
    lf_context_set_log(ctx, count_notes, &notes);
    for (int k = 0; k < 2; k++) {
        options.inducing = k ? 80 : 5;
        assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
        for (int repeat = 0; repeat < 3; repeat++) {
            assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &value, NULL));
        }
        double jitter = lf_engine_describe(engine).jitter;
        assert_true(k ? jitter >= 1e-12 && jitter < 1e-8 : jitter == 0);
        assert_int_equal(notes, k); /* once, not at every evaluation */
        lf_engine_free(engine);
    }
    lf_context_set_log(ctx, NULL, NULL);
    lf_data_free(data);
    lf_model_free(model);
}

static void refuse(lf_context *ctx, const lf_model *model, const lf_data *data, lf_engine_options options,
                   const char *part)
{
    lf_engine *engine;
    assert_int_not_equal(lf_engine_create(ctx, model, data, &options, &engine), LF_OK);
    assert_null(engine);
    if (!strstr(lf_context_message(ctx), part)) {
        print_error("\"%s\" does not say \"%s\"\n", lf_context_message(ctx), part);
        fail();
    }
}

static void test_refusals(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = make_model(ctx, (recipe){"zero", "matern32", "ode1", 0, 0, 0});
    lf_data *data = make_rows(ctx, 5, 1, 0);
    refuse(ctx, model, data, (lf_engine_options){.size = sizeof(lf_engine_options), .engine = "dtc"}, "--inducing K");
    refuse(ctx, model, data,
           (lf_engine_options){
               .size = sizeof(lf_engine_options), .engine = "dtc", .inducing = 3, .inducing_inputs = "odd"},
           "'odd'");
    refuse(ctx, model, data,
           (lf_engine_options){
               .size = sizeof(lf_engine_options), .engine = "dtc", .inducing = 11, .inducing_inputs = "data"},
           "11 inducing values cannot be placed at 10");
    refuse(ctx, model, data,
           (lf_engine_options){
               .size = sizeof(lf_engine_options), .engine = "dtc", .inducing = 11, .inducing_inputs = "kmeans"},
           "11 inducing values cannot be placed at 10");
    refuse(ctx, model, data,
           (lf_engine_options){.size = sizeof(lf_engine_options), .engine = "fitc", .inducing = 3, .nodes = "odd"},
           "closed-form");
    refuse(
        ctx, model, data,
        (lf_engine_options){.size = sizeof(lf_engine_options), .engine = "fitc", .inducing = 3, .nodes = "closed-form"},
        "eq forces");
    refuse(ctx, model, data,
           (lf_engine_options){
               .size = sizeof(lf_engine_options), .engine = "pitc", .inducing = 3, .nodes = "exact", .features = 4},
           "exact covariances have no number");
    refuse(ctx, model, data,
           (lf_engine_options){.size = sizeof(lf_engine_options), .engine = "pitc", .inducing = 3, .nodes = "mc"},
           "--features S");
    refuse(ctx, model, data, (lf_engine_options){.size = sizeof(lf_engine_options), .engine = "nothing"},
           "variational");
    assert_int_not_equal(lf_model_place_inducing(ctx, model, data, 0, NULL), LF_OK);
    lf_model_free(model);
    lf_data_free(data);
    char text[2000];
    snprintf(text, sizeof text, plane, "", "");
    model = parse_model(ctx, text);
    data = plane_rows(ctx, 5);
    refuse(ctx, model, data,
           (lf_engine_options){
               .size = sizeof(lf_engine_options), .engine = "dtc", .inducing = 3, .inducing_inputs = "even"},
           "kmeans");
    lf_model_free(model);
    lf_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_gradients_of_many_rows),
        cmocka_unit_test(test_bounds_and_limits),
        cmocka_unit_test(test_useless_inducing_values),
        cmocka_unit_test(test_pitc_of_one_output_is_exact),
        cmocka_unit_test(test_complete_set_is_lowrank),
        cmocka_unit_test(test_reduced_rows_say_the_same),
        cmocka_unit_test(test_resonance_survives_compression),
        cmocka_unit_test(test_exact_nodes_are_the_closed_form),
        cmocka_unit_test(test_exact_covariances),
        cmocka_unit_test(test_parameters_may_move_far),
        cmocka_unit_test(test_several_inputs),
        cmocka_unit_test(test_placement),
        cmocka_unit_test(test_posterior),
        cmocka_unit_test(test_jitter_is_told),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
