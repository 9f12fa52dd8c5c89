/* The reference of the equations: a wall and the air of a test cell, data/armadillo.csv of the shared folder. */
#include "support.h"

static const char *const model_text =
    "{\"format\": \"latentforce-model\", \"version\": 1, \"origin\": 0, \"equations\": ["
    "\"time d\", \"input To, Qh\", \"force w1 ~ white\", \"force w2 ~ white\","
    "\"Cw*Tw' = (To - Tw)/Ro + (Ti - Tw)/Ri + Cw*w1\", \"Ci*Ti' = (Tw - Ti)/Ri + Qh + Ci*w2\","
    "\"output xi = Ti\", \"start Tw ~ normal(xw, 1)\", \"start Ti ~ normal(xi0, 1)\","
    "\"parameter xw = 30 real\", \"parameter xi0 = 30 real\"],"
    "\"constants\": {\"Ro\": 0.019375, \"Ri\": 0.002276, \"Cw\": 167.0904, \"Ci\": 30.2641, \"xw\": 30.1041, \"xi0\": "
    "30.2721},"
    "\"forces\": [{\"name\": \"w1\", \"kernel\": \"white\", \"sd\": 0.511984}, {\"name\": \"w2\", \"kernel\": "
    "\"white\", \"sd\": 0.000312}],"
    "\"outputs\": [{\"name\": \"xi\", \"noise_variance\": 0.004485382729}], \"start\": {}}";

static lf_data *read_cell(lf_context *ctx)
{
    FILE *file = fopen("../../shared"
                       "/data/armadillo.csv",
                       "r");
    lf_data *data;
    char line[256];
    if (!file) {
        return NULL;
    }
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    assert_true(fgets(line, sizeof line, file) != NULL);
    for (int i = 0; i < 179 && fgets(line, sizeof line, file); i++) {
        double t, outside, heat, sun, inside;
        assert_int_equal(sscanf(line, "%lf,%lf,%lf,%lf,%lf", &t, &outside, &heat, &sun, &inside), 5);
        t /= 86400;
        assert_ok(ctx, lf_data_add(ctx, data, "To", NULL, &t, outside, 0, NULL));
        assert_ok(ctx, lf_data_add(ctx, data, "Qh", NULL, &t, heat, 0, NULL));
        assert_ok(ctx, lf_data_add(ctx, data, "xi", NULL, &t, inside, 0, NULL));
    }
    fclose(file);
    return data;
}

static double value_of(void *user, const double *theta)
{
    double value;
    lf_engine *engine = user;
    if (lf_engine_evaluate(engine, 0, NULL, &value, NULL) != LF_OK) {
    }
    (void)theta;
    return value;
}

static void test_likelihood(void **state)
{
    lf_model *model;
    lf_data *data = read_cell(*state);
    lf_engine *engine;
    double value, gradient[16];
    (void)value_of;
    assert_ok(*state, lf_model_parse(*state, model_text, "armadillo", &model));
    assert_ok(*state, lf_engine_create(*state, model, data, NULL, &engine));
    size_t n = lf_parameter_count(model);
    assert_ok(*state, lf_engine_evaluate(engine, 0, NULL, &value, NULL));
    printf("%.9f\n", value);
    double theta[16];
    lf_model_get_theta(model, n, theta);
    assert_ok(*state, lf_engine_evaluate(engine, n, theta, &value, gradient));
    for (size_t i = 0; i < n; i++) {
        double h = 1e-6, up, down, old = theta[i];
        theta[i] = old + h;
        assert_ok(*state, lf_engine_evaluate(engine, n, theta, &up, NULL));
        theta[i] = old - h;
        assert_ok(*state, lf_engine_evaluate(engine, n, theta, &down, NULL));
        theta[i] = old;
        printf("%s %g %g\n", lf_parameter_get(model, i).name, gradient[i], (up - down) / (2 * h));
    }
    lf_engine_free(engine);
    lf_data_free(data);
    lf_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_likelihood)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
