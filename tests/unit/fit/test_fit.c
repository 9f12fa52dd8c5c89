/* The stages of a fit: data summary, initial model, prior, optimisation, standard errors, model selection. */
#include "fit_support.h"

#include <unistd.h>

#include "data/data.h"
#include "inference/log_posterior.h"
#include "model/model.h"
#include "select/select.h"

/* ---- data ----------------------------------------------------------------------------------------------------------- */

static const char *const truth_text =
    "{\"format\": \"latentforce-model\", \"version\": 1, \"forces\": [{\"kernel\": \"eq\", \"lengthscale\": 1.5}],"
    " \"outputs\": ["
    "{\"name\": \"a\", \"operator\": {\"type\": \"ode1\", \"decay\": 0.5}, \"sensitivity\": [1], \"noise_variance\": "
    "0.002},"
    "{\"name\": \"b\", \"operator\": {\"type\": \"ode1\", \"decay\": 2}, \"sensitivity\": [-2], \"noise_variance\": "
    "0.002}]}";

/* 50 rows of each output of the truth, x and y in other units. */
static lf_data *simulate(lf_context *ctx, double x_unit, double y_unit)
{
    return simulate_readings(ctx, truth_text, 50, x_unit, y_unit);
}

static const lf_shape_options plain = {
    .forces = 1, .force_kernel = "eq", .private_forces = "no", .initial = "zero", .offset = "none"};

static double value_of(lf_context *ctx, const lf_model *model, const char *name)
{
    size_t index;
    assert_ok(ctx, lf_parameter_find(ctx, model, name, &index));
    return lf_parameter_get(model, index).value;
}

/* ---- data summary and initial model --------------------------------------------------------------------------------------------------- */

static void test_data_summary(void **state)
{
    lf_context *ctx = *state;
    lf_data *data;
    lf_data_summary summary;
    double z[400], shares[4], scales[2];
    lf_context_set_seed(ctx, 3);
    lf_normals(ctx, 400, z);
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < 400; i++) { /* two periods of a sine, and its mirror image with a gap and less noise */
        double x = 0.05 * i, y = sin(x * 6.283185307179586 / 10);
        assert_ok(ctx, lf_data_add(
                           ctx, data,
                           &(lf_row){.size = sizeof(lf_row), .output = "sine", .x = &x, .y = 3 + 2 * y + 0.2 * z[i]}));
        if (i < 150 || i > 180) {
            assert_ok(ctx,
                      lf_data_add(
                          ctx, data,
                          &(lf_row){.size = sizeof(lf_row), .output = "mirror", .x = &x, .y = -y + 0.05 * z[399 - i]}));
        }
    }
    assert_ok(ctx, lf_data_summary_create(ctx, data, NULL, &summary));
    assert_near(lf_data_summary_span(&summary), 19.95, 3e-14);
    assert_near(summary.gap, 0.05, 3e-16);
    /* estimates from noise: a few standard errors */
    assert_near(summary.outputs[0].mean, 3, 0.05);
    assert_near(summary.outputs[0].sd, sqrt(2 + 0.04), 0.05);
    assert_near(summary.outputs[0].noise, 0.04, 0.012);
    assert_near(summary.outputs[1].noise, 0.0025, 0.0008);
    assert_near(summary.outputs[0].first, 3 + 0.2 * z[0], 3e-15);
    /* cos(2 pi r / 10), and the estimate of the autocorrelation falls off by 1 - r / 20 too. */
    assert_near(summary.outputs[0].timescale, 1.8, 0.2);
    assert_ok(ctx, lf_principal_components(ctx, &summary, 2, shares, scales));
    for (int d = 0; d < 2; d++) { /* together they explain everything */
        assert_near(shares[2 * d] * shares[2 * d] + shares[2 * d + 1] * shares[2 * d + 1], 1, 0.06);
    }
    assert_true(fabs(shares[0]) > 0.95 && shares[0] * shares[2] < 0);
    lf_data_summary_clear(&summary);
    lf_data_free(data);
}

