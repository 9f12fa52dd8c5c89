/* A fit in two steps: what it holds, what it frees, how it tells of itself. */
#include "support.h"

#include <unistd.h>

#include "fit/settle.h"
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

static lf_data *simulate(lf_context *ctx) { return simulate_readings(ctx, truth_text, 80, 1, 1); }

static const lf_draft_options one_force = {.forces = 1};

static lf_model *fit(lf_context *ctx, const lf_data *data, const lf_fit_options *options, lf_fit_result *result)
{
    lf_model *model;
    assert_ok(ctx, lf_model_draft(ctx, data, &one_force, &model));
    assert_ok(ctx, lf_fit(ctx, model, data, options, result));
    return model;
}

static int is_own(const char *name)
{
    return strstr(name, "noise") || strstr(name, "private") || strstr(name, "initial");
}

/* The second step leaves what is shared where the first put it, and brings the noise below the floor of the first. */
static void test_what_moves(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = simulate(ctx);
    lf_fit_result first, both;
    lf_model *halfway, *model;
    assert_ok(ctx, lf_model_draft(ctx, data, &one_force, &halfway));
    lf_fit_options options = lf_fit_resolve(halfway, &(lf_fit_options){.steps = 2});
    assert_ok(ctx, lf_fit_step(ctx, halfway, data, &options, LF_STEP_FIRST, NULL, &first));
    model = fit(ctx, data, &options, &both);
    for (size_t i = 0; i < lf_parameter_count(model); i++) {
        lf_parameter before = lf_parameter_get(halfway, i), after = lf_parameter_get(model, i);
        assert_true(is_own(after.name) || after.value == before.value);
        if (strstr(after.name, "noise")) {
            assert_true(before.value > 9e-4 && after.value < 5e-4);
        }
    }
    assert_true(both.log_likelihood > first.log_likelihood + 1);
    assert_true(both.iterations > first.iterations && both.free_count == first.free_count);
    assert_near(both.trace[first.iterations - 1], first.objective, 1e-9 * fabs(first.objective));
    assert_near(both.trace[both.iterations - 1], both.objective, 1e-9 * fabs(both.objective));
    lf_fit_result_clear(&first);
    lf_fit_result_clear(&both);
    lf_model_free(halfway);
    lf_model_free(model);
    lf_data_free(data);
}

/* Fixed parameters stay, also those that are an output's own. */
static void test_fixed(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = simulate(ctx);
    lf_fit_result result;
    lf_model *model;
    size_t index;
    assert_ok(ctx, lf_model_draft(ctx, data, &one_force, &model));
    assert_ok(ctx, lf_parameter_find(ctx, model, "b.noise_variance", &index));
    lf_parameter_fix(model, index, 1);
    double before = lf_parameter_get(model, index).value;
    assert_ok(ctx, lf_fit(ctx, model, data, &(lf_fit_options){.steps = 2, .max_iterations = 9}, &result));
    assert_true(lf_parameter_get(model, index).value == before);
    assert_true(result.iterations == 12); /* 9 and a third as many */
    assert_false(result.converged);
    assert_ok(ctx, lf_parameter_find(ctx, model, "b.sensitivity1", &index));
    assert_false(lf_parameter_get(model, index).fixed); /* held in the second step only */
    lf_fit_result_clear(&result);
    assert_true(lf_fit(ctx, model, data, &(lf_fit_options){.steps = 3}, &result) == LF_ERROR_ARGUMENT);
    lf_model_free(model);
    lf_data_free(data);
}

static int stop_at_fifteen(void *user, const lf_progress *progress)
{
    size_t *last = user;
    *last = progress->iteration;
    return progress->iteration >= 15;
}

