/* The end of a fit: Newton's method on the objective,
 *
 *   H p = -g,   H from differences of the gradient g
 *
 * in the coordinates of the fit, within its limits: a coordinate on a limit that the gradient points beyond is held. H serves several steps
 * and is computed again when they gain too little. It is inverted through its eigenvalues (hessian.h); along directions that are flat to the
 * precision of the differences there is no step. A quasi-Newton method needs as many evaluations for the last digits as for
 * all others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/lapack.h"
#include "base/memory.h"
#include "inference/hessian.h"
#include "inference/run.h"

#define STEP 1e-5  /* of the differences */
#define FLAT 1e-6  /* eigenvalue of the scaled Hessian below which there is no step */
#define SLOPE 1e-4 /* derivative along such a direction, in units of its conditional deviation, that is none */
#define INDEFINITE 1e-3
#define BENT 1e-3   /* derivative by a coordinate of negative curvature that is not none */
#define FAR 2.0     /* units of the objective that a step may promise; an optimum that far away is not described by H */
#define ENOUGH 1e-7 /* units of the objective that are not worth another step */
#define LEAST_GAIN 0.1 /* units of the objective for which a plateau is left */
enum { HESSIANS = 4, STEPS = 6, FEW_FREE = 40 };

typedef struct newton {
    lf_log_posterior *posterior;
    size_t n;
    double *lower, *upper;  /* (n) */
    double *x, *trial;      /* (n) */
    double *trial_gradient; /* (n) followed by g */
    double *g;              /* (n) */
    double *step;           /* (n) */
    double *H;              /* (n, n) */
    double *V, *values, *scale;
    size_t *open; /* (n) coordinates that may move */
    size_t open_count;
    double value;
} newton;

int lf_ends_by_newton(const lf_model *model, const lf_fit_plan *plan)
{
    return model->system && plan->relative_gain <= 0 && lf_free_parameters(model, NULL) <= FEW_FREE;
}

static void clear(newton *w)
{
    free(w->lower);
    free(w->open);
}

static int create(lf_run *run, newton *w)
{
    size_t n = run->posterior->count;
    double *all = lf_doubles(9 + 2 * n, n);
    *w = (newton){.posterior = run->posterior, .n = n, .lower = all, .open = calloc(n + 1, sizeof *w->open)};
    if (!all || !w->open) {
        clear(w);
        return 0;
    }
    double **vectors[] = {&w->upper, &w->x, &w->trial, &w->trial_gradient, &w->g, &w->step, &w->values, &w->scale};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = all += n;
    }
    w->H = all + n;
    w->V = w->H + n * n;
    lf_log_posterior_limits(run->posterior, w->lower, w->upper);
    return 1;
}

static void find_open(newton *w)
{
    w->open_count = 0;
    for (size_t k = 0; k < w->n; k++) {
        double near = 1e-9 * (1 + fabs(w->x[k]));
        int held = (w->x[k] - w->lower[k] <= near && w->g[k] >= 0) || (w->upper[k] - w->x[k] <= near && w->g[k] <= 0);
        if (!held) {
            w->open[w->open_count++] = k;
        }
    }
}

static lf_status differentiate(newton *w)
{
    lf_status status = LF_OK;
    memcpy(w->trial, w->x, w->n * sizeof *w->x);
    for (size_t a = 0; !status && a < w->open_count; a++) {
        size_t k = w->open[a];
        double above = w->upper[k] - w->x[k] > STEP ? STEP : -STEP;
        status = lf_hessian_column(w->posterior, 0, w->trial, k, above, 0, w->trial_gradient, w->H + k * w->n);
    }
    return status;
}

/* The step and what it promises to gain; infinite where H has directions of negative curvature, or flat ones that are not level. */
static lf_status find_step(newton *w, double *gain)
{
    size_t m = w->open_count;
    lf_curvature c = {w->scale, w->V, w->values};
    *gain = 0;
    memset(w->step, 0, w->n * sizeof *w->step);
    for (size_t a = 0; a < m; a++) {
        if (w->H[w->open[a] * (w->n + 1)] <= 0 && fabs(w->g[w->open[a]]) > BENT) {
            *gain = INFINITY;
        }
    }
    lf_status status = lf_curvature_find(w->posterior->ctx, w->H, w->n, w->open, m, 0, &c);
    for (size_t e = 0; !status && e < m; e++) {
        double along = 0;
        for (size_t a = 0; a < m; a++) {
            along += w->V[e * m + a] * w->scale[a] * w->g[w->open[a]];
        }
        int sloping = w->values[e] <= FLAT && fabs(along) > SLOPE;
        if (w->values[e] < -INDEFINITE || sloping) {
            *gain = INFINITY;
        }
        if (w->values[e] > FLAT) {
            *gain += 0.5 * along * along / w->values[e];
            for (size_t a = 0; a < m; a++) {
                w->step[w->open[a]] -= along / w->values[e] * w->V[e * m + a] * w->scale[a];
            }
        }
    }
    return status;
}

