/* Whiteness of one-step errors: powers against sums over sines and cosines, the size of Bartlett's test on noise and on simulated systems,
 * its power where a force is missing, places of peaks, jumps of inputs, and what is stored. */
#include "report/diagnosis.h"
#include "report/periodogram.h"
#include "report/remarks.h"
#include "support.h"

enum { ROWS = 120, REPLICATES = 2 };

/* share (m): the cumulative periodogram by its definition. */
static void naive_shares(size_t n, const double *z, size_t m, double *share)
{
    double average = 0, sum = 0;
    for (size_t i = 0; i < n; i++) {
        average += z[i] / (double)n;
    }
    for (size_t j = 1; j <= m; j++) {
        double c = 0, s = 0;
        for (size_t i = 0; i < n; i++) {
            double angle = 2 * acos(-1) * (double)((i * j) % n) / (double)n;
            c += (z[i] - average) * cos(angle);
            s += (z[i] - average) * sin(angle);
        }
        share[j - 1] = sum += c * c + s * s;
    }
    for (size_t j = 0; j < m; j++) {
        share[j] /= sum;
    }
}

static void check_shares(size_t n, const double *z, size_t m, const double *share)
{
    double *expected = malloc(m * sizeof *expected);
    naive_shares(n, z, m, expected);
    for (size_t j = 0; j < m; j++) {
        assert_near(share[j], expected[j], 1e-14);
    }
    free(expected);
}

static void test_shares(void **state)
{
    (void)state;
    static const size_t sizes[] = {8, 9, 50, 101, 128, 257, 1000};
    double z[1000];
    lf_random random;
    lf_random_seed(&random, 4);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        lf_periodogram p;
        for (size_t i = 0; i < sizes[k]; i++) {
            z[i] = 3 + lf_random_normal(&random) + (i ? 0.5 * z[i - 1] : 0);
        }
        assert_true(lf_periodogram_create(sizes[k], z, &p));
        assert_int_equal(p.count, (sizes[k] - 1) / 2);
        assert_int_equal(p.rows, sizes[k]);
        check_shares(sizes[k], z, p.count, p.share);
        double largest = 0;
        for (size_t j = 1; j < p.count; j++) {
            largest = fmax(largest, fabs(p.share[j - 1] - (double)j / (double)p.count));
        }
        assert_near(lf_bartlett_distance(&p), largest, 0);
        lf_periodogram_clear(&p);
    }
    lf_periodogram none, equal;
    for (int i = 0; i < 50; i++) {
        z[i] = 0.1;
    }
    assert_true(lf_periodogram_create(7, z, &none) && lf_periodogram_create(50, z, &equal));
    assert_int_equal(none.count + equal.count, 0);
    assert_true(isnan(lf_bartlett_distance(&none)) && isnan(lf_bartlett_p(0, 0.1)));
    assert_true(isnan(lf_periodogram_find_peak(&none).share));
}

/* Of a series that is too long, the stretch in the middle. */
static void test_long(void **state)
{
    (void)state;
    size_t n = LF_LONGEST_PERIODOGRAM + 1001, period = 1440;
    double *z = malloc(n * sizeof *z);
    lf_random random;
    lf_periodogram p;
    lf_random_seed(&random, 8);
    for (size_t i = 0; i < n; i++) {
        z[i] = lf_random_normal(&random) + sin(2 * acos(-1) * (double)i / (double)period);
    }
    assert_true(lf_periodogram_create(n, z, &p));
    assert_int_equal(p.rows, LF_LONGEST_PERIODOGRAM);
    lf_periodogram_peak peak = lf_periodogram_find_peak(&p);
    assert_int_equal(peak.side, 0);
    assert_near(peak.period, (double)period, 5);
    assert_near(peak.share, 1.0 / 3, 0.01);
    lf_periodogram_clear(&p);
    free(z);
}

