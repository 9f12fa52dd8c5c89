/* Gaps of data, windows like them, and what calibration does to predictions. */
#include "data/data.h"
#include "fit_support.h"
#include "inference/starts.h"
#include "model/model.h"
#include "validate/calibration.h"
#include "validate/windows.h"

/* `outputs` series at the times 0 … 99; the first lacks the times from `low` to `high`. */
static lf_data *make_series(lf_context *ctx, int outputs, int replicates, int low, int high)
{
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int r = 0; r < replicates; r++) {
        for (int d = 0; d < outputs; d++) {
            for (int i = 0; i < 100; i++) {
                char output[16], replicate[16];
                double t = i, y = sin(0.2 * t + d) + 0.1 * sin(57.0 * i + d + r);
                snprintf(output, sizeof output, "y%d", d);
                snprintf(replicate, sizeof replicate, "r%d", r);
                if (d > 0 || i < low || i > high) {
                    assert_ok(ctx, lf_data_add(ctx, data,
                                               &(lf_row){.size = sizeof(lf_row),
                                                         .output = output,
                                                         .replicate = replicates > 1 ? replicate : NULL,
                                                         .x = &t,
                                                         .y = y}));
                }
            }
        }
    }
    return data;
}

static double gap_of(lf_context *ctx, int low, int high)
{
    double length;
    lf_data *data = make_series(ctx, 3, 1, low, high);
    assert_ok(ctx, lf_gap_length(ctx, data, &length));
    lf_data_free(data);
    return length;
}

static void find_gaps(lf_context *ctx)
{
    assert_near(gap_of(ctx, 40, 54), 16, 0);
    assert_near(gap_of(ctx, 0, 11), 12, 0);
    assert_near(gap_of(ctx, 85, 99), 15, 0);
    assert_near(gap_of(ctx, 40, 43), 0, 0);
    assert_near(gap_of(ctx, 20, 79), 99.0 / 4, 1e-12);
}

static size_t rows_of(const lf_data *data, const lf_window *w)
{
    size_t held = 0;
    for (size_t i = 0; i < data->n; i++) {
        held += strcmp(data->outputs.name[data->output[i]], w->output) == 0 && data->x[i] >= w->low &&
                data->x[i] <= w->high &&
                (!w->replicate || strcmp(data->replicates.name[data->replicate[i]], w->replicate) == 0);
    }
    return held;
}

/* Windows hold rows, lie in different series and, of few outputs, at different times. What is inside and outside is the data. */
static void draw(lf_context *ctx, int outputs, int replicates, size_t expected)
{
    lf_data *data = make_series(ctx, outputs, replicates, 40, 54), *rest, *held;
    for (uint64_t seed = 1; seed <= (outputs > 100 ? 3 : 20); seed++) {
        size_t count, again, inside = 0;
        lf_window *windows, *same;
        assert_ok(ctx, lf_draw_windows(ctx, data, 12, seed, &count, &windows));
        assert_ok(ctx, lf_draw_windows(ctx, data, 12, seed, &again, &same));
        assert_true(count == expected && again == expected);
        for (size_t i = 0; i < count; i++) {
            assert_true(windows[i].low == same[i].low);
            assert_near(windows[i].high - windows[i].low, 12, 1e-12);
            assert_true(rows_of(data, &windows[i]) >= 6);
            inside += rows_of(data, &windows[i]);
            for (size_t k = 0; k < i; k++) {
                int apart = windows[i].low > windows[k].high || windows[i].high < windows[k].low;
                int other = strcmp(windows[i].output, windows[k].output) != 0 ||
                            (windows[i].replicate && strcmp(windows[i].replicate, windows[k].replicate) != 0);
                assert_true(other);
                assert_true(apart || outputs * replicates > 6);
            }
        }
        const lf_cut cut = {count, windows};
        assert_ok(ctx, lf_data_pick(ctx, data, lf_outside_windows, &cut, &rest));
        assert_ok(ctx, lf_data_pick(ctx, data, lf_inside_windows, &cut, &held));
        assert_true(held->n == inside && held->n + rest->n == data->n);
        assert_true(rest->outputs.count == outputs);
        lf_data_free(rest);
        lf_data_free(held);
        free(windows);
        free(same);
    }
    lf_data_free(data);
}

