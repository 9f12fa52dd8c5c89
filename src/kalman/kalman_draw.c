/* A draw from the prior of a model given by equations, along its time axis: the state at the start, then the noise of each step. Time and
 * memory grow with the number of points, where a draw from their joint covariance needs its square and cube. */
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "dynamics/start_covariance.h"
#include "dynamics/transition.h"
#include "kalman/kalman.h"
#include "kalman/run_space.h"

enum { MOST_KEPT = 64 }; /* gaps whose transitions and factors are kept */

/* A covariance P (n, n) with zero rows and columns left out, as L L'. */
typedef struct factor {
    int ready;
    size_t rank;
    double *L; /* (n, n) column-major; the first `rank` columns count */
} factor;

typedef struct draw {
    lf_state_space space;
    lf_timeline timeline;
    lf_run_space run;
    lf_transition_work work;
    size_t n, kept;
    double *A, *Q;   /* (kept + 1, n, stride), the last for other gaps */
    factor *factors; /* (kept + 1) */
    double *scratch; /* (n, n) and more */
    int *pivots;     /* (n) */
    double *x, *next, *z, *row;
} draw;

/* The factor of P (n, stride), by a pivoted Cholesky factorisation of its correlations: it may be singular. */
static lf_status find_factor(lf_context *ctx, draw *d, const double *P, factor *f)
{
    size_t n = d->n, s = (size_t)d->run.space->sparsity.stride;
    double *R = d->scratch, *deviation = R + n * n, *work = deviation + n;
    lapack_int rank = 0;
    double sum = 0;
    f->L = f->L ? f->L : lf_doubles(n, n);
    if (!f->L) {
        return lf_no_memory(ctx);
    }
    for (size_t i = 0; i < n; i++) {
        sum += P[i * s + i];
        deviation[i] = sqrt(fmax(0, P[i * s + i]));
    }
    if (!isfinite(sum)) {
        return lf_fail(ctx, LF_ERROR_NUMERIC,
                       "the states of the equations have no finite variance: the equations grow without bound, or a "
                       "constant is out of range");
    }
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            double unit = deviation[i] * deviation[j];
            R[j * n + i] = unit > 0 ? P[i * s + j] / unit : 0;
        }
    }
    /* info > 0: the rank is less than n */
    LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)n, R, (lapack_int)n, d->pivots, &rank, -1, work);
    f->rank = (size_t)rank;
    f->ready = 1;
    for (size_t k = 0; k < f->rank; k++) {
        for (size_t i = 0; i < n; i++) {
            size_t at = (size_t)d->pivots[i] - 1;
            f->L[k * n + at] = i >= k ? deviation[at] * R[k * n + i] : 0;
        }
    }
    return LF_OK;
}

/* x += L z. */
static void add_noise(draw *d, const factor *f, lf_normal_source normals, void *data)
{
    normals(data, d->n, d->z); /* as many at every step, whatever the rank */
    for (size_t k = 0; k < f->rank; k++) {
        for (size_t i = 0; i < d->n; i++) {
            d->x[i] += f->L[k * d->n + i] * d->z[k];
        }
    }
}

/* Moves x over the gap before a step. */
static lf_status move(lf_context *ctx, draw *d, size_t step, lf_normal_source normals, void *data)
{
    const lf_timeline *t = &d->timeline;
    const lf_state_space *space = d->run.space;
    size_t size = lf_sparsity_size(&space->sparsity), slot = d->kept;
    double gap = t->time[step] - t->time[step - 1];
    if (!(gap > 0)) {
        return LF_OK;
    }
    int before = t->gap_index[step] < 0;
    slot = !before && (size_t)t->gap_index[step] < d->kept ? (size_t)t->gap_index[step] : slot;
    double *A = d->A + slot * size, *Q = d->Q + slot * size;
    lf_status status = LF_OK;
    if (slot == d->kept || !d->factors[slot].ready) {
        lf_transition(space, before ? space->F_before_origin : space->F,
                      before ? gap : t->gap_length[t->gap_index[step]], &d->work, A, Q);
        if (before) { /* white forces do not act yet */
            size_t first = (size_t)space->force_states * (size_t)space->sparsity.stride;
            memset(Q + first, 0, (size - first) * sizeof *Q);
        }
        status = find_factor(ctx, d, Q, &d->factors[slot]);
    }
    if (!status) {
        lf_sparse_multiply_vector(&space->sparsity, A, d->x, d->next);
        memcpy(d->x, d->next, d->n * sizeof *d->x);
        add_noise(d, &d->factors[slot], normals, data);
    }
    return status;
}

