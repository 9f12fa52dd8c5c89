/* The inducing engines with Matern forces: their values from exact covariances, by Cholesky factors of whole matrices, for
 * ordinary and for very fast operators; the error that they report; posteriors stored by older versions. */
#include "engine/engine.h"
#include "support.h"

#include "model/model.h"

enum { N = 30, K = 6, M = 2 * K };

static lf_model *make_model(lf_context *ctx, const char *initial, double decay, const char *third)
{
    char text[2048], inducing[256];
    int used = 0;
    for (int i = 0; i < K; i++) {
        used += snprintf(inducing + used, sizeof inducing - (size_t)used, "%s%g", i ? "," : "", 0.1 + 0.53 * i);
    }
    snprintf(
        text, sizeof text,
        "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"%s\",\"forces\":[{\"kernel\":\"matern12\","
        "\"lengthscale\":0.8,\"inducing\":[%s]},{\"kernel\":\"%s\",\"lengthscale\":0.5,\"inducing\":[%s]}],"
        "\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":%.17g},\"sensitivity\":[%.17g,%.17g],"
        "\"noise_variance\":0.1},{\"name\":\"b\",\"operator\":{\"type\":\"ode2\",\"mass\":1,\"damper\":1,"
        "\"spring\":3},\"sensitivity\":[1,-2],\"noise_variance\":0.05},{\"name\":\"c\",\"operator\":%s,"
        "\"sensitivity\":[0.4,1],\"noise_variance\":0.02}]}",
        initial, inducing, strstr(third, "gaussian") ? "matern52" : "matern32", inducing, decay, decay, 0.5 * decay,
        third);
    return parse_model(ctx, text);
}

static lf_data *make_rows(lf_context *ctx, int *target, double *x, double *y)
{
    static const char *const names[] = {"a", "b", "c"};
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < N; i++) {
        target[i] = i / (N / 3);
        x[i] = 0.31 * (i % (N / 3)) + 0.05 * target[i];
        y[i] = sin(2 * x[i] + target[i]);
        assert_ok(ctx,
                  lf_data_add(ctx, data,
                              &(lf_row){.size = sizeof(lf_row), .output = names[target[i]], .x = &x[i], .y = y[i]}));
    }
    return data;
}

/* The lower Cholesky factor of A (n, n), row-major, in place. */
static void factor(int n, double *A)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            for (int k = 0; k < j; k++) {
                A[i * n + j] -= A[i * n + k] * A[j * n + k];
            }
            assert_true(i != j || A[i * n + i] > 0);
            A[i * n + j] = i == j ? sqrt(A[i * n + i]) : A[i * n + j] / A[j * n + j];
        }
    }
}

/* log N(y | 0, Q + Lambda + noise) (- trace / 2 noise) for one of dtc, variational, fitc, pitc. */
static double reference(lf_context *ctx, const lf_model *model, int method, const int *target, const double *x,
                        const double *y)
{
    enum { ALL = N + M };
    int all_target[ALL];
    double all_x[ALL], *C = malloc((size_t)ALL * ALL * sizeof *C), U[M * M], V[M * N], S[N * N], z[N], value = 0;
    for (int i = 0; i < ALL; i++) {
        all_target[i] = i < N ? target[i] : 3 + (i - N) / K;
        all_x[i] = i < N ? x[i] : 0.1 + 0.53 * ((i - N) % K);
    }
    lf_point_list points = {.n = ALL, .target = all_target, .x = all_x};
    assert_ok(ctx, lf_covariance_list(ctx, model, &points, NULL, C));
    for (int i = 0; i < M * M; i++) {
        U[i] = C[(N + i / M) * ALL + N + i % M];
    }
    factor(M, U);
    for (int j = 0; j < N; j++) { /* V = L^-1 K_uf */
        for (int i = 0; i < M; i++) {
            V[i * N + j] = C[(N + i) * ALL + j];
            for (int k = 0; k < i; k++) {
                V[i * N + j] -= U[i * M + k] * V[k * N + j];
            }
            V[i * N + j] /= U[i * M + i];
        }
    }
    for (int i = 0; i < N; i++) {
        double noise = lf_model_noise_variance(model, target[i]);
        for (int j = 0; j < N; j++) {
            double q = 0, k = C[i * ALL + j];
            for (int m = 0; m < M; m++) {
                q += V[m * N + i] * V[m * N + j];
            }
            int exact = (method == 2 && i == j) || (method == 3 && target[i] == target[j]);
            S[i * N + j] = (exact ? k : q) + (i == j ? noise : 0);
            value -= method == 1 && i == j ? 0.5 * (k - q) / noise : 0;
        }
    }
    factor(N, S);
    for (int i = 0; i < N; i++) {
        z[i] = y[i];
        for (int j = 0; j < i; j++) {
            z[i] -= S[i * N + j] * z[j];
        }
        z[i] /= S[i * N + i];
        value -= 0.5 * z[i] * z[i] + log(S[i * N + i]) + 0.5 * log(2 * 3.14159265358979323846);
    }
    free(C);
    return value;
}