static void test_initial_model(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = simulate(ctx, 1, 1);
    lf_model *model;
    const char *own[] = {"b=ode:3", NULL};
    double origin = -1;
    assert_ok(ctx, make_initial_model(ctx, data, NULL, &model));
    assert_string_equal(lf_model_output(model, 0).operator_type, "ode1");
    assert_true(lf_model_output(model, 0).private_kernel != NULL);
    assert_int_equal(lf_model_count(model, LF_KIND_FORCE), 4);
    assert_string_equal(lf_force_kernel_text(&model->forces[0]), "matern32");
    assert_string_equal(lf_model_output(model, 0).private_kernel, "matern12");
    assert_true(model->initial == LF_INITIAL_FREE);
    lf_model_free(model);
    lf_shape_options options = {.operator_type = "ode2",
                                .output_operators = own,
                                .forces = 3,
                                .force_kernel = "matern32",
                                .private_kernel = "matern12",
                                .initial = "stationary",
                                .origin = &origin,
                                .offset = "learned",
                                .scale = "none"};
    assert_ok(ctx, make_initial_model(ctx, data, &options, &model));
    assert_int_equal(lf_model_count(model, LF_KIND_FORCE), 3);
    assert_string_equal(lf_force_kernel_text(&model->forces[2]), "matern32");
    assert_string_equal(lf_model_output(model, 0).operator_type, "ode2");
    assert_int_equal(lf_model_output(model, 1).order, 3);
    assert_string_equal(lf_model_output(model, 1).private_kernel, "matern12");
    assert_near(model->origin, -1, 0);
    assert_near(lf_model_output(model, 0).scale, 1, 0);
    for (size_t i = 0; i < lf_parameter_count(model); i++) {
        lf_parameter p = lf_parameter_get(model, i);
        int leading = !strcmp(p.name, "a.mass") || !strcmp(p.name, "b.coefficient0");
        assert_true(isfinite(p.value));
        assert_int_equal(p.fixed, leading);
    }
    lf_model_free(model);
    options.operator_type = "ode13x";
    assert_int_equal(make_initial_model(ctx, data, &options, &model), LF_ERROR_ARGUMENT);
    assert_null(model);
    lf_data_free(data);
}

/* The prior variance of the draft is about that of the data, whatever the operator. */
static void test_initial_model_has_the_size_of_the_data(void **state)
{
    lf_context *ctx = *state;
    static const char *const operators[] = {"ode1", "ode2", "ode:3", "gaussian"};
    lf_data *data = simulate(ctx, 1, 1);
    for (size_t i = 0; i < 4; i++) {
        lf_shape_options options = {.operator_type = operators[i], .forces = 2, .force_kernel = "eq"};
        lf_model *model;
        int target[2] = {0, 1};
        double x[2] = {9, 9}, K[4];
        lf_point_list points = {.n = 2, .target = target, .x = x};
        assert_ok(ctx, make_initial_model(ctx, data, &options, &model));
        assert_ok(ctx, lf_covariance_list(ctx, model, &points, NULL, K));
        for (int d = 0; d < 2; d++) {
            double scale = lf_model_output(model, d).scale;
            assert_near(K[3 * d] / (scale * scale), 1, 0.35); /* a start: roughly right is enough */
        }
        lf_model_free(model);
    }
    lf_data_free(data);
}

/* ---- the objective ---------------------------------------------------------------------------------------------------- */

static double minus_objective(void *user, const double *x)
{
    double value, gradient[64];
    assert_int_equal(lf_log_posterior_negative(user, x, 0, &value, gradient), LF_OK);
    return value;
}

static const char *parameter_name(void *user, size_t i)
{
    lf_log_posterior *p = user;
    return p->model->parameters[p->index[i]].theta_name;
}

