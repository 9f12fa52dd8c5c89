/* How well outputs follow from the others in blocks of time left out: against regressions that are solved one by one, and for outputs whose
 * relations are known. */
#include "base/lapack.h"
#include "base/memory.h"
#include "fit_support.h"
#include "plan/component_count.h"

enum { MOST_OUTPUTS = 48, MOST_TIMES = 134, BLOCKS = 8 };

/* Even times, 58 or 134 of them: points of the grid of the summary, which has 400, so that nothing is interpolated but gaps. */
typedef struct table {
    int outputs, times;
    double y[MOST_TIMES][MOST_OUTPUTS]; /* NaN: not read */
} table;

/* Mixtures of `forces` random series, with noise. */
static void mix(lf_random *random, int outputs, int times, int forces, double noise, table *made)
{
    double weights[MOST_OUTPUTS][MOST_OUTPUTS];
    made->outputs = outputs;
    made->times = times;
    for (int d = 0; d < outputs; d++) {
        for (int q = 0; q < forces; q++) {
            weights[d][q] = lf_random_normal(random);
        }
    }
    for (int i = 0; i < times; i++) {
        double force[MOST_OUTPUTS];
        for (int q = 0; q < forces; q++) {
            force[q] = lf_random_normal(random);
        }
        for (int d = 0; d < outputs; d++) {
            made->y[i][d] = noise * lf_random_normal(random);
            for (int q = 0; q < forces; q++) {
                made->y[i][d] += weights[d][q] * force[q];
            }
        }
    }
}

static lf_data *rows_of(lf_context *ctx, const table *given)
{
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int d = 0; d < given->outputs; d++) {
        for (int i = 0; i < given->times; i++) {
            char name[16];
            double t = 0.25 * i;
            snprintf(name, sizeof name, "y%d", d);
            if (isfinite(given->y[i][d])) {
                assert_ok(ctx,
                          lf_data_add(ctx, data,
                                      &(lf_row){.size = sizeof(lf_row), .output = name, .x = &t, .y = given->y[i][d]}));
            }
        }
    }
    return data;
}

static void find(lf_context *ctx, const table *given, lf_component_count *redundancy)
{
    lf_data_summary summary;
    lf_data *data = rows_of(ctx, given);
    assert_ok(ctx, lf_data_summary_create(ctx, data, NULL, &summary));
    assert_ok(ctx, lf_component_count_find(ctx, &summary, redundancy));
    lf_data_summary_clear(&summary);
    lf_data_free(data);
}

/* ---- the same, regression by regression ---- */

/* Standardised by what was read, and linear across gaps, which have readings at both ends. */
static void standardise(const table *given, table *z)
{
    *z = *given;
    for (int d = 0; d < given->outputs; d++) {
        double sum = 0, squares = 0, count = 0;
        for (int i = 0; i < given->times; i++) {
            double y = given->y[i][d];
            sum += isfinite(y) ? y : 0;
            squares += isfinite(y) ? y * y : 0;
            count += isfinite(y);
        }
        double mean = sum / count, sd = sqrt(squares / count - mean * mean);
        for (int i = 0; i < given->times; i++) {
            int before = i, after = i;
            while (!isfinite(given->y[before][d])) {
                before--;
            }
            while (!isfinite(given->y[after][d])) {
                after++;
            }
            double part = after > before ? (double)(i - before) / (after - before) : 0;
            z->y[i][d] = ((1 - part) * given->y[before][d] + part * given->y[after][d] - mean) / sd;
        }
    }
}

/* The squared error of output d at time i, predicted from the others that were read then by m components: columns of `vectors` (D, D), their variances ascending. */
static double solve_directly(const double *z, const double *y, const double *mean, int D, const double *vectors,
                             const double *values, int m, int d)
{
    double A[MOST_OUTPUTS * MOST_OUTPUTS] = {0}, s[MOST_OUTPUTS] = {0}, rest = 0, predicted = 0;
    for (int c = m; c < D; c++) {
        rest += values[D - 1 - c] / (D - m);
    }
    for (int o = 0; o < D; o++) {
        for (int a = 0; o != d && isfinite(y[o]) && a < m; a++) {
            for (int b = 0; b < m; b++) {
                A[a + b * m] += vectors[(D - 1 - a) * D + o] * vectors[(D - 1 - b) * D + o];
            }
            s[a] += vectors[(D - 1 - a) * D + o] * (z[o] - mean[o]);
        }
    }
    for (int a = 0; a < m; a++) {
        A[a + a * m] += rest / values[D - 1 - a];
    }
    assert_int_equal(lf_solve((size_t)m, A, s), 0);
    for (int a = 0; a < m; a++) {
        predicted += vectors[(D - 1 - a) * D + d] * s[a];
    }
    return pow(predicted - (z[d] - mean[d]), 2);
}

