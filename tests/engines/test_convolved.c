/* Convolved outputs over several inputs: standardised inputs are a change of units and nothing else, copies of a force are
 * forces that share their lengthscales, and sharp smoothing is the linear model of coregionalisation. */
#include "support.h"

#include "model/model.h"

#define HEAD "{\"format\":\"latentforce-model\",\"version\":1,\"input_dim\":2,"
#define OUTPUT(name, precision, sensitivity)                                                                           \
    "{\"name\":\"" name "\",\"operator\":{\"type\":\"gaussian\",\"precision\":" precision "},\"sensitivity\":"         \
    "[" sensitivity "],\"noise_variance\":0.05,\"offset\":3,\"scale\":2}"

enum { ROWS = 30 };

/* Inputs of very different sizes; the outputs are seen at different places. */
static lf_data *plane_data(lf_context *ctx)
{
    lf_random random;
    lf_data *data;
    lf_random_seed(&random, 4);
    assert_ok(ctx, lf_data_create(ctx, 2, &data));
    for (int i = 0; i < ROWS; i++) {
        double x[2] = {uniform_between(&random, 100, 140), uniform_between(&random, -0.003, 0.002)};
        double y = 3 + sin(x[0] / 9) + cos(900 * x[1]) * (i % 2 ? 1 : -2);
        assert_ok(ctx, lf_data_add(ctx, data,
                                   &(lf_row){.size = sizeof(lf_row), .output = i % 2 ? "a" : "b", .x = x, .y = y}));
    }
    return data;
}

static double evaluate(lf_context *ctx, const lf_model *model, const lf_data *data, lf_engine_options options)
{
    lf_engine *engine;
    double value;
    assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &value, NULL));
    lf_engine_free(engine);
    return value;
}

/* The same model in the units of the data: lengthscales times scale, precisions over its square. */
static lf_model *in_units_of_the_data(lf_context *ctx, const lf_model *model)
{
    lf_model *raw;
    assert_ok(ctx, lf_model_copy(ctx, model, &raw));
    for (int k = 0; k < 2; k++) {
        double scale = lf_model_input(model, k).scale;
        raw->forces[0].lengthscale[k] *= scale;
        for (int d = 0; d < 2; d++) {
            raw->outputs[d].constants[k] /= scale * scale;
        }
    }
    free(raw->inputs);
    raw->inputs = NULL;
    return raw;
}

static const char *const plain = HEAD "\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":[1.1,0.8]}],\"outputs\":[" OUTPUT(
    "a", "[5,7]", "1.5") "," OUTPUT("b", "[3,20]", "-1") "]}";

static void predict_at(lf_context *ctx, const lf_model *model, const lf_data *data, lf_engine_options options,
                       int stored, double *result)
{
    const double x[] = {105, 0.001, 139, -0.002, 120, 0, 130, 0.0015};
    const int target[] = {0, 1, 2, 0}; /* the third is the force */
    lf_point_list points = {.n = 4, .target = target, .x = x};
    lf_engine *engine;
    lf_posterior *posterior;
    assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    assert_ok(ctx, lf_engine_posterior(engine, &posterior));
    lf_model *with;
    assert_ok(ctx, lf_model_copy(ctx, model, &with));
    if (stored) {
        assert_ok(ctx, lf_posterior_store(posterior, with));
        lf_posterior_free(posterior);
        assert_ok(ctx, lf_posterior_restore(ctx, with, &posterior));
    }
    assert_ok(ctx, lf_predict_list(posterior, &points, result, result + 4, NULL));
    lf_posterior_free(posterior);
    lf_engine_free(engine);
    lf_model_free(with);
}

