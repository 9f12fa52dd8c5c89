/* The kalman engine against a Gaussian process whose covariances come from direct integration: with G the impulse response
 * of an operator, Cov[f(t), f'(t')] = sum S S' int int G(t - r) G'(t' - r') k(r - r') dr dr', by Gauss-Legendre panels split
 * at r = r', where Matern kernels have their kink. */
#include "kalman/smoother.h"
#include "random_models.h"

/* ---- covariances by integration ---- */

enum { NODES = 20 };
static double node[NODES], weight[NODES]; /* of [0, 1] */

static int make_rule(void **state)
{
    for (int i = 0; i < NODES; i++) {
        double z = cos(3.141592653589793 * (i + 0.75) / (NODES + 0.5)), slope = 1;
        for (int step = 0; step < 50; step++) {
            double p = 1, before = 0;
            for (int k = 1; k <= NODES; k++) {
                double next = ((2 * k - 1) * z * p - (k - 1) * before) / k;
                before = p;
                p = next;
            }
            slope = NODES * (z * p - before) / (z * z - 1);
            z -= p / slope;
        }
        node[i] = 0.5 - 0.5 * z;
        weight[i] = 1 / ((1 - z * z) * slope * slope);
    }
    return make_context(state);
}

/* A linear functional of the forces: int from `from` to t of response(t - r) u(r) dr + now u(t), for each force with its
 * strength, plus `start`, its dependence on the initial state of its output. */
typedef struct functional {
    const lf_model *model;
    int target, order;
    double t, from;
    double complex root[LF_MAX_ORDER], residue[LF_MAX_ORDER]; /* response(r) = Re sum residue e^{root r} */
} functional;

static functional make_functional(const lf_model *model, int target, double t, double from)
{
    functional f = {.model = model, .target = target, .t = t, .from = from};
    int d = lf_target_output(model, target);
    if (d < 0) {
        return f;
    }
    const lf_output *output = &model->outputs[d];
    double a[LF_MAX_ORDER + 1];
    f.order = output->order;
    lf_ode_coefficients(output->op, output->constants, f.order, a);
    assert_int_equal(lf_ode_roots(a, f.order, f.root), 0);
    for (int p = 0; p < f.order; p++) {
        f.residue[p] = (lf_target_is_rate(model, target) ? f.root[p] : 1) / a[0];
        for (int i = 0; i < f.order; i++) {
            f.residue[p] /= i == p ? 1 : f.root[p] - f.root[i];
        }
    }
    return f;
}

static double response(const functional *f, double age)
{
    double sum = 0;
    for (int p = 0; p < f->order; p++) {
        if (cimag(f->root[p]) >= 0) { /* a pair counts twice */
            double w = cimag(f->root[p]), turn = w * age;
            sum += (w > 0 ? 2 : 1) * exp(creal(f->root[p]) * age) *
                   (creal(f->residue[p]) * cos(turn) - cimag(f->residue[p]) * sin(turn));
        }
    }
    return sum;
}

/* How much of u(t) itself it holds: a force, or the rate of a first-order output. */
static double now(const functional *f)
{
    return f->order == 0                                             ? 1
           : f->order == 1 && lf_target_is_rate(f->model, f->target) ? creal(f->residue[0] / f->root[0])
                                                                     : 0;
}

/* sum over forces of strength strength' k(r). */
static double drive(const functional *f, const functional *g, double r)
{
    const lf_model *model = f->model;
    double sum = 0;
    for (int q = 0; q < model->force_count; q++) {
        double strength = 1;
        for (int side = 0; side < 2; side++) {
            int target = side ? g->target : f->target, d = lf_target_output(model, target);
            strength *= d >= 0 ? model->outputs[d].sensitivity[q] : lf_target_force(model, target) == q;
        }
        sum += strength * model->forces[q].kernel->covariance(fabs(r) / *model->forces[q].lengthscale);
    }
    int d = lf_target_output(model, f->target);
    if (d >= 0 && d == lf_target_output(model, g->target) && model->outputs[d].has_private) {
        const lf_output *output = &model->outputs[d];
        sum += output->private_amplitude * output->private_amplitude *
               output->private_force.kernel->covariance(fabs(r) / *output->private_force.lengthscale);
    }
    return sum;
}

