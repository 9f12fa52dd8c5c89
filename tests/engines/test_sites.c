/* Sites: the bound of readings that are not Gaussian, its gradient, the posterior, with every engine.
 *
 * References: the Gaussian likelihood where the noise has many degrees of freedom; the evidence of two rows by quadrature; the same bound as a
 * function of the mean and the covariance of q, computed without sites. */
#include "data/data.h"
#include "support.h"

#include <cblas.h>
#include <lapacke.h>

#include "base/numbers.h"
#include "engine/engine.h"
#include "engine/scaled_posterior.h"

#define HEAD "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"stationary\",\"forces\":[{\"kernel\":\""
#define OUTPUT(name, decay, likelihood, more)                                                                          \
    "{\"name\":\"" name "\",\"operator\":{\"type\":\"ode1\",\"decay\":" decay "}," likelihood more "}"
#define NOISE "\"noise_variance\":0.05,"
#define STUDENT(degrees) NOISE "\"likelihood\":{\"type\":\"student\",\"degrees\":" degrees "},"

/* A Gaussian output beside one of another likelihood, which are driven by the same force. */
#define MODEL(kernel, likelihood, more)                                                                                \
    HEAD kernel "\",\"lengthscale\":1.2}],\"outputs\":[" OUTPUT(                                                       \
        "a", "1.3", "\"noise_variance\":0.2,",                                                                         \
        "\"sensitivity\":[1],\"offset\":0.3,\"scale\":2") "," OUTPUT("b", "0.6", likelihood,                           \
                                                                     "\"sensitivity\":[0.9]" more) "]}"

typedef struct kind {
    const char *noise;
    const lf_likelihood *likelihood;
    double number;
    const char *more;
    double (*reading)(double f);
} kind;

static double spiked(double f)
{
    static int count;
    return f + (count++ % 7 == 3 ? 4 : 0);
}
static double counted(double f) { return floor(exp(f) + 0.6); }
static double decided(double f) { return f > 0.2; }
static double positive(double f) { return exp(f) * (1 + 0.3 * sin(40 * f)); }

/* The rows of all likelihoods; model files have the first one. */
static const kind kinds[] = {{STUDENT("3.5"), NULL, 0, ",\"offset\":-0.4,\"scale\":1.7", spiked},
                             {NOISE, &lf_likelihood_poisson, 0, ",\"offset\":1.1,\"scale\":0.8", counted},
                             {NOISE, &lf_likelihood_negative_binomial, 0.4, ",\"offset\":0.7", counted},
                             {NOISE, &lf_likelihood_bernoulli, 0, "", decided},
                             {NOISE, &lf_likelihood_gamma, 6, ",\"offset\":0.5,\"scale\":1.5", positive}};
enum { KINDS = sizeof kinds / sizeof *kinds, EACH = 11 };

static lf_model *model_of(lf_context *ctx, const char *kernel, const kind *k)
{
    char text[2000];
    snprintf(text, sizeof text, MODEL("%s", "%s", "%s"), kernel, k->noise, k->more);
    lf_model *model = parse_model(ctx, text);
    if (k->likelihood) {
        lf_output_take_likelihood(&model->outputs[1], k->likelihood);
        model->outputs[1].likelihood_number = k->number;
        assert_ok(ctx, lf_parameters_rebuild(ctx, model));
    }
    return model;
}

static lf_data *rows_of(lf_context *ctx, const kind *k)
{
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < 2 * EACH; i++) {
        double t = 0.3 * (i % EACH) + 0.1 * (i / EACH), f = 1.2 * sin(2 * t);
        assert_ok(ctx, lf_data_add(ctx, data,
                                   &(lf_row){.size = sizeof(lf_row),
                                             .output = i < EACH ? "a" : "b",
                                             .x = &t,
                                             .y = i < EACH ? 0.3 + f : k->reading(f)}));
    }
    return data;
}

static lf_engine *engine_of(lf_context *ctx, const lf_model *model, const lf_data *data, const char *name)
{
    lf_engine *engine;
    lf_engine_options options = {.size = sizeof options, .engine = name};
    options.inducing =
        strcmp(name, "dtc") == 0 || strcmp(name, "variational") == 0 || strcmp(name, "fitc") == 0 ? 6 : 0;
    assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    assert_non_null(engine->sites);
    engine->sites->tolerance = 1e-11;
    return engine;
}

/* ---- the gradient ---- */

