/* What fit decides about cycles: simulated tables with a cycle and without. The environment variable LF_SEEDS, a number of tables of each
 * kind, makes a table of the decisions instead of the short test. */
#include "base/memory.h"
#include "data/data.h"
#include "fit/fit_options.h"
#include "model/model.h"
#include "simulated_cycles.h"

/* The period that the fitted model repeats with; 0: none. */
static double fitted_period(lf_context *ctx, const simulated_table *table, const char *period, double *log_likelihood)
{
    lf_data *data = table_data(ctx, table);
    lf_fit_options *options;
    lf_model *model;
    lf_fit_result *result;
    assert_ok(ctx, lf_fit_options_create(ctx, &options));
    assert_ok(ctx, lf_fit_options_set(ctx, options, "errors", "no"));
    assert_ok(ctx, lf_fit_options_set(ctx, options, "period", period));
    assert_ok(ctx, lf_fit(ctx, data, options, &model, &result));
    const lf_force *force = lf_model_composed_force(model, 0, NULL);
    double found = force ? force->terms->period : 0;
    *log_likelihood = result->log_likelihood;
    lf_fit_result_free(result);
    lf_model_free(model);
    lf_fit_options_free(options);
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
    lf_random_seed(&random, 11);
    print_message("kind, tables: without a cycle, one is added; with one, it is added, another is added\n");
    for (simulated_kind kind = getenv("LF_FROM") ? atoi(getenv("LF_FROM")) : WALK; kind < SIMULATED_KINDS; kind++) {
        int wrong = 0, right = 0, other = 0;
        for (int i = 0; i < count; i++) {
            int outputs = 2 + (int)(3 * lf_random_uniform(&random)),
                rows = 100 + (int)(100 * lf_random_uniform(&random));
            double cycles = log_between(&random, 4, 15), share = uniform_between(&random, 0.1, 0.6), value;
            simulate_sized(&random, kind, 0, 0, outputs, rows, &table);
            wrong += fitted_period(ctx, &table, "auto", &value) > 0;
            simulate_sized(&random, kind, share, cycles, outputs, rows, &table);
            double found = fitted_period(ctx, &table, "auto", &value);
            right += is_near(found, table.period);
            other += found > 0 && !is_near(found, table.period);
        }
        print_message("%-18s %d: %d; %d, %d\n", names[kind], count, wrong, right, other);
        fflush(stdout);
    }
}

static void test_choice(void **state)
{
    const char *seeds = getenv("LF_SEEDS");
    if (seeds) {
        show_rates(*state, atoi(seeds));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_choice)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
