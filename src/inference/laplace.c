/* Laplace's approximation: the covariance of x is the inverse of H, the Hessian of minus the log posterior at the optimum, from central differences
 * of its gradient. H is scaled to a unit diagonal and inverted through its eigenvalues. */
#include "inference/laplace.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/parallel.h"
#include "base/processes.h"
#include "inference/hessian.h"

#define STEP 1e-4
#define FLATTEST 1e-7 /* eigenvalue of the scaled Hessian below which a direction is flat: differences are no better */
#define LEAST_CURVATURE 1e-8 /* of the log posterior by a coordinate: less is rounding */
#define SHARE 1e-3           /* squared part in a flat direction from which on a parameter is not identified */

/* Log posteriors that are evaluated in parallel; each holds a copy of the rows. */
enum { MOST_WORKERS = 8 };

typedef struct hessian {
    lf_laplace *laplace;
    const double *x; /* (count of p) the optimum */
    unsigned with;
    double *H; /* (count of p, count of the Laplace approximation) */
    size_t workers;
    lf_log_posterior **posterior; /* (workers) */
    lf_status *status;            /* (workers) */
    lf_monitor *monitor;
    lf_context *shared; /* of the caller, where several processes have the rows; else NULL */
    size_t done;        /* columns; the monitor's lock guards it */
    double began;
} hessian;

/* Reports one more column. LF_ERROR_CANCELLED: stop. */
static lf_status report_column(hessian *h, lf_context *ctx)
{
    lf_status status = LF_OK;
    lf_monitor_lock(h->monitor);
    double spent = omp_get_wtime() - h->began;
    h->done++;
    lf_progress progress = {.size = sizeof progress,
                            .stage = "errors",
                            .item = h->done - 1,
                            .items = h->laplace->count,
                            .objective = NAN,
                            .gradient_norm = NAN,
                            .seconds = spent,
                            .remaining = spent * (double)(h->laplace->count - h->done) / (double)h->done};
    lf_monitor_report(h->monitor, &progress);
    if (h->shared) {
        status = lf_monitor_agree(h->shared, h->monitor);
        status = status ? lf_take_failure(ctx, h->shared, status) : LF_OK;
    }
    if (!status && lf_monitor_ends(h->monitor)) {
        status = lf_fail(ctx, LF_ERROR_CANCELLED, "standard errors were cancelled");
    }
    lf_monitor_unlock(h->monitor);
    return status;
}

/* Columns w, w + workers, … of H. */
static void differentiate(void *user, size_t w)
{
    hessian *h = user;
    lf_log_posterior *p = h->posterior[w];
    const lf_laplace *l = h->laplace;
    double *x = lf_doubles(p->count, 1), *work = lf_doubles(p->count, 2), *column = lf_doubles(p->count, 1);
    if (!x || !work || !column) {
        h->status[w] = lf_no_memory(p->ctx);
    } else {
        memcpy(x, h->x, p->count * sizeof *x);
    }
    for (size_t k = w; !h->status[w] && k < l->count; k += h->workers) {
        h->status[w] = lf_hessian_column(p, h->with, x, l->row[k], STEP, STEP, work, column);
        for (size_t i = 0; !h->status[w] && i < l->count; i++) {
            h->H[k * l->count + i] = column[l->row[i]];
        }
        LF_TRY(h->status[w], report_column(h, p->ctx));
    }
    free(x);
    free(work);
    free(column);
}

/* The covariance from H; what it leaves open. */
static void fill(const lf_curvature *c, lf_laplace *l)
{
    size_t n = l->count;
    const double *V = c->vectors;
    for (size_t k = 0; k < n && c->values[k] <= FLATTEST; k++, l->flat_count++) {
        for (size_t i = 0; i < n; i++) {
            l->flat[k * n + i] = c->scale[i] > 0 ? V[k * n + i] * c->scale[i] : V[k * n + i] * V[k * n + i] > 0.5;
        }
    }
    for (size_t i = 0; i < n; i++) {
        l->identified[i] = c->scale[i] > 0;
        for (size_t k = 0; k < l->flat_count; k++) {
            l->identified[i] = l->identified[i] && V[k * n + i] * V[k * n + i] < SHARE;
        }
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = l->flat_count; k < n; k++) {
                sum += V[k * n + i] * V[k * n + j] / c->values[k];
            }
            l->covariance[j * n + i] = sum * c->scale[i] * c->scale[j];
        }
    }
}