static const char *const engines[] = {"dense", "lowrank", "kalman", "fourier", "dtc", "variational", "fitc"};

static void test_gradient(void **state)
{
    lf_context *ctx = *state;
    for (int k = 0; k < KINDS; k++) {
        for (size_t e = 0; e<sizeof engines / sizeof *engines; e += k> 1 ? 2 : 1) {
            lf_model *model = model_of(ctx, e == 2 ? "matern32" : "eq", &kinds[k]);
            lf_data *data = rows_of(ctx, &kinds[k]);
            size_t n = lf_parameter_count(model);
            double *theta = malloc(n * sizeof *theta), *gradient = malloc(n * sizeof *gradient), value;
            likelihood l = {.model = model, .engine = engine_of(ctx, model, data, engines[e])};
            assert_ok(ctx, lf_model_get_theta(ctx, model, n, theta));
            assert_ok(ctx, lf_engine_evaluate(l.engine, n, theta, &value, gradient));
            check_gradient(n, theta, gradient, likelihood_at, &l, 1e-3, 2e-6, theta_name);
            lf_engine_free(l.engine);
            lf_data_free(data);
            lf_model_free(model);
            free(theta);
            free(gradient);
        }
    }
}

/* ---- values ---- */

static double value_by(lf_context *ctx, const lf_model *model, const lf_data *data, const char *name)
{
    double value;
    lf_engine *engine = engine_of(ctx, model, data, name);
    assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &value, NULL));
    lf_engine_free(engine);
    return value;
}

static void test_engines_agree(void **state)
{
    lf_context *ctx = *state;
    for (int k = 0; k < KINDS; k++) {
        lf_data *data = rows_of(ctx, &kinds[k]);
        lf_model *smooth = model_of(ctx, "eq", &kinds[k]), *rough = model_of(ctx, "matern32", &kinds[k]);
        double exact = value_by(ctx, smooth, data, "dense");
        assert_near(value_by(ctx, smooth, data, "lowrank"), exact, 1e-6);
        assert_near(value_by(ctx, smooth, data, "fourier"), exact, 1e-6);
        assert_near(value_by(ctx, rough, data, "kalman"), value_by(ctx, rough, data, "dense"), 1e-9);
        lf_model_free(smooth);
        lf_model_free(rough);
        lf_data_free(data);
    }
}

/* Noise with so many degrees of freedom is Gaussian. */
static void test_gaussian_limit(void **state)
{
    lf_context *ctx = *state;
    kind limit = {STUDENT("1e9"), NULL, 0, ",\"offset\":-0.4,\"scale\":1.7", spiked},
         gaussian = {NOISE, NULL, 0, limit.more, spiked};
    lf_data *data = rows_of(ctx, &limit);
    lf_model *models[] = {model_of(ctx, "matern32", &limit), model_of(ctx, "matern32", &gaussian)};
    double value[2], gradient[2][20];
    for (int e = 0; e < 3; e++) {
        for (int m = 0; m < 2; m++) {
            lf_engine *engine;
            lf_engine_options options = {.size = sizeof options, .engine = engines[e]};
            assert_ok(ctx, lf_engine_create(ctx, models[m], data, &options, &engine));
            assert_ok(ctx, lf_engine_evaluate(engine, lf_parameter_count(models[m]), NULL, &value[m], gradient[m]));
            lf_engine_free(engine);
        }
        assert_near(value[0], value[1], 1e-6 * fabs(value[1]));
        for (size_t i = 0; i < lf_parameter_count(models[1]); i++) {
            assert_near(gradient[0][i], gradient[1][i], 2e-6 * (1 + fabs(gradient[1][i])));
        }
    }
    lf_model_free(models[0]);
    lf_model_free(models[1]);
    lf_data_free(data);
}

/* ---- against the bound by mean and covariance, and against the evidence ---- */

enum { MOST = 2 * EACH };

typedef struct dense_problem {
    size_t n;
    double K[MOST * MOST], y[MOST];
    const lf_output *output[MOST];
    double m[MOST], V[MOST * MOST];
} dense_problem;