static void test_standardised_inputs(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = parse_model(ctx, plain);
    lf_data *data = plane_data(ctx);
    assert_ok(ctx, lf_model_standardise(ctx, model, data));
    double sum = 0, squares = 0;
    for (size_t i = 0; i < ROWS; i++) {
        double seen = lf_input_seen(model, 1, lf_data_row(data, i).x[1]);
        sum += seen;
        squares += seen * seen;
    }
    assert_near(sum / ROWS, 0, 1e-15);
    assert_near(squares / ROWS, 1, 3e-15);
    lf_model *raw = in_units_of_the_data(ctx, model);
    const lf_engine_options engines[] = {
        {.size = sizeof(lf_engine_options), .engine = "dense"},
        {.size = sizeof(lf_engine_options), .engine = "lowrank", .nodes = "qmc", .features = 40}};
    for (int e = 0; e < 2; e++) {
        double value = evaluate(ctx, model, data, engines[e]), a[8], b[8];
        assert_near(value, evaluate(ctx, raw, data, engines[e]), 2e-14 * fabs(value));
        predict_at(ctx, raw, data, engines[e], 0, b);
        for (int stored = 0; stored < 2; stored++) {
            predict_at(ctx, model, data, engines[e], stored, a);
            for (int i = 0; i < 8; i++) {
                assert_near(a[i], b[i], 5e-14);
            }
        }
        check_theta_gradient(ctx, model, data, engines[e], 5e-9);
    }
    const double x[] = {105, 0.001, 139, -0.002, 120, 0};
    const int target[] = {0, 1, 2};
    lf_point_list points = {.n = 3, .target = target, .x = x};
    double K[9], k[9], f[3], g[3];
    assert_ok(ctx, lf_covariance_list(ctx, model, &points, NULL, K));
    assert_ok(ctx, lf_covariance_list(ctx, raw, &points, NULL, k));
    lf_context_set_seed(ctx, 3);
    assert_ok(ctx, lf_simulate_list(ctx, model, &points, NULL, f));
    lf_context_set_seed(ctx, 3);
    assert_ok(ctx, lf_simulate_list(ctx, raw, &points, NULL, g));
    for (int i = 0; i < 9; i++) {
        assert_near(K[i], k[i], 1e-14);
    }
    for (int i = 0; i < 3; i++) {
        assert_near(f[i], g[i], 5e-15);
    }
    lf_model_free(raw);
    lf_model_free(model);
    lf_data_free(data);
}

/* Inputs that are no longer what they were make a stored posterior another model's. */
static void test_stored_posterior_knows_its_inputs(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = parse_model(ctx, plain);
    lf_data *data = plane_data(ctx);
    lf_engine *engine;
    lf_posterior *posterior, *restored;
    assert_ok(ctx, lf_model_standardise(ctx, model, data));
    assert_ok(ctx, lf_engine_create(ctx, model, data, NULL, &engine));
    assert_ok(ctx, lf_engine_posterior(engine, &posterior));
    assert_ok(ctx, lf_posterior_store(posterior, model));
    model->inputs[1].scale *= 2;
    assert_int_equal(lf_posterior_restore(ctx, model, &restored), LF_ERROR_MODEL);
    assert_non_null(strstr(lf_context_message(ctx), "inputs"));
    assert_ok(ctx, lf_model_standardise(ctx, model, data));
    assert_false(lf_model_has_posterior(model));
    lf_posterior_free(posterior);
    lf_engine_free(engine);
    lf_model_free(model);
    lf_data_free(data);
}

static void test_what_cannot_be_standardised(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = parse_model(ctx, plain);
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, 2, &data));
    assert_int_equal(lf_model_standardise(ctx, model, data), LF_ERROR_ARGUMENT); /* no rows */
    for (int i = 0; i < 3; i++) {                                                /* the second input does not vary */
        assert_ok(ctx, lf_data_add(ctx, data,
                                   &(lf_row){.size = sizeof(lf_row), .output = "a", .x = (double[]){i, 0.1}, .y = 1}));
    }
    assert_ok(ctx, lf_model_standardise(ctx, model, data));
    assert_near(lf_model_input(model, 1).offset, 0.1, 1e-16);
    assert_near(lf_model_input(model, 1).scale, 1, 0);
    lf_data_free(data);
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    assert_ok(ctx,
              lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = (double[]){1}, .y = 1}));
    assert_int_equal(lf_model_standardise(ctx, model, data), LF_ERROR_ARGUMENT);
    lf_data_free(data);
    lf_model_free(model);
}

