/* Standard errors by Laplace's approximation: the covariance of theta is the inverse of H, the Hessian of minus the
 * objective at the optimum, from central differences of its gradient by parameters in units of their size. A reading
 * r(theta) has variance r' H^-1 r.
 *
 * H is scaled to a unit diagonal and inverted through its eigenvalues, so that a direction that the data do not
 * determine affects only the parameters that take part in it. Such directions are kept: undetermined.c names what they leave. */
#include "inference/standard_errors.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/lapack.h"
#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/parallel.h"
#include "inference/log_posterior.h"
#include "inference/unidentifiable.h"

#define STEP 1e-4
#define FLATTEST 1e-7 /* eigenvalue of the scaled Hessian below which a direction is open: differences are no better */
#define LEAST_CURVATURE 1e-8 /* of the objective by a parameter in units of its size: less is rounding */
#define SHARE 1e-3           /* squared part in an open direction from which on a parameter is not determined */

typedef struct hessian {
    size_t count; /* rows: free parameters that are not on a bound */
    size_t *row;  /* (count) which of x */
    double *x;    /* (count of the log posterior) the optimum */
    double *H;    /* (count, count) */
    size_t workers;
    lf_log_posterior **posterior; /* (workers) */
    lf_status *status;            /* (workers) */
    lf_monitor *monitor;
    lf_context *shared; /* of the fit, where several processes have the rows; else NULL */
    size_t done;        /* columns; the monitor's lock guards it */
    double began;
    lf_open_directions open;
} hessian;

/* Engines that run in parallel; each holds a copy of the rows. */
enum { MOST_WORKERS = 8 };

/* Reports one more column. LF_ERROR_CANCELLED: stop. */
static lf_status report_column(hessian *h, lf_context *ctx)
{
    lf_status status = LF_OK;
    lf_monitor_lock(h->monitor);
    double spent = omp_get_wtime() - h->began;
    h->done++;
    lf_progress progress = {.stage = "errors",
                            .item = h->done - 1,
                            .items = h->count,
                            .objective = NAN,
                            .gradient_norm = NAN,
                            .seconds = spent,
                            .remaining = spent * (double)(h->count - h->done) / (double)h->done};
    lf_monitor_report(h->monitor, &progress);
    if (h->shared) {
        status = lf_monitor_agree(h->shared, h->monitor);
        status = status ? lf_fail(ctx, status, "%s", lf_message(h->shared)) : LF_OK;
    }
    if (!status && h->monitor->stop) {
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
    double *x = lf_doubles(p->count, 1), *up = lf_doubles(p->count, 1), *down = lf_doubles(p->count, 1), value;
    if (!x || !up || !down) {
        h->status[w] = lf_no_memory(p->ctx);
    }
    for (size_t k = w; !h->status[w] && k < h->count; k += h->workers) {
        memcpy(x, h->x, p->count * sizeof *x);
        x[h->row[k]] = h->x[h->row[k]] + STEP;
        h->status[w] = lf_log_posterior_negative(p, x, &value, up);
        x[h->row[k]] = h->x[h->row[k]] - STEP;
        LF_TRY(h->status[w], lf_log_posterior_negative(p, x, &value, down));
        for (size_t i = 0; !h->status[w] && i < h->count; i++) {
            h->H[k * h->count + i] = (up[h->row[i]] - down[h->row[i]]) / (2 * STEP);
        }
        LF_TRY(h->status[w], report_column(h, p->ctx));
    }
    free(x);
    free(up);
    free(down);
}

/* H becomes its inverse; determined[i] 0: the data leave parameter i open. Open directions of x are added to the list. */
static lf_status invert(lf_context *ctx, size_t n, double *H, int *determined, lf_open_directions *open)
{
    double *scale = lf_doubles(n, 1), *V = lf_doubles(n, n), *values = lf_doubles(n, 1);
    lf_status status = scale && V && values ? LF_OK : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < n; i++) {
        double diagonal = H[i * n + i];
        scale[i] = diagonal > LEAST_CURVATURE ? 1 / sqrt(diagonal) : 0;
    }
    for (size_t j = 0; !status && j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            V[j * n + i] = 0.5 * (H[j * n + i] + H[i * n + j]) * scale[i] * scale[j];
        }
    }
    int info = status ? 0 : lf_symmetric_eigen(n, V, values);
    if (info) {
        status = info == LF_LAPACK_NO_MEMORY ? lf_no_memory(ctx)
                                             : lf_fail(ctx, LF_ERROR_NUMERIC, "the Hessian could not be decomposed");
    }
    for (size_t k = 0; !status && k < n; k++) {
        for (size_t i = 0; i < n && values[k] <= FLATTEST; i++) {
            open->N[open->count * n + i] = scale[i] > 0 ? V[k * n + i] * scale[i] : V[k * n + i] * V[k * n + i] > 0.5;
        }
        open->count += values[k] <= FLATTEST;
    }
    for (size_t i = 0; !status && i < n; i++) {
        determined[i] = scale[i] > 0;
        for (size_t k = 0; k < n; k++) {
            determined[i] = determined[i] && (values[k] > FLATTEST || V[k * n + i] * V[k * n + i] < SHARE);
        }
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++) {
                sum += values[k] > FLATTEST ? V[k * n + i] * V[k * n + j] / values[k] : 0;
            }
            H[j * n + i] = sum * scale[i] * scale[j];
        }
    }
    free(scale);
    free(V);
    free(values);
    return status;
}