/* Covariance of f without scale, readings and, from the engine's sites, the mean and covariance of q. */
static dense_problem dense_of(lf_context *ctx, const lf_engine *engine)
{
    dense_problem p = {.n = engine->rows.n};
    const lf_replicate *rows = &engine->rows.replicates[0];
    int target[MOST], pivot[MOST];
    double A[MOST * MOST];
    size_t n = p.n;
    for (int g = 0; g < rows->points.group_count; g++) {
        for (size_t i = rows->points.start[g]; i < rows->points.start[g + 1]; i++) {
            target[i] = rows->points.target[g];
            p.output[i] = &engine->model->outputs[target[i]];
            p.y[i] = rows->y[i];
        }
    }
    lf_point_list points = {.n = n, .target = target, .x = rows->points.x};
    assert_ok(ctx, lf_covariance_list(ctx, engine->model, &points, NULL, p.K));
    for (size_t i = 0; i < n * n; i++) {
        A[i] = p.K[i] /= p.output[i % n]->scale * p.output[i / n]->scale;
    }
    /* V = K - K (K + S)^-1 K, m = K (K + S)^-1 t */
    double X[MOST * MOST], a[MOST];
    memcpy(X, p.K, sizeof X);
    memcpy(a, engine->sites->y, n * sizeof *a);
    for (size_t i = 0; i < n; i++) {
        A[i * n + i] += engine->sites->noise[i];
    }
    assert_int_equal(LAPACKE_dgetrf(LAPACK_COL_MAJOR, (int)n, (int)n, A, (int)n, pivot), 0);
    LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'N', (int)n, (int)n, A, (int)n, pivot, X, (int)n);
    LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'N', (int)n, 1, A, (int)n, pivot, a, (int)n);
    memcpy(p.V, p.K, sizeof p.V);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)n, (int)n, -1, p.K, (int)n, X, (int)n, 1, p.V,
                (int)n);
    cblas_dgemv(CblasColMajor, CblasNoTrans, (int)n, (int)n, 1, p.K, (int)n, a, 1, 0, p.m, 1);
    return p;
}

/* sum E_q log p - KL(q || prior): the bound by its definition. */
static double bound_of(const dense_problem *p)
{
    size_t n = p->n;
    double L[MOST * MOST], V[MOST * MOST], S[MOST * MOST], a[MOST], bound = 0.5 * (double)n;
    memcpy(L, p->K, sizeof L);
    memcpy(V, p->V, sizeof V);
    memcpy(S, p->V, sizeof S);
    memcpy(a, p->m, sizeof a);
    assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (int)n, L, (int)n), 0);
    assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (int)n, V, (int)n), 0);
    LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', (int)n, (int)n, L, (int)n, S, (int)n);
    LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', (int)n, 1, L, (int)n, a, (int)n);
    for (size_t i = 0; i < n; i++) {
        const lf_output *o = p->output[i];
        lf_reading r = {p->y[i], o->scale * o->scale * o->noise_variance, o->likelihood_number};
        bound += lf_output_likelihood(o)
                     ->expectation(&r, o->offset + o->scale * p->m[i], o->scale * o->scale * p->V[i * n + i])
                     .value;
        bound += lf_output_likelihood(o)->discrete ? 0 : log(o->scale); /* of scaled readings */
        bound += log(V[i * n + i] / L[i * n + i]) - 0.5 * (S[i * n + i] + p->m[i] * a[i]);
    }
    return bound;
}

/* The value of the engine is the bound of its q, and no q nearby has a larger one. */
static void test_bound(void **state)
{
    lf_context *ctx = *state;
    lf_random random;
    lf_random_seed(&random, 3);
    for (int k = 0; k < KINDS; k++) {
        lf_data *data = rows_of(ctx, &kinds[k]);
        lf_model *model = model_of(ctx, "matern12", &kinds[k]);
        lf_engine *engine = engine_of(ctx, model, data, "kalman");
        double value;
        assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &value, NULL));
        dense_problem best = dense_of(ctx, engine);
        size_t n = best.n;
        assert_near(bound_of(&best), value, 1e-8 * fabs(value));
        for (int trial = 0; trial < 40; trial++) {
            dense_problem other = best;
            double u[MOST];
            for (size_t i = 0; i < n; i++) {
                other.m[i] += trial % 2 ? 0.02 * lf_random_normal(&random) : 0;
                u[i] = trial % 2 ? 0 : 0.1 * lf_random_normal(&random);
            }
            for (size_t i = 0; i < n * n; i++) { /* times a positive definite matrix, entry by entry */
                other.V[i] *= 1 + u[i % n] * u[i / n] / (1 + fabs(u[0]));
            }
            assert_true(bound_of(&other) < bound_of(&best) + 1e-9);
        }
        lf_engine_free(engine);
        lf_model_free(model);
        lf_data_free(data);
    }
}