/* ---- copies ---- */

#define SHARED "{\"kernel\":\"eq\",\"lengthscale\":[6,0.002]"
#define OUTPUTS "\"outputs\":[" OUTPUT("a", "[0.5,2e6]", "1.5,0.3,-1") "," OUTPUT("b", "[0.2,1e6]", "-1,0.7,0.4") "]"

static void test_copies(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = parse_model(ctx, HEAD "\"forces\":[" SHARED ",\"copies\":2}," SHARED "}]," OUTPUTS "}");
    lf_model *written = parse_model(ctx, HEAD "\"forces\":[" SHARED "}," SHARED "}," SHARED "}]," OUTPUTS
                                              ",\"parameters\":{\"tied\":[[\"force1.lengthscale1\","
                                              "\"force2.lengthscale1\"],[\"force1.lengthscale2\","
                                              "\"force2.lengthscale2\"]]}}");
    lf_data *data = plane_data(ctx);
    assert_int_equal(lf_model_count(model, LF_KIND_FORCE), 3);
    for (size_t i = 0; i < lf_parameter_count(model); i++) {
        assert_string_equal(lf_parameter_get(model, i).name, lf_parameter_get(written, i).name);
        assert_int_equal(lf_parameter_get(model, i).tied_to, lf_parameter_get(written, i).tied_to);
    }
    const lf_engine_options engines[] = {
        {.size = sizeof(lf_engine_options), .engine = "dense"},
        {.size = sizeof(lf_engine_options), .engine = "lowrank", .nodes = "orthogonal", .features = 12}};
    for (int e = 0; e < 2; e++) {
        double value = evaluate(ctx, model, data, engines[e]);
        assert_near(value, evaluate(ctx, written, data, engines[e]), 1e-15 * fabs(value));
        check_theta_gradient(ctx, model, data, engines[e], 3e-7);
    }
    size_t index;
    assert_ok(ctx, lf_parameter_find(ctx, model, "force1.lengthscale1", &index));
    assert_ok(ctx, lf_parameter_set(ctx, model, index, 7.5));
    assert_near(model->forces[1].lengthscale[0], 7.5, 0);
    assert_near(model->forces[2].lengthscale[0], 6, 0);
    assert_int_equal(lf_model_tie_copies(ctx, model, 1, 3), LF_ERROR_ARGUMENT);
    assert_ok(ctx, lf_model_tie_copies(ctx, model, 0, 3));
    assert_near(model->forces[2].lengthscale[0], 7.5, 0);
    lf_model_free(model);
    lf_model_free(written);
    lf_data_free(data);
}

/* Copies of a force are one force with a matrix of rank R between the outputs; where nothing is smoothed, that is the linear
 * model of coregionalisation: K = sum_r S_dr S_d'r exp(-|x - x'|^2 / l^2). */
static void test_coregionalisation(void **state)
{
    lf_context *ctx = *state;
    const double S[2][3] = {{1.5, 0.3, -1}, {-1, 0.7, 0.4}}, x[] = {0, 0, 0.5, 0.2, -1, 0.3, 0.4, 0.4};
    const int target[] = {0, 1, 0, 1};
    lf_model *model =
        parse_model(ctx, HEAD "\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":0.9,\"copies\":2},{\"kernel\":\"eq\","
                              "\"lengthscale\":0.4}],\"outputs\":[" OUTPUT("a", "1e12", "1.5,0.3,-1") "," OUTPUT(
                                  "b", "1e12", "-1,0.7,0.4") "]}");
    lf_point_list points = {.n = 4, .target = target, .x = x};
    const lf_engine_options many = {
        .size = sizeof(lf_engine_options), .engine = "lowrank", .nodes = "qmc", .features = 4096};
    double K[16], features[16];
    assert_ok(ctx, lf_covariance_list(ctx, model, &points, NULL, K));
    assert_ok(ctx, lf_covariance_list(ctx, model, &points, &many, features));
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            double u = x[2 * i] - x[2 * j], v = x[2 * i + 1] - x[2 * j + 1], r2 = u * u + v * v, expected = 0;
            for (int q = 0; q < 3; q++) {
                double l = q < 2 ? 0.9 : 0.4;
                expected += 4 * S[target[i]][q] * S[target[j]][q] * exp(-r2 / (l * l)); /* 4 = scale^2 */
            }
            assert_near(K[4 * i + j], expected, 1e-9);
            assert_near(features[4 * i + j], expected, 5e-3);
        }
    }
    lf_model_free(model);
}

