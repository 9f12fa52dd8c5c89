/* What rows in windows left out say, and the number of forces that is chosen by them. */
#include "fit/fewer_forces.h"

#include "base/random.h"
#include "data/data.h"
#include "fit/calibration.h"
#include "fit/held_out.h"
#include "fit_support.h"
#include "model/model.h"

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
                assert_ok(ctx, lf_data_add(ctx, data, name, NULL, &x, y, 0, NULL));
            }
        }
    }
    return data;
}

static double density_of(lf_context *ctx, const lf_model *model, const lf_training *training,
                         const lf_fit_options *options)
{
    lf_refit refit;
    double length;
    assert_ok(ctx, lf_gap_length(ctx, training->observed, &length));
    lf_refit_run(ctx, model, training, options, length, LF_MOST_REFITS, NULL, NULL, &refit);
    assert_int_equal(refit.status, LF_OK);
    assert_int_equal(refit.windows, 4);
    double factor = lf_variance_factor(refit.count, refit.rows, 1, 0.95);
    double density = lf_held_out_density(refit.count, refit.rows, factor);
    lf_refit_clear(&refit);
    return density;
}

/* The number with the higher density is taken; fixed parameters keep their model. Returns whether fewer forces are better. */
static int choose(lf_context *ctx, int waves, uint64_t seed)
{
    lf_data *data = mix(ctx, waves, seed);
    lf_data_summary summary;
    lf_monitor monitor;
    lf_model *model, *other;
    lf_fit_options options = {.max_iterations = 15,
                              .prior = LF_PRIOR_FIRM,
                              .shape = {.forces = FORCES},
                              .engine = {.size = sizeof(lf_engine_options)}},
                   fewer = options;
    fewer.shape.forces = 1;
    assert_ok(ctx, lf_data_summary_create(ctx, data, NULL, &summary));
    assert_ok(ctx, lf_monitor_create(ctx, NULL, NULL, &monitor));
    lf_training training = {.data = data, .summary = &summary, .monitor = &monitor, .observed = data};
    assert_ok(ctx, lf_shaped_model(ctx, &training, &options, &options.shape, &model));
    assert_ok(ctx, lf_shaped_model(ctx, &training, &fewer, &fewer.shape, &other));
    int better = density_of(ctx, other, &training, &fewer) > density_of(ctx, model, &training, &options);
    options.fixed.count = 1;
    assert_ok(ctx, lf_try_fewer_forces(ctx, &training, 1, &options, &model));
    assert_int_equal(model->force_count, FORCES);
    options.fixed.count = 0;
    assert_ok(ctx, lf_try_fewer_forces(ctx, &training, 1, &options, &model));
    assert_int_equal(model->force_count, better ? 1 : FORCES);
    assert_int_equal(options.shape.forces, better ? 1 : FORCES);
    lf_model_free(model);
    lf_model_free(other);
    lf_monitor_clear(&monitor);
    lf_data_summary_clear(&summary);
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