/* Two readings of one output: the evidence and the mean of f by quadrature over both. */
static void test_evidence_of_two_rows(void **state)
{
    lf_context *ctx = *state;
    static const double largest_gap[KINDS] = {0.35, 0.02, 0.02, 0.02, 0.05};
    for (int k = 0; k < KINDS; k++) {
        lf_model *model = model_of(ctx, "matern12", &kinds[k]);
        lf_data *data;
        assert_ok(ctx, lf_data_create(ctx, 1, &data));
        for (int i = 0; i < 2; i++) {
            double t = 0.5 * i, y = kinds[k].reading(0.9 - 0.5 * i);
            assert_ok(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "b", .x = &t, .y = y}));
        }
        lf_engine *engine = engine_of(ctx, model, data, "dense");
        double value, sum = 0, mean = 0, L[3];
        assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &value, NULL));
        dense_problem p = dense_of(ctx, engine);
        L[0] = sqrt(p.K[0]);
        L[1] = p.K[1] / L[0];
        L[2] = sqrt(p.K[3] - L[1] * L[1]);
        const lf_output *o = p.output[0];
        const lf_likelihood *kind_of = lf_output_likelihood(o);
        for (double z0 = -8; z0 <= 8; z0 += 0.02) {
            for (double z1 = -8; z1 <= 8; z1 += 0.02) {
                double f[] = {L[0] * z0, L[1] * z0 + L[2] * z1}, log_p = -0.5 * (z0 * z0 + z1 * z1) - log(2 * LF_PI);
                for (int i = 0; i < 2; i++) {
                    lf_reading r = {p.y[i], o->scale * o->scale * o->noise_variance, o->likelihood_number};
                    log_p += kind_of->log_density(&r, o->offset + o->scale * f[i]).value;
                    log_p += kind_of->discrete ? 0 : log(o->scale);
                }
                sum += 0.02 * 0.02 * exp(log_p);
                mean += 0.02 * 0.02 * exp(log_p) * f[0];
            }
        }
        assert_true(value <= log(sum) && value > log(sum) - largest_gap[k]);
        assert_near(p.m[0], mean / sum, 0.06 * sqrt(p.K[0]));
        lf_engine_free(engine);
        lf_model_free(model);
        lf_data_free(data);
    }
}

/* ---- where an evaluation starts ---- */

static void test_warm_starts(void **state)
{
    lf_context *ctx = *state;
    for (int k = 0; k < KINDS; k++) {
        lf_data *data = rows_of(ctx, &kinds[k]);
        lf_model *model = model_of(ctx, "matern32", &kinds[k]);
        size_t n = lf_parameter_count(model);
        double *theta = malloc(n * sizeof *theta), cold, warm, far, again;
        lf_engine *engine = engine_of(ctx, model, data, "kalman");
        assert_ok(ctx, lf_model_get_theta(ctx, model, n, theta));
        assert_ok(ctx, lf_engine_evaluate(engine, n, theta, &cold, NULL));
        size_t before = engine->sites->evaluations;
        assert_ok(ctx, lf_engine_evaluate(engine, n, theta, &warm, NULL));
        assert_int_equal(engine->sites->evaluations, before + 1);
        theta[0] += 3; /* a lengthscale 20 times as long */
        assert_ok(ctx, lf_engine_evaluate(engine, n, theta, &far, NULL));
        theta[0] -= 3;
        double *saved = malloc(lf_sites_size(engine->sites) * sizeof *saved);
        lf_sites_save(engine->sites, saved);
        assert_ok(ctx, lf_engine_evaluate(engine, n, theta, &warm, NULL));
        lf_sites_load(engine->sites, saved);
        assert_ok(ctx, lf_engine_evaluate(engine, n, theta, &again, NULL));
        assert_near(warm, cold, 1e-9 * fabs(cold));
        assert_true(again == warm); /* the same state, the same bits */
        lf_engine_free(engine);
        lf_model_free(model);
        lf_data_free(data);
        free(theta);
        free(saved);
    }
}