/* Smoothing that all outputs have in common belongs to the force as well: with 1/P_d = c + 1/P'_d, l'^2 = l^2 + 4c and
 * sensitivities times prod_i sqrt(l_i / l'_i) the outputs have the same covariance. So drawing frequencies from the smoothed
 * density is drawing them from the density of another force, and leaves a smaller error. */
static void test_common_smoothing(void **state)
{
    lf_context *ctx = *state;
    enum { N = 12 };
    lf_model *rough =
        parse_model(ctx, HEAD "\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":[0.8,1.1]}],\"outputs\":[" OUTPUT(
                             "a", "2", "1.5") "," OUTPUT("b", "[1.25,1]", "-1") "]}");
    lf_model *smooth;
    assert_ok(ctx, lf_model_parse(ctx,
                                  HEAD "\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":[1,1]}],\"outputs\":[" OUTPUT(
                                      "a", "[1,1]", "1") "," OUTPUT("b", "[1,1]", "1") "]}",
                                  "test", &smooth));
    const double c = 0.4, inverse[2][2] = {{0.5, 0.5}, {0.8, 1}};
    double factor = 1, x[2 * N], exact[N * N], same[N * N], K[N * N], error[2] = {0, 0};
    int target[N];
    for (int k = 0; k < 2; k++) {
        double l = rough->forces[0].lengthscale[k], wider = sqrt(l * l + 4 * c);
        smooth->forces[0].lengthscale[k] = wider;
        factor *= sqrt(l / wider);
        for (int d = 0; d < 2; d++) {
            smooth->outputs[d].constants[k] = 1 / (inverse[d][k] - c);
        }
    }
    for (int d = 0; d < 2; d++) {
        smooth->outputs[d].sensitivity[0] = factor * rough->outputs[d].sensitivity[0];
    }
    for (int i = 0; i < N; i++) {
        target[i] = i % 2;
        x[2 * i] = sin(3.0 * i);
        x[2 * i + 1] = cos(5.0 * i);
    }
    lf_point_list points = {.n = N, .target = target, .x = x};
    assert_ok(ctx, lf_covariance_list(ctx, rough, &points, NULL, exact));
    assert_ok(ctx, lf_covariance_list(ctx, smooth, &points, NULL, same));
    for (int seed = 1; seed <= 20; seed++) {
        lf_engine_options options = {
            .size = sizeof(lf_engine_options), .engine = "lowrank", .nodes = "mc", .features = 100};
        for (int m = 0; m < 2; m++) {
            lf_context_set_seed(ctx, (uint64_t)seed);
            assert_ok(ctx, lf_covariance_list(ctx, m ? smooth : rough, &points, &options, K));
            for (int i = 0; i < N * N; i++) {
                error[m] += (K[i] - exact[i]) * (K[i] - exact[i]);
                assert_near(same[i], exact[i], 3e-15);
            }
        }
    }
    assert_true(error[1] < 0.5 * error[0]);
    lf_context_set_seed(ctx, 1);
    lf_model_free(rough);
    lf_model_free(smooth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_standardised_inputs),         cmocka_unit_test(test_stored_posterior_knows_its_inputs),
        cmocka_unit_test(test_what_cannot_be_standardised), cmocka_unit_test(test_copies),
        cmocka_unit_test(test_coregionalisation),           cmocka_unit_test(test_common_smoothing),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
