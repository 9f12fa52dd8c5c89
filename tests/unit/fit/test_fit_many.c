/* Fits of many outputs: the firm prior, what it is the default of, and the number of forces. */
#include "fit_support.h"

#include "inference/first_stage.h"
#include "model/model.h"

/* One force, three outputs of which each has something of its own, hardly any noise. */
static const char *const truth_text =
    "{\"format\": \"latentforce-model\", \"version\": 1, \"initial\": \"free\", \"forces\": "
    "[{\"kernel\": \"matern12\", \"lengthscale\": 1.5}],"
    " \"outputs\": ["
    "{\"name\": \"a\", \"operator\": {\"type\": \"ode1\", \"decay\": 0.5}, \"sensitivity\": [1], \"noise_variance\": "
    "1e-5, \"private\": {\"kernel\": \"matern12\", \"lengthscale\": 0.5, \"amplitude\": 0.3}},"
    "{\"name\": \"b\", \"operator\": {\"type\": \"ode1\", \"decay\": 2}, \"sensitivity\": [-2], \"noise_variance\": "
    "1e-5, \"private\": {\"kernel\": \"matern12\", \"lengthscale\": 0.5, \"amplitude\": 0.3}},"
    "{\"name\": \"c\", \"operator\": {\"type\": \"ode1\", \"decay\": 1}, \"sensitivity\": [0.5], \"noise_variance\": "
    "1e-5, \"private\": {\"kernel\": \"matern12\", \"lengthscale\": 0.5, \"amplitude\": 0.3}}]}";

static lf_model *fit(lf_context *ctx, const lf_data *data, lf_prior_kind prior, int fixed)
{
    lf_model *model;
    lf_fit_result result = {0};
    assert_ok(ctx, make_initial_model(ctx, data, &(lf_shape_options){.forces = 1}, &model));
    for (size_t i = 0; fixed && i < model->parameter_count; i++) {
        if (strstr(model->parameters[i].name, "b.sensitivity")) {
            lf_parameter_fix(model, i, 1);
        }
    }
    assert_ok(ctx, fit_model(ctx, model, data, &(lf_options){.prior = prior, .max_iterations = 40}, &result));
    lf_fit_result_clear(&result);
    return model;
}

/* A firm prior keeps some noise, and leaves sensitivities that were fitted uncertain. */
static void test_firm(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = simulate_readings(ctx, truth_text, 80, 1, 1);
    lf_model *weak = fit(ctx, data, LF_PRIOR_WEAK, 0), *firm = fit(ctx, data, LF_PRIOR_FIRM, 1);
    for (int d = 0; d < 3; d++) {
        assert_true(weak->outputs[d].noise_variance < 2e-4);
        assert_true(weak->outputs[d].sensitivity_sd == 0);
        assert_true(firm->outputs[d].noise_variance > 9.9e-4);
        assert_true(d == 1 ? firm->outputs[d].sensitivity_sd == 0 : firm->outputs[d].sensitivity_sd > 0);
    }
    lf_model_free(weak);
    lf_model_free(firm);
    lf_data_free(data);
}

static lf_data *many_outputs(lf_context *ctx, int count, int each)
{
    lf_data *data;
    double *z = malloc((size_t)(count * each) * sizeof *z);
    assert_non_null(z);
    lf_normals(ctx, (size_t)(count * each), z);
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < count * each; i++) {
        char name[16];
        double x = i / count;
        snprintf(name, sizeof name, "y%d", i % count);
        assert_ok(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = name, .x = &x, .y = z[i]}));
    }
    free(z);
    return data;
}

/* It is the default with more than a hundred parameters and private forces. */
static void test_default(void **state)
{
    lf_context *ctx = *state;
    static const struct {
        int outputs;
        const char *private_forces;
        lf_prior_kind prior;
        int firm;
    } cases[] = {{20, "yes", LF_PRIOR_DEFAULT, 1},
                 {20, "yes", LF_PRIOR_WEAK, 0},
                 {20, "yes", LF_PRIOR_NONE, 0},
                 {36, "no", LF_PRIOR_DEFAULT, 0},
                 {3, "yes", LF_PRIOR_DEFAULT, 0}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        lf_data *data = many_outputs(ctx, cases[c].outputs, 16);
        lf_model *model;
        lf_fit_result result = {0};
        lf_shape_options draft = {.forces = 2, .private_forces = cases[c].private_forces};
        assert_ok(ctx, make_initial_model(ctx, data, &draft, &model));
        lf_options options = {.prior = cases[c].prior, .max_iterations = 3};
        assert_ok(ctx, fit_model(ctx, model, data, &options, &result));
        assert_true(result.free_count > 100 || cases[c].outputs == 3);
        assert_int_equal(model->outputs[0].sensitivity_sd > 0, cases[c].firm);
        lf_fit_result_clear(&result);
        lf_model_free(model);
        lf_data_free(data);
    }
}

static void test_number_of_forces(void **state)
{
    lf_context *ctx = *state;
    static const int outputs[] = {1, 2, 4, 5, 6, 7, 15, 36, 50}, forces[] = {1, 4, 6, 6, 6, 7, 15, 36, 36};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        lf_data *data = many_outputs(ctx, outputs[i], 10);
        lf_model *model;
        assert_ok(ctx, make_initial_model(ctx, data, NULL, &model));
        assert_int_equal(model->force_count, forces[i]);
        lf_model_free(model);
        lf_data_free(data);
    }
}

/* After a first stage work is limited to 4e12 operations or 40 iterations, unless iterations are given. */
static void test_second_stage(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = many_outputs(ctx, 20, 16);
    lf_model *model;
    fit_inputs f;
    assert_ok(ctx, make_initial_model(ctx, data, NULL, &model));
    assert_ok(ctx, make_inputs(ctx, data, model, NULL, &f));
    lf_structure s = structure_of(model, &f);
    assert_true(s.iterations > 80);
    assert_int_equal(lf_second_stage_iterations(&f.plan, &s, 1e9), s.iterations);
    assert_int_equal(lf_second_stage_iterations(&f.plan, &s, 5e10), 80);
    assert_int_equal(lf_second_stage_iterations(&f.plan, &s, 1e12), 40);
    f.plan.iterations = s.iterations = 7;
    assert_int_equal(lf_second_stage_iterations(&f.plan, &s, 1e12), 7);
    clear_inputs(&f);
    lf_model_free(model);
    lf_data_free(data);
}

/* With several inputs there are three at most, however many outputs. */
static void test_several_inputs(void **state)
{
    lf_context *ctx = *state;
    lf_data *data;
    lf_model *model;
    double z[3 * 200];
    lf_normals(ctx, 3 * 200, z);
    assert_ok(ctx, lf_data_create(ctx, 2, &data));
    for (int i = 0; i < 200; i++) {
        char name[8];
        snprintf(name, sizeof name, "y%d", i % 10);
        assert_ok(ctx,
                  lf_data_add(ctx, data,
                              &(lf_row){.size = sizeof(lf_row), .output = name, .x = z + 3 * i, .y = z[3 * i + 2]}));
    }
    assert_ok(ctx, make_initial_model(ctx, data, NULL, &model));
    assert_int_equal(model->force_count, 3);
    lf_model_free(model);
    lf_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_firm, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_default, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_number_of_forces, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_second_stage, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_several_inputs, make_context, free_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