/* The points of a step, and integrators that begin again after it. */
static lf_status answer(lf_context *ctx, draw *d, size_t step, double *values)
{
    const lf_timeline *t = &d->timeline;
    const lf_state_space *space = d->run.space;
    for (size_t q = t->first_query[step]; q < t->first_query[step + 1]; q++) {
        const lf_average *average = t->asked && t->asked[q] >= 0 ? &t->averages[t->asked[q]] : NULL;
        double value = 0;
        if (average) {
            value = d->x[space->integrator[average->output] + average->slot] / average->width;
        } else {
            lf_state_space_row(space, t->target[q], d->row);
            for (size_t i = 0; i < d->n; i++) {
                value += d->row[i] * d->x[i];
            }
        }
        if (!isfinite(value)) {
            return lf_fail(ctx, LF_ERROR_NUMERIC,
                           "the draw at input %.10g is not a finite number: the equations grow without bound, or a "
                           "constant is out of range",
                           t->time[step]);
        }
        values[t->query[q]] = value;
    }
    for (size_t r = t->first_reset ? t->first_reset[step] : 0; t->first_reset && r < t->first_reset[step + 1]; r++) {
        d->x[space->integrator[t->resets[r].output] + t->resets[r].slot] = 0;
    }
    return LF_OK;
}

static lf_status prepare(lf_context *ctx, const lf_model *model, const lf_point_set *points, draw *d)
{
    const lf_filter_state prior = {0};
    lf_status status = lf_state_space_create(ctx, model, 0, &d->space);
    LF_TRY(status, lf_state_space_update(ctx, &d->space));
    LF_TRY(status, lf_timeline_create(ctx, model, (double)NAN, NULL, points, &d->timeline));
    LF_TRY(status, lf_run_space_create(ctx, &d->space, 0, &d->timeline, &prior, &d->run));
    LF_TRY(status, lf_transition_work_create(ctx, d->run.space, d->timeline.longest_gap, &d->work));
    if (status) {
        return status;
    }
    size_t n = d->n = (size_t)d->run.space->n, s = (size_t)d->run.space->sparsity.stride;
    size_t size = lf_sparsity_size(&d->run.space->sparsity);
    d->kept = d->timeline.gap_count < MOST_KEPT ? d->timeline.gap_count : MOST_KEPT;
    d->A = lf_doubles(d->kept + 1, size);
    d->Q = lf_doubles(d->kept + 1, size);
    d->factors = calloc(d->kept + 1, sizeof *d->factors);
    d->scratch = lf_doubles(n + 3, n);
    d->pivots = calloc(n + 1, sizeof *d->pivots);
    d->x = lf_doubles(s, 4);
    return d->A && d->Q && d->factors && d->scratch && d->pivots && d->x ? LF_OK : lf_no_memory(ctx);
}

static void clear(draw *d)
{
    for (size_t k = 0; d->factors && k <= d->kept; k++) {
        free(d->factors[k].L);
    }
    free(d->A);
    free(d->Q);
    free(d->factors);
    free(d->scratch);
    free(d->pivots);
    free(d->x);
    lf_transition_work_clear(&d->work);
    lf_run_space_clear(&d->run);
    lf_timeline_clear(&d->timeline);
    lf_state_space_clear(&d->space);
}

lf_status lf_kalman_prior_draw(lf_context *ctx, const lf_model *model, const lf_point_set *points,
                               lf_normal_source normals, void *data, double *values)
{
    draw d = {0};
    factor start = {0};
    lf_status status = prepare(ctx, model, points, &d);
    if (!status) {
        size_t s = (size_t)d.run.space->sparsity.stride;
        d.next = d.x + s;
        d.z = d.next + s;
        d.row = d.z + s;
        if (d.timeline.step_count) {
            lf_start_covariance(d.run.space, d.timeline.time[0], d.Q); /* the slot is computed before it is used */
        }
        status = find_factor(ctx, &d, d.Q, &start);
    }
    if (!status) {
        add_noise(&d, &start, normals, data);
    }
    for (size_t step = 0; !status && step < d.timeline.step_count; step++) {
        status = step ? move(ctx, &d, step, normals, data) : LF_OK;
        LF_TRY(status, answer(ctx, &d, step, values));
    }
    free(start.L);
    clear(&d);
    return status;
}