static void test_objective_gradient(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = simulate(ctx, 1, 1);
    lf_shape_options options = {.operator_type = "ode2", .forces = 2, .force_kernel = "eq", .offset = "learned"};
    lf_model *model;
    fit_inputs f;
    lf_prior prior;
    lf_structure s;
    lf_log_posterior *p;
    double x[64], gradient[64], value;
    assert_ok(ctx, make_initial_model(ctx, data, &options, &model));
    assert_ok(ctx, make_inputs(ctx, data, model, NULL, &f));
    const lf_prior_options weak = {.kind = LF_PRIOR_WEAK};
    assert_ok(ctx, lf_prior_of_model(ctx, &f.problem, model, weak, &prior));
    s = structure_of(model, &f);
    s.fitting = (lf_engine_options){.size = sizeof s.fitting};
    assert_ok(ctx, lf_log_posterior_make(ctx, &f.problem, &s, model, &prior, &p));
    assert_true(p->count > 15 && p->count < 64);
    for (size_t k = 0; k < p->count; k++) {
        p->theta[p->index[k]] += 0.05;
    }
    lf_log_posterior_point(p, x);
    assert_ok(ctx, lf_log_posterior_negative(p, x, 0, &value, gradient));
    assert_true(p->log_prior < 0);
    check_gradient(p->count, x, gradient, minus_objective, p, 1e-3, 3e-7, parameter_name);
    lf_log_posterior_destroy(p);
    lf_prior_clear(&prior);
    clear_inputs(&f);
    lf_model_free(model);
    lf_data_free(data);
}

/* ---- fits --------------------------------------------------------------------------------------------------------------- */

/* Units do not matter: the same fit in milliseconds and millivolts. */
static void test_units(void **state)
{
    lf_context *ctx = *state;
    lf_data *data[2] = {simulate(ctx, 1, 1), simulate(ctx, 1000, 0.001)};
    lf_model *model[2];
    lf_fit_result result[2];
    for (int i = 0; i < 2; i++) {
        assert_ok(ctx, make_initial_model(ctx, data[i], &plain, &model[i]));
        assert_ok(ctx, fit_model(ctx, model[i], data[i], NULL, &result[i]));
        assert_true(result[i].converged);
    }
    /* loose on purpose: how far apart two paths of the optimiser end depends on the machine */
    assert_near(result[0].objective, result[1].objective, 1e-8);
    assert_near(1000 * value_of(ctx, model[1], "b.decay") / value_of(ctx, model[0], "b.decay"), 1, 1e-9);
    assert_near(value_of(ctx, model[1], "force1.lengthscale") / value_of(ctx, model[0], "force1.lengthscale"), 1000,
                1e-6);
    for (int i = 0; i < 2; i++) {
        lf_fit_result_clear(&result[i]);
        lf_model_free(model[i]);
        lf_data_free(data[i]);
    }
}

static void test_fixed_tied_and_bounded(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = simulate(ctx, 1, 1);
    lf_model *model;
    lf_fit_result result = {0};
    size_t decay, other, noise, lengthscale;
    assert_ok(ctx, make_initial_model(ctx, data, &plain, &model));
    assert_ok(ctx, lf_parameter_find(ctx, model, "a.decay", &decay));
    assert_ok(ctx, lf_parameter_find(ctx, model, "a.noise_variance", &noise));
    assert_ok(ctx, lf_parameter_find(ctx, model, "b.noise_variance", &other));
    assert_ok(ctx, lf_parameter_find(ctx, model, "force1.lengthscale", &lengthscale));
    assert_ok(ctx, lf_parameter_set(ctx, model, decay, 0.123456789));
    lf_parameter_fix(model, decay, 1);
    assert_ok(ctx, lf_parameter_tie(ctx, model, other, noise));
    assert_ok(ctx, lf_parameter_bound(ctx, model, lengthscale, 2.5, 3));
    size_t before = lf_parameter_count(model);
    assert_ok(ctx, fit_model(ctx, model, data, NULL, &result));
    assert_int_equal(lf_parameter_count(model), before);
    assert_near(lf_parameter_get(model, decay).value, 0.123456789, 0);
    assert_near(lf_parameter_get(model, noise).value, lf_parameter_get(model, other).value, 0);
    assert_near(lf_parameter_get(model, lengthscale).value, 2.5, 3e-15);
    assert_int_equal(result.bound_count, 1);
    assert_int_equal(result.bound[0], lengthscale);
    assert_int_equal(result.free_count, 5);
    lf_fit_result_clear(&result);
    for (size_t i = 0; i < before; i++) {
        lf_parameter_fix(model, i, 1);
    }
    assert_int_equal(fit_model(ctx, model, data, NULL, &result), LF_ERROR_MODEL);
    lf_model_free(model);
    lf_data_free(data);
}