/* int over [low, high] of g's response times the drive at lag to r, in panels of length at most 3. */
static double inner(const functional *f, const functional *g, double r, double low, double high)
{
    int panels = high > low ? 1 + (int)((high - low) / 3) : 0;
    double sum = 0;
    for (int p = 0; p < panels; p++) {
        double width = (high - low) / panels, begin = low + p * width;
        for (int i = 0; i < NODES; i++) {
            double s = begin + width * node[i];
            sum += width * weight[i] * response(g, g->t - s) * drive(f, g, r - s);
        }
    }
    return sum;
}

/* int g's response times the drive to the point r, split there. */
static double against_point(const functional *f, const functional *g, double r)
{
    double split = fmin(fmax(r, g->from), g->t);
    return lf_target_output(g->model, g->target) < 0 ? 0 : inner(f, g, r, g->from, split) + inner(f, g, r, split, g->t);
}

static double outer(const functional *f, const functional *g, double low, double high)
{
    int panels = high > low ? 1 + (int)((high - low) / 3) : 0;
    double sum = 0;
    for (int p = 0; p < panels; p++) {
        double width = (high - low) / panels, begin = low + p * width;
        for (int i = 0; i < NODES; i++) {
            double r = begin + width * node[i];
            sum +=
                width * weight[i] * response(f, f->t - r) * (against_point(f, g, r) + now(g) * drive(f, g, r - g->t));
        }
    }
    return sum;
}

static double integrated(const functional *f, const functional *g)
{
    const lf_model *model = f->model;
    double split = fmin(fmax(g->t, f->from), f->t), sum = 0;
    int d = lf_target_output(model, f->target);
    if (d >= 0) {
        sum = outer(f, g, f->from, split) + outer(f, g, split, f->t);
    }
    sum += now(f) * (against_point(f, g, f->t) + now(g) * drive(f, g, f->t - g->t));
    if (d >= 0 && d == lf_target_output(model, g->target) && model->initial == LF_INITIAL_FREE) {
        const lf_output *output = &model->outputs[d];
        double a[LF_MAX_ORDER + 1], h[2][LF_MAX_ORDER], rate[LF_MAX_ORDER];
        lf_ode_coefficients(output->op, output->constants, output->order, a);
        for (int side = 0; side < 2; side++) {
            const functional *e = side ? g : f;
            lf_ode_motion(a, output->order, e->t - model->origin, h[side], NULL);
            lf_ode_motion_rate(a, output->order, h[side], rate);
            memcpy(h[side], lf_target_is_rate(model, e->target) ? rate : h[side], sizeof rate);
        }
        for (int k = 0; k < output->order; k++) {
            sum += output->initial_variance[k] * h[0][k] * h[1][k];
        }
    }
    return sum;
}

/* ---- the Gaussian process ---- */

typedef struct process {
    size_t n, m;               /* rows, points */
    double *mean, *covariance; /* (m), (m, m) */
    double value;
} process;

/* In place, lower triangle of K (n, n). */
static void cholesky(size_t n, double *K)
{
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++) {
            double sum = K[i * n + j];
            for (size_t k = 0; k < j; k++) {
                sum -= K[i * n + k] * K[j * n + k];
            }
            K[i * n + j] = i == j ? sqrt(sum) : sum / K[j * n + j];
        }
    }
}

