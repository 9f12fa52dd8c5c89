/* Targets of the caller: every engine takes values and noise of each row that change at every evaluation, and has the derivatives by both. */
#include "data/data.h"
#include "support.h"

#include <cblas.h>
#include <lapacke.h>

#include "base/numbers.h"
#include "base/random.h"
#include "engine/engine.h"
#include "engine/scaled_posterior.h"
#include "inducing/inducing.h"

/* Orders 1 to 3, a private force, a free start; in other units. */
static const char *const rich =
    "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"free\",\"origin\":0.5,\"forces\":[{\"kernel\":"
    "\"eq\",\"lengthscale\":0.9},{\"kernel\":\"eq\",\"lengthscale\":0.4}],\"outputs\":[{\"name\":\"a\",\"operator\":"
    "{\"type\":\"ode1\",\"decay\":1.3},\"sensitivity\":[1,-0.5],\"noise_variance\":0.2,\"offset\":0.3,\"scale\":2},"
    "{\"name\":\"b\",\"operator\":{\"type\":\"ode2\",\"mass\":1.2,\"damper\":0.4,\"spring\":2},\"sensitivity\":[0.7,2],"
    "\"noise_variance\":0.1,\"initial_variance\":[0.5,2],\"private\":{\"kernel\":\"eq\",\"lengthscale\":0.6,"
    "\"amplitude\":0.7}},{\"name\":\"c\",\"operator\":{\"type\":\"ode\",\"coefficients\":[1,3,3,1]},\"sensitivity\":"
    "[2,1],\"noise_variance\":0.05,\"scale\":0.5}]}";

/* A start at rest; `private` is that of the second output. */
#define AT_REST(private)                                                                                               \
    "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[{\"kernel\":\"matern32\",\"lengthscale\":0.9},"       \
    "{\"kernel\":\"matern32\",\"lengthscale\":1.4}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode1\","     \
    "\"decay\":1.3},\"sensitivity\":[1,-0.5],\"noise_variance\":0.2,\"offset\":0.3,\"scale\":2},{\"name\":\"b\","      \
    "\"operator\":{\"type\":\"ode2\",\"mass\":1.2,\"damper\":0.8,\"spring\":2},\"sensitivity\":[0.7,2],"               \
    "\"noise_variance\":0.1" private "},{\"name\":\"c\",\"operator\":{\"type\":\"ode1\",\"decay\":0.4},"               \
                                     "\"sensitivity\":[2,1],\"noise_variance\":0.05,\"scale\":0.5}]}"
static const char *const at_rest = AT_REST("");
static const char *const with_private =
    AT_REST(",\"private\":{\"kernel\":\"matern32\",\"lengthscale\":0.6,\"amplitude\":0.7}");

/* Known inputs, an average, a white force. */
static const char *const equations =
    "input v\ninput w constant\nforce u ~ matern52(lengthscale = 0.8, amplitude = 1.1)\nforce q ~ white(sd = 0.4)\n"
    "x' = -1.4*x + u + q + w\nz' = -0.9*z + x/1.4 + 0.3*v\noutput a = x + 0.5*z + e*v noise = 0.2\n"
    "output b = z - 0.7*u noise = 0.1\noutput c = average(z + 0.2*v, 0.5) noise = 0.3\nparameter e = 0.5 real\n"
    "start x ~ normal(0, 0.7)\nstart z ~ normal(0, 1)\n";

static const char *const eight[] = {"dense", "lowrank", "fourier", "kalman", "dtc", "variational", "fitc", "pitc"};

/* ---- rows, targets, engines ---- */

enum { RUNS = 2, EACH = 9, OUTPUTS = 3, ROWS = RUNS * EACH * OUTPUTS };