static void test_values(void **state)
{
    static const char *const engines[] = {"dtc", "variational", "fitc", "pitc"};
    static const char *const starts[] = {"zero", "stationary"};
    static const char *const third[] = {"{\"type\":\"ode1\",\"decay\":2}", "{\"type\":\"gaussian\",\"precision\":30}"};
    static const double decays[] = {1, 1e7};
    lf_context *ctx = *state;
    int target[N];
    double x[N], y[N];
    lf_data *data = make_rows(ctx, target, x, y);
    for (int trial = 0; trial < 8; trial++) {
        lf_model *model = make_model(ctx, starts[trial % 2], decays[trial / 2 % 2], third[trial / 4]);
        for (int e = 0; e < 4; e++) {
            lf_engine_options options = {.size = sizeof options, .engine = engines[e], .nodes = "exact"};
            lf_engine *engine;
            double value, bound, expected = reference(ctx, model, e, target, x, y);
            assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
            assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &value, NULL));
            assert_ok(ctx, lf_engine_error_bound(engine, &bound));
            assert_string_equal(lf_engine_describe(engine).nodes, "state-space");
            assert_true(bound == 0);
            assert_near(value, expected, 1e-12 * fmax(1, fabs(expected)));
            lf_engine_free(engine);
        }
        lf_model_free(model);
    }
    lf_data_free(data);
}

/* ---- stored posteriors ---- */

static void remember(void *user, lf_level level, const char *note)
{
    (void)level;
    snprintf(user, 512, "%s", note);
}

/* Stores a posterior, replaces some text of the file, loads it again and predicts. */
static void predict_stored(lf_context *ctx, const lf_model *model, const lf_data *data, lf_engine_options options,
                           const char *from, const char *to, const lf_point_list *points, double *mean,
                           double *variance)
{
    static const char file[] = "test_inducing_matern.json", changed[] = "test_inducing_matern_old.json";
    lf_model *copy;
    lf_posterior *posterior = make_posterior(ctx, model, data, &options);
    assert_ok(ctx, lf_model_copy(ctx, model, &copy));
    assert_ok(ctx, lf_posterior_store(posterior, copy));
    assert_ok(ctx, lf_model_write(ctx, copy, file));
    lf_model_free(copy);
    lf_posterior_free(posterior);
    FILE *in = fopen(file, "rb"), *out = fopen(changed, "wb");
    char *text = calloc(1, 1 << 22), *place;
    assert_non_null(in);
    assert_non_null(out);
    size_t length = fread(text, 1, (1 << 22) - 1, in);
    assert_true(length > 0);
    place = strstr(text, from);
    assert_non_null(place);
    fprintf(out, "%.*s%s%s", (int)(place - text), text, to, place + strlen(from));
    fclose(in);
    fclose(out);
    free(text);
    assert_ok(ctx, lf_model_read(ctx, changed, &copy));
    assert_ok(ctx, lf_posterior_restore(ctx, copy, &posterior));
    assert_ok(ctx, lf_predict_list(posterior, points, mean, variance, NULL));
    lf_posterior_free(posterior);
    lf_model_free(copy);
    remove(file);
    remove(changed);
}

/* A file of an older version names the quadrature. The dense posterior, which keeps the rows, predicts exactly; that of
 * an inducing engine keeps what it has learned, and says that this has an error. */
static void test_older_posteriors(void **state)
{
    lf_context *ctx = *state;
    int target[N], at[3] = {0, 1, 3};
    double x[N], y[N], where[3] = {1.1, 2.2, 0.7}, mean[2][3], variance[2][3];
    lf_data *data = make_rows(ctx, target, x, y);
    lf_model *model = make_model(ctx, "zero", 50, "{\"type\":\"ode1\",\"decay\":2}");
    lf_point_list points = {.n = 3, .target = at, .x = where};
    static const struct {
        const char *engine, *now, *before;
    } cases[] = {{"dense", "\"route\": 2.0", "\"route\": 0.0"}, {"variational", "\"source\": 2.0", "\"source\": 0.0"}};
    for (int c = 0; c < 2; c++) {
        char note[512] = "";
        lf_engine_options options = {.size = sizeof options, .engine = cases[c].engine};
        predict_stored(ctx, model, data, options, cases[c].now, cases[c].now, &points, mean[0], variance[0]);
        lf_context_set_log(ctx, remember, note);
        predict_stored(ctx, model, data, options, cases[c].now, cases[c].before, &points, mean[1], variance[1]);
        lf_context_set_log(ctx, NULL, NULL);
        assert_true((strstr(note, "older version") != NULL) == (c == 1));
        for (int i = 0; i < 3; i++) {
            assert_near(mean[1][i], mean[0][i], 0);
            assert_near(variance[1][i], variance[0][i], 0);
        }
    }
    lf_data_free(data);
    lf_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_older_posteriors),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