/* One replicate, everything scaled: offset 0 and scale 1. */
static void condition_process(const lf_model *model, const lf_data *data, const lf_points *points, process *gp)
{
    size_t n = gp->n = lf_data_count(data), m = gp->m = points->n, all = n + m;
    double from = model->initial == LF_INITIAL_STATIONARY ? -20 : model->origin;
    functional *f = calloc(all, sizeof *f);
    double *K = calloc(all * all, sizeof *K), *y = calloc(all, sizeof *y);
    for (size_t i = 0; i < all; i++) {
        if (i < n) {
            lf_row row = lf_data_row(data, i);
            f[i] = make_functional(model, lf_model_find_output(model, lf_data_output_name(data, row.output)), *row.x,
                                   from);
            y[i] = row.y;
            K[i * all + i] = model->outputs[f[i].target].noise_variance + row.sd * row.sd;
        } else {
            f[i] = make_functional(model, points->target[i - n], points->x[i - n], from);
        }
        for (size_t j = 0; j <= i; j++) {
            K[i * all + j] += integrated(&f[i], &f[j]);
        }
    }
    /* the factor of the rows, then the rest is the Schur complement */
    double *L = calloc(n * n, sizeof *L), *X = calloc(n * m, sizeof *X);
    gp->mean = calloc(m + 1, sizeof *gp->mean);
    gp->covariance = calloc(m * m + 1, sizeof *gp->covariance);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            L[i * n + j] = K[i * all + j];
        }
    }
    cholesky(n, L);
    gp->value = -0.5 * (double)n * log(2 * 3.14159265358979323846);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) {
            y[i] -= L[i * n + k] * y[k];
        }
        y[i] /= L[i * n + i];
        gp->value -= 0.5 * y[i] * y[i] + log(L[i * n + i]);
        for (size_t p = 0; p < m; p++) {
            double sum = K[(n + p) * all + i];
            for (size_t k = 0; k < i; k++) {
                sum -= L[i * n + k] * X[p * n + k];
            }
            X[p * n + i] = sum / L[i * n + i];
            gp->mean[p] += X[p * n + i] * y[i];
        }
    }
    for (size_t p = 0; p < m; p++) {
        for (size_t q = 0; q <= p; q++) {
            double sum = K[(n + p) * all + n + q];
            for (size_t i = 0; i < n; i++) {
                sum -= X[p * n + i] * X[q * n + i];
            }
            gp->covariance[p * m + q] = gp->covariance[q * m + p] = sum;
        }
    }
    free(f);
    free(K);
    free(y);
    free(L);
    free(X);
}

/* Value, means and covariances of outputs, rates and forces, before, between and after the rows. */
static void compare_with_process(lf_context *ctx, const lf_model *model, const lf_data *data, double tolerance)
{
    static const int target[] = {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 2, 0};
    static const double x[] = {0.05, 0.05, 0.05, 0.6, 0.6, 0.9, 1.1, 1.1, 30, 1.3, 2.9, 3.2, 3.5};
    double moved[13], value, mean[13], variance[13], covariance[13 * 13], scale = 0;
    for (int i = 0; i < 13; i++) {
        moved[i] = x[i] == 30 ? -1 : x[i]; /* a force before the origin */
    }
    lf_points points = {.n = 13, .target = target, .x = moved};
    process gp;
    lf_engine *engine;
    lf_posterior *posterior;
    condition_process(model, data, &points, &gp);
    assert_ok(ctx, lf_engine_create(ctx, model, data, &kalman, &engine));
    assert_ok(ctx, lf_engine_evaluate(engine, NULL, &value, NULL));
    assert_near(value, gp.value, tolerance * fmax(1, fabs(gp.value)));
    assert_ok(ctx, lf_engine_posterior(engine, &posterior));
    assert_ok(ctx, lf_predict(posterior, &points, mean, variance, covariance));
    for (int i = 0; i < 13; i++) {
        scale = fmax(scale, fabs(gp.mean[i]));
    }
    for (int i = 0; i < 13; i++) {
        double own = gp.covariance[i * 13 + i];
        assert_near(mean[i], gp.mean[i], tolerance * scale);
        assert_near(variance[i], own, tolerance * fmax(1, own));
        for (int j = 0; j < 13; j++) {
            double both = sqrt(own * gp.covariance[j * 13 + j]);
            assert_near(covariance[i * 13 + j], gp.covariance[i * 13 + j], tolerance * fmax(1, both));
        }
    }
    lf_posterior_free(posterior);
    lf_engine_free(engine);
    free(gp.mean);
    free(gp.covariance);
}