/* Parameters and readings far from any that are likely: a bound, or a failure with a message, and no endless loop. */
static void test_wild_parameters(void **state)
{
    lf_context *ctx = *state;
    lf_random random;
    lf_random_seed(&random, 21);
    for (int trial = 0; trial < 60 / ONE_OF(4); trial++) {
        const kind *k = &kinds[trial % KINDS];
        lf_data *data = rows_of(ctx, k);
        lf_model *model = model_of(ctx, "matern32", k);
        size_t n = lf_parameter_count(model);
        double *theta = malloc(n * sizeof *theta), *gradient = malloc(n * sizeof *gradient), value = 0;
        lf_engine *engine;
        assert_ok(ctx,
                  lf_engine_create(ctx, model, data, &(lf_engine_options){.size = sizeof(lf_engine_options)}, &engine));
        assert_ok(ctx, lf_model_get_theta(ctx, model, n, theta));
        for (size_t i = 0; i < n; i++) {
            theta[i] += uniform_between(&random, -5, 5) * (lf_parameter_get(model, i).fixed ? 0 : 1);
        }
        lf_status status = lf_engine_evaluate(engine, n, theta, &value, gradient);
        if (!status && isfinite(value)) {
            double again;
            assert_ok(ctx, lf_engine_evaluate(engine, n, theta, &again, NULL));
            assert_near(again, value, 1e-6 * (fabs(value) + 1));
            for (size_t i = 0; i < n; i++) {
                assert_true(isfinite(gradient[i]));
            }
        } else if (status) {
            assert_true(strlen(lf_context_message(ctx)) > 0);
        }
        assert_true(engine->sites->evaluations < 3000);
        lf_engine_free(engine);
        lf_model_free(model);
        lf_data_free(data);
        free(theta);
        free(gradient);
    }
}

/* ---- the posterior ---- */

/* Mean and variance at the rows are those of q, also from the file. */
static void test_posterior(void **state)
{
    lf_context *ctx = *state;
    for (int k = 0; k < KINDS; k++) {
        for (int e = 0; e < 4; e++) {
            lf_data *data = rows_of(ctx, &kinds[k]);
            lf_model *model = model_of(ctx, e == 2 ? "matern32" : "eq", &kinds[k]), *stored = NULL;
            lf_engine *engine = engine_of(ctx, model, data, engines[e]);
            lf_posterior *made, *loaded = NULL;
            char *text = NULL;
            assert_ok(ctx, lf_engine_posterior(engine, &made));
            if (!kinds[k].likelihood) {
                assert_ok(ctx, lf_posterior_store(made, model));
                assert_ok(ctx, lf_model_text(ctx, model, &text));
                assert_ok(ctx, lf_model_parse(ctx, text, "test", &stored));
                assert_ok(ctx, lf_posterior_restore(ctx, stored, &loaded));
            }
            const lf_replicate *rows = &engine->rows.replicates[0];
            for (size_t i = 0; i < 2 * EACH; i++) {
                int target = i >= EACH;
                const lf_output *o = &engine->model->outputs[target];
                lf_point_list point = {.n = 1, .target = &target, .x = &rows->points.x[i]};
                double mean, variance, again, unused;
                assert_ok(ctx, lf_predict_list(made, &point, &mean, &variance, NULL));
                assert_near(mean, o->offset + o->scale * engine->sites->mean[i], 1e-6);
                assert_near(variance, o->scale * o->scale * engine->sites->variance[i], 1e-6);
                if (loaded) {
                    assert_ok(ctx, lf_predict_list(loaded, &point, &again, &unused, NULL));
                    assert_near(again, mean, 1e-9);
                }
            }
            lf_posterior_free(made);
            lf_posterior_free(loaded);
            lf_model_free(stored);
            lf_model_free(model);
            lf_engine_free(engine);
            lf_data_free(data);
            free(text);
        }
    }
}

/* Readings that a likelihood does not have. */
static void test_refused_readings(void **state)
{
    lf_context *ctx = *state;
    static const double wrong[KINDS] = {NAN, 1.5, -1, 2, 0};
    for (int k = 1; k < KINDS; k++) {
        lf_model *model = model_of(ctx, "matern32", &kinds[k]);
        for (int sd = 0; sd < 2; sd++) {
            lf_data *data;
            lf_engine *engine;
            double t = 1;
            assert_ok(ctx, lf_data_create(ctx, 1, &data));
            assert_ok(
                ctx,
                lf_data_add(
                    ctx, data,
                    &(lf_row){
                        .size = sizeof(lf_row), .output = "b", .x = &t, .y = sd ? 1 : wrong[k], .sd = sd ? 0.1 : 0}));
            assert_int_equal(lf_engine_create(ctx, model, data, NULL, &engine), LF_ERROR_DATA);
            assert_non_null(strstr(lf_context_message(ctx), sd ? "(sd)" : "whose readings are"));
            lf_data_free(data);
        }
        lf_model_free(model);
    }
}