/* Rows of a, b and c in two replicates, some with error bars. widths: some are means. readings: of the known inputs too. */
static lf_data *make_rows(lf_context *ctx, int widths, int readings)
{
    static const char *const names[] = {"a", "b", "c", "v", "w"};
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int r = 0; r < RUNS; r++) {
        const char *run = r ? "second" : "first";
        for (int k = 0; k < OUTPUTS * EACH; k++) {
            double t = 0.6 + 0.3 * (k % EACH) + 0.02 * (k / EACH) + 0.05 * sin(7.0 * k + r);
            assert_ok(ctx, lf_data_add(ctx, data,
                                       &(lf_row){.size = sizeof(lf_row),
                                                 .output = names[k / EACH],
                                                 .replicate = run,
                                                 .x = &t,
                                                 .y = sin(3 * t + k / EACH + r),
                                                 .sd = k % 4 ? 0 : 0.1 + 0.01 * k}));
            if (widths && k / EACH < 2 && k % 3 == 0) {
                assert_ok(ctx, lf_data_set_width(ctx, data, lf_data_count(data, LF_KIND_ROW) - 1, k % 2 ? 0.4 : 0.25));
            }
        }
        for (int k = 0; readings && k < 20; k++) {
            double t = 0.35 * (k / 2);
            assert_ok(ctx, lf_data_add(ctx, data,
                                       &(lf_row){.size = sizeof(lf_row),
                                                 .output = names[3 + k % 2],
                                                 .replicate = run,
                                                 .x = &t,
                                                 .y = cos(2 * t + k % 2)}));
        }
    }
    return data;
}

typedef struct problem {
    lf_context *ctx;
    lf_model *model;
    lf_data *data;
    lf_engine *engine;
    double *theta, *gradient;
    double y[ROWS], noise[ROWS], by_y[ROWS], by_noise[ROWS];
} problem;

static problem make_problem(lf_context *ctx, lf_model *model, lf_data *data, lf_engine_options options)
{
    problem p = {.ctx = ctx, .model = model, .data = data};
    lf_random random;
    options.size = sizeof options;
    assert_ok(ctx, lf_engine_create_for_targets(ctx, model, data, &options, &p.engine));
    p.theta = calloc(lf_parameter_count(model), sizeof *p.theta);
    p.gradient = calloc(lf_parameter_count(model), sizeof *p.gradient);
    lf_model_theta(model, p.theta);
    lf_random_seed(&random, 8);
    for (int i = 0; i < ROWS; i++) {
        p.y[i] = lf_random_normal(&random);
        p.noise[i] = 0.1 + 0.5 * lf_random_uniform(&random);
    }
    return p;
}

static void free_problem(problem *p)
{
    lf_engine_free(p->engine);
    free(p->theta);
    free(p->gradient);
}

static double value_of(const problem *p, const double *theta, const double *y, const double *noise)
{
    double value;
    lf_targets targets = {.y = y, .noise = noise};
    assert_ok(p->ctx, lf_engine_evaluate_targets(p->engine, theta, &targets, &value, NULL));
    return value;
}

static double evaluate(problem *p)
{
    double value;
    lf_targets targets = {.y = p->y, .noise = p->noise, .by_y = p->by_y, .by_noise = p->by_noise};
    assert_ok(p->ctx, lf_engine_evaluate_targets(p->engine, p->theta, &targets, &value, p->gradient));
    return value;
}

/* ---- derivatives ---- */

static double value_at_y(void *user, const double *y)
{
    const problem *p = user;
    return value_of(p, p->theta, y, p->noise);
}

static double value_at_noise(void *user, const double *noise)
{
    const problem *p = user;
    return value_of(p, p->theta, p->y, noise);
}

static double value_at_theta(void *user, const double *theta)
{
    const problem *p = user;
    return value_of(p, theta, p->y, p->noise);
}

static void check_derivatives(lf_context *ctx, lf_model *model, lf_data *data, lf_engine_options options)
{
    problem p = make_problem(ctx, model, data, options);
    evaluate(&p);
    check_gradient(ROWS, p.y, p.by_y, value_at_y, &p, 1e-3, 1e-7, NULL);
    check_gradient(ROWS, p.noise, p.by_noise, value_at_noise, &p, 1e-3, 1e-7, NULL);
    check_gradient(lf_parameter_count(model), p.theta, p.gradient, value_at_theta, &p, 1e-3, 1e-6, NULL);
    free_problem(&p);
}

