/* Series of a report: readings of known inputs within a range against interpolation, thinned series, autocorrelations and quantiles against their
 * definitions. */
#include "page/report.h"
#include "support.h"

enum { READINGS = 41 };

static const char model_text[] =
    "{\"format\": \"latentforce-model\", \"version\": 1, \"initial\": \"stationary\","
    " \"known_inputs\": [{\"name\": \"line\"}, {\"name\": \"step\", \"between\": \"constant\"},"
    " {\"name\": \"dose\", \"between\": \"impulse\"}],"
    " \"forces\": [{\"kernel\": \"matern32\", \"lengthscale\": 2}],"
    " \"outputs\": [{\"name\": \"a\", \"operator\": {\"type\": \"ode1\", \"decay\": 1}, \"gain\": [1, 1, 1],"
    " \"sensitivity\": [1], \"noise_variance\": 0.01}]}";

static double reading(int known, int i) { return known == 2 ? i % 5 == 0 : sin(0.7 * i) + known; }

/* A table with rows of "a" between 1.05 and 3, and readings of the known inputs between 0 and 4. */
static lf_data *make_data(lf_context *ctx)
{
    static const char *const names[] = {"line", "step", "dose"};
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < 14; i++) {
        double x = 1.05 + 0.15 * i;
        assert_ok(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = &x, .y = sin(x)}));
    }
    for (int known = 0; known < 3; known++) {
        for (int i = 0; i < READINGS; i++) {
            double x = 0.1 * i;
            lf_row row = {.size = sizeof row, .output = names[known], .x = &x, .y = reading(known, i)};
            assert_ok(ctx, lf_data_add(ctx, data, &row));
        }
    }
    return data;
}

static lf_report *make_report(lf_context *ctx, const lf_model *model, const lf_data *data, const char *rows)
{
    lf_options *options;
    lf_report *report;
    assert_ok(ctx, lf_options_create(ctx, "report", &options));
    assert_ok(ctx, lf_options_set(ctx, options, "panels", "inputs"));
    assert_ok(ctx, lf_options_set(ctx, options, "rows", rows));
    assert_ok(ctx, lf_report_create(ctx, model, NULL, data, options, &report));
    lf_options_free(options);
    return report;
}

/* The value of a known input at x. */
static double value_at(int known, double x)
{
    int before = (int)floor(10 * x + 1e-9);
    double share = known == 0 ? 10 * x - before : 0;
    return (1 - share) * reading(known, before) + (share > 1e-9 ? share * reading(known, before + 1) : 0);
}

static void test_readings(void **state)
{
    lf_context *ctx = *state;
    lf_model *model;
    lf_data *data = make_data(ctx);
    assert_ok(ctx, lf_model_parse(ctx, model_text, "test", &model));
    for (int thinned = 0; thinned < 2; thinned++) {
        lf_report *report = make_report(ctx, model, data, thinned ? "6" : "all");
        assert_int_equal(report->panel_count, 3);
        for (int known = 0; known < 3; known++) {
            double *x, *y;
            size_t n, total;
            assert_ok(ctx, lf_report_readings(ctx, report, &report->panel[known], &n, &x, &y, &total));
            assert_int_equal(total, known == 2 ? 20 : 21); /* 1.1 … 3, and the ends that have no reading */
            assert_true(thinned ? n <= 6 : n == total);
            assert_true(thinned || known == 2 || x[0] == report->low[0]);
            for (size_t i = 0; i < n; i++) {
                assert_true(i == 0 || x[i] > x[i - 1]);
                assert_near(y[i], value_at(known, x[i]), 1e-9);
            }
            free(x);
            free(y);
        }
        lf_report_free(report);
    }
    lf_data_free(data);
    lf_model_free(model);
}

static void test_autocorrelation(void **state)
{
    (void)state;
    enum { N = 90 };
    double z[N], r[LF_REPORT_LAGS], average = 0;
    int replicate[N];
    for (int i = 0; i < N; i++) {
        z[i] = sin(0.3 * i) + 0.2 * cos(1.7 * i) + 1;
        replicate[i] = i >= 50;
        average += z[i] / N;
    }
    size_t count = lf_report_autocorrelation(N, z, replicate, r);
    assert_int_equal(count, N / 4);
    for (size_t lag = 1; lag <= count; lag++) {
        double sum = 0, total = 0;
        for (size_t i = 0; i < N; i++) {
            total += (z[i] - average) * (z[i] - average);
            for (size_t j = i + 1; j < N; j++) {
                sum += j - i == lag && replicate[i] == replicate[j] ? (z[i] - average) * (z[j] - average) : 0;
            }
        }
        assert_near(r[lag - 1], sum / total, 1e-13);
    }
    for (int i = 0; i < N; i++) {
        z[i] = 0;
    }
    assert_int_equal(lf_report_autocorrelation(N, z, replicate, r), 0);
    assert_near(lf_report_lag_limit(100), 0.1959963984540054, 1e-15);
}

static void test_quantiles(void **state)
{
    (void)state;
    enum { N = 1001 };
    double z[N], expected[LF_REPORT_QUANTILES], found[LF_REPORT_QUANTILES];
    for (int i = 0; i < N; i++) {
        z[i] = (i * 387 % N) - 500;
    }
    assert_int_equal(lf_report_quantiles(N, z, expected, found), LF_REPORT_QUANTILES);
    for (size_t k = 0; k < LF_REPORT_QUANTILES; k++) {
        double share = (found[k] + 500.5) / N;
        assert_near(0.5 * erfc(-expected[k] / sqrt(2)), share, 1e-13);
    }
    assert_true(found[0] == -500 && found[LF_REPORT_QUANTILES - 1] == 500);
    assert_int_equal(lf_report_quantiles(1, z, expected, found), 1);
    assert_near(expected[0], 0, 1e-15);
    assert_int_equal(lf_report_quantiles(0, z, expected, found), 0);
}

static int create(void **state) { return (*state = lf_context_create()) == NULL; }

static int release(void **state)
{
    lf_context_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readings),
        cmocka_unit_test(test_autocorrelation),
        cmocka_unit_test(test_quantiles),
    };
    return cmocka_run_group_tests(tests, create, release);
}
