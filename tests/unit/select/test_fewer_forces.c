/* What rows in windows left out say, and the number of forces that is chosen by them. */
#include "select/proposer.h"

#include "base/random.h"
#include "data/data.h"
#include "fit_support.h"
#include "model/model.h"
#include "validate/refit.h"
#include "validate/windows.h"

enum { ROWS = 200, OUTPUTS = 9, TIMES = 60, FORCES = 3 };

/* With the factor 95 % of the rows are covered, with a little less fewer are, and rows that are covered need none. */
static void test_factor(void **state)
{
    lf_held_row rows[ROWS], wide[ROWS];
    lf_random random;
    (void)state;
    lf_random_seed(&random, 4);
    for (size_t i = 0; i < ROWS; i++) {
        rows[i] = (lf_held_row){
            .error = 2 * lf_random_normal(&random), .variance = 0.5 + lf_random_uniform(&random), .noise = 0.1};
    }
    double factor = lf_variance_factor(ROWS, rows, 1, 0.95);
    assert_true(factor > 1 && lf_held_out_coverage(ROWS, rows, 1) < 0.95);
    for (int k = 0; k < 2; k++) {
        double density = 0, share = k ? 1 - 1e-9 : 1 + 1e-9;
        for (size_t i = 0; i < ROWS; i++) {
            wide[i] = rows[i];
            wide[i].variance *= share * factor;
            double v = wide[i].variance + wide[i].noise, z = rows[i].error / sqrt(v);
            density += log(exp(-0.5 * z * z) / sqrt(8 * atan(1) * v)) / ROWS;
        }
        double covered = lf_held_out_coverage(ROWS, wide, 1);
        assert_true(k ? covered < 0.95 : covered >= 0.95);
        assert_near(lf_held_out_coverage(ROWS, rows, share * factor), covered, 1e-15);
        assert_near(lf_held_out_density(ROWS, rows, share * factor), density, 1e-12);
        assert_near(lf_held_out_density(ROWS, wide, 1), density, 1e-12);
    }
    for (size_t i = 0; i < ROWS; i++) {
        wide[i].variance = 100;
    }
    assert_true(lf_variance_factor(ROWS, wide, 1, 0.95) == 1);
}

/* Rows that are as the model says are covered by 1 - erfc(1.96 sqrt(factor) / sqrt(2)): the fewer rows there are beside them, the closer is
 * the factor to 1, and it never covers less than is wanted of all. */
static void test_weight(void **state)
{
    lf_held_row rows[ROWS];
    double before = 1;
    (void)state;
    for (size_t i = 0; i < ROWS; i++) { /* they need 1/ROWS, …, 4 times the variance */
        rows[i] = (lf_held_row){.error = 1.959963984540054 * sqrt(4.0 * (double)(i + 1) / ROWS), .variance = 1};
    }
    assert_true(lf_variance_factor(ROWS, rows, 0, 0.95) == 1);
    for (int k = 1; k <= 10; k++) {
        double weight = k / 10.0, factor = lf_variance_factor(ROWS, rows, weight, 0.95);
        double normal = 1 - erfc(1.959963984540054 * sqrt(factor / 2));
        double covered = weight * floor(factor / 4 * ROWS + 1e-9) / ROWS + (1 - weight) * normal;
        assert_true(factor > before && covered >= 0.95 - 1e-12 && covered < 0.95 + weight / ROWS + 1e-9);
        before = factor;
    }
}

/* Outputs that mix so many waves, with a little noise; the first has a gap. */
static lf_data *mix(lf_context *ctx, int waves, uint64_t seed)
{
    lf_data *data;
    lf_random random;
    lf_random_seed(&random, seed);
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int d = 0; d < OUTPUTS; d++) {
        char name[16];
        double weight[FORCES];
        snprintf(name, sizeof name, "y%d", d);
        for (int k = 0; k < FORCES; k++) {
            weight[k] = lf_random_normal(&random);
        }
        for (int i = 0; i < TIMES; i++) {
            double x = i, y = 0.1 * lf_random_normal(&random);
            for (int k = 0; k < waves; k++) {
                y += weight[k] * sin((0.41 + 0.17 * k) * x + 0.02 * k * x * x);
            }
            if (d > 0 || i < 20 || i > 28) {
                assert_ok(ctx,
                          lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = name, .x = &x, .y = y}));
            }
        }
    }
    return data;
}