/* The prior pulls, --prior none does not; what is told adds up. */
static void test_prior(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = simulate(ctx, 1, 1);
    lf_model *model[2];
    lf_fit_result result[2];
    for (int i = 0; i < 2; i++) {
        lf_options options = {.prior = i ? LF_PRIOR_NONE : LF_PRIOR_WEAK};
        assert_ok(ctx, make_initial_model(ctx, data, &plain, &model[i]));
        assert_ok(ctx, fit_model(ctx, model[i], data, &options, &result[i]));
        assert_near(result[i].objective, result[i].log_likelihood + result[i].log_prior, 2e-13);
        assert_near(result[i].trace[result[i].iterations - 1], result[i].objective, 2e-13);
    }
    assert_true(result[0].log_prior < 0);
    assert_near(result[1].log_prior, 0, 0);
    assert_true(result[1].log_likelihood > result[0].log_likelihood - 1e-3);
    for (int i = 0; i < 2; i++) {
        lf_fit_result_clear(&result[i]);
        lf_model_free(model[i]);
    }
    lf_data_free(data);
}

/* Stops after a number of iterations in all. */
typedef struct patience {
    size_t left, seen;
    double best;
} patience;

static int lose_patience(void *user, const lf_progress *progress)
{
    patience *p = user;
    p->seen++;
    p->best = p->seen == 1 ? progress->objective : fmax(p->best, progress->objective);
    assert_true(progress->iteration >= 1 && progress->seconds >= 0 && progress->remaining >= 0);
    return p->seen >= p->left;
}

static void test_cancelled(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = simulate(ctx, 1, 1);
    lf_model *model;
    lf_fit_result result = {0};
    patience p = {.left = 4};
    lf_options options = {0};
    lf_context_set_progress(ctx, lose_patience, &p);
    assert_ok(ctx, make_initial_model(ctx, data, &plain, &model));
    assert_ok(ctx, fit_model(ctx, model, data, &options, &result));
    lf_context_set_progress(ctx, NULL, NULL);
    assert_true(result.cancelled && !result.converged);
    assert_int_equal(result.iterations, 4);
    assert_near(result.objective, p.best, 0);
    /* The model stands where the objective was found. */
    lf_engine *engine;
    double value;
    lf_engine_options exact = {.size = sizeof(lf_engine_options), .engine = "dense"};
    assert_ok(ctx, lf_engine_create(ctx, model, data, &exact, &engine));
    assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &value, NULL));
    assert_near(value, result.log_likelihood, 5e-5);
    lf_engine_free(engine);
    lf_fit_result_clear(&result);
    lf_model_free(model);
    lf_data_free(data);
}

