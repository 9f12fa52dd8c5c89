/* What fit decides about cycles: simulated tables with a cycle and without. The environment variable LF_SEEDS, a number of tables of each
 * kind, makes a table of the decisions instead of the short test. */
#include "base/memory.h"
#include "data/data.h"
#include "fit_support.h"
#include "inference/estimate.h"
#include "simulated_cycles.h"
#include "start/cycle_force.h"

/* The period that the fitted model repeats with; 0: none. */
static double fitted_period(lf_context *ctx, const simulated_table *table)
{
    lf_data *data = table_data(ctx, table);
    lf_options *options;
    lf_model *model;
    assert_ok(ctx, lf_options_create(ctx, "fit", &options));
    assert_ok(ctx, lf_options_set(ctx, options, "errors", "no"));
    assert_ok(ctx, lf_fit(ctx, data, options, &model, NULL));
    double found = 0;
    for (int q = 0; q < model->force_count; q++) {
        const lf_force *force = &model->forces[q];
        found = force->term_count && force->terms->modulation ? force->terms->period : found;
    }
    lf_model_free(model);
    lf_options_free(options);
    lf_data_free(data);
    return found;
}

static int is_near(double period, double true_period)
{
    return period > 0 && fabs(1 / period - 1 / true_period) < fmax(0.6, 0.03 / true_period);
}

/* The table of decisions, and nothing to fail. */
static void show_rates(lf_context *ctx, int count)
{
    static const char *const names[] = {"random walks", "Matern-1/2",   "Matern-3/2", "trends with noise",
                                        "first order",  "second order", "resonances"};
    static simulated_table table;
    lf_random random;
    print_message("kind, tables: without a cycle, one is added; with one, it is added, another is added\n");
    for (simulated_kind kind = WALK; kind < SIMULATED_KINDS; kind++) {
        int wrong = 0, right = 0, other = 0;
        lf_random_seed(&random, 11 + kind);
        for (int i = 0; i < count; i++) {
            int outputs = 2 + (int)(3 * lf_random_uniform(&random)),
                rows = 100 + (int)(100 * lf_random_uniform(&random));
            double cycles = log_between(&random, 4, 15), share = uniform_between(&random, 0.1, 0.6);
            simulate_sized(&random, kind, 0, 0, outputs, rows, &table);
            wrong += fitted_period(ctx, &table) > 0;
            simulate_sized(&random, kind, share, cycles, outputs, rows, &table);
            double found = fitted_period(ctx, &table);
            right += is_near(found, table.period);
            other += found > 0 && !is_near(found, table.period);
        }
        print_message("%-18s %d: %d; %d, %d\n", names[kind], count, wrong, right, other);
        fflush(stdout);
    }
}

static void test_rates(void **state)
{
    const char *seeds = getenv("LF_SEEDS");
    static simulated_table table;
    lf_random random;
    if (seeds) {
        show_rates(*state, atoi(seeds));
        return;
    }
    lf_random_seed(&random, 3);
    simulate_sized(&random, ROUGH, 0.6, 8, 3, 120, &table);
    assert_true(is_near(fitted_period(*state, &table), table.period));
    simulate_sized(&random, ROUGH, 0, 0, 3, 120, &table);
    assert_true(fitted_period(*state, &table) == 0);
}

/* At the start the forces of a cycle give every output its share of the variance, in its phase; the other parameters stay. */
static void test_start(void **state)
{
    lf_context *ctx = *state;
    static simulated_table table;
    double shares[] = {0.5, 0.2, 0}, gain[3], before[64], after[64];
    lf_cycle cycle = {.period = 0.125, .coherence = 0.6, .harmonics = 3, .share = shares};
    lf_random random;
    lf_data_summary summary;
    lf_model *model;
    lf_random_seed(&random, 3);
    simulate_sized(&random, ROUGH, 0.4, 8, 3, 120, &table);
    for (int i = 0; i < table.rows; i++) { /* a quarter of a period apart */
        double angle = 2 * acos(-1.0) * table.t[i] / cycle.period;
        table.y[0][i] = sin(angle) + 0.1 * lf_random_normal(&random);
        table.y[1][i] = -cos(angle) + 0.1 * lf_random_normal(&random);
    }
    lf_data *data = table_data(ctx, &table);
    lf_shape_options shape = {.forces = 2};
    assert_ok(ctx, lf_data_summary_create(ctx, data, NULL, &summary));
    assert_ok(ctx, lf_initial_model(ctx, data, &summary, &shape, &model));
    lf_parameter_fix(model, (size_t)lf_index_noise(model, 1), 1);
    size_t count = model->parameter_count, kept = 0;
    assert_true(count <= 64);
    lf_model_theta(model, before);
    lf_model *larger;
    assert_ok(ctx, lf_model_copy(ctx, model, &larger));
    assert_ok(ctx, lf_model_add_cycle(ctx, data, &summary, &cycle, 2, larger));
    assert_int_equal(larger->force_count, 4);
    assert_true(lf_parameter_is_fixed(larger, (size_t)lf_index_noise(larger, 1)));
    assert_int_equal(lf_free_parameters(larger, NULL), lf_free_parameters(model, NULL) + 2 + 2 * 3 - 1);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < larger->parameter_count; j++) {
            if (strcmp(model->parameters[i].name, larger->parameters[j].name) == 0) {
                lf_model_theta(larger, after);
                assert_true(after[j] == before[i]);
                kept++;
            }
        }
    }
    assert_int_equal(kept, count);
    assert_ok(ctx, lf_force_gains(ctx, &summary, larger, 2, gain));
    for (int d = 0; d < 3; d++) {
        const double *s = &larger->outputs[d].sensitivity[2];
        double sd = summary.outputs[d].sd / larger->outputs[d].scale;
        assert_near((s[0] * s[0] + s[1] * s[1]) * gain[d] * gain[d] / (sd * sd), fmax(shares[d], 0.003), 1e-9);
    }
    assert_true(larger->outputs[0].sensitivity[3] == 0 &&
                lf_parameter_is_fixed(larger, (size_t)lf_index_sensitivity(larger, 0) + 3));
    assert_true(fabs(larger->outputs[1].sensitivity[2]) < 0.1 * fabs(larger->outputs[1].sensitivity[3]));
    lf_model_free(larger);
    lf_model_free(model);
    lf_data_summary_clear(&summary);
    lf_data_free(data);
}