/* The three readings of an output whose constant i has the logarithm or value `theta`. */
static void read_output(lf_model *model, int d, int i, double theta, double reading[3])
{
    lf_output *output = &model->outputs[d];
    double kept = output->constants[i];
    output->constants[i] = output->op->positive ? exp(theta) : theta;
    lf_output_info info = lf_model_output(model, d);
    output->constants[i] = kept;
    reading[0] = info.time_constant;
    reading[1] = info.natural_frequency;
    reading[2] = info.damping_ratio;
}

/* Errors of the readings of an output. position[i]: where parameter i stands in the covariance C (n, n); -1: it is
 * fixed; -2: it is not determined. */
static void set_reading_errors(lf_model *model, int d, const int *position, size_t n, const double *C)
{
    lf_output *output = &model->outputs[d];
    double slope[3][LF_MAX_ORDER + 1] = {{0}}, up[3], down[3];
    int index = lf_index_constants(model, d), open = 0, free_constants = 0;
    for (int i = 0; output->op->is_ode && i < output->constant_count; i++) {
        double theta = output->op->positive ? log(output->constants[i]) : output->constants[i];
        double step = 1e-5 * fmax(1, fabs(theta));
        open = open || position[index + i] == -2;
        if (position[index + i] >= 0) {
            free_constants++;
            read_output(model, d, i, theta + step, up);
            read_output(model, d, i, theta - step, down);
            for (int k = 0; k < 3; k++) {
                slope[k][i] = (up[k] - down[k]) / (2 * step);
            }
        }
    }
    for (int k = 0; k < 3 && free_constants && !open; k++) {
        double variance = 0;
        for (int i = 0; i < output->constant_count; i++) {
            for (int j = 0; j < output->constant_count; j++) {
                int row = position[index + i], column = position[index + j];
                if (row >= 0 && column >= 0) {
                    variance += slope[k][i] * slope[k][j] * C[(size_t)column * n + (size_t)row];
                }
            }
        }
        output->reading_error[k] = variance >= 0 ? sqrt(variance) : (double)NAN;
    }
}

static void set_errors(lf_model *model, const int *position, size_t n, const double *C)
{
    lf_model_drop_errors(model);
    for (size_t i = 0; i < model->parameter_count; i++) {
        lf_parameter_entry *entry = &model->parameters[i];
        size_t leader = entry->tied_to < 0 ? i : (size_t)entry->tied_to;
        if (position[leader] >= 0) {
            double sd = sqrt(C[(size_t)position[leader] * (n + 1)]);
            entry->standard_error = entry->transform == LF_TRANSFORM_LOG ? sd * *entry->value : sd;
        }
    }
    for (int d = 0; d < model->output_count; d++) {
        set_reading_errors(model, d, position, n, C);
    }
}

/* Rows of the Hessian, and the optimum. */
static void choose_rows(const lf_prior *prior, const lf_fit_result *result, hessian *h)
{
    const lf_log_posterior *p = h->posterior[0];
    lf_log_posterior_point(p, h->x);
    for (size_t k = 0; k < p->count; k++) {
        size_t i = p->index[k];
        double theta = p->theta[i], room = fmin(theta - prior->lower[i], prior->upper[i] - theta);
        int on_bound = 0;
        for (size_t b = 0; result && b < result->bound_count; b++) {
            on_bound = on_bound || result->bound[b] == i;
        }
        if (!on_bound && room > STEP * lf_coordinate_slope(&p->coordinate[k], theta)) {
            h->row[h->count++] = k;
        }
    }
}

/* d theta / dx of a row at the optimum. */
static double slope_of(const hessian *h, size_t row)
{
    const lf_coordinate *c = &h->posterior[0]->coordinate[h->row[row]];
    return lf_coordinate_slope(c, lf_coordinate_theta(c, h->x[h->row[row]]));
}