/* However many threads, and whether interrupted or not: the same parameters to the last bit. */
static void test_same_to_the_last_bit(void **state)
{
    enum { WAYS = 3 };
    lf_context *ctx = *state;
    lf_data *data = simulate(ctx, 1, 1);
    char path[] = "checkpoint_XXXXXX";
    int descriptor = mkstemp(path);
    double theta[WAYS][32];
    size_t count = 0;
    assert_true(descriptor >= 0);
    close(descriptor);
    unlink(path);
    for (int way = 0; way < WAYS; way++) {
        lf_model *model;
        lf_fit_result result = {0};
        patience p = {.left = 9};
        lf_options options = {.restarts = 3, .engine = {.size = sizeof(lf_engine_options), .engine = "fourier"}};
        lf_context_set_threads(ctx, way == 1 ? 1 : 3);
        lf_context_set_seed(ctx, 7);
        assert_ok(ctx, make_initial_model(ctx, data, &plain, &model));
        if (way == 2) {
            lf_model *copy;
            lf_options cut = options;
            cut.checkpoint = path;
            cut.checkpoint_seconds = 1e-9;
            lf_context_set_progress(ctx, lose_patience, &p);
            assert_ok(ctx, lf_model_copy(ctx, model, &copy));
            assert_ok(ctx, fit_model(ctx, copy, data, &cut, &result));
            assert_true(result.cancelled);
            lf_context_set_progress(ctx, NULL, NULL);
            lf_fit_result_clear(&result);
            lf_model_free(copy);
            options.checkpoint = path;
            options.resume = 1;
        }
        assert_ok(ctx, fit_model(ctx, model, data, &options, &result));
        count = lf_parameter_count(model);
        assert_true(count <= 32);
        lf_model_theta(model, theta[way]);
        lf_fit_result_clear(&result);
        lf_model_free(model);
    }
    assert_memory_equal(theta[0], theta[1], count * sizeof(double));
    assert_memory_equal(theta[0], theta[2], count * sizeof(double));
    unlink(path);
    lf_context_set_threads(ctx, 0);
    lf_data_free(data);
}

/* ---- standard errors -------------------------------------------------------------------------------------------------- */

/* With one free parameter the error is the width of a parabola through three values. */
static void test_standard_error_of_one(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = simulate(ctx, 1, 1);
    lf_model *model;
    lf_options options = {.prior = LF_PRIOR_NONE, .engine = {.size = sizeof(lf_engine_options), .engine = "dense"}};
    lf_fit_result result = {0};
    size_t decay;
    assert_ok(ctx, make_initial_model(ctx, data, &plain, &model));
    assert_ok(ctx, fit_model(ctx, model, data, &options, &result));
    lf_fit_result_clear(&result);
    assert_ok(ctx, lf_parameter_find(ctx, model, "b.decay", &decay));
    for (size_t i = 0; i < lf_parameter_count(model); i++) {
        lf_parameter_fix(model, i, i != decay);
    }
    assert_ok(ctx, find_standard_errors(ctx, model, data, &options));
    double found = lf_parameter_get(model, decay).standard_error, value = lf_parameter_get(model, decay).value;
    double theta[32], L[3], h = 0.01;
    lf_engine *engine;
    lf_model_theta(model, theta);
    assert_ok(ctx, lf_engine_create(ctx, model, data, &options.engine, &engine));
    for (int k = 0; k < 3; k++) {
        theta[decay] = log(value) + (k - 1) * h;
        assert_ok(ctx, lf_engine_evaluate(engine, lf_parameter_count(model), theta, &L[k], NULL));
    }
    double expected = value / sqrt(-(L[0] - 2 * L[1] + L[2]) / (h * h));
    assert_near(found / expected, 1, 1e-4);
    /* The time constant is 1 / decay. */
    assert_near(lf_model_output(model, 1).time_constant_error / (expected / (value * value)), 1, 1e-4);
    assert_true(isnan(lf_model_output(model, 0).time_constant_error));
    /* They live in the model file, and end when a parameter changes. */
    lf_model *copy;
    assert_ok(ctx, lf_model_copy(ctx, model, &copy));
    assert_near(lf_parameter_get(copy, decay).standard_error, found, 0);
    assert_near(lf_model_output(copy, 1).time_constant_error, lf_model_output(model, 1).time_constant_error, 0);
    assert_ok(ctx, lf_parameter_set(ctx, copy, decay, 1));
    assert_true(isnan(lf_parameter_get(copy, decay).standard_error));
    lf_model_free(copy);
    lf_engine_free(engine);
    lf_model_free(model);
    lf_data_free(data);
}