/* Components of the rows outside a block, from the covariance of the outputs. */
static void outside(const table *z, int first, int end, double *mean, double *vectors, double *values)
{
    int D = z->outputs, n = z->times - (end - first);
    memset(mean, 0, (size_t)D * sizeof *mean);
    memset(vectors, 0, (size_t)(D * D) * sizeof *vectors);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < z->times; i++) {
            for (int a = 0; (i < first || i >= end) && a < D; a++) {
                mean[a] += pass == 0 ? z->y[i][a] / n : 0;
                for (int b = 0; pass == 1 && b < D; b++) {
                    vectors[a + b * D] += (z->y[i][a] - mean[a]) * (z->y[i][b] - mean[b]) / n;
                }
            }
        }
    }
    assert_int_equal(lf_symmetric_eigen((size_t)D, vectors, values), 0);
}

static void compare_directly(lf_context *ctx, int D, int T, int forces)
{
    static table given, z;
    static double mean[MOST_OUTPUTS], vectors[MOST_OUTPUTS * MOST_OUTPUTS], values[MOST_OUTPUTS];
    double logs[LF_COMPONENT_NUMBERS] = {0}, terms = 0;
    lf_component_count redundancy;
    lf_random random;
    lf_random_seed(&random, 1);
    mix(&random, D, T, forces, 0.3, &given);
    for (int i = T / 5; i < 3 * T / 5; i++) { /* more than two blocks */
        given.y[i][3] = NAN;
        given.y[i / 2][9] = NAN;
    }
    find(ctx, &given, &redundancy);
    standardise(&given, &z);
    for (int b = 0; b < BLOCKS; b++) {
        int first = b * T / BLOCKS, end = (b + 1) * T / BLOCKS, rank = 0;
        outside(&z, first, end, mean, vectors, values);
        while (rank < D && values[D - 1 - rank] > 1e-10 * values[D - 1]) {
            rank++;
        }
        for (int d = 0; d < D; d++) {
            double errors[LF_COMPONENT_NUMBERS] = {0}, read = 0;
            for (int i = first; i < end; i++) {
                read += isfinite(given.y[i][d]);
                for (int k = 0; isfinite(given.y[i][d]) && k < redundancy.count; k++) {
                    int m = redundancy.numbers[k] < rank ? redundancy.numbers[k] : rank;
                    errors[k] += solve_directly(z.y[i], given.y[i], mean, D, vectors, values, m, d);
                }
            }
            terms += read > 0;
            for (int k = 0; read > 0 && k < redundancy.count; k++) {
                logs[k] += log(errors[k] / read);
            }
        }
    }
    assert_true(terms > D * (BLOCKS - 1) && terms < D * BLOCKS); /* some are within gaps */
    for (int k = 0; k < redundancy.count; k++) {
        int all = redundancy.numbers[k] >= T - T / BLOCKS - 2; /* nothing is left but rounding */
        assert_near(redundancy.errors[k] / exp(logs[k] / terms), 1, all ? 1e-5 : 1e-9);
    }
}

/* More times than outputs, and fewer. */
static void test_direct(void **state)
{
    compare_directly(*state, 14, 58, 5);
    compare_directly(*state, 40, 22, 5);
}

/* ---- known relations ---- */