static void test_equals_integrated_process(void **state)
{
    static const char *const starts[] = {"zero", "free", "stationary"};
    lf_random random;
    lf_random_seed(&random, 11);
    for (int i = 0; i < 9; i++) {
        lf_model *model = random_model(*state, &random, starts[i % 3], 3, 1);
        lf_data *data = random_rows(*state, &random, 14, NULL, NULL);
        compare_with_process(*state, model, data, 1e-8);
        lf_data_free(data);
        lf_model_free(model);
    }
}

static void test_undamped_and_unstable(void **state)
{
    lf_random random;
    lf_random_seed(&random, 5);
    for (int i = 0; i < 4; i++) {
        lf_model *model = random_model(*state, &random, i % 2 ? "free" : "zero", 3, 0);
        lf_data *data = random_rows(*state, &random, 14, NULL, NULL);
        compare_with_process(*state, model, data, 1e-8);
        lf_data_free(data);
        lf_model_free(model);
    }
}

static void test_gradient(void **state)
{
    static const char *const starts[] = {"zero", "free", "stationary"};
    lf_random random;
    lf_random_seed(&random, 3);
    for (int i = 0; i < 6; i++) {
        lf_model *model = random_model(*state, &random, starts[i % 3], 3, 1);
        if (i >= 3) {
            model->forces[i % 2].kernel = &lf_spectrum_eq;
        }
        lf_data *data = random_rows(*state, &random, 10, "one", NULL);
        random_rows(*state, &random, 12, "two", data);
        check_theta_gradient(*state, model, data, (lf_engine_options){.engine = "kalman", .tolerance = 1e-3}, 1e-6);
        lf_data_free(data);
        lf_model_free(model);
    }
}

/* More steps than are kept on record at once, and more distinct gaps than one. */
static void test_gradient_of_long_series(void **state)
{
    lf_random random;
    lf_random_seed(&random, 8);
    lf_model *model = random_model(*state, &random, "zero", 3, 1);
    lf_data *data = random_rows(*state, &random, 600, NULL, NULL);
    check_theta_gradient(*state, model, data, kalman, 1e-6);
    lf_data_free(data);
    lf_model_free(model);
}

/* Replicates are independent: values add up. */
static void test_replicates(void **state)
{
    lf_random random, again;
    lf_random_seed(&random, 21);
    lf_model *model = random_model(*state, &random, "stationary", 3, 1);
    double value[3];
    for (int i = 0; i < 3; i++) {
        lf_random_seed(&again, 4);
        lf_data *data = random_rows(*state, &again, 12, "one", NULL);
        if (i == 1) {
            lf_data_free(data);
            assert_ok(*state, lf_data_create(*state, 1, &data));
        }
        if (i > 0) {
            random_rows(*state, &again, 15, "two", data);
        }
        lf_engine *engine;
        assert_ok(*state, lf_engine_create(*state, model, data, &kalman, &engine));
        assert_ok(*state, lf_engine_evaluate(engine, NULL, &value[i], NULL));
        lf_engine_free(engine);
        lf_data_free(data);
    }
    assert_near(value[2], value[0] + value[1], 1e-11 * fabs(value[2]));
    lf_model_free(model);
}

