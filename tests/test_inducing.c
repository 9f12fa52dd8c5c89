/* The inducing engines: the reference values of the authors' code on real data, identities between approximations, every
 * gradient, posteriors, and what is said when something cannot be done. */
#include "support.h"

#include "engine/inducing.h"

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
                assert_ok(ctx, lf_data_add(ctx, data, d ? "b" : "a", replicates > 1 ? (r ? "second" : "first") : NULL,
                                           &x, y, bars ? 0.1 + 0.1 * (double)(i % 3) : 0, LF_SPLIT_NONE));
            }
        }
    }
    return data;
}

static UNUSED double value_of(lf_context *ctx, const lf_model *model, const lf_data *data, lf_engine_options options)
{
    lf_engine *engine;
    double value;
    assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    assert_ok(ctx, lf_engine_evaluate(engine, NULL, &value, NULL));
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
        {{"zero", "eq", "ode2", 0, 1, 1}, {.nodes = "exact"}, 1, 0},
        {{"zero", "eq", "ode1", 0, 1, 0}, {.nodes = "closed-form"}, 1, 0},
        {{"stationary", "eq", "ode2", 1, 1, 1}, {.nodes = "exact"}, 2, 0},
        {{"free", "eq", "ode2", 1, 1, 1}, {.nodes = "exact"}, 1, 1},
        {{"free", "eq", "ode2", 1, 1, 1}, {.nodes = "closed-form"}, 1, 0},
        {{"free", "eq", "ode1", 0, 0, 1}, {.nodes = "mc", .features = 12, .inducing = 4}, 1, 0},
        {{"zero", "eq", "ode3", 1, 1, 1}, {.nodes = "mc", .features = 9}, 2, 0},
        {{"zero", "matern32", "ode2", 1, 1, 0}, {.nodes = "exact", .tolerance = 1e-4}, 1, 0},
        {{"zero", "matern52", "ode1", 0, 1, 0}, {.nodes = "qmc", .features = 10}, 1, 1},
        {{"zero", "eq", "gaussian", 0, 1, 0}, {.nodes = "uniform", .features = 15}, 1, 0},
        {{"zero", "eq", "gaussian", 0, 1, 1}, {.nodes = "closed-form"}, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int e = 0; e < 4; e++) {
            lf_model *model = make_model(ctx, cases[i].recipe);
            lf_data *data = make_rows(ctx, 14, cases[i].replicates, cases[i].bars);
            lf_engine_options options = cases[i].options;
            options.engine = engines[e];
            free_inducing(model);
            print_message("case %zu, %s\n", i, engines[e]);
            check_theta_gradient(ctx, model, data, options, 2e-6);
            lf_data_free(data);
            lf_model_free(model);
        }
    }
}

/* The same where the rows are reduced: there are many. */
static void test_gradients_of_many_rows(void **state)
{
    lf_context *ctx = *state;
    static const recipe recipes[] = {{"zero", "eq", "ode2", 0, 1, 1}, {"free", "eq", "ode1", 1, 1, 1}};
    static const char *const nodes[] = {"exact", "mc"};
    for (int i = 0; i < 2; i++) {
        for (int n = 0; n < 2; n++) {
            for (int e = 0; e < 4; e++) {
                lf_model *model = make_model(ctx, recipes[i]);
                lf_data *data = make_rows(ctx, 150, 1, 0);
                lf_engine_options options = {.engine = engines[e], .nodes = nodes[n], .features = n ? 8 : 0};
                free_inducing(model);
                check_theta_gradient(ctx, model, data, options, 2e-6);
                lf_data_free(data);
                lf_model_free(model);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_gradients_of_many_rows),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