/* The density of the rows in the windows that the choice is made by, of a refit with so many forces. */
static double density_of(lf_context *ctx, const fit_inputs *inputs, int forces)
{
    lf_structure s = {.shape = inputs->plan.shape, .engine = inputs->plan.engine};
    lf_refit_windows windows = {.number = (size_t)lf_threshold.refits, .user = (void *)&inputs->monitor};
    lf_refit refit;
    s.shape.forces = forces;
    assert_ok(ctx, lf_gap_length(ctx, inputs->problem.observed, &windows.length));
    assert_ok(ctx, lf_start_shape(ctx, &inputs->problem, &inputs->plan, &s));
    lf_refit_run(ctx, &inputs->problem, &inputs->plan, &s, &windows, &refit);
    assert_int_equal(refit.status, LF_OK);
    assert_int_equal(refit.windows, 4);
    double factor = lf_variance_factor(refit.count, refit.rows, 1, 0.95);
    double density = lf_held_out_density(refit.count, refit.rows, factor);
    lf_refit_clear(&refit);
    lf_structure_clear(&s);
    return density;
}

/* The number of forces that is proposed where one may do, with what the stage reports. */
static int propose(lf_context *ctx, const fit_inputs *inputs, lf_stage_report *report)
{
    lf_structure best = {.shape = inputs->plan.shape, .engine = inputs->plan.engine};
    lf_search search = lf_search_begin(ctx, &inputs->problem, &inputs->plan, (lf_monitor *)&inputs->monitor, &best);
    search.report = report;
    *report = (lf_stage_report){.name = "components"};
    assert_ok(ctx, lf_start_shape(ctx, &inputs->problem, &inputs->plan, &best));
    assert_ok(ctx, lf_select_by(&search, &lf_propose_components));
    int forces = best.start->force_count;
    assert_int_equal(best.shape.forces, forces);
    lf_structure_clear(&best);
    return forces;
}

/* The number with the higher density is taken; fixed parameters keep their model. Returns whether fewer forces are better. */
static int choose(lf_context *ctx, int waves, uint64_t seed)
{
    lf_data *data = mix(ctx, waves, seed);
    const lf_options options = {.max_iterations = 15,
                                .prior = LF_PRIOR_FIRM,
                                .shape = {.forces = FORCES},
                                .engine = {.size = sizeof(lf_engine_options)}};
    static const lf_option_list one = {.count = 1}, none;
    fit_inputs inputs;
    lf_stage_report report;
    assert_ok(ctx, make_inputs(ctx, data, NULL, &options, &inputs));
    inputs.plan.fewer_forces = 1;
    int better = density_of(ctx, &inputs, 1) > density_of(ctx, &inputs, FORCES);
    inputs.plan.fixed = &one;
    lf_structure best = {.start = NULL};
    lf_search search = lf_search_begin(ctx, &inputs.problem, &inputs.plan, &inputs.monitor, &best);
    search.report = &report;
    report = (lf_stage_report){.name = "components"};
    assert_ok(ctx, lf_select_by(&search, &lf_propose_components)); /* nothing is read, nothing made */
    assert_true(!best.start && !report.evaluations);
    inputs.plan.fixed = &none;
    assert_int_equal(propose(ctx, &inputs, &report), better ? 1 : FORCES);
    assert_true(report.evaluations > 0);
    assert_string_equal(report.decision, better ? "ode1, 1 matern12 force" : "ode1, 3 matern12 forces");
    clear_inputs(&inputs);
    lf_data_free(data);
    return better;
}

static void test_choice(void **state)
{
    assert_false(choose(*state, FORCES, 1));
    int fewer = 0;
    for (uint64_t seed = 2; !fewer && seed < 8; seed++) { /* until one force predicts the windows better */
        fewer = choose(*state, 1, seed);
    }
    assert_true(fewer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_factor), cmocka_unit_test(test_weight),
                                       cmocka_unit_test(test_choice)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