/* F + F' + b b' = 0, and c' exp(F r) c = k(r): checked through the likelihood for Matern kernels, here for all. */
static void test_force_systems(void **state)
{
    static const double tolerances[] = {1e-3, 1e-6, 1e-10};
    static lf_force_system system;
    int states = 0;
    for (int t = 0; t < 3; t++) {
        for (int k = 0; k < 4; k++) {
            const lf_spectrum *kernel = lf_spectrum_find(kernels[k]);
            assert_ok(*state, lf_force_system_create(*state, kernel, tolerances[t], &system));
            double norm = 0;
            for (int i = 0; i < system.n; i++) {
                norm += system.c[i] * system.c[i];
                for (int j = 0; j < system.n; j++) {
                    double sum = system.F[i * system.n + j] + system.F[j * system.n + i] + system.b[i] * system.b[j];
                    assert_near(sum, 0, 1e-12);
                }
            }
            assert_near(norm, 1, 1e-14);
            assert_true(k < 3 ? system.error == 0 : system.error > 0 && system.error <= tolerances[t]);
        }
        assert_true(system.n > states); /* the order of the approximation follows the tolerance */
        states = system.n;
    }
    assert_int_equal(lf_force_system_create(*state, lf_spectrum_find("eq"), 1e-14, &system), LF_ERROR_ARGUMENT);
    assert_non_null(strstr(lf_message(*state), "1e-14"));
}

/* The covariance of an EQ model at times that are not the probe times, against the exact one. */
static void test_eq_within_reported_error(void **state)
{
    static const double tolerances[] = {1e-3, 1e-6};
    lf_context *ctx = *state;
    lf_random random;
    lf_random_seed(&random, 17);
    for (int i = 0; i < 2; i++) {
        lf_model *model = random_model(ctx, &random, i ? "zero" : "stationary", 4, 1);
        for (int q = 0; q < 2; q++) {
            model->forces[q].kernel = &lf_spectrum_eq;
        }
        model->outputs[0].private_force.kernel = &lf_spectrum_eq;
        lf_data *data = random_rows(ctx, &random, 20, NULL, NULL);
        lf_engine_options options = {.engine = "kalman", .tolerance = tolerances[i]};
        lf_engine *engine;
        double bound, x[30], K[900], exact[900], mean[30], worst = 0, largest = 0;
        int target[30];
        assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
        assert_ok(ctx, lf_engine_error_bound(engine, &bound));
        for (int k = 0; k < 30; k++) {
            x[k] = uniform_between(&random, 0.1, 3);
            target[k] = k % 2;
        }
        lf_points points = {.n = 30, .target = target, .x = x};
        lf_point_set set;
        lf_state_space space;
        lf_timeline timeline;
        assert_ok(ctx, lf_point_set_create(ctx, model, &points, 30, NULL, &set));
        assert_ok(ctx, lf_state_space_create(ctx, model, tolerances[i], &space));
        assert_ok(ctx, lf_state_space_update(ctx, &space));
        assert_ok(ctx, lf_timeline_create(ctx, model, NAN, NULL, &set, &timeline));
        assert_ok(ctx, lf_kalman_answer(ctx, &space, &timeline, NULL, NULL, NULL, NULL, mean, NULL, K));
        assert_ok(ctx, lf_covariance(ctx, model, &points, NULL, exact));
        for (size_t a = 0; a < 30; a++) {
            for (size_t b = 0; b < 30; b++) {
                worst = fmax(worst, fabs(K[a * 30 + b] - exact[set.order[a] * 30 + set.order[b]]));
                largest = fmax(largest, fabs(exact[a * 30 + b]));
            }
        }
        assert_true(worst > 0 && worst <= bound * largest);
        assert_true(bound <= 10 * tolerances[i]);
        lf_timeline_clear(&timeline);
        lf_state_space_clear(&space);
        lf_point_set_clear(&set);
        lf_engine_free(engine);
        lf_data_free(data);
        lf_model_free(model);
    }
}

/* The other engines see the same model: the dense one with EQ forces, the feature engines with Matern forces within
 * their error bound. */