static lf_status invert(lf_context *ctx, const double *H, lf_laplace *l)
{
    size_t n = l->count, *rows = calloc(n + 1, sizeof *rows);
    lf_curvature c = {.scale = lf_doubles(n, 1), .vectors = lf_doubles(n, n), .values = lf_doubles(n, 1)};
    lf_status status = rows && c.scale && c.vectors && c.values ? LF_OK : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < n; i++) {
        rows[i] = i;
    }
    LF_TRY(status, lf_curvature_find(ctx, H, n, rows, n, LEAST_CURVATURE, &c));
    if (!status) {
        fill(&c, l);
    }
    free(rows);
    free(c.scale);
    free(c.vectors);
    free(c.values);
    return status;
}

/* The free parameters that are not on a limit: there the slope is not 0, and differences would leave the limits. */
static void choose_rows(const lf_log_posterior *p, const double *x, lf_laplace *l)
{
    for (size_t k = 0; k < p->count; k++) {
        const lf_coordinate *c = &p->coordinate[k];
        double theta = lf_coordinate_theta(c, x[k]), lower = p->prior->lower[p->index[k]],
               upper = p->prior->upper[p->index[k]];
        if (fmin(theta - lower, upper - theta) > STEP * fabs(lf_coordinate_slope(c, theta))) {
            l->row[l->count++] = k;
        }
    }
}

static lf_status allocate(lf_context *ctx, size_t count, lf_laplace *l)
{
    *l = (lf_laplace){.row = calloc(count + 1, sizeof *l->row),
                      .identified = calloc(count + 1, sizeof *l->identified),
                      .covariance = lf_doubles(count, count),
                      .flat = lf_doubles(count, count)};
    return l->row && l->identified && l->covariance && l->flat ? LF_OK : lf_no_memory(ctx);
}

/* How many log posteriors of this kind, each evaluating, memory suffices for. */
static size_t workers_within_memory(lf_context *ctx, const lf_log_posterior *p, size_t workers)
{
    double held, working;
    p->class->memory(p, &held, &working);
    double most = lf_memory_limit(ctx) / (held + working);
    return most < 1 ? 1 : most < (double)workers ? (size_t)most : workers;
}

/* p is the first worker, the others are clones of it. */
static lf_status make_workers(lf_context *ctx, lf_log_posterior *p, hessian *h)
{
    size_t threads = (size_t)lf_threads(ctx);
    h->workers = threads < MOST_WORKERS ? threads : MOST_WORKERS;
    h->workers = h->shared ? 1 : h->workers < h->laplace->count ? h->workers : h->laplace->count;
    h->workers = workers_within_memory(ctx, p, h->workers);
    h->posterior = calloc(h->workers + 1, sizeof(lf_log_posterior *));
    h->status = calloc(h->workers + 1, sizeof *h->status);
    lf_status status = h->posterior && h->status ? LF_OK : lf_no_memory(ctx);
    for (size_t w = 0; !status && w < h->workers; w++) {
        h->posterior[w] = p;
        status = w ? lf_log_posterior_clone(ctx, p, NULL, &h->posterior[w]) : LF_OK;
    }
    return status;
}

static void clear_workers(hessian *h)
{
    for (size_t w = 0; h->posterior && w < h->workers; w++) {
        h->laplace->evaluations += h->posterior[w] ? h->posterior[w]->evaluations : 0;
        if (w) {
            lf_log_posterior_destroy(h->posterior[w]);
        }
    }
    free(h->posterior);
    free(h->status);
    free(h->H);
}

lf_status lf_laplace_find(lf_context *ctx, lf_log_posterior *p, const double *x, unsigned with, lf_monitor *monitor,
                          lf_laplace *l)
{
    hessian h = {.laplace = l,
                 .x = x,
                 .with = with,
                 .monitor = monitor,
                 .shared = lf_process_count(p->ctx) > 1 ? ctx : NULL,
                 .H = lf_doubles(p->count, p->count)};
    int before = lf_threads_begin(1);
    lf_status status = allocate(ctx, p->count, l);
    status = status || h.H ? status : lf_no_memory(ctx);
    if (!status) {
        choose_rows(p, x, l);
        status = l->count ? make_workers(ctx, p, &h) : LF_OK;
    }
    status = h.shared ? lf_agree(ctx, status) : status;
    if (!status && l->count) {
        h.began = omp_get_wtime();
        lf_parallel_tasks(h.monitor, (int)h.workers, h.workers, differentiate, &h);
    }
    for (size_t w = 0; !status && w < h.workers; w++) {
        status = h.status[w] ? lf_take_failure(ctx, h.posterior[w]->ctx, h.status[w]) : LF_OK;
    }
    status = status || l->count == 0 ? status : invert(ctx, h.H, l);
    clear_workers(&h);
    lf_threads_end(before);
    return status;
}

void lf_laplace_clear(lf_laplace *l)
{
    free(l->row);
    free(l->covariance);
    free(l->identified);
    free(l->flat);
    *l = (lf_laplace){0};
}