/* At the level 0.05 about 5 % of white noise is rejected; bounds and probabilities agree. */
static void test_level(void **state)
{
    (void)state;
    enum { RUNS = 2000, N = 100 };
    lf_random random;
    lf_random_seed(&random, 12);
    int rejected = 0;
    for (int run = 0; run < RUNS; run++) {
        double z[N];
        lf_periodogram p;
        for (int i = 0; i < N; i++) {
            z[i] = lf_random_normal(&random);
        }
        assert_true(lf_periodogram_create(N, z, &p));
        rejected += lf_bartlett_p(p.count, lf_bartlett_distance(&p)) < 0.05;
        lf_periodogram_clear(&p);
    }
    assert_near(rejected / (double)RUNS, 0.05, 0.015);
    assert_near(lf_bartlett_bound(1000001, 0.05), 1.3580986 / (1000 + 0.12) - 0.5e-6,
                1e-8); /* the 95 % point of Kolmogorov's distribution */
    for (size_t count = 10; count < 10000; count *= 7) {
        assert_near(lf_bartlett_p(count, lf_bartlett_bound(count, 0.05)), 0.05, 1e-12);
    }
}

/* A slow series, a fast one, and a wave in noise. */
static void test_peaks(void **state)
{
    (void)state;
    enum { N = 400 };
    double slow[N], fast[N], wave[N];
    const double *series[] = {slow, fast, wave};
    static const int sides[] = {1, -1, 0};
    lf_random random;
    lf_random_seed(&random, 3);
    for (int i = 0; i < N; i++) {
        double e = lf_random_normal(&random);
        slow[i] = e + (i ? 0.6 * slow[i - 1] : 0);
        fast[i] = e - (i ? 0.6 * fast[i - 1] : 0);
        wave[i] = e + 1.5 * sin(2 * acos(-1) * i / 12.5);
    }
    for (int k = 0; k < 3; k++) {
        lf_periodogram p;
        assert_true(lf_periodogram_create(N, series[k], &p));
        lf_periodogram_peak peak = lf_periodogram_find_peak(&p);
        assert_int_equal(peak.side, sides[k]);
        assert_true(lf_bartlett_p(p.count, lf_bartlett_distance(&p)) < 1e-6);
        assert_true(peak.share > peak.expected + 0.2 && peak.share < 1);
        assert_true(k < 2 || fabs(peak.period - 12.5) < 0.5);
        lf_periodogram_clear(&p);
    }
}

/* ---- systems ---- */

static const char *const truth_text =
    "input v\nforce u ~ matern32(lengthscale = 3, amplitude = 1)\nparameter k = 0.5\nparameter c = 2\n"
    "x' = -k*x + v + u\nz' = c*(x - z)\noutput a = x noise = 0.1\noutput b = z noise = 0.1\nstart steady\n";
/* The force is missing; there is more noise. */
static const char *const poor_text = "input v\nparameter k = 0.5\nparameter c = 2\nx' = -k*x + v\nz' = c*(x - z)\n"
                                     "output a = x noise = 1\noutput b = z noise = 1\nstart steady\n";

/* Readings of the true system: two replicates, two outputs, the second one at fewer and uneven times. */
static lf_data *simulate(lf_context *ctx, uint64_t seed)
{
    static const char *const names[] = {"one", "two"};
    lf_model *truth;
    lf_data *data;
    enum { N = 2 * ROWS * REPLICATES };
    int target[N], replicate[N];
    double x[N], f[N], e[N];
    assert_ok(ctx, lf_model_from_equations(ctx, truth_text, "truth.eq", &truth));
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < N; i++) {
        replicate[i] = i / (2 * ROWS);
        target[i] = i / ROWS % 2;
        x[i] = 0.5 * (i % ROWS) + (target[i] ? 0.3 * sin(i * i) : 0);
    }
    for (int r = 0; r < REPLICATES; r++) {
        for (int i = -1; i <= ROWS; i++) {
            double t = 0.5 * i;
            assert_ok(
                ctx,
                lf_data_add(
                    ctx, data,
                    &(lf_row){
                        .size = sizeof(lf_row), .output = "v", .replicate = names[r], .x = &t, .y = sin(0.2 * t + r)}));
        }
    }
    lf_context_set_seed(ctx, seed);
    lf_point_list points = {.n = N, .target = target, .replicate = replicate, .x = x};
    assert_ok(ctx, lf_simulate_list(ctx, truth, &points, data, f));
    lf_normals(ctx, N, e);
    for (int i = N; i-- > 0;) { /* against the order of time */
        assert_ok(ctx, lf_data_add(ctx, data,
                                   &(lf_row){.size = sizeof(lf_row),
                                             .output = target[i] ? "b" : "a",
                                             .replicate = names[replicate[i]],
                                             .x = &x[i],
                                             .y = f[i] + 0.1 * e[i]}));
    }
    lf_model_free(truth);
    return data;
}