static void test_agrees_with_other_engines(void **state)
{
    static const char *const others[] = {"dense", "lowrank", "fourier"};
    lf_context *ctx = *state;
    static const int target[] = {0, 1, 2, 3, 4, 5, 0, 1};
    static const double x[] = {0.3, 0.3, 0.3, 0.7, 1.9, 2.0, 2.4, 2.4};
    lf_points points = {.n = 8, .target = target, .x = x};
    for (int i = 0; i < 3; i++) {
        lf_random random;
        lf_random_seed(&random, 31);
        lf_model *model = random_model(ctx, &random, "zero", 3, 1);
        if (i == 0) {
            model->forces[0].kernel = &lf_spectrum_eq;
            model->forces[1].kernel = &lf_spectrum_eq;
            model->outputs[0].private_force.kernel = &lf_spectrum_eq;
        }
        for (int d = 0; d < 2; d++) {
            model->outputs[d].noise_variance = 0.05;
        }
        lf_data *data = random_rows(ctx, &random, 40, NULL, NULL);
        double value[2], mean[2][8], variance[2][8], bound = 0;
        for (int side = 0; side < 2; side++) {
            lf_engine_options options = {.engine = side ? others[i] : "kalman", .tolerance = i ? 1e-4 : 0};
            lf_engine *engine;
            lf_posterior *posterior;
            assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
            assert_ok(ctx, lf_engine_evaluate(engine, NULL, &value[side], NULL));
            assert_ok(ctx, lf_engine_error_bound(engine, &bound));
            assert_ok(ctx, lf_engine_posterior(engine, &posterior));
            assert_ok(ctx, lf_predict(posterior, &points, mean[side], variance[side], NULL));
            lf_posterior_free(posterior);
            lf_engine_free(engine);
        }
        double allowed = i == 0 ? 1e-9 : bound;
        assert_near(value[0], value[1], allowed * fabs(value[1]));
        for (int k = 0; k < 8; k++) {
            int output = lf_target_output(model, target[k]) >= 0 && !lf_target_is_rate(model, target[k]);
            if (i == 0 || output) { /* bounds of the feature engines are of outputs */
                assert_near(mean[0][k], mean[1][k], allowed * fmax(1, fabs(mean[1][k])));
                assert_near(variance[0][k], variance[1][k], allowed * fmax(1, variance[1][k]));
            }
        }
        lf_data_free(data);
        lf_model_free(model);
    }
}

/* Times k / 288, as read from a file, have only a few distinct gaps; a missing row adds one. */
static void test_even_times_share_gaps(void **state)
{
    enum { N = 5000 };
    lf_context *ctx = *state;
    lf_random random;
    lf_random_seed(&random, 1);
    lf_model *model = random_model(ctx, &random, "zero", 3, 1);
    static double x[N];
    static int target[N];
    for (int i = 0; i < N; i++) {
        x[i] = (i + (i > 3000)) / 288.0;
    }
    lf_points points = {.n = N, .target = target, .x = x};
    lf_point_set set;
    lf_timeline timeline;
    assert_ok(ctx, lf_point_set_create(ctx, model, &points, N, NULL, &set));
    assert_ok(ctx, lf_timeline_create(ctx, model, NAN, &set, NULL, &timeline));
    assert_int_equal(timeline.step_count, N + 1); /* and the origin */
    assert_true(timeline.gap_count <= 6);
    for (size_t k = 1; k <= N; k++) {
        assert_near(timeline.time[k], x[k - 1], 4e-15);
    }
    lf_timeline_clear(&timeline);
    lf_point_set_clear(&set);
    lf_model_free(model);
}

static void test_refuses_what_it_cannot_do(void **state)
{
    lf_context *ctx = *state;
    lf_model *gaussian = parse_model(
        ctx, "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":1}],"
             "\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"gaussian\",\"precision\":2},\"sensitivity\":[1],"
             "\"noise_variance\":0.1}]}");
    lf_random random;
    lf_random_seed(&random, 2);
    lf_model *model = random_model(ctx, &random, "zero", 3, 1);
    lf_data *data;
    lf_engine *engine;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < 2; i++) { /* twice the same row */
        assert_ok(ctx, lf_data_add(ctx, data, "a", NULL, &(double){1}, 1, 0, LF_SPLIT_NONE));
    }
    assert_int_equal(lf_engine_create(ctx, gaussian, data, &kalman, &engine), LF_ERROR_UNSUPPORTED);
    assert_non_null(strstr(lf_message(ctx), "'a'"));
    const lf_engine_options wrong[] = {
        {.engine = "kalman", .nodes = "mc"}, {.engine = "kalman", .features = 3}, {.engine = "kalman", .tolerance = 2}};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(lf_engine_create(ctx, model, data, &wrong[i], &engine), LF_ERROR_ARGUMENT);
    }
    model->outputs[0].noise_variance = 0;
    double value;
    assert_ok(ctx, lf_engine_create(ctx, model, data, &kalman, &engine));
    assert_int_equal(lf_engine_evaluate(engine, NULL, &value, NULL), LF_ERROR_NUMERIC);
    assert_non_null(strstr(lf_message(ctx), "output 'a', x = 1"));
    lf_engine_free(engine);
    lf_data_free(data);
    lf_model_free(model);
    lf_model_free(gaussian);
}