static void test_exact_and_independent(void **state)
{
    static table given;
    enum { D = 20, T = 134, EXACT = 15, CONSTANT = 19 };
    lf_component_count redundancy;
    lf_random random;
    lf_random_seed(&random, 2);
    mix(&random, D, T, 3, 1e-4, &given);
    for (int i = 0; i < T; i++) {
        for (int d = EXACT; d < CONSTANT; d++) { /* nothing in common with any */
            given.y[i][d] = lf_random_normal(&random);
        }
        given.y[i][CONSTANT] = 7; /* nothing to predict */
    }
    find(*state, &given, &redundancy);
    assert_int_equal(redundancy.numbers[redundancy.chosen], 8); /* 3 and 4 */
    /* errors of 1e-6, the least that count, and of the variance itself */
    double expected = log(1e-6) * EXACT / CONSTANT;
    assert_near(log(redundancy.errors[redundancy.chosen]), expected, 0.1);
    mix(&random, D, T, 0, 1, &given);
    find(*state, &given, &redundancy);
    assert_int_equal(redundancy.numbers[redundancy.chosen], 4);
    assert_near(redundancy.errors[0], 1, 0.15);
}

/* Where others determine an output, its noise may be as small as their error; where they do not, the limit of the firm prior stays. */
static void test_least_noise(void **state)
{
    static table given;
    enum { D = 12, T = 134, OWN = 11 };
    static const lf_shape_options shape;
    lf_context *ctx = *state;
    lf_component_count redundancy;
    lf_data_summary summary;
    lf_model *model;
    lf_prior firm, weak;
    lf_random random;
    lf_random_seed(&random, 3);
    mix(&random, D, T, 3, 0, &given);
    for (int i = 0; i < T; i++) {
        given.y[i][OWN] = lf_random_normal(&random);
        given.y[i][0] +=
            0.01 * lf_random_normal(&random); /* about 3e-5 of the variance, with three weights of about 1 */
    }
    lf_data *data = rows_of(ctx, &given);
    assert_ok(ctx, lf_data_summary_create(ctx, data, NULL, &summary));
    assert_ok(ctx, lf_component_count_find(ctx, &summary, &redundancy));
    assert_ok(ctx, lf_initial_model(ctx, data, &summary, &shape, &model));
    const lf_problem problem = {.training = data, .observed = data, .summary = &summary};
    assert_ok(ctx, lf_prior_of_model(ctx, &problem, model, (lf_prior_options){.kind = LF_PRIOR_FIRM}, &firm));
    assert_ok(ctx, lf_prior_of_model(ctx, &problem, model, (lf_prior_options){.kind = LF_PRIOR_WEAK}, &weak));
    for (int d = 0; d < D; d++) {
        double unexplained = summary.outputs[d].unexplained;
        double variance = pow(summary.outputs[d].sd / model->outputs[d].scale, 2);
        int index = lf_index_noise(model, d);
        double least = exp(firm.lower[index]) / variance;
        assert_true(d == OWN ? unexplained > 0.5 : unexplained < 1e-3);
        assert_near(least, d == OWN ? 1e-3 : fmax(unexplained, 1e-6), 1e-12);
        assert_near(exp(weak.lower[index]) / variance, 1e-6, 1e-12);
    }
    assert_true(summary.outputs[0].unexplained > 1e-5 &&
                summary.outputs[0].unexplained > summary.outputs[1].unexplained);
    lf_prior_clear(&firm);
    lf_prior_clear(&weak);
    lf_model_free(model);
    lf_data_summary_clear(&summary);
    lf_data_free(data);
}

/* The number of forces that is planned for outputs with these components, and one that may do as well. */
static int planned_forces(lf_context *ctx, const table *given, const lf_component_count *components, int *fewer)
{
    fit_inputs inputs;
    lf_data *data = rows_of(ctx, given);
    assert_ok(ctx, make_inputs(ctx, data, NULL, NULL, &inputs));
    lf_fit_plan_clear(&inputs.plan);
    inputs.summary.components = *components;
    const lf_options options = {.engine = {.size = sizeof(lf_engine_options)}};
    assert_ok(ctx, lf_fit_plan_resolve(ctx, &options, &inputs.problem, &inputs.plan));
    lf_shape_options shape = inputs.plan.shape;
    lf_fill_shape(&shape, given->outputs, 1);
    *fewer = inputs.plan.fewer_forces;
    clear_inputs(&inputs);
    lf_data_free(data);
    return shape.forces;
}

/* The smallest number compared that is at least the true one; where even the largest is not enough, there are as many forces as allowed.
 * In between, the least may do as well. */
