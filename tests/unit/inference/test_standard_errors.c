/* Standard errors of a fit are those of the log posterior that it maximised: the inverse of its Hessian, from second differences of values by the
 * public engine and the density of the prior that the structure of the fit has. */
#include "base/lapack.h"
#include "base/memory.h"
#include "fit_support.h"

static const char truth[] =
    "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"stationary\",\"forces\":[{\"kernel\":\"matern32\","
    "\"lengthscale\":1.5}],\"outputs\":["
    "{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":0.8},\"sensitivity\":[1],\"noise_variance\":0.01},"
    "{\"name\":\"b\",\"operator\":{\"type\":\"ode1\",\"decay\":1.6},\"sensitivity\":[-2],\"noise_variance\":0.02}]}";

/* The log posterior of theta with the prior of the fit. */
typedef struct target {
    lf_engine *engine;
    const lf_prior *prior;
    const lf_model *model;
    size_t count, index[16];
    double theta[16], step[16], unused[16];
} target;

static double value_at(target *t, size_t i, double by_i, size_t j, double by_j)
{
    double value, theta[16];
    memcpy(theta, t->theta, sizeof theta);
    theta[t->index[i]] += by_i;
    theta[t->index[j]] += by_j;
    assert_int_equal(lf_engine_evaluate(t->engine, t->model->parameter_count, theta, &value, NULL), LF_OK);
    return value + lf_prior_density(t->prior, t->model, t->count, t->index, theta, t->unused);
}

/* Minus the Hessian; its inverse has the variances on its diagonal. */
static void find_errors(target *t, double *sd)
{
    size_t n = t->count;
    double H[256], column[16], copy[256];
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double a = t->step[i], b = t->step[j];
            H[i * n + j] = -(value_at(t, i, a, j, b) - value_at(t, i, a, j, -b) - value_at(t, i, -a, j, b) +
                             value_at(t, i, -a, j, -b)) /
                           (4 * a * b);
        }
    }
    for (size_t i = 0; i < n; i++) {
        memcpy(copy, H, sizeof copy);
        memset(column, 0, sizeof column);
        column[i] = 1;
        assert_int_equal(lf_solve(n, copy, column), 0);
        sd[i] = sqrt(column[i]);
    }
}

/* The fit starts from sensitivities that are far too small. The prior expects sensitivities of their size, so that the errors depend on whether it
 * is that of the start or one made for the fitted model. */
static void errors_are_those_of_the_maximised_density(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = simulate_readings(ctx, truth, 25, 1, 1);
    lf_model *start = parse_model(ctx, truth), *model;
    for (int d = 0; d < 2; d++) {
        start->outputs[d].sensitivity[0] *= 0.004;
    }
    lf_options *options;
    lf_fit_result *result;
    assert_ok(ctx, lf_options_create(ctx, "fit", &options));
    assert_ok(ctx, lf_options_set_model(ctx, options, start));
    assert_ok(ctx, lf_options_set(ctx, options, "calibrate", "no"));
    assert_ok(ctx, lf_fit(ctx, data, options, &model, &result));
    assert_true(result->converged && result->bound_count == 0);

    lf_problem *problem;
    lf_fit_plan plan;
    lf_structure structure = {0};
    lf_prior prior;
    assert_ok(ctx, lf_problem_create(ctx, data, options, &problem));
    assert_ok(ctx, lf_fit_plan_resolve(ctx, options, problem, &plan));
    assert_ok(ctx, lf_start(ctx, problem, &plan, &structure));
    assert_ok(ctx, lf_prior_create(ctx, problem, &structure, &prior));
    target t = {.prior = &prior, .model = model};
    t.count = lf_free_parameters(model, t.index);
    lf_model_theta(model, t.theta);
    assert_ok(ctx, lf_engine_create(ctx, model, problem->training, NULL, &t.engine));
    double sd[16], found[16];
    for (size_t k = 0; k < t.count; k++) {
        lf_parameter p = lf_parameter_get(model, t.index[k]);
        found[k] = p.standard_error / (model->parameters[t.index[k]].transform == LF_TRANSFORM_LOG ? p.value : 1);
        t.step[k] = 0.01 * found[k];
    }
    find_errors(&t, sd);
    for (size_t k = 0; k < t.count; k++) {
        assert_near(found[k] / sd[k], 1, 1e-3);
    }
    lf_engine_free(t.engine);
    lf_prior_clear(&prior);
    lf_structure_clear(&structure);
    lf_fit_plan_clear(&plan);
    lf_problem_free(problem);
    lf_fit_result_free(result);
    lf_options_free(options);
    lf_model_free(model);
    lf_model_free(start);
    lf_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(errors_are_those_of_the_maximised_density)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