/* From the covariance and open directions of x to those of theta. */
static void scale_back(hessian *h)
{
    for (size_t j = 0; j < h->count; j++) {
        double slope = slope_of(h, j);
        for (size_t i = 0; i < h->count; i++) {
            h->H[j * h->count + i] *= slope;
            h->H[i * h->count + j] *= slope;
        }
        for (size_t k = 0; k < h->open.count; k++) {
            h->open.N[k * h->count + j] *= slope;
        }
    }
}

static lf_status find_errors(lf_context *ctx, hessian *h, const lf_prior *prior, lf_model *model, lf_fit_result *result)
{
    size_t count = h->posterior[0]->count;
    int *determined = calloc(count + 1, sizeof *determined),
        *position = calloc(model->parameter_count, sizeof *position);
    h->row = calloc(count + 1, sizeof *h->row);
    h->x = lf_doubles(count, 1);
    h->H = lf_doubles(count, count);
    h->open = (lf_open_directions){.index = calloc(count + 1, sizeof *h->open.index), .N = lf_doubles(count, count)};
    int complete = determined && position && h->row && h->x && h->H && h->open.index && h->open.N;
    lf_status status = complete ? LF_OK : lf_no_memory(ctx);
    if (!status) {
        choose_rows(prior, result, h);
        h->began = omp_get_wtime();
        lf_parallel_tasks(h->monitor, (int)h->workers, h->workers, differentiate, h);
    }
    for (size_t w = 0; !status && w < h->workers; w++) {
        status = h->status[w] ? lf_fail(ctx, h->status[w], "%s", lf_message(h->posterior[w]->ctx)) : LF_OK;
    }
    status = status || h->count == 0 ? status : invert(ctx, h->count, h->H, determined, &h->open);
    if (!status) {
        scale_back(h);
        for (size_t i = 0; i < model->parameter_count; i++) {
            position[i] = -1;
        }
        for (size_t k = 0; k < h->count; k++) {
            h->open.index[k] = h->posterior[0]->index[h->row[k]];
            position[h->open.index[k]] = determined[k] ? (int)k : -2;
        }
        h->open.n = h->count;
        set_errors(model, position, h->count, h->H);
        status = model->system ? lf_quantity_errors(ctx, &h->open, h->H, model) : LF_OK;
    }
    if (!status && result) {
        status = lf_name_undetermined(ctx, &h->open, model, result);
    }
    free(determined);
    free(position);
    free(h->row);
    free(h->x);
    free(h->H);
    free(h->open.index);
    free(h->open.N);
    return status;
}

/* How many engines of this kind, each evaluating, memory suffices for. */
static size_t workers_within_memory(lf_context *ctx, const lf_log_posterior *p, size_t workers)
{
    double held, working;
    p->class->memory(p, &held, &working);
    double most = lf_memory_limit(ctx) / (held + working);
    return most < 1 ? 1 : most < (double)workers ? (size_t)most : workers;
}

lf_status lf_standard_errors(lf_context *ctx, const lf_problem *problem, const lf_structure *s, const lf_prior *prior,
                             lf_monitor *monitor, lf_model *model, lf_fit_result *result, size_t *evaluations)
{
    size_t count = lf_free_parameters(model, NULL), threads = (size_t)lf_threads(ctx);
    hessian h = {.workers = threads < MOST_WORKERS ? threads : MOST_WORKERS, .monitor = monitor};
    h.workers = problem->local ? 1 : h.workers < count ? h.workers : count;
    h.shared = problem->local ? ctx : NULL;
    int before = lf_threads_begin(1);
    h.posterior = calloc(h.workers + 1, sizeof *h.posterior);
    h.status = calloc(h.workers + 1, sizeof *h.status);
    lf_status status = h.posterior && h.status ? LF_OK : lf_no_memory(ctx);
    for (size_t w = 0; !status && w < h.workers; w++) {
        size_t all = h.workers;
        status = w ? lf_log_posterior_clone(ctx, h.posterior[0], NULL, &h.posterior[w])
                   : lf_log_posterior_make(ctx, problem, s, model, prior, &h.posterior[w]);
        h.workers = status ? all : workers_within_memory(ctx, h.posterior[w], all);
    }
    status = status || count == 0 ? status : find_errors(ctx, &h, prior, model, result);
    for (size_t w = 0; h.posterior && w < h.workers; w++) {
        *evaluations += h.posterior[w] ? h.posterior[w]->evaluations : 0;
        lf_log_posterior_destroy(h.posterior[w]);
    }
    free(h.posterior);
    free(h.status);
    lf_threads_end(before);
    return status;
}