static void test_numbers(void **state)
{
    static table given;
    static const struct {
        int outputs, times, forces, expected, fewer;
    } cases[] = {{48, 134, 3, 4, 0}, {48, 134, 10, 12, 4}, {20, 134, 6, 8, 4},
                 {20, 58, 3, 4, 0},  {40, 134, 30, 36, 0}, {20, 134, 17, 20, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lf_component_count redundancy;
        lf_random random;
        lf_random_seed(&random, 5 + i);
        mix(&random, cases[i].outputs, cases[i].times, cases[i].forces, 0.05, &given);
        find(*state, &given, &redundancy);
        int fewer;
        assert_int_equal(planned_forces(*state, &given, &redundancy, &fewer), cases[i].expected);
        assert_int_equal(fewer, cases[i].fewer);
    }
}

static void test_little(void **state)
{
    static table given;
    lf_component_count redundancy;
    lf_random random;
    int fewer;
    lf_random_seed(&random, 3);
    mix(&random, 20, 5, 3, 0.1, &given); /* fewer times than blocks */
    find(*state, &given, &redundancy);
    assert_int_equal(redundancy.count, 0);
    assert_int_equal(planned_forces(*state, &given, &redundancy, &fewer), 20);
    assert_int_equal(fewer, 0);
    mix(&random, 3, 58, 1, 0.1, &given); /* fewer outputs than any number compared */
    find(*state, &given, &redundancy);
    assert_int_equal(redundancy.count, 0);
}

static void test_units_and_threads(void **state)
{
    lf_context *ctx = *state;
    static table given;
    lf_component_count redundancy, again;
    lf_random random;
    lf_random_seed(&random, 4);
    mix(&random, 40, 134, 6, 0.2, &given);
    lf_context_set_threads(ctx, 1);
    find(ctx, &given, &redundancy);
    lf_context_set_threads(ctx, 4);
    find(ctx, &given, &again);
    lf_context_set_threads(ctx, 0);
    assert_memory_equal(&again, &redundancy, sizeof again);
    for (int i = 0; i < given.times; i++) {
        for (int d = 0; d < given.outputs; d++) {
            given.y[i][d] = 1000 + (d % 2 ? 3600 : -0.001) * given.y[i][d];
        }
    }
    find(ctx, &given, &again);
    for (int k = 0; k < redundancy.count; k++) {
        assert_near(again.errors[k] / redundancy.errors[k], 1, 1e-6);
    }
}

/* ---- in a fit ---- */

/* The number of forces of a fit that is given these rows; 0: it follows from the number of outputs. `reason` is what the plan says. */
static int forces_of_plan(lf_context *ctx, const table *given, int forces, char reason[static 280])
{
    const lf_options options = {.engine = {.size = sizeof(lf_engine_options)}, .shape = {.forces = forces}};
    lf_data *data = rows_of(ctx, given);
    lf_problem *problem;
    lf_fit_plan plan;
    assert_ok(ctx, lf_problem_create(ctx, data, &options, &problem));
    assert_ok(ctx, lf_fit_plan_resolve(ctx, &options, problem, &plan));
    snprintf(reason, 280, "%s", plan.components);
    forces = plan.shape.forces;
    lf_fit_plan_clear(&plan);
    lf_problem_free(problem);
    lf_data_free(data);
    return forces;
}

/* Many outputs have their components compared, unless the number of forces is given; of few it is compared by fits. */
static void test_plan(void **state)
{
    static table given;
    char reason[280];
    lf_random random;
    lf_random_seed(&random, 6);
    mix(&random, 10, 58, 3, 0.1, &given);
    assert_int_equal(forces_of_plan(*state, &given, 0, reason), 4);
    assert_non_null(strstr(reason, "components"));
    assert_int_equal(forces_of_plan(*state, &given, 2, reason), 2);
    assert_string_equal(reason, "");
    mix(&random, 6, 58, 3, 0.1, &given);
    assert_int_equal(forces_of_plan(*state, &given, 0, reason), 0);
    assert_string_equal(reason, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_direct),      cmocka_unit_test(test_exact_and_independent),
                                       cmocka_unit_test(test_least_noise), cmocka_unit_test(test_numbers),
                                       cmocka_unit_test(test_little),      cmocka_unit_test(test_units_and_threads),
                                       cmocka_unit_test(test_plan)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