static lf_diagnosis *diagnose(lf_context *ctx, const char *text, const lf_data *data, lf_model **model)
{
    lf_diagnosis *diagnosis;
    assert_ok(ctx, lf_model_from_equations(ctx, text, "test.eq", model));
    lf_posterior *posterior = make_posterior(ctx, *model, data, NULL);
    assert_ok(ctx, lf_diagnose(posterior, data, &diagnosis));
    lf_posterior_free(posterior);
    return diagnosis;
}

/* Under the true model about 5 % are rejected at that level, none by the verdict; without the force all are, by the verdict too. */
static void test_systems(void **state)
{
    enum { SEEDS = 60 / ONE_OF(6) };
    int rejected = 0, beyond = 0, correlated = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        lf_model *model;
        lf_data *data = simulate(*state, seed);
        lf_diagnosis *right = diagnose(*state, truth_text, data, &model);
        lf_model_free(model);
        for (int d = 0; d < 2; d++) {
            const lf_output_diagnosis *o = &right->outputs[d];
            rejected += o->periodogram_p < 0.05;
            beyond += o->periodogram > o->periodogram_bound;
            correlated += o->autocorrelation_p < 0.05;
            assert_int_equal(o->not_white, 0);
        }
        if (seed <= 10) {
            lf_diagnosis *poor = diagnose(*state, poor_text, data, &model);
            lf_model_free(model);
            assert_true(poor->outputs[0].not_white && poor->outputs[1].not_white);
            assert_int_equal(poor->outputs[0].peak_side, 1);
            lf_diagnosis_free(poor);
        }
        lf_diagnosis_free(right);
        lf_data_free(data);
    }
    assert_int_equal(rejected, beyond);
    assert_in_range(rejected, ONE_OF(6) == 1,
                    13); /* of 120, 6 expected: beyond these limits with a probability of 0.005 */
    assert_in_range(correlated, ONE_OF(6) == 1, 13);
}

/* The errors are those of the rows in the order of replicates and time; periodogram and autocorrelation are theirs. */
static void test_errors(void **state)
{
    lf_model *model;
    lf_data *data = simulate(*state, 5);
    lf_diagnosis *diagnosis = diagnose(*state, truth_text, data, &model);
    for (int d = 0; d < 2; d++) {
        const lf_output_diagnosis *o = &diagnosis->outputs[d];
        double average = 0, squares = 0, products = 0;
        assert_int_equal(o->innovations, ROWS * REPLICATES);
        for (size_t i = 0; i < o->innovations; i++) {
            average += o->errors[i] / (double)o->innovations;
            assert_int_equal(o->error_replicates[i], i / ROWS);
            assert_true(i % ROWS == 0 || o->error_inputs[i] > o->error_inputs[i - 1]);
        }
        for (size_t i = 0; i < o->innovations; i++) {
            squares += (o->errors[i] - average) * (o->errors[i] - average);
            products += i % ROWS ? (o->errors[i] - average) * (o->errors[i - 1] - average) : 0;
        }
        assert_near(o->autocorrelation[0], products / squares, 1e-13);
        assert_near(squares / (double)o->innovations, 1, 0.25);
        assert_int_equal(o->frequency_count, (o->innovations - 1) / 2);
        assert_near(o->frequency_step, 1 / (double)o->innovations, 1e-18);
        check_shares(o->innovations, o->errors, o->frequency_count, o->cumulative);
    }
    lf_posterior *posterior = make_posterior(*state, model, data, NULL);
    lf_diagnosis *residuals;
    assert_ok(*state, lf_diagnose_residuals(posterior, data, &residuals));
    assert_true(isnan(residuals->outputs[0].noise) && !isnan(diagnosis->outputs[0].noise));
    assert_near(residuals->outputs[1].periodogram, diagnosis->outputs[1].periodogram, 0);
    assert_near(residuals->outputs[1].residual_rms, diagnosis->outputs[1].residual_rms, 0);
    lf_diagnosis_free(residuals);
    lf_posterior_free(posterior);
    assert_near(diagnosis->outputs[0].spacing, 0.5, 1e-12);
    assert_true(isnan(diagnosis->outputs[1].spacing));
    lf_diagnosis_free(diagnosis);
    lf_data_free(data);
    lf_model_free(model);
}

