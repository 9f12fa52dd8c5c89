/* Values that a candidate takes over from a fitted model with other forces. */
#include "select/carry_over.h"

#include "base/random.h"
#include "data/data.h"
#include "engine/engine.h"
#include "fit_support.h"
#include "model/model.h"

enum { OUTPUTS = 3, TIMES = 30 };

static lf_data *make_waves(lf_context *ctx)
{
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int d = 0; d < OUTPUTS; d++) {
        char name[16];
        snprintf(name, sizeof name, "y%d", d);
        for (int i = 0; i < TIMES; i++) {
            double x = i, y = sin(0.3 * x + d) + 0.4 * cos(0.7 * x * (1 + d)) + 0.1 * sin(29.0 * i * i);
            assert_ok(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = name, .x = &x, .y = y}));
        }
    }
    return data;
}

/* A structure of this shape at its starting values. */
static lf_structure make(lf_context *ctx, const fit_inputs *inputs, int forces, const char *kernel)
{
    lf_structure s = {.shape = inputs->plan.shape, .engine = inputs->plan.engine};
    s.shape.forces = forces;
    s.shape.force_kernel = s.shape.private_kernel = kernel;
    lf_fill_shape(&s.shape, OUTPUTS, 1);
    assert_ok(ctx, lf_start_shape(ctx, &inputs->problem, &inputs->plan, &s));
    return s;
}

/* The same, fitted to something: every value differs from its start. `silent`: the force without an effect; -1: none. */
static lf_structure make_fitted(lf_context *ctx, const fit_inputs *inputs, int forces, const char *kernel, int silent)
{
    lf_structure s = make(ctx, inputs, forces, kernel);
    double theta[100];
    lf_random random;
    lf_random_seed(&random, 9);
    assert_ok(ctx, lf_model_copy(ctx, s.start, &s.warm));
    size_t count = s.warm->parameter_count;
    lf_model_theta(s.warm, theta);
    for (size_t i = 0; i < count; i++) {
        theta[i] += lf_parameter_is_fixed(s.warm, i) ? 0 : 0.3 * lf_random_normal(&random);
    }
    for (int d = 0; d < OUTPUTS && silent >= 0; d++) {
        theta[lf_index_sensitivity(s.warm, d) + silent] = 0;
    }
    assert_ok(ctx, lf_model_set_theta(ctx, s.warm, count, theta));
    return s;
}

static double value_at(lf_context *ctx, const lf_model *model, const lf_data *data)
{
    lf_engine *engine;
    double value;
    assert_ok(ctx, lf_engine_create(ctx, model, data, NULL, &engine));
    assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &value, NULL));
    lf_engine_free(engine);
    return value;
}

/* The force without an effect is the one that is left out: the likelihood is the same. One that is added has its own start with a part of the
 * sensitivities. */
static void test_numbers(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = make_waves(ctx);
    fit_inputs inputs;
    assert_ok(ctx, make_inputs(ctx, data, NULL, NULL, &inputs));
    for (int silent = 0; silent < 3; silent++) {
        lf_structure from = make_fitted(ctx, &inputs, 3, "matern32", silent), to = make(ctx, &inputs, 2, "matern32");
        assert_ok(ctx, lf_carry_over(ctx, &inputs.problem, &from, &to, &to.warm));
        double before = value_at(ctx, from.warm, data);
        assert_near(value_at(ctx, to.warm, data), before, 1e-9 * fabs(before));
        lf_structure_clear(&from);
        from = make_fitted(ctx, &inputs, 2, "matern32", -1);
        lf_structure more = make(ctx, &inputs, 4, "matern32");
        assert_ok(ctx, lf_carry_over(ctx, &inputs.problem, &from, &more, &more.warm));
        for (int q = 0; q < 4; q++) {
            const lf_model *of = q < 2 ? from.warm : more.start;
            assert_near(more.warm->forces[q].lengthscale[0], of->forces[q].lengthscale[0], 1e-14);
            for (int d = 0; d < OUTPUTS; d++) {
                double factor = q < 2 ? 1 : lf_threshold.new_force;
                assert_near(more.warm->outputs[d].sensitivity[q], factor * of->outputs[d].sensitivity[q], 1e-14);
            }
        }
        lf_structure_clear(&from);
        lf_structure_clear(&to);
        lf_structure_clear(&more);
    }
    clear_inputs(&inputs);
    lf_data_free(data);
}

/* White forces in place of others: each output keeps the variance that it has from each force. */
static void test_kernels(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = make_waves(ctx);
    fit_inputs inputs;
    assert_ok(ctx, make_inputs(ctx, data, NULL, NULL, &inputs));
    lf_structure from = make_fitted(ctx, &inputs, 2, "matern32", -1), to = make(ctx, &inputs, 2, "white");
    assert_ok(ctx, lf_carry_over(ctx, &inputs.problem, &from, &to, &to.warm));
    for (int q = -1; q < 2; q++) {
        double had[OUTPUTS], has[OUTPUTS];
        assert_ok(ctx, lf_force_gains(ctx, &inputs.summary, from.warm, q, had));
        assert_ok(ctx, lf_force_gains(ctx, &inputs.summary, to.warm, q, has));
        for (int d = 0; d < OUTPUTS; d++) {
            const lf_output *a = &from.warm->outputs[d], *b = &to.warm->outputs[d];
            double before = had[d] * (q < 0 ? a->private_amplitude : a->sensitivity[q]);
            double after = has[d] * (q < 0 ? b->private_amplitude : b->sensitivity[q]);
            assert_near(after, before, 1e-10 * fabs(before));
            assert_near(b->noise_variance, a->noise_variance, 1e-14 * a->noise_variance);
            assert_near(b->constants[0], a->constants[0], 1e-14 * a->constants[0]);
        }
    }
    lf_structure_clear(&from);
    lf_structure_clear(&to);
    clear_inputs(&inputs);
    lf_data_free(data);
}

/* A value that the options fix stays fixed. */
static void test_fixed(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = make_waves(ctx);
    fit_inputs inputs;
    assert_ok(ctx, make_inputs(ctx, data, NULL, NULL, &inputs));
    lf_structure from = make_fitted(ctx, &inputs, 2, "matern32", -1), to = make(ctx, &inputs, 3, "matern32");
    size_t fixed = (size_t)lf_index_noise(to.start, 1);
    double kept = *to.start->parameters[fixed].value;
    lf_parameter_fix(to.start, fixed, 1);
    assert_ok(ctx, lf_carry_over(ctx, &inputs.problem, &from, &to, &to.warm));
    assert_near(to.warm->outputs[1].noise_variance, kept, 0);
    assert_true(to.warm->outputs[0].noise_variance != to.start->outputs[0].noise_variance);
    lf_structure_clear(&from);
    lf_structure_clear(&to);
    clear_inputs(&inputs);
    lf_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers), cmocka_unit_test(test_kernels),
                                       cmocka_unit_test(test_fixed)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