/* The data cannot tell mass from sensitivity: neither gets an error, the natural frequency does. The outputs oscillate, so that the
 * mass matters. */
static void test_standard_errors_of_the_undetermined(void **state)
{
    static const char *const oscillators =
        "{\"format\": \"latentforce-model\", \"version\": 1, \"initial\": \"zero\","
        " \"forces\": [{\"kernel\": \"eq\", \"lengthscale\": 1.5}], \"outputs\": ["
        "{\"name\": \"a\", \"operator\": {\"type\": \"ode2\", \"mass\": 1, \"damper\": 0.5, \"spring\": 3},"
        " \"sensitivity\": [2], \"noise_variance\": 0.002},"
        "{\"name\": \"b\", \"operator\": {\"type\": \"ode2\", \"mass\": 1, \"damper\": 2, \"spring\": 6},"
        " \"sensitivity\": [-4], \"noise_variance\": 0.002}]}";
    lf_context *ctx = *state;
    lf_data *data = simulate_readings(ctx, oscillators, 50, 1, 1);
    lf_shape_options shape = plain;
    lf_options options = {.prior = LF_PRIOR_NONE,
                          .relative_decrease = 1e-12,
                          .engine = {.size = sizeof(lf_engine_options), .engine = "dense"}};
    lf_fit_result result = {0};
    lf_model *model;
    size_t mass, lengthscale;
    shape.operator_type = "ode2";
    assert_ok(ctx, make_initial_model(ctx, data, &shape, &model));
    assert_ok(ctx, fit_model(ctx, model, data, &options, &result));
    lf_fit_result_clear(&result);
    assert_ok(ctx, lf_parameter_find(ctx, model, "a.mass", &mass));
    assert_ok(ctx, lf_parameter_find(ctx, model, "force1.lengthscale", &lengthscale));
    lf_parameter_fix(model, mass, 0);
    assert_ok(ctx, find_standard_errors(ctx, model, data, &options));
    assert_true(isnan(lf_parameter_get(model, mass).standard_error));
    assert_true(isfinite(lf_parameter_get(model, lengthscale).standard_error));
    assert_true(isfinite(lf_model_output(model, 1).natural_frequency_error));
    lf_model_free(model);
    lf_data_free(data);
}

static void test_errors_in_the_file(void **state)
{
    lf_context *ctx = *state;
    char text[2048];
    lf_model *model;
    snprintf(text, sizeof text, "%.*s, \"standard_errors\": {\"a.decay\": 0.25, \"b.time_constant\": 0.5}}",
             (int)strlen(truth_text) - 1, truth_text);
    model = parse_model(ctx, text);
    assert_near(lf_parameter_get(model, 1).standard_error, 0.25, 0);
    assert_near(lf_model_output(model, 1).time_constant_error, 0.5, 0);
    lf_model_free(model);
    snprintf(text, sizeof text, "%.*s, \"standard_errors\": {\"a.decoy\": 0.25}}", (int)strlen(truth_text) - 1,
             truth_text);
    assert_int_equal(lf_model_parse(ctx, text, "file", &model), LF_ERROR_MODEL);
    assert_non_null(strstr(lf_context_message(ctx), "standard_errors.a.decoy"));
}

/* ---- choosing -------------------------------------------------------------------------------------------------------- */

