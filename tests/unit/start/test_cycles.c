/* Periodograms of uneven series against least squares, and cycles found in simulated series. */
#include "base/gamma_function.h"
#include "base/memory.h"
#include "data/data.h"
#include "simulated_cycles.h"
#include "start/cycles.h"
#include "start/lomb_scargle.h"

/* The share of the variance that a sinusoid beside a constant explains, from the normal equations. */
static double sinusoid_share(size_t n, const double *t, const double *y, double frequency)
{
    double A[3][4] = {{0}}, total = 0, average = 0, left = 0;
    for (size_t i = 0; i < n; i++) {
        double row[4] = {1, cos(2 * acos(-1.0) * frequency * t[i]), sin(2 * acos(-1.0) * frequency * t[i]), y[i]};
        for (int a = 0; a < 3; a++) {
            for (int b = 0; b < 4; b++) {
                A[a][b] += row[a] * row[b];
            }
        }
        average += y[i] / (double)n;
    }
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            double factor = a == b ? 0 : A[b][a] / A[a][a];
            for (int c = 0; c < 4; c++) {
                A[b][c] -= factor * A[a][c];
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        double angle = 2 * acos(-1.0) * frequency * t[i];
        double e = y[i] - A[0][3] / A[0][0] - A[1][3] / A[1][1] * cos(angle) - A[2][3] / A[2][2] * sin(angle);
        left += e * e;
        total += (y[i] - average) * (y[i] - average);
    }
    return 1 - left / total;
}

static void test_least_squares(void **state)
{
    enum { N = 150 };
    (void)state;
    double t[N], y[N];
    lf_random random;
    lf_random_seed(&random, 3);
    for (int i = 0; i < N; i++) { /* uneven, with a gap */
        t[i] = 50 + (i < 90 ? 0 : 20) + 0.5 * (i + 0.8 * lf_random_uniform(&random));
        y[i] = 3 + sin(2 * t[i]) + lf_random_normal(&random);
    }
    lf_lomb_scargle l;
    assert_true(lf_lomb_scargle_create(t[N - 1] - t[0], 0.5, 1 << 17, &l));
    double *power = malloc(l.count * sizeof *power);
    assert_true(power && (double)l.count * l.frequency >= 1);
    lf_lomb_scargle_power(&l, N, t, y, power);
    for (size_t k = 1; (double)k * l.frequency < 1; k++) { /* the interpolation is of third order */
        double f = (double)k * l.frequency;
        assert_near(power[k], sinusoid_share(N, t, y, f), f < 0.25 ? 1e-3 : 3e-2);
    }
    free(power);
    lf_lomb_scargle_clear(&l);
}

/* The tail of the gamma distribution at shapes where it is elementary: sums of Poisson probabilities, and the error function. */
static void test_gamma_tail(void **state)
{
    (void)state;
    for (double x = 0.1; x < 200; x *= 1.7) {
        double term = exp(-x), sum = 0;
        for (int a = 1; a <= 20; a++) {
            sum += term;
            term *= x / a;
            assert_near(lf_log_gamma_tail(a, x), log(sum), 1e-13 * (1 + x));
        }
        assert_near(lf_log_gamma_tail(0.5, x), log(erfc(sqrt(x))), 1e-13 * (1 + x));
        double probability = exp(lf_log_gamma_tail(3, x));
        assert_near(exp(lf_log_gamma_tail(3, lf_gamma_quantile(3, probability))), probability, 1e-12);
    }
}

/* Whether the true period is among the cycles that are found in a table; *count: their number. */
static int finds_period(lf_context *ctx, const simulated_table *table, int *count)
{
    lf_data *data = table_data(ctx, table);
    lf_cycles cycles;
    int found = 0;
    assert_ok(ctx, lf_cycles_find(ctx, data, &cycles));
    for (int i = 0; i < cycles.count; i++) { /* within the resolution of the span */
        found |= fabs(1 / cycles.cycle[i].period - 1 / table->period) < fmax(0.6, 0.03 / table->period);
    }
    *count = cycles.count;
    lf_cycles_clear(&cycles);
    lf_data_free(data);
    return found;
}

/* Tables with a cycle of 10 to 60 % of the variance that changes its size and phase, and without: rough, trending, through equations. */
static void test_rates(void **state)
{
    enum { TABLES = 50 };
    static simulated_table table;
    int right = 0, wrong = 0, resonances = 0, count;
    lf_random random;
    lf_random_seed(&random, 7);
    for (int i = 0; i < TABLES; i++) {
        simulated_kind kind = (simulated_kind)(i % RINGING);
        simulate_table(&random, kind, uniform_between(&random, 0.1, 0.6), log_between(&random, 4, 120), &table);
        right += finds_period(*state, &table, &count);
        simulate_table(&random, kind, 0, 0, &table);
        finds_period(*state, &table, &count);
        wrong += count > 0;
        simulate_table(&random, RINGING, 0, 0, &table);
        finds_period(*state, &table, &count);
        resonances += count > 0;
    }
    print_message(
        "%d cycles of %d are found; something is in %d tables of %d without one, and in %d of %d with a resonance\n",
        right, TABLES, wrong, TABLES, resonances, TABLES);
    assert_true(right >= 40 && wrong <= 10);
}

