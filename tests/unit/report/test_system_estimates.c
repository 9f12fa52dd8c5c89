/* What a fit of equations says beside the estimates: parameters that the data do not determine, quantities with errors, priors, bounds,
 * shares and residuals. */
#include "data/data.h"
#include "model/model.h"
#include "report/evidence.h"
#include "report/remarks.h"
#include "simulated_systems.h"

static lf_model *fit_text(lf_context *ctx, const char *text, const lf_data *data, lf_fit_result **result)
{
    lf_model *start, *model;
    lf_options *options;
    assert_ok(ctx, lf_model_from_equations(ctx, text, "test.eq", &start));
    assert_ok(ctx, lf_options_create(ctx, "fit", &options));
    assert_ok(ctx, lf_options_set_model(ctx, options, start));
    assert_ok(ctx, lf_fit(ctx, data, options, &model, result));
    lf_options_free(options);
    lf_model_free(start);
    return model;
}

static lf_parameter find(lf_context *ctx, const lf_model *model, const char *name)
{
    size_t index;
    assert_ok(ctx, lf_parameter_find(ctx, model, name, &index));
    return lf_parameter_get(model, index);
}

static int is_undetermined(const lf_model *model, const lf_fit_result *result, const char *name)
{
    int found = 0;
    for (size_t i = 0; i < result->undetermined_count; i++) {
        found = found || strcmp(lf_parameter_get(model, result->undetermined[i]).name, name) == 0;
    }
    return found;
}

/* Whether a sentence of the verdict holds the words. */
static int verdict_says(lf_context *ctx, const lf_model *model, const char *words)
{
    lf_verdict *verdict;
    int found = 0;
    assert_ok(ctx, lf_verdict_create(ctx, model, &verdict));
    for (size_t i = 0; i < verdict->count; i++) {
        found = found || strstr(verdict->remarks[i].sentence, words);
    }
    lf_verdict_free(verdict);
    return found;
}

/* ---- what the data determine ---- */

static const simulated_system room = {.name = "room",
                                      .text = "input To, Qh\nC*T' = (To - T)/R + Qh\noutput y = T\n",
                                      .span = 6,
                                      .rows = 120,
                                      .truth = {{"C", 4}, {"R", 0.3}, {"y.noise", 0.1}}};

/* A product of two parameters stands everywhere: it is determined, they are not. Quantities know the difference. */
static void test_product(void **state)
{
    lf_data *data = simulate_system(*state, &room, NULL, 3);
    lf_fit_result *result, *plain_result;
    lf_model *model =
                 fit_text(*state,
                          "input To, Qh\na*b*T' = (To - T)/R + Qh\noutput y = T\nquantity C = a*b\nquantity A = a\n"
                          "quantity loss = 1/R\n",
                          data, &result),
             *plain = fit_text(*state, "input To, Qh\nC*T' = (To - T)/R + Qh\noutput y = T\nquantity half = C/2\n",
                               data, &plain_result);
    assert_int_equal(result->undetermined_count, 2);
    assert_true(is_undetermined(model, result, "a") && is_undetermined(model, result, "b"));
    assert_string_equal(result->combinations, "a*b");
    assert_true(isnan(find(*state, model, "a").standard_error));
    assert_true(verdict_says(*state, model, "do not determine a and b, only a*b"));
    lf_parameter C = find(*state, plain, "C"), R = find(*state, plain, "R");
    const double *errors = model->system->quantity_error;
    assert_near(errors[0], C.standard_error, 1e-3 * C.standard_error);
    assert_true(isnan(errors[1]));
    assert_near(errors[2], R.standard_error / (R.value * R.value), 1e-3 * errors[2]);
    assert_near(plain->system->quantity_error[0], C.standard_error / 2, 1e-9);
    assert_int_equal(plain_result->undetermined_count, 0);
    assert_near(result->log_likelihood, plain_result->log_likelihood, 1e-4);
    lf_fit_result_free(result);
    lf_fit_result_free(plain_result);
    lf_model_free(model);
    lf_model_free(plain);
    lf_data_free(data);
}