/* The errors of a system of one variable against a filter written down for it. */
static void test_filter(void **state)
{
    enum { N = 60 };
    static const char *const text =
        "input v constant\nforce w ~ white(sd = 0.4)\nparameter k = 0.7\nx' = -k*x + v + w\noutput a = x noise = 0.2\n"
        "start x ~ normal(1, 0.5)\n";
    const double k = 0.7;
    double expected[N], mean = 1, variance = 0.25, before = 0, v = 0;
    lf_model *model;
    lf_data *data;
    lf_random random;
    lf_random_seed(&random, 15);
    assert_ok(*state, lf_data_create(*state, 1, &data));
    for (int i = 0; i < N; i++) {
        double t = i ? before + 0.1 + lf_random_uniform(&random) : 0, y = 2 * lf_random_normal(&random);
        double decay = exp(-k * (t - before));
        mean = decay * mean + (1 - decay) / k * v;
        variance = decay * decay * variance + 0.16 * (1 - decay * decay) / (2 * k);
        double S = variance + 0.04;
        expected[i] = (y - mean) / sqrt(S);
        mean += variance / S * (y - mean);
        variance *= 0.04 / S;
        before = t;
        v = sin(i);
        assert_ok(*state, lf_data_add(*state, data, &(lf_row){.size = sizeof(lf_row), .output = "v", .x = &t, .y = v}));
        assert_ok(*state, lf_data_add(*state, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = &t, .y = y}));
    }
    lf_diagnosis *diagnosis = diagnose(*state, text, data, &model);
    for (int i = 0; i < N; i++) {
        assert_near(diagnosis->outputs[0].errors[i], expected[i], 3e-13);
    }
    lf_diagnosis_free(diagnosis);
    lf_data_free(data);
    lf_model_free(model);
}

/* Whether a warning of the verdict holds the words. */
static int warns(lf_context *ctx, const lf_model *model, const char *words)
{
    lf_verdict *verdict;
    int found = 0;
    assert_ok(ctx, lf_verdict_create(ctx, model, &verdict));
    for (size_t i = 0; i < verdict->count; i++) {
        found = found ||
                (strcmp(verdict->remarks[i].severity, "warning") == 0 && strstr(verdict->remarks[i].sentence, words));
    }
    lf_verdict_free(verdict);
    return found;
}