static void test_derivatives(void **state)
{
    lf_context *ctx = *state;
    lf_data *rows = make_rows(ctx, 0, 0), *means = make_rows(ctx, 1, 0);
    lf_model *models[] = {parse_model(ctx, rich), parse_model(ctx, with_private), parse_model(ctx, at_rest)};
    for (size_t e = 0; e < 8; e++) {
        for (int m = 0; m < 3; m++) {
            lf_engine_options options = {.engine = eight[e], .inducing = e < 4 ? 0 : 5};
            options.tolerance = e == 0 ? 0 : m > 0 && e < 3 ? 0.3 : 0.05; /* few columns */
            check_derivatives(ctx, models[m], rows, options);
        }
    }
    for (int m = 1; m < 3; m++) {
        check_derivatives(ctx, models[m], means, (lf_engine_options){.engine = "kalman"});
    }
    for (int m = 0; m < 3; m++) {
        lf_model_free(models[m]);
    }
    lf_data_free(rows);
    lf_data_free(means);
}

/* The same on a device, whose host twin stands for it. */
static void test_derivatives_on_a_device(void **state)
{
    lf_context *ctx = *state;
    lf_data *rows = make_rows(ctx, 0, 0);
    lf_model *models[] = {parse_model(ctx, rich), parse_model(ctx, at_rest)};
    for (size_t e = 0; e < 8; e++) {
        for (int m = 0; e != 2 && e != 3 && m < 2; m++) {
            lf_engine_options options = {.engine = eight[e], .inducing = e < 4 ? 0 : 5, .device = "host"};
            options.tolerance = m > 0 && e == 1 ? 0.3 : 0;
            check_derivatives(ctx, models[m], rows, options);
        }
    }
    lf_model_free(models[0]);
    lf_model_free(models[1]);
    lf_data_free(rows);
}

/* Known inputs: the derivatives by their gains go through the targets. */
static void test_derivatives_with_a_mean(void **state)
{
    lf_context *ctx = *state;
    lf_data *rows = make_rows(ctx, 0, 1), *means = make_rows(ctx, 1, 1);
    lf_model *model;
    assert_ok(ctx, lf_model_from_equations(ctx, equations, "test.eq", &model));
    check_derivatives(ctx, model, rows, (lf_engine_options){.engine = "kalman"});
    check_derivatives(ctx, model, means, (lf_engine_options){.engine = "kalman"});
    lf_model_free(model);
    lf_data_free(rows);
    lf_data_free(means);
}

/* Rows at equal times with equal noise: the filter has stretches of constant covariance, which have no derivative by the noise of a row. */
static void test_even_times(void **state)
{
    enum { MANY = 300 };
    lf_context *ctx = *state;
    lf_data *data;
    lf_model *model = parse_model(ctx, at_rest);
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    double y[MANY], noise[MANY], by_y[MANY], by_noise[MANY], value, *gradient, *plain;
    for (int i = 0; i < MANY; i++) {
        double t = 0.2 * i;
        assert_ok(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "b", .x = &t, .y = sin(t)}));
        y[i] = sin(t);
        noise[i] = 0.1;
    }
    lf_engine *engine;
    lf_engine_options options = {.size = sizeof options, .engine = "kalman"};
    size_t n = lf_parameter_count(model), index;
    gradient = calloc(n, sizeof *gradient);
    plain = calloc(n, sizeof *plain);
    assert_ok(ctx, lf_engine_create_for_targets(ctx, model, data, &options, &engine));
    lf_targets targets = {.y = y, .noise = noise, .by_y = by_y, .by_noise = by_noise};
    assert_ok(ctx, lf_engine_evaluate_targets(engine, NULL, &targets, &value, gradient));
    assert_ok(ctx, lf_engine_evaluate(engine, n, NULL, &value, plain));
    assert_ok(ctx, lf_parameter_find(ctx, model, "b.noise_variance", &index));
    double sum = 0;
    for (int i = 0; i < MANY; i++) {
        sum += 0.1 * by_noise[i];
    }
    assert_near(sum, plain[index], 1e-8 * fabs(sum));
    assert_true(gradient[index] == 0);
    lf_engine_free(engine);
    lf_model_free(model);
    lf_data_free(data);
    free(gradient);
    free(plain);
}