/* The factor multiplies variances and covariances of outputs and rates, not those of forces, and is kept by files and copies. */
static void inflate(lf_context *ctx)
{
    enum { N = 6 };
    static const double x[N] = {45, 45, 47, 47, 50, 50};
    lf_data *data = make_series(ctx, 2, 1, 40, 54);
    lf_options *options;
    lf_model *model, *copy;
    lf_posterior *posterior;
    double mean[2][N], variance[2][N], covariance[2][N * N], factor = 2.25;
    assert_ok(ctx, lf_options_create(ctx, "fit", &options));
    const char *given[][2] = {{"calibrate", "no"}, {"forces", "1"}, {"errors", "no"}, {"max-iterations", "3"}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        assert_ok(ctx, lf_options_set(ctx, options, given[i][0], given[i][1]));
    }
    assert_ok(ctx, lf_fit(ctx, data, options, &model, NULL));
    int force = 2, rate = 2 + (int)lf_model_count(model, LF_KIND_FORCE), target[N] = {0, rate, 0, force, 1, rate + 1};
    lf_point_list points = {.n = N, .target = target, .x = x};
    for (int k = 0; k < 2; k++) {
        lf_engine *engine;
        double value;
        model->outputs[0].variance_inflation = k ? factor : 0;
        model->outputs[1].variance_inflation = k ? 1 : 0;
        assert_ok(ctx, lf_model_copy(ctx, model, &copy));
        assert_ok(ctx, lf_engine_create(ctx, copy, data, NULL, &engine));
        assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &value, NULL));
        assert_ok(ctx, lf_engine_posterior(engine, &posterior));
        assert_ok(ctx, lf_predict_list(posterior, &points, mean[k], variance[k], covariance[k]));
        assert_true(lf_model_output(copy, 0).variance_inflation == (k ? factor : 1));
        lf_posterior_free(posterior);
        lf_engine_free(engine);
        lf_model_free(copy);
    }
    for (int i = 0; i < N; i++) {
        double f = target[i] == 0 || target[i] == rate ? factor : 1;
        assert_near(mean[1][i], mean[0][i], 0);
        assert_near(variance[1][i], f * variance[0][i], 1e-12 * f * variance[0][i]);
        for (int j = 0; j < N; j++) {
            double g = target[j] == 0 || target[j] == rate ? factor : 1;
            assert_near(covariance[1][i * N + j], sqrt(f * g) * covariance[0][i * N + j],
                        1e-12 * sqrt(variance[1][i] * variance[1][j]));
        }
    }
    lf_options_free(options);
    lf_model_free(model);
    lf_data_free(data);
}

/* The refits that a fit of series with these options plans, and the length of their windows. */
static size_t planned(lf_context *ctx, lf_data *data, const char *calibrate, double *length)
{
    lf_options options = {.engine = {.size = sizeof(lf_engine_options)}, .calibrate = calibrate};
    lf_model *model;
    lf_validation validation;
    fit_inputs inputs;
    assert_ok(ctx, make_initial_model(ctx, data, NULL, &model));
    assert_ok(ctx, make_inputs(ctx, data, model, &options, &inputs));
    lf_structure structure = structure_of(model, &inputs);
    assert_ok(ctx,
              lf_validation_begin(ctx, &inputs.problem, &inputs.plan, &structure, model, &inputs.monitor, &validation));
    size_t count = validation.count;
    *length = validation.length;
    lf_validation_clear(&validation);
    clear_inputs(&inputs);
    lf_model_free(model);
    lf_data_free(data);
    return count;
}

/* Gaps of several outputs call for refits, unless they are refused or asked for: six of few outputs, of many until there are twelve windows. */
static void test_refits(void **state)
{
    static const struct {
        int outputs, low, high;
        const char *calibrate;
        size_t refits;
        double length;
    } cases[] = {{3, 40, 54, NULL, 6, 16},        {3, 40, 54, "no", 0, 0},  {3, 40, 40, NULL, 0, 0},
                 {3, 40, 40, "yes", 6, 99.0 / 8}, {1, 40, 54, NULL, 0, 0},  {1, 40, 54, "yes", 6, 16},
                 {8, 40, 54, NULL, 3, 16},        {48, 40, 54, NULL, 1, 16}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double length;
        lf_data *data = make_series(*state, cases[i].outputs, 1, cases[i].low, cases[i].high);
        assert_int_equal(planned(*state, data, cases[i].calibrate, &length), cases[i].refits);
        assert_near(length, cases[i].length, 1e-12);
    }
}