/* Errors of quantities are in the file, and go when a parameter changes. */
static void test_quantities_in_file(void **state)
{
    lf_data *data = simulate_system(*state, &room, NULL, 3);
    lf_fit_result *result;
    lf_model *model = fit_text(*state, "input To, Qh\nC*T' = (To - T)/R + Qh\noutput y = T\nquantity UA = 1/R\n", data,
                               &result),
             *again;
    static const char *const path = "test_system_estimates.json";
    assert_ok(*state, lf_model_write(*state, model, path));
    assert_ok(*state, lf_model_read(*state, path, &again));
    remove(path);
    assert_true(model->system->quantity_error[0] > 0);
    assert_true(again->system->quantity_error[0] == model->system->quantity_error[0]);
    size_t index;
    assert_ok(*state, lf_parameter_find(*state, again, "R", &index));
    assert_ok(*state, lf_parameter_set(*state, again, index, 0.5));
    assert_true(isnan(again->system->quantity_error[0]));
    lf_fit_result_free(result);
    lf_model_free(model);
    lf_model_free(again);
    lf_data_free(data);
}

/* Two ratios of three parameters; and a state that nothing shows, whose parameters nothing determines. */
static void test_ratios_and_hidden_state(void **state)
{
    lf_data *data = simulate_system(*state, &room, NULL, 4);
    lf_fit_result *result;
    lf_model *model = fit_text(*state, "input To, Qh\nm*T' = g*(To - T) + h*Qh\noutput y = T\n", data, &result);
    assert_int_equal(result->undetermined_count, 3);
    assert_string_equal(result->combinations, "g/m and h/m");
    lf_fit_result_free(result);
    lf_model_free(model);
    model = fit_text(*state, "input To, Qh\nC*T' = (To - T)/R + Qh\nz' = b*T - d*z\noutput y = T\n", data, &result);
    assert_int_equal(result->undetermined_count, 2);
    assert_true(is_undetermined(model, result, "b") && is_undetermined(model, result, "d"));
    assert_null(result->combinations);
    assert_true(verdict_says(*state, model, "do not determine b and d"));
    assert_true(isfinite(find(*state, model, "C").standard_error));
    lf_fit_result_free(result);
    lf_model_free(model);
    lf_data_free(data);
}

/* ---- priors, bounds, fixed values ---- */

/* The derivative of the log likelihood by theta of a parameter, at the values of the model. */
static double slope_of(lf_context *ctx, const lf_model *model, const lf_data *data, const char *name)
{
    size_t n = lf_parameter_count(model), index;
    double theta[16], gradient[16], value;
    lf_engine *engine;
    assert_true(n <= 16);
    assert_ok(ctx, lf_parameter_find(ctx, model, name, &index));
    assert_ok(ctx, lf_engine_create(ctx, model, data, NULL, &engine));
    lf_model_theta(model, theta);
    assert_ok(ctx, lf_engine_evaluate(engine, n, theta, &value, gradient));
    lf_engine_free(engine);
    return gradient[index];
}

/* At the optimum the slopes of likelihood and prior cancel. */
static void test_priors(void **state)
{
    lf_data *data = simulate_system(*state, &room, NULL, 5);
    lf_fit_result *result;
    lf_model *model = fit_text(*state,
                               "input To, Qh\nC*T' = (To - T)/R + Qh + s\noutput y = T\n"
                               "parameter C ~ lognormal(5, 0.01)\nparameter R ~ normal(0.29, 0.001)\n"
                               "parameter s real ~ normal(1, 0.1)\n",
                               data, &result);
    double C = find(*state, model, "C").value, R = find(*state, model, "R").value, s = find(*state, model, "s").value;
    assert_near(slope_of(*state, model, data, "C"), log(C / 5) / 1e-4, 0.05);
    assert_near(slope_of(*state, model, data, "R"), (R - 0.29) / 1e-6 * R, 0.05);
    assert_near(slope_of(*state, model, data, "s"), (s - 1) / 0.01, 0.05);
    double log_prior = -0.5 * (pow(log(C / 5) / 0.01, 2) + pow((R - 0.29) / 0.001, 2) + pow((s - 1) / 0.1, 2));
    assert_near(result->log_prior, log_prior, 1e-6 * fabs(log_prior));
    assert_true(fabs(log_prior) > 0.1); /* they matter */
    lf_fit_result_free(result);
    lf_model_free(model);
    lf_data_free(data);
}