/* ---- values ---- */

static double value_by(lf_context *ctx, lf_model *model, lf_data *data, lf_engine_options options)
{
    problem p = make_problem(ctx, model, data, options);
    double value = evaluate(&p);
    free_problem(&p);
    return value;
}

/* Engines whose covariances agree to a tolerance. */
static void test_engines_agree(void **state)
{
    lf_context *ctx = *state;
    lf_data *rows = make_rows(ctx, 0, 0);
    lf_model *model = parse_model(ctx, rich), *matern = parse_model(ctx, with_private);
    double exact = value_by(ctx, model, rows, (lf_engine_options){.engine = "dense"});
    double exact_matern = value_by(ctx, matern, rows, (lf_engine_options){.engine = "dense"});
    double lowrank = value_by(ctx, model, rows, (lf_engine_options){.engine = "lowrank"});
    double fourier = value_by(ctx, model, rows, (lf_engine_options){.engine = "fourier"});
    double kalman = value_by(ctx, matern, rows, (lf_engine_options){.engine = "kalman"});
    double host = value_by(ctx, model, rows, (lf_engine_options){.engine = "dense", .device = "host"});
    assert_near(lowrank, exact, 1e-8 * fabs(exact));
    assert_near(fourier, exact, 1e-8 * fabs(exact));
    assert_near(host, exact, 1e-12 * fabs(exact));
    assert_near(kalman, exact_matern, 1e-11 * fabs(exact_matern));
    lf_model_free(model);
    lf_model_free(matern);
    lf_data_free(rows);
}

/* The scaled covariance (n, n) at points of a model. */
static void covariance_of(lf_context *ctx, const lf_model *model, size_t n, const int *target, const double *x,
                          double *K)
{
    static const double scales[] = {2, 1, 0.5, 1, 1};
    lf_point_list points = {.n = n, .target = target, .x = x};
    assert_ok(ctx, lf_covariance_list(ctx, model, &points, NULL, K));
    for (size_t i = 0; i < n * n; i++) {
        K[i] /= scales[target[i / n]] * scales[target[i % n]];
    }
}

/* K_ff of the shared forces, Q = K_fu K_uu^-1 K_uf and K_ff of all forces (n, n each) at the rows of a replicate. */
static void covariances(const problem *p, const lf_model *shared, const lf_point_set *rows, double *K, double *Q,
                        double *all)
{
    enum { MOST = 64 };
    const lf_inducing_kernel *kernel = &((const lf_inducing *)p->engine->state)->kernel;
    size_t n = rows->n, M = kernel->u.n, size = n + M;
    int target[MOST];
    double x[MOST], *joint = malloc(size * size * sizeof *joint);
    assert_true(size <= MOST);
    for (int g = 0; g < rows->group_count; g++) {
        for (size_t i = rows->start[g]; i < rows->start[g + 1]; i++) {
            target[i] = rows->target[g];
            x[i] = rows->x[i];
        }
    }
    for (int q = 0; q < 2; q++) {
        for (size_t k = 0; k < kernel->forces[q].K; k++) {
            target[n + kernel->forces[q].first + k] = OUTPUTS + q;
            x[n + kernel->forces[q].first + k] = kernel->u.x[kernel->forces[q].first + k];
        }
    }
    covariance_of(p->ctx, p->model, n, target, x, all);
    covariance_of(p->ctx, shared, size, target, x, joint);
    double *Kuu = malloc(M * M * sizeof *Kuu), *Kuf = malloc(M * n * sizeof *Kuf);
    for (size_t j = 0; j < n; j++) {
        memcpy(K + j * n, joint + j * size, n * sizeof *K);
        memcpy(Kuf + j * M, joint + j * size + n, M * sizeof *Kuf);
    }
    for (size_t j = 0; j < M; j++) {
        memcpy(Kuu + j * M, joint + (n + j) * size + n, M * sizeof *Kuu);
    }
    assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (int)M, Kuu, (int)M), 0);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)M, (int)n, 1, Kuu, (int)M, Kuf,
                (int)M);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)n, (int)n, (int)M, 1, Kuf, (int)M, Kuf, (int)M, 0, Q,
                (int)n);
    free(joint);
    free(Kuu);
    free(Kuf);
}