/* An unknown daily wave: the verdict says at which period, in the unit of time or in rows. What is stored comes back, also from older files. */
static void test_wave(void **state)
{
    lf_context *ctx = *state;
    static const char *const text = "parameter k = 1\nx' = -k*x\noutput a = x noise = 0.9\nstart rest\n";
    lf_model *model;
    lf_diagnosis *restored;
    lf_data *data;
    lf_random random;
    lf_random_seed(&random, 2);
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < 240; i++) {
        double t = 0.5 + i;
        assert_ok(ctx, lf_data_add(ctx, data,
                                   &(lf_row){.size = sizeof(lf_row),
                                             .output = "a",
                                             .x = &t,
                                             .y = 0.6 * lf_random_normal(&random) + 0.9 * sin(2 * acos(-1) * t / 24)}));
    }
    lf_diagnosis *diagnosis = diagnose(ctx, text, data, &model);
    const lf_output_diagnosis *o = &diagnosis->outputs[0];
    assert_int_equal(o->not_white, 1);
    assert_int_equal(o->peak_side, 0);
    assert_near(o->peak_period, 24, 0.5);
    diagnosis->outputs[0].autocorrelated = 0; /* which has a sentence of its own */
    assert_ok(ctx, lf_diagnosis_store(ctx, diagnosis, model));
    assert_true(warns(ctx, model, "One-step-ahead errors of a are not white ("));
    assert_true(warns(ctx, model, "% of their variance at periods around 24, expected "));
    diagnosis->outputs[0].autocorrelated = 1;
    diagnosis->outputs[0].spacing = (double)NAN;
    assert_ok(ctx, lf_diagnosis_store(ctx, diagnosis, model));
    assert_true(warns(ctx, model, "are autocorrelated (correlation"));
    assert_true(warns(ctx, model, "% of their variance at periods around 24 rows, expected "));
    assert_ok(ctx, lf_diagnosis_restore(ctx, model, &restored));
    const lf_output_diagnosis *r = &restored->outputs[0];
    assert_true(r->not_white && r->peak_side == 0 && isnan(r->spacing) && r->jump_input == -1);
    assert_near(r->peak_share, o->peak_share, 1e-3);
    assert_near(r->periodogram_bound, o->periodogram_bound, 1e-4);
    assert_near(r->largest_at, o->largest_at, 1e-12);
    assert_true(!r->errors && !r->cumulative && r->frequency_count == 0);
    lf_diagnosis_free(restored);
    assert_ok(ctx, lf_model_set_provenance(
                       ctx, model, "{\"diagnosis\":{\"outputs\":[{\"periodogram\":0.3,\"periodogram_p\":0}]}}"));
    assert_ok(ctx, lf_diagnosis_restore(ctx, model, &restored));
    assert_int_equal(restored->outputs[0].not_white, 1);
    assert_true(warns(ctx, model, "their cumulative periodogram is 0.30 away from that of noise"));
    lf_diagnosis_free(restored);
    lf_diagnosis_free(diagnosis);
    lf_data_free(data);
    lf_model_free(model);
}

/* An input that is held, taken as linear: the outliers are where it jumps, and the verdict says so. Held, there are none. */
static void test_jumps(void **state)
{
    lf_context *ctx = *state;
    lf_model *model;
    lf_data *data;
    lf_random random;
    lf_random_seed(&random, 6);
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    double x = 0;
    for (int i = 0; i < 200; i++) {
        double t = 0.1 * i, v = i / 40 % 2, slow = sin(0.05 * i);
        assert_ok(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "slow", .x = &t, .y = slow}));
        assert_ok(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "v", .x = &t, .y = v}));
        assert_ok(
            ctx,
            lf_data_add(
                ctx, data,
                &(lf_row){.size = sizeof(lf_row), .output = "a", .x = &t, .y = x + 0.005 * lf_random_normal(&random)}));
        x += (v - x) * (1 - exp(-2 * 0.1)); /* x' = 2 (v - x) until the next reading */
    }
    for (int constant = 0; constant < 2; constant++) {
        char text[256];
        snprintf(text, sizeof text,
                 "input slow\ninput v %s\nparameter k = 2\nx' = k*(v - x) + 0*slow\noutput a = x noise = 0.005\nstart "
                 "rest\n",
                 constant ? "constant" : "linear");
        lf_diagnosis *diagnosis = diagnose(ctx, text, data, &model);
        assert_int_equal(diagnosis->outputs[0].not_normal, !constant);
        assert_int_equal(diagnosis->outputs[0].jump_input, constant ? -1 : 1);
        assert_ok(ctx, lf_diagnosis_store(ctx, diagnosis, model));
        assert_int_equal(warns(ctx, model, "are where v jumps"), !constant);
        assert_int_equal(warns(ctx, model, "(input v constant)"), !constant);
        lf_diagnosis_free(diagnosis);
        lf_model_free(model);
    }
    lf_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares), cmocka_unit_test(test_long),    cmocka_unit_test(test_level),
        cmocka_unit_test(test_peaks),  cmocka_unit_test(test_systems), cmocka_unit_test(test_errors),
        cmocka_unit_test(test_filter), cmocka_unit_test(test_wave),    cmocka_unit_test(test_jumps),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