static void test_bounds_and_fixed(void **state)
{
    lf_data *data = simulate_system(*state, &room, NULL, 5);
    lf_fit_result *result;
    lf_model *model = fit_text(*state,
                               "input To, Qh\nC*T' = (To - T)/R + Qh\noutput y = T noise = 0.1 fixed\n"
                               "parameter C in 5 .. 9\nparameter R = 0.3 fixed\n",
                               data, &result);
    assert_near(find(*state, model, "C").value, 5, 1e-9);
    assert_true(find(*state, model, "R").value == 0.3);
    assert_near(find(*state, model, "y.noise_variance").value, 0.01, 1e-15);
    assert_int_equal(result->free_count, 1);
    assert_int_equal(result->bound_count, 1);
    assert_true(isnan(find(*state, model, "C").standard_error));
    lf_fit_result_free(result);
    lf_model_free(model);
    model =
        fit_text(*state, "input To, Qh\nC*T' = (To - T)/R + Qh\noutput y = T\nparameter C in 2 .. 9\n", data, &result);
    assert_int_equal(result->bound_count, 0); /* the optimum is within */
    lf_fit_result_free(result);
    lf_model_free(model);
    model = fit_text(*state,
                     "input To, Qh\nC*T' = (To - T)/R + Qh + s\noutput y = T\nparameter C in 0 .. 2\n"
                     "parameter s real in -100 .. -0.5\n",
                     data, &result);
    assert_near(find(*state, model, "C").value, 2, 1e-9); /* bounds that are far apart hold too */
    assert_true(find(*state, model, "s").value <= -0.5);
    lf_fit_result_free(result);
    lf_model_free(model);
    lf_data_free(data);
}

/* ---- residuals and shares ---- */

static const char *const driven =
    "input v\nforce u ~ matern32(lengthscale = 0.7, amplitude = 1.1)\nforce w ~ white(sd = 0.3)\n"
    "x' = v + 2*u - a*x + w\nparameter a = 0.8\noutput y = x + q noise = 0.3\nstart x ~ normal(1, 0.5)\n"
    "q' = 0.2*u - q\nstart q ~ normal(0, 0.1)\n";

enum { ROWS = 30 };

static lf_data *driven_rows(lf_context *ctx, int without)
{
    lf_data *data;
    lf_random random;
    lf_random_seed(&random, 12);
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < ROWS; i++) {
        double t = 0.2 * i + 0.05 * lf_random_uniform(&random), v = sin(t) + 2,
               y = 2 + sin(t - 0.7) + lf_random_normal(&random);
        assert_ok(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "v", .x = &t, .y = v}));
        if (i == 0) {
            double start = 0;
            assert_ok(ctx,
                      lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "v", .x = &start, .y = 2}));
        }
        if (i != without) {
            assert_ok(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "y", .x = &t, .y = y}));
        }
    }
    return data;
}

/* Residuals are those of rows left out, the mean and all: compared with posteriors that have not seen the row. */
static void test_left_out(void **state)
{
    lf_model *model;
    double sum = 0, squares = 0;
    assert_ok(*state, lf_model_from_equations(*state, driven, "driven.eq", &model));
    lf_data *all = driven_rows(*state, -1);
    lf_posterior *posterior = make_posterior(*state, model, all, NULL);
    lf_diagnosis *diagnosis;
    assert_ok(*state, lf_diagnose(posterior, all, &diagnosis));
    for (int i = 0, row = 0; i < ROWS; i++, row++) {
        while (strcmp(lf_data_name(all, LF_KIND_OUTPUT, (size_t)(lf_data_row(all, (size_t)row).output)), "y") != 0) {
            row++;
        }
        lf_data *rest = driven_rows(*state, i);
        lf_posterior *p = make_posterior(*state, model, rest, NULL);
        lf_observation left = lf_data_row(all, (size_t)row);
        int target = 0;
        lf_point_list point = {.n = 1, .target = &target, .x = left.x};
        double mean, variance;
        if (i == ROWS - 1) { /* the inputs reach to the last reading in both */
            assert_true(left.x[0] > 0);
        }
        assert_ok(*state, lf_predict_list(p, &point, &mean, &variance, NULL));
        double z = (left.y - mean) / sqrt(variance + 0.09);
        sum += z / ROWS;
        squares += z * z / ROWS;
        lf_posterior_free(p);
        lf_data_free(rest);
    }
    assert_near(diagnosis->outputs[0].residual_mean, sum, 1e-9);
    assert_near(diagnosis->outputs[0].residual_rms, sqrt(squares), 1e-9);
    lf_diagnosis_free(diagnosis);
    lf_posterior_free(posterior);
    lf_data_free(all);
    lf_model_free(model);
}