/* Stops a fit in the comparison. */
static int stop(void *user, const lf_progress *progress)
{
    int *left = user;
    return strcmp(progress->stage, "selection") == 0 && (*left)-- <= 0;
}

/* A fit that is cancelled while cycles are tried ends with the best model so far. */
static void test_cancelled(void **state)
{
    lf_context *ctx = *state;
    static simulated_table table;
    lf_random random;
    lf_random_seed(&random, 3);
    simulate_sized(&random, ROUGH, 0.4, 8, 2, 120, &table);
    lf_data *data = table_data(ctx, &table);
    for (int after = 0; after < 60; after += 15 * ONE_OF(3)) {
        lf_options *options;
        lf_model *model;
        lf_fit_result *result;
        int left = after;
        assert_ok(ctx, lf_options_create(ctx, "fit", &options));
        assert_ok(ctx, lf_options_set(ctx, options, "forces", "1"));
        lf_context_set_progress(ctx, stop, &left);
        assert_ok(ctx, lf_fit(ctx, data, options, &model, &result));
        lf_context_set_progress(ctx, NULL, NULL);
        assert_true(result->cancelled);
        lf_fit_result_free(result);
        lf_model_free(model);
        lf_options_free(options);
    }
    lf_data_free(data);
}

/* The operations of one evaluation of one model on 100 rows, at even times or not. */
static double operations_of(lf_context *ctx, const char *engine, double unevenness)
{
    lf_data *data;
    lf_model *model;
    fit_inputs inputs;
    lf_fit_estimate estimate;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < 100; i++) {
        double x = i + unevenness * sin(i * i);
        assert_ok(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = &x, .y = cos(i)}));
    }
    const lf_shape_options shape = {.operator_type = "ode1", .forces = 1, .force_kernel = "matern32"};
    const lf_options options = {.engine = {.size = sizeof(lf_engine_options), .engine = engine}};
    assert_ok(ctx, make_initial_model(ctx, data, &shape, &model));
    assert_ok(ctx, make_inputs(ctx, data, model, &options, &inputs));
    const lf_structure s = structure_of(model, &inputs);
    assert_ok(ctx, lf_estimate_fit(ctx, &inputs.problem, &inputs.plan, &s, &estimate));
    assert_string_equal(estimate.choice.class->name, engine);
    clear_inputs(&inputs);
    lf_model_free(model);
    lf_data_free(data);
    return estimate.choice.cost;
}

/* Uneven times cost the filter a transition for each gap, the exact covariances of the dense engine less than twice as much. */
static void test_operations(void **state)
{
    lf_context *ctx = *state;
    double even = operations_of(ctx, "kalman", 0), uneven = operations_of(ctx, "kalman", 0.2);
    assert_true(uneven > 2 * even && uneven < 10 * even);
    assert_true(operations_of(ctx, "dense", 0.2) < 2 * operations_of(ctx, "dense", 0));
}

/* The harmonics of the cycle of one output whose wave, with noise, is repeated ten times in 160 readings; 0: there is no cycle. */
static int fitted_harmonics(lf_context *ctx, double (*shape)(double phase))
{
    enum { PERIOD = 16, ROWS = 10 * PERIOD };
    lf_random random;
    lf_data *data;
    lf_options *options;
    lf_model *model;
    int found = 0;
    lf_random_seed(&random, 5);
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < ROWS; i++) {
        double x = i, y = shape((double)(i % PERIOD) / PERIOD) + 0.05 * lf_random_normal(&random);
        assert_ok(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = &x, .y = y}));
    }
    assert_ok(ctx, lf_options_create(ctx, "fit", &options));
    assert_ok(ctx, lf_options_set(ctx, options, "errors", "no"));
    assert_ok(ctx, lf_fit(ctx, data, options, &model, NULL));
    for (int q = 0; q < model->force_count; q++) {
        const lf_force *force = &model->forces[q];
        found = force->term_count && force->terms->modulation ? force->terms->harmonics : found;
    }
    lf_model_free(model);
    lf_options_free(options);
    lf_data_free(data);
    return found;
}

static double pulse(double phase) { return exp(-0.5 * pow((phase - 0.5) / 0.05, 2)); }
static double sinusoid(double phase) { return sin(2 * acos(-1) * phase); }

/* A wave of many harmonics gets all that are tried, a sinusoid no more than a cycle has. */
static void test_harmonics(void **state)
{
    assert_int_equal(fitted_harmonics(*state, pulse), (int)lf_threshold.most_harmonics);
    assert_int_equal(fitted_harmonics(*state, sinusoid), LF_LEAST_HARMONICS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_start), cmocka_unit_test(test_rates),
                                       cmocka_unit_test(test_cancelled), cmocka_unit_test(test_operations),
                                       cmocka_unit_test(test_harmonics)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