/* log N(y | 0, C); C (n, n) is overwritten by its Cholesky factor. */
static double log_normal(size_t n, double *C, const double *y)
{
    double alpha[ROWS], value = 0;
    memcpy(alpha, y, n * sizeof *alpha);
    assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (int)n, C, (int)n), 0);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)n, C, (int)n, alpha, 1);
    for (size_t i = 0; i < n; i++) {
        value -= 0.5 * (alpha[i] * alpha[i] + log(2 * LF_PI)) + log(C[i * n + i]);
    }
    return value;
}

/* What the approximation is by definition, without any of the engine's algebra. */
static double inducing_value(const problem *p, const lf_model *shared, const char *method)
{
    double value = 0;
    size_t first = 0;
    int variational = strcmp(method, "variational") == 0, fitc = strcmp(method, "fitc") == 0;
    int pitc = strcmp(method, "pitc") == 0;
    for (int r = 0; r < RUNS; r++) {
        const lf_point_set *rows = &p->engine->rows.replicates[r].points;
        size_t n = rows->n;
        double *K = malloc(5 * n * n * sizeof *K), *Q = K + n * n, *all = Q + n * n, *C = all + n * n, *L = C + n * n;
        covariances(p, shared, rows, K, Q, all);
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) {
                size_t at = i * n + j;
                int kept = fitc ? i == j : pitc ? i / EACH == j / EACH : 0; /* rows are sorted by output */
                C[at] = L[at] = all[at] - K[at] + (i == j ? p->noise[first + i] : 0);
                C[at] += Q[at] + (kept ? K[at] - Q[at] : 0);
            }
        }
        value += log_normal(n, C, p->y + first);
        if (variational) { /* less tr Lambda^-1 (K - Q) / 2 */
            double *D = malloc(n * n * sizeof *D);
            for (size_t i = 0; i < n * n; i++) {
                D[i] = K[i] - Q[i];
            }
            assert_int_equal(LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', (int)n, (int)n, L, (int)n, D, (int)n), 0);
            for (size_t i = 0; i < n; i++) {
                value -= 0.5 * D[i * n + i];
            }
            free(D);
        }
        first += n;
        free(K);
    }
    return value;
}

static void test_inducing_engines_are_what_they_approximate(void **state)
{
    lf_context *ctx = *state;
    lf_data *rows = make_rows(ctx, 0, 0);
    lf_model *shared = parse_model(ctx, at_rest), *private = parse_model(ctx, with_private);
    for (size_t e = 4; e < 8; e++) {
        for (int m = 0; m < 2; m++) {
            problem p =
                make_problem(ctx, m ? private : shared, rows, (lf_engine_options){.engine = eight[e], .inducing = 5});
            double value = evaluate(&p), expected = inducing_value(&p, shared, eight[e]);
            assert_near(value, expected, 1e-10 * fabs(expected));
            free_problem(&p);
        }
    }
    lf_model_free(shared);
    lf_model_free(private);
    lf_data_free(rows);
}

/* ---- the rows as targets ---- */