/* 200 rows in 12 windows of one refit or several, of which 1, …, 200 need 1/50, …, 4 times the variance. */
static double applied(lf_context *ctx, size_t refits, size_t rows, lf_stage_report *report, lf_fit_result *result)
{
    lf_model *model = parse_model(
        ctx,
        "{\"format\": \"latentforce-model\", \"version\": 1, \"forces\": [{\"kernel\": \"eq\", \"lengthscale\": 1}],"
        "\"outputs\": [{\"name\": \"y\", \"sensitivity\": [1], \"operator\": {\"type\": \"ode1\", \"decay\": 1}, "
        "\"noise_variance\": 0.1}]}");
    lf_held_row held[200];
    lf_refit each[2] = {0};
    for (size_t i = 0; i < rows; i++) {
        held[i] = (lf_held_row){.error = 1.959963984540054 * sqrt(4.0 * (double)(i + 1) / 200), .variance = 1};
    }
    for (size_t k = 0; k < refits; k++) {
        each[k] = (lf_refit){.windows = 12 / refits, .count = rows / refits, .rows = held + k * rows / refits};
    }
    const lf_validation validation = {.count = refits, .refits = each};
    model->outputs[0].variance_inflation = 7; /* of other rows, before */
    assert_ok(ctx, lf_validation_apply(ctx, &validation, report, model, result));
    double factor = model->outputs[0].variance_inflation;
    lf_model_free(model);
    return factor;
}

/* Several refits widen intervals until they cover 96.5 % of the rows left out. A single one does not decide alone: twelve windows that are as the
 * model says stand beside its own. Few rows say nothing. */
static void test_factor(void **state)
{
    lf_stage_report report = {0};
    lf_fit_result result = {0};
    assert_near(applied(*state, 2, 200, &report, &result), 0.965 * 4, 1e-9);
    assert_string_equal(report.decision, "intervals 1.96 times as wide");
    assert_int_equal(result.held_out_windows, 12);
    assert_int_equal(result.held_out_rows, 200);
    assert_near(result.held_out_coverage, 0.25, 1.01 / 200);
    double factor = applied(*state, 1, 200, &report, &result);
    double covered = 0.5 * factor / 4 + 0.5 * erf(1.959963984540054 * sqrt(factor / 2));
    assert_true(factor > 1 && factor < 0.95 * 4);
    assert_near(covered, 0.95, 0.5 / 200);
    assert_near(applied(*state, 2, 18, &report, &result), 0, 0);
}

/* The first number that is drawn in a stream of the seed 1. */
static double first_of(lf_stream stream, uint64_t index)
{
    lf_random random;
    lf_random_seed(&random, lf_stream_seed(1, stream, index));
    return lf_random_normal(&random);
}

/* The starts of restarts are drawn from other streams than the windows of refits. */
static void test_streams(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = make_series(ctx, 2, 1, 40, 54);
    lf_model *model, *start;
    lf_prior prior;
    lf_start_maker maker;
    fit_inputs inputs;
    lf_context_set_seed(ctx, 1);
    assert_ok(ctx, make_initial_model(ctx, data, NULL, &model));
    assert_ok(ctx, make_inputs(ctx, data, model, NULL, &inputs));
    lf_structure structure = structure_of(model, &inputs);
    assert_ok(ctx, lf_prior_create(ctx, &inputs.problem, &structure, &prior));
    assert_ok(ctx, lf_start_maker_create(ctx, &inputs.problem, &structure, model, &prior, &maker));
    size_t drawn = maker.order[0];
    assert_true(model->parameters[drawn].transform == LF_TRANSFORM_LOG && !lf_parameter_is_fixed(model, drawn));
    for (size_t r = 1; r <= 6; r++) {
        assert_ok(ctx, lf_start_make(&maker, r, &start));
        double z = log(*start->parameters[drawn].value / *model->parameters[drawn].value) / prior.spread[drawn];
        assert_near(z, first_of(LF_STREAM_STARTS, r), 1e-9);
        for (uint64_t n = 0; n <= 7; n++) {
            assert_true(fabs(z - first_of(LF_STREAM_WINDOWS, n)) > 1e-3);
        }
        lf_model_free(start);
    }
    lf_start_maker_clear(&maker);
    lf_prior_clear(&prior);
    clear_inputs(&inputs);
    lf_model_free(model);
    lf_data_free(data);
}

static void test_gaps(void **state) { find_gaps(*state); }

static void test_windows(void **state)
{
    draw(*state, 3, 1, 3);
    draw(*state, 5, 1, 4);
    draw(*state, 40, 1, 16); /* 0.05 * 40 * 99 / 12 */
    draw(*state, 130, 1, 53);
    draw(*state, 500, 1, 200);
    draw(*state, 2, 8, 4);
}

static void test_inflation(void **state) { inflate(*state); }

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gaps),      cmocka_unit_test(test_windows),
                                       cmocka_unit_test(test_refits),    cmocka_unit_test(test_factor),
                                       cmocka_unit_test(test_inflation), cmocka_unit_test(test_streams)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