/* Stopped in the second step and resumed, a fit ends where an undisturbed one does. */
static void test_resumed(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = simulate(ctx);
    lf_fit_result whole, part;
    size_t last = 0;
    char path[] = "/tmp/lf-steps-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    unlink(path);
    lf_fit_options options = {.steps = 2, .max_iterations = 12, .checkpoint = path};
    lf_model *undisturbed = fit(ctx, data, &(lf_fit_options){.steps = 2, .max_iterations = 12}, &whole);
    options.progress = stop_at_fifteen;
    options.user = &last;
    lf_model_free(fit(ctx, data, &options, &part));
    assert_true(part.cancelled && last == 15); /* 12 of the first step and 3 of the second */
    lf_fit_result_clear(&part);
    options.progress = NULL;
    options.resume = 1;
    lf_model *resumed = fit(ctx, data, &options, &part);
    lf_fit_result refused;
    lf_model *other;
    assert_ok(ctx, lf_model_draft(ctx, data, &one_force, &other));
    options.steps = 1; /* another fit */
    assert_true(lf_fit(ctx, other, data, &options, &refused) != LF_OK);
    assert_non_null(strstr(lf_message(ctx), path));
    lf_model_free(other);
    for (size_t i = 0; i < undisturbed->parameter_count; i++) {
        assert_true(*undisturbed->parameters[i].value == *resumed->parameters[i].value);
    }
    assert_true(part.iterations == whole.iterations);
    unlink(path);
    lf_fit_result_clear(&whole);
    lf_fit_result_clear(&part);
    lf_model_free(undisturbed);
    lf_model_free(resumed);
    lf_data_free(data);
}

/* Two steps are for many outputs: more than a hundred parameters, private forces and a prior. */
static void test_default(void **state)
{
    lf_context *ctx = *state;
    lf_data *data, *few = simulate(ctx);
    double z[20 * 16];
    lf_fit_result result;
    lf_normals(ctx, 20 * 16, z);
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < 20 * 16; i++) {
        char name[8];
        double x = i / 20;
        snprintf(name, sizeof name, "y%d", i % 20);
        assert_ok(ctx, lf_data_add(ctx, data, name, NULL, &x, z[i], 0, LF_SPLIT_NONE));
    }
    static const struct {
        int no_prior;
        const char *private_forces;
        size_t iterations;
    } cases[] = {{0, "yes", 4}, {1, "yes", 3}, {0, "no", 3}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        lf_model *model;
        lf_draft_options draft = {.forces = 2, .private_forces = cases[c].private_forces};
        assert_ok(ctx, lf_model_draft(ctx, data, &draft, &model));
        assert_true(lf_free_parameters(model, NULL) > 100 || cases[c].iterations == 3);
        assert_ok(ctx, lf_fit(ctx, model, data, &(lf_fit_options){.no_prior = cases[c].no_prior, .max_iterations = 3},
                              &result));
        assert_true(result.iterations == cases[c].iterations);
        lf_fit_result_clear(&result);
        lf_model_free(model);
    }
    lf_model_free(fit(ctx, few, &(lf_fit_options){.max_iterations = 3}, &result));
    assert_true(result.iterations == 3);
    lf_fit_result_clear(&result);
    lf_data_free(few);
    lf_data_free(data);
}

/* Where few components explain little of many outputs, there are more forces. */
static void test_number_of_forces(void **state)
{
    lf_context *ctx = *state;
    enum { MANY = 15 };
    for (int independent = 0; independent < 2; independent++) {
        lf_data *data;
        lf_model *model;
        double z[MANY * 60];
        lf_normals(ctx, MANY * 60, z);
        assert_ok(ctx, lf_data_create(ctx, 1, &data));
        for (int i = 0; i < MANY * 60; i++) {
            char name[8];
            double x = i / MANY;
            snprintf(name, sizeof name, "y%d", i % MANY);
            double y = independent ? z[i] : sin(x / 5) + 0.01 * z[i];
            assert_ok(ctx, lf_data_add(ctx, data, name, NULL, &x, y, 0, LF_SPLIT_NONE));
        }
        assert_ok(ctx, lf_model_draft(ctx, data, NULL, &model));
        assert_int_equal(model->force_count, independent ? 12 : 6);
        lf_model_free(model);
        lf_data_free(data);
    }
}

/* With several inputs there is one, however many outputs. */
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
        assert_ok(ctx, lf_data_add(ctx, data, name, NULL, z + 3 * i, z[3 * i + 2], 0, LF_SPLIT_NONE));
    }
    assert_ok(ctx, lf_model_draft(ctx, data, NULL, &model));
    assert_int_equal(model->force_count, 1);
    lf_model_free(model);
    lf_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_moves, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_fixed, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_resumed, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_default, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_number_of_forces, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_several_inputs, make_context, free_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