/* Moves along the step, or a part of it, unless that makes the objective larger. */
static lf_status move(newton *w, int *moved)
{
    double length = 1, value;
    *moved = 0;
    for (int i = 0; i < 3 && !*moved; i++, length /= 4) {
        for (size_t k = 0; k < w->n; k++) {
            w->trial[k] = fmin(fmax(w->x[k] + length * w->step[k], w->lower[k]), w->upper[k]);
        }
        lf_status status = lf_log_posterior_negative(w->posterior, w->trial, 0, &value, w->trial_gradient);
        if (status == LF_ERROR_MEMORY) {
            return status;
        }
        if (!status && value <= w->value + 1e-12 * fabs(w->value)) {
            memcpy(w->x, w->trial, w->n * sizeof *w->x);
            memcpy(w->g, w->trial_gradient, w->n * sizeof *w->g);
            w->value = value;
            *moved = 1;
        }
    }
    return LF_OK;
}

static lf_status iterate(newton *w, int *near)
{
    double gain = INFINITY, before;
    lf_status status = LF_OK;
    int moved = 1;
    *near = 0;
    for (int h = 0; !status && h < HESSIANS && gain > ENOUGH && moved; h++) {
        find_open(w);
        status = differentiate(w);
        before = INFINITY;
        for (int s = 0; !status && s < STEPS && gain > ENOUGH; s++) {
            find_open(w);
            status = find_step(w, &gain);
            if (status || gain > FAR || (s > 0 && gain > 0.2 * before)) {
                break;
            }
            before = gain;
            *near = 1;
            status = gain > ENOUGH ? move(w, &moved) : LF_OK;
            if (!moved) {
                break;
            }
        }
        if (gain > FAR) {
            *near = 0;
            return status;
        }
    }
    return status;
}

/* Stores the directions along which the Hessian promises no optimum: unit vectors whose curvature is that of a standard error above 1. */
static lf_status keep_flat(newton *w, lf_run *run)
{
    size_t m = w->open_count;
    for (size_t a = 0; a < m; a++) {
        for (size_t b = 0; b < m; b++) {
            size_t i = w->open[a], j = w->open[b];
            w->V[a * m + b] = 0.5 * (w->H[i * w->n + j] + w->H[j * w->n + i]);
        }
    }
    free(run->flat);
    run->flat_count = 0;
    run->flat = lf_doubles(m + 1, w->n);
    int info = run->flat && m ? lf_symmetric_eigen(m, w->V, w->values) : 0;
    if (!run->flat || info == LF_LAPACK_NO_MEMORY) {
        return lf_no_memory(w->posterior->ctx);
    }
    for (size_t e = 0; !info && e < m; e++) {
        for (size_t a = 0; w->values[e] < 1 && a < m; a++) {
            run->flat[run->flat_count * w->n + w->open[a]] = w->V[e * m + a];
        }
        run->flat_count += w->values[e] < 1;
    }
    return LF_OK;
}

/* A parameter that is a logarithm has a plateau where it is too small to matter, and the optimiser may end there. */
lf_status lf_run_leave_plateau(lf_run *run, int *found)
{
    newton w;
    const double *x;
    *found = 0;
    if (!create(run, &w)) {
        return lf_no_memory(run->posterior->ctx);
    }
    lf_status status = LF_OK;
    double best = -lf_run_best(run, &x) - LEAST_GAIN;
    for (size_t i = 0; !status && i < 2 * run->flat_count; i++) {
        const double *direction = run->flat + i / 2 * w.n;
        for (double length = i % 2 ? 0.5 : -0.5; !status && fabs(length) < 10; length *= 2) {
            double value;
            for (size_t k = 0; k < w.n; k++) {
                w.trial[k] = fmin(fmax(x[k] + length * direction[k], w.lower[k]), w.upper[k]);
            }
            lf_status evaluated = lf_log_posterior_negative(run->posterior, w.trial, 0, &value, w.trial_gradient);
            status = evaluated == LF_ERROR_MEMORY ? evaluated : LF_OK;
            if (!evaluated && value < best) {
                best = value;
                memcpy(w.x, w.trial, w.n * sizeof *w.x);
                *found = 1;
            }
        }
    }
    status = status || !*found ? status : lf_run_restart(run, w.x, best);
    clear(&w);
    return status;
}

lf_status lf_run_finish(lf_run *run, int *near)
{
    newton w;
    const double *x;
    *near = 0;
    if (!create(run, &w)) {
        return lf_no_memory(run->posterior->ctx);
    }
    lf_run_best(run, &x);
    memcpy(w.x, x, w.n * sizeof *x);
    lf_status status = lf_log_posterior_negative(run->posterior, x, 0, &w.value, w.g);
    LF_TRY(status, iterate(&w, near));
    LF_TRY(status, keep_flat(&w, run));
    double *best = !status && *near ? lf_doubles(w.n, 1) : NULL;
    if (best) {
        memcpy(best, w.x, w.n * sizeof *best);
        free(run->best);
        run->best = best;
        run->best_value = w.value;
        run->state = LF_RUN_NEWTON;
    } else if (!status && *near) {
        status = lf_no_memory(run->posterior->ctx);
    }
    clear(&w);
    if (status && status != LF_ERROR_MEMORY) { /* the optimum of the optimiser stands */
        *near = 0;
        status = LF_OK;
    }
    return status;
}