/* The targets that follow from the rows give what the rows give, and derivatives by noise and offset are sums over rows. */
static void test_targets_of_rows(void **state)
{
    static const char *const names[] = {"a", "b", "c"};
    lf_context *ctx = *state;
    lf_data *rows = make_rows(ctx, 0, 0);
    lf_model *model = parse_model(ctx, rich);
    size_t n = lf_parameter_count(model), index;
    double *gradient = calloc(n, sizeof *gradient);
    for (size_t e = 0; e < 8; e++) {
        lf_engine_options options = {.size = sizeof options, .engine = eight[e], .inducing = e < 4 ? 0 : 5};
        problem p = make_problem(ctx, model, rows, options);
        lf_engine *plain;
        lf_targets targets;
        double value;
        assert_ok(ctx, lf_engine_create(ctx, model, rows, &options, &plain));
        assert_ok(ctx, lf_engine_evaluate(plain, n, p.theta, &value, gradient));
        assert_ok(ctx, lf_engine_set_targets(p.engine, NULL, &targets));
        memcpy(p.y, targets.y, sizeof p.y);
        memcpy(p.noise, targets.noise, sizeof p.noise);
        assert_near(evaluate(&p), value, 1e-11 * fabs(value));
        for (int d = 0; d < OUTPUTS; d++) {
            const lf_output *output = &model->outputs[d];
            double by_noise = 0, by_offset = 0;
            for (int i = 0; i < ROWS; i++) {
                int of_output = i % (EACH * OUTPUTS) / EACH == d;
                by_noise += of_output ? p.by_noise[i] * output->noise_variance : 0;
                by_offset -= of_output ? p.by_y[i] / output->scale : 0;
            }
            char name[32];
            snprintf(name, sizeof name, "%s.noise_variance", names[d]);
            assert_ok(ctx, lf_parameter_find(ctx, model, name, &index));
            assert_near(gradient[index], by_noise, 1e-8 * fabs(by_noise));
            assert_true(p.gradient[index] == 0);
            snprintf(name, sizeof name, "%s.offset", names[d]);
            assert_ok(ctx, lf_parameter_find(ctx, model, name, &index));
            assert_near(gradient[index], by_offset, 1e-8 * fabs(by_offset));
        }
        assert_int_equal(lf_engine_evaluate_targets(plain, p.theta, &targets, &value, NULL), LF_ERROR_ARGUMENT);
        lf_engine_free(plain);
        free_problem(&p);
    }
    free(gradient);
    lf_model_free(model);
    lf_data_free(rows);
}

/* ---- posteriors ---- */

/* The posterior mean at a row is y + noise d log p / dy, where the rows have the covariance of the predictions. */
static void test_posterior_of_targets(void **state)
{
    lf_context *ctx = *state;
    lf_data *rows = make_rows(ctx, 0, 0);
    lf_model *model = parse_model(ctx, with_private);
    for (size_t e = 0; e < 6; e++) {
        problem p = make_problem(ctx, model, rows, (lf_engine_options){.engine = eight[e], .inducing = e < 4 ? 0 : 5});
        lf_targets targets = {.y = p.y, .noise = p.noise};
        lf_scaled_posterior posterior;
        evaluate(&p);
        assert_ok(ctx, lf_scaled_posterior_create(p.engine, &targets, &posterior));
        for (int r = 0, first = 0; r < RUNS; r++, first += EACH * OUTPUTS) {
            double mean[EACH * OUTPUTS];
            assert_ok(ctx, lf_scaled_posterior_predict(ctx, &posterior, model, r, &p.engine->rows.replicates[r].points,
                                                       mean, NULL, NULL));
            for (int i = 0; i < EACH * OUTPUTS; i++) {
                int k = first + i;
                assert_near(mean[i], p.y[k] + p.noise[k] * p.by_y[k], 1e-8);
            }
        }
        lf_scaled_posterior_clear(&posterior);
        free_problem(&p);
    }
    lf_model_free(model);
    lf_data_free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_derivatives_on_a_device),
        cmocka_unit_test(test_derivatives_with_a_mean),
        cmocka_unit_test(test_even_times),
        cmocka_unit_test(test_engines_agree),
        cmocka_unit_test(test_inducing_engines_are_what_they_approximate),
        cmocka_unit_test(test_targets_of_rows),
        cmocka_unit_test(test_posterior_of_targets),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