static void test_selection(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = simulate(ctx, 1, 1);
    fit_inputs f;
    lf_fit_result result = {0};
    lf_reports reports = {0};
    lf_structure best;
    lf_options options = {.shape = plain,
                          .engine = {.size = sizeof(lf_engine_options)},
                          .select_operator = 1,
                          .select_forces = 1,
                          .no_periods = 1,
                          .prior = LF_PRIOR_WEAK};
    options.shape.forces = 0;
    assert_ok(ctx, make_inputs(ctx, data, NULL, &options, &f));
    assert_ok(ctx, lf_start(ctx, &f.problem, &f.plan, &best));
    assert_ok(ctx, lf_select(ctx, &f.problem, &f.plan, &f.monitor, &best, &result, &reports));
    assert_int_equal(result.candidate_count, 5);           /* ode1 with the default number is compared once */
    assert_string_equal(best.shape.operator_type, "ode1"); /* the truth */
    assert_int_equal(best.shape.forces, 1);
    assert_int_equal(lf_model_count(best.warm, LF_KIND_FORCE), 1);
    assert_int_equal(reports.count, 2);
    assert_string_equal(reports.each[0]->name, "operators and kernels");
    assert_string_equal(reports.each[1]->name, "number of forces");
    for (size_t i = 0; i < reports.count; i++) {
        assert_true(reports.each[i]->evaluations > 50 && strncmp(reports.each[i]->decision, "ode1, ", 6) == 0);
    }
    assert_true(strncmp(reports.each[1]->decision, "ode1, 1 ", 8) == 0);
    lf_reports_clear(&reports);
    int chosen = 0, usual = 0;
    double largest = -INFINITY, of_chosen = 0;
    for (size_t i = 0; i < result.candidate_count; i++) {
        const lf_candidate *c = &result.candidates[i];
        assert_near(c->score, c->log_likelihood + c->log_prior - (double)c->parameters, 1e-13);
        chosen += c->chosen;
        of_chosen = c->chosen ? c->score : of_chosen;
        largest = fmax(largest, c->score);
        usual += strcmp(c->operator_type, "ode1") == 0 && c->forces == lf_default_forces(f.summary.output_count, 1);
    }
    assert_int_equal(chosen, 1);
    assert_int_equal(usual, 1); /* the default shape is one of them */
    assert_true(of_chosen == largest);
    lf_structure_clear(&best);
    lf_fit_result_clear(&result);
    clear_inputs(&f);
    lf_data_free(data);
}

/* The shapes in a result are its own: the options, which named the kernel, may be released first. */
static void test_candidates_outlive_the_options(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = simulate(ctx, 1, 1);
    lf_options *options;
    lf_fit_result *result;
    lf_model *model;
    char kernel[] = "matern32";
    assert_ok(ctx, lf_options_create(ctx, "fit", &options));
    assert_ok(ctx, lf_options_set(ctx, options, "force-kernel", kernel));
    assert_ok(ctx, lf_options_set(ctx, options, "forces", "auto"));
    assert_ok(ctx, lf_options_set(ctx, options, "errors", "no"));
    assert_ok(ctx, lf_options_set(ctx, options, "max-iterations", "1"));
    assert_ok(ctx, lf_fit(ctx, data, options, &model, &result));
    lf_options_free(options);
    assert_true(result->candidate_count > 1);
    for (size_t i = 0; i < result->candidate_count; i++) {
        assert_string_equal(result->candidates[i].force_kernel, "matern32");
    }
    lf_fit_result_free(result);
    lf_model_free(model);
    lf_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_data_summary),
        cmocka_unit_test(test_initial_model),
        cmocka_unit_test(test_initial_model_has_the_size_of_the_data),
        cmocka_unit_test(test_objective_gradient),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_fixed_tied_and_bounded),
        cmocka_unit_test(test_prior),
        cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_same_to_the_last_bit),
        cmocka_unit_test(test_standard_error_of_one),
        cmocka_unit_test(test_standard_errors_of_the_undetermined),
        cmocka_unit_test(test_errors_in_the_file),
        cmocka_unit_test(test_selection),
        cmocka_unit_test(test_candidates_outlive_the_options),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