/* Predictions of readings: moments, intervals and densities are those of the likelihood at the mean and the variance of f. */
static void test_predictions(void **state)
{
    lf_context *ctx = *state;
    for (int k = 0; k < KINDS; k++) {
        lf_data *data = rows_of(ctx, &kinds[k]);
        lf_model *model = model_of(ctx, "matern32", &kinds[k]);
        const lf_output *o = &model->outputs[1];
        lf_posterior *posterior = make_posterior(ctx, model, data, NULL);
        int target[] = {1, 1, 0};
        double x[] = {0.7, 2.2, 1.4}, y[] = {1, o->likelihood == &lf_likelihood_gamma ? 0.4 : 0, 0.5}, m[3], v[3];
        double values[6][3];
        lf_point_list points = {.n = 3, .target = target, .x = x};
        lf_prediction wanted = {.mean = values[0],
                                .variance = values[1],
                                .variance_new = values[2],
                                .lower = values[3],
                                .upper = values[4],
                                .y = y,
                                .log_density = values[5]};
        assert_ok(ctx, lf_predict_list(posterior, &points, m, v, NULL));
        assert_ok(ctx, lf_predict_noisy(posterior, &points, &wanted));
        for (int i = 0; i < 2; i++) {
            lf_reading r = {y[i], o->scale * o->scale * o->noise_variance, o->likelihood_number};
            lf_moments moments = o->likelihood->moments(&r, m[i], v[i]);
            assert_near(values[0][i], moments.mean, 1e-12 * fabs(moments.mean));
            assert_near(values[1][i], moments.variance, 1e-12 * moments.variance);
            assert_near(values[3][i], lf_likelihood_quantile(o->likelihood, &r, m[i], v[i], 0.025), 1e-9);
            assert_near(values[4][i], lf_likelihood_quantile(o->likelihood, &r, m[i], v[i], 0.975), 1e-9);
            assert_near(values[5][i], o->likelihood->log_predictive(&r, m[i], v[i]), 1e-12);
            if (o->likelihood->discrete) {
                assert_true(values[3][i] >= 0 && values[3][i] == floor(values[3][i]));
            }
        }
        double noise = 4 * 0.2, error = y[2] - m[2]; /* of the Gaussian output */
        assert_near(values[5][2], -0.5 * (log(2 * LF_PI * (v[2] + noise)) + error * error / (v[2] + noise)), 1e-12);
        lf_posterior_free(posterior);
        lf_model_free(model);
        lf_data_free(data);
    }
}

/* A posterior is not continued, and has no joint covariance of readings with a link. */
static void test_refused_requests(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = rows_of(ctx, &kinds[1]);
    lf_model *model = model_of(ctx, "matern32", &kinds[1]);
    lf_engine_options options = {.size = sizeof options, .engine = "kalman"};
    lf_posterior *posterior = make_posterior(ctx, model, data, &options);
    int target = 1;
    double x = 1, covariance;
    lf_point_list point = {.n = 1, .target = &target, .x = &x};
    lf_prediction wanted = {.covariance = &covariance};
    assert_int_equal(lf_posterior_update(ctx, posterior, data, "rows"), LF_ERROR_UNSUPPORTED);
    assert_non_null(strstr(lf_context_message(ctx), "condition the model on all rows"));
    assert_int_equal(lf_predict_noisy(posterior, &point, &wanted), LF_ERROR_UNSUPPORTED);
    assert_non_null(strstr(lf_context_message(ctx), "ask for samples"));
    lf_posterior_free(posterior);
    lf_model_free(model);
    lf_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gradient),
                                       cmocka_unit_test(test_engines_agree),
                                       cmocka_unit_test(test_gaussian_limit),
                                       cmocka_unit_test(test_bound),
                                       cmocka_unit_test(test_evidence_of_two_rows),
                                       cmocka_unit_test(test_warm_starts),
                                       cmocka_unit_test(test_wild_parameters),
                                       cmocka_unit_test(test_posterior),
                                       cmocka_unit_test(test_refused_readings),
                                       cmocka_unit_test(test_predictions),

                                       cmocka_unit_test(test_refused_requests)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