/* A table of outputs A (a cycle of the period beside noise) and B (noise) at every step of the unit. */
static lf_data *make_table(lf_context *ctx, const char *unit, double step, int n, double period, int replicates)
{
    lf_data *data;
    lf_random random;
    lf_random_seed(&random, 1);
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    data->axes[0].unit = lf_copy_string(unit);
    for (int i = 0; i < n * replicates; i++) {
        char name[3] = {'r', (char)('0' + i % replicates), 0};
        double t = step * (i / replicates), angle = 2 * acos(-1.0) * t / period;
        double y = 5 + 0.3 * sin(angle) + 0.5 * sin(2 * angle) + 0.3 * sin(3 * angle) + 0.5 * lf_random_normal(&random);
        assert_ok(ctx, lf_data_add(ctx, data,
                                   &(lf_row){.size = sizeof(lf_row),
                                             .output = "A",
                                             .replicate = replicates > 1 ? name : NULL,
                                             .x = &t,
                                             .y = 1e6 * y}));
        assert_ok(ctx, lf_data_add(ctx, data,
                                   &(lf_row){.size = sizeof(lf_row),
                                             .output = "B",
                                             .replicate = replicates > 1 ? name : NULL,
                                             .x = &t,
                                             .y = lf_random_normal(&random)}));
    }
    return data;
}

/* A day is a day exactly where the unit says what that is, even if its second harmonic is stronger; other periods are found nearly. The
 * outputs that have the cycle are known. */
static void test_period(void **state)
{
    static const struct {
        const char *unit;
        double step, period;
        int n, replicates, natural;
    } cases[] = {{"h", 1, 24, 500, 1, 1}, {"d", 1, 7, 400, 1, 1},    {"min", 30, 1440, 400, 1, 1},
                 {"h", 1, 31, 500, 1, 0}, {"d", 1, 31, 400, 1, 0},   {"h", 1, 24, 120, 6, 1},
                 {"s", 1, 40, 700, 1, 0}, {"d", 0.5, 7, 4000, 1, 1}, {"s", 1, 1000, 100000, 1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += ONE_OF(3)) {
        lf_data *data =
            make_table(*state, cases[i].unit, cases[i].step, cases[i].n, cases[i].period, cases[i].replicates);
        lf_cycles cycles;
        assert_ok(*state, lf_cycles_find(*state, data, &cycles));
        assert_int_equal(cycles.count, 1);
        const lf_cycle *cycle = &cycles.cycle[0];
        double span = cases[i].step * (cases[i].n - 1);
        assert_near(1 / cycle->period, 1 / cases[i].period, cases[i].natural ? 0 : 0.1 / span);
        assert_int_equal(cycle->natural, cases[i].natural);
        assert_near(cycle->cycles, span / cases[i].period, 0.1);
        assert_true(cycle->harmonics >= 3 && cycle->false_alarm < 1e-6);
        assert_near(cycle->share[0], 0.215 / (0.215 + 0.25), 0.1);
        assert_near(cycle->share[1], 0, 0);
        lf_cycles_clear(&cycles);
        lf_data_free(data);
    }
}

/* Nothing is found, and nothing fails, in tables that tell nothing. */
static void test_nothing(void **state)
{
    for (int kind = 0; kind < 7; kind++) {
        lf_data *data;
        lf_cycles cycles;
        assert_ok(*state, lf_data_create(*state, kind == 4 ? 2 : 1, &data));
        for (int i = 0; i < (kind == 1 ? 11 : 200); i++) {
            double x[2] = {kind == 3 ? 1 : kind == 5 ? 1e-320 * i : kind == 6 ? 1.7e308 * sin(i) : i, 0};
            double y = kind == 2 ? 1e9 : sin(0.1 * i * i);
            if (kind > 0) {
                assert_ok(*state,
                          lf_data_add(*state, data, &(lf_row){.size = sizeof(lf_row), .output = "A", .x = x, .y = y}));
            }
        }
        assert_ok(*state, lf_cycles_find(*state, data, &cycles));
        assert_int_equal(cycles.count, 0);
        lf_cycles_clear(&cycles);
        lf_data_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_least_squares), cmocka_unit_test(test_gamma_tail),
                                       cmocka_unit_test(test_rates), cmocka_unit_test(test_period),
                                       cmocka_unit_test(test_nothing)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