/* Many outputs at one time are absorbed by other routines than few. */
static void test_many_outputs(void **state)
{
    enum { OUTPUTS = 20, TIMES = 6 };
    lf_context *ctx = *state;
    char text[8192];
    int used =
        snprintf(text, sizeof text,
                 "{\"format\": \"latentforce-model\", \"version\": 1, \"initial\": \"free\", \"forces\": "
                 "[{\"kernel\": \"matern32\", \"lengthscale\": 0.8}, {\"kernel\": \"matern12\", \"lengthscale\": 2}],"
                 " \"outputs\": [");
    for (int d = 0; d < OUTPUTS; d++) {
        used += snprintf(
            text + used, sizeof text - (size_t)used,
            "%s{\"name\": \"o%d\", \"operator\": {\"type\": \"ode1\", \"decay\": %g}, \"sensitivity\": [%g, %g],"
            " \"noise_variance\": 0.05, \"private\": {\"kernel\": \"matern12\", \"lengthscale\": 0.6, \"amplitude\": "
            "0.5}}",
            d ? "," : "", d, 0.3 + 0.1 * d, cos(d), sin(3 * d));
    }
    snprintf(text + used, sizeof text - (size_t)used, "]}");
    lf_model *model = parse_model(ctx, text);
    lf_data *data;
    double z[OUTPUTS * TIMES], value[2], *gradient[2];
    lf_normals(ctx, OUTPUTS * TIMES, z);
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < OUTPUTS * TIMES; i++) {
        double x = 0.4 * (i / OUTPUTS) + 0.01 * (i / OUTPUTS) * (i / OUTPUTS);
        char name[8];
        snprintf(name, sizeof name, "o%d", i % OUTPUTS);
        assert_ok(ctx, lf_data_add(ctx, data, name, NULL, &x, z[i], 0, LF_SPLIT_NONE));
    }
    for (int e = 0; e < 2; e++) {
        lf_engine_options options = {.engine = e ? "kalman" : "dense", .tolerance = e ? 0 : 1e-10};
        lf_engine *engine;
        gradient[e] = calloc(lf_parameter_count(model), sizeof(double));
        assert_non_null(gradient[e]);
        assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
        assert_ok(ctx, lf_engine_evaluate(engine, NULL, &value[e], gradient[e]));
        lf_engine_free(engine);
    }
    assert_near(value[1], value[0], 1e-6 * fabs(value[0]));
    for (size_t i = 0; i < lf_parameter_count(model); i++) {
        assert_near(gradient[1][i], gradient[0][i], 1e-4 * (1 + fabs(gradient[0][i])));
    }
    free(gradient[0]);
    free(gradient[1]);
    lf_data_free(data);
    lf_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals_integrated_process),
        cmocka_unit_test(test_undamped_and_unstable),
        cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_gradient_of_long_series),
        cmocka_unit_test(test_replicates),
        cmocka_unit_test(test_force_systems),
        cmocka_unit_test(test_eq_within_reported_error),
        cmocka_unit_test(test_agrees_with_other_engines),
        cmocka_unit_test(test_even_times_share_gaps),
        cmocka_unit_test(test_refuses_what_it_cannot_do),
        cmocka_unit_test(test_many_outputs),
    };
    return cmocka_run_group_tests(tests, make_rule, free_context);
}