/* The parts add up to the posterior mean and to the response to the known inputs; the shares add up to 1. */
static void test_shares(void **state)
{
    lf_model *model;
    assert_ok(*state, lf_model_from_equations(*state, driven, "driven.eq", &model));
    lf_data *data = driven_rows(*state, -1);
    lf_posterior *posterior = make_posterior(*state, model, data, NULL);
    lf_diagnosis *diagnosis;
    lf_evidence e;
    assert_ok(*state, lf_evidence_create(posterior, data, 1, &e));
    for (int r = 0; r < e.rows.count; r++) {
        size_t n = e.rows.replicates[r].points.n, Q = (size_t)model->force_count, K = (size_t)model->known_count;
        for (size_t i = 0; i < n; i++) {
            double parts = 0, known = 0;
            for (size_t k = 0; k < Q + 2; k++) {
                parts += e.parts[r][k * n + i];
            }
            for (size_t k = 0; k <= K; k++) {
                known += e.known[r][k * n + i];
            }
            assert_near(parts, e.mean[r][i], 1e-6);
            assert_near(known, e.rows.replicates[r].mean[i], 1e-12);
        }
    }
    lf_evidence_clear(&e);
    assert_ok(*state, lf_diagnose(posterior, data, &diagnosis));
    const lf_output_diagnosis *output = &diagnosis->outputs[0];
    assert_near(output->shared + output->process + output->start + output->known + output->noise, 1, 1e-12);
    assert_near(output->inputs[0], output->known, 1e-15);
    assert_true(output->shared > 0.05 && output->process > 0.001 && output->known > 0.05 && output->noise > 0);
    lf_diagnosis_free(diagnosis);
    lf_posterior_free(posterior);
    lf_data_free(data);
    lf_model_free(model);
}

/* The same model by an operator, whose engine separates the parts in another way. */
static void test_shares_of_operators(void **state)
{
    static const char *const operators =
        "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"zero\",\"origin\":0,\"forces\":["
        "{\"kernel\":\"matern32\",\"lengthscale\":0.7},{\"kernel\":\"matern32\",\"lengthscale\":2}],\"outputs\":["
        "{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":0.9},\"sensitivity\":[1.3,0.5],\"noise_variance\":0."
        "01}]}";
    lf_model *first = parse_model(*state, operators), *second;
    lf_data *data;
    lf_random random;
    lf_random_seed(&random, 4);
    assert_ok(*state,
              lf_model_from_equations(*state,
                                      "force u ~ matern32(lengthscale = 0.7, amplitude = 1.3)\n"
                                      "force v ~ matern32(lengthscale = 2, amplitude = 0.5)\n"
                                      "f' = u + v - b*f\nparameter b = 0.9\noutput a = f noise = 0.1\nstart rest\n",
                                      "test", &second));
    assert_ok(*state, lf_data_create(*state, 1, &data));
    for (int i = 0; i < 40; i++) {
        double t = 6 * lf_random_uniform(&random);
        assert_ok(
            *state,
            lf_data_add(*state, data,
                        &(lf_row){.size = sizeof(lf_row), .output = "a", .x = &t, .y = lf_random_normal(&random)}));
    }
    lf_engine_options dense = {.size = sizeof dense, .engine = "dense"};
    lf_posterior *p = make_posterior(*state, first, data, &dense), *q = make_posterior(*state, second, data, NULL);
    lf_diagnosis *x, *y;
    assert_ok(*state, lf_diagnose(p, data, &x));
    assert_ok(*state, lf_diagnose(q, data, &y));
    assert_false(x->from_prior);
    for (int f = 0; f < 2; f++) {
        assert_near(x->outputs[0].forces[f], y->outputs[0].forces[f], 1e-5);
        assert_near(x->outputs[0].force_variances[f], y->outputs[0].force_variances[f], 1e-5);
    }
    lf_diagnosis_free(x);
    lf_diagnosis_free(y);
    lf_posterior_free(p);
    lf_posterior_free(q);
    lf_data_free(data);
    lf_model_free(first);
    lf_model_free(second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_product),
        cmocka_unit_test(test_quantities_in_file),
        cmocka_unit_test(test_ratios_and_hidden_state),
        cmocka_unit_test(test_priors),
        cmocka_unit_test(test_bounds_and_fixed),
        cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_shares_of_operators),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
