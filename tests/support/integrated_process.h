/* A Gaussian process whose covariances come from direct integration: with G the impulse response of an operator,
 * Cov[f(t), f'(t')] = sum S S' int int G(t - r) G'(t' - r') k(r - r') dr dr', by Gauss-Legendre panels split at r = r', where
 * Matern kernels have their kink. */
#ifndef LF_TESTS_INTEGRATED_PROCESS_H
#define LF_TESTS_INTEGRATED_PROCESS_H

#include "data/data.h"
#include "model/model.h"
#include "support.h"

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
static void condition_process(const lf_model *model, const lf_data *data, const lf_point_list *points, process *gp)
{
    size_t n = gp->n = lf_data_count(data, LF_KIND_ROW), m = gp->m = points->n, all = n + m;
    double from = model->initial == LF_INITIAL_STATIONARY ? -20 : model->origin;
    functional *f = calloc(all, sizeof *f);
    double *K = calloc(all * all, sizeof *K), *y = calloc(all, sizeof *y);
    for (size_t i = 0; i < all; i++) {
        if (i < n) {
            lf_observation row = lf_data_row(data, i);
            f[i] = make_functional(model,
                                   lf_model_find_output(model, lf_data_name(data, LF_KIND_OUTPUT, (size_t)row.output)),
                                   *row.x, from);
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

#endif
