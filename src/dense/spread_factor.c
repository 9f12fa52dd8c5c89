/* A local part is the covariance of some rows with some columns. The gradient needs each pair of rows once: with
 * G = 1/2 (alpha alpha' - (K + Sigma)^-1) the elements below the diagonal count twice, those above it not at all. */
#include "dense/spread_factor.h"

#include <cblas.h>
#include <stdlib.h>

#include "base/block_cyclic.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/processes.h"
#include "model/model.h"

/* The points of a set that are rows, or columns, of the local part. */
static lf_status dealt_points(lf_context *ctx, lf_dealt dealt, const lf_point_set *points, lf_point_set *part)
{
    size_t count = lf_dealt_count(dealt), *which = calloc(count + 1, sizeof *which);
    if (!which) {
        return lf_no_memory(ctx);
    }
    for (size_t i = 0; i < count; i++) {
        which[i] = lf_dealt_index(dealt, i);
    }
    lf_status status = lf_point_set_part(ctx, points, count, which, part);
    free(which);
    return status;
}

static size_t leading(const lf_spread_factor *f) { return f->rows.n ? f->rows.n : 1; }

/* Calls `visit` for the elements of the diagonal that are here: the row of the whole matrix and the element. */
static void visit_diagonal(const lf_spread_factor *f, void (*visit)(void *user, size_t row, double *element),
                           void *user)
{
    for (size_t i = 0, j = 0; i < f->rows.n && j < f->columns.n;) {
        size_t row = f->rows.order[i], column = f->columns.order[j];
        if (row == column) {
            visit(user, row, f->L + j * leading(f) + i);
        }
        i += row <= column;
        j += column <= row;
    }
}

void lf_spread_factor_free(lf_spread_factor *factor)
{
    if (factor) {
        lf_point_set_clear(&factor->rows);
        lf_point_set_clear(&factor->columns);
        free(factor->L);
        free(factor);
    }
}

typedef struct diagonals {
    const double *noise;
    double *sum, *pivots; /* (n) */
} diagonals;

static void add_noise(void *user, size_t row, double *element)
{
    const diagonals *d = user;
    d->sum[row] = *element += d->noise[row];
}

static void read_pivot(void *user, size_t row, double *element) { ((const diagonals *)user)->pivots[row] = *element; }

lf_status lf_spread_factor_create(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                                  const lf_point_set *points, const double *noise, double *diagonal, double *pivots,
                                  lf_spread_factor **factor)
{
    size_t n = points->n, minor = 0;
    diagonals d = {noise, diagonal, pivots};
    lf_spread_factor *f = *factor = calloc(1, sizeof *f);
    lf_status status = f ? lf_check_spread(ctx, n, n) : lf_no_memory(ctx);
    LF_TRY(status, dealt_points(ctx, lf_dealt_rows(ctx, n), points, &f->rows));
    LF_TRY(status, dealt_points(ctx, lf_dealt_columns(ctx, n), points, &f->columns));
    if (!status) {
        f->n = n;
        f->processes = lf_process_count(ctx);
        f->kernel = kernel;
        f->L = lf_doubles(f->rows.n, f->columns.n);
        status = f->L
                     ? LF_OK
                     : lf_fail(ctx, LF_ERROR_MEMORY,
                               "out of memory: the dense engine needs %zu x %zu of an %zu x %zu matrix in this process",
                               f->rows.n, f->columns.n, n, n);
    }
    if (!status && f->rows.n && f->columns.n) {
        status = lf_exact_covariance_matrix(ctx, model, kernel, &f->rows, &f->columns, f->L, leading(f));
    }
    for (size_t i = 0; i < n; i++) {
        diagonal[i] = pivots[i] = 0;
    }
    if (!status) {
        visit_diagonal(f, add_noise, &d);
    }
    status = lf_spread_cholesky(ctx, status, n, f ? f->L : NULL, &minor);
    if (!status) {
        visit_diagonal(f, read_pivot, &d);
    }
    status = lf_sum(ctx, status, n, diagonal);
    status = lf_sum(ctx, status, n, pivots);
    for (size_t i = minor ? minor - 1 : n; i < n; i++) {
        pivots[i] = 0;
    }
    return status;
}

/* Vectors are matrices of one column, in the first column of the grid. */
lf_status lf_spread_factor_solve(lf_context *ctx, const lf_spread_factor *f, double *alpha)
{
    size_t here = lf_dealt_count(lf_dealt_columns(ctx, 1));
    double *x = lf_doubles(f->rows.n, 1);
    lf_status status = x ? LF_OK : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < f->rows.n; i++) {
        x[i] = alpha[f->rows.order[i]];
    }
    status = lf_spread_solve(ctx, status, f->n, f->L, 0, 1, x);
    status = lf_spread_solve(ctx, status, f->n, f->L, 1, 1, x);
    for (size_t i = 0; i < f->n; i++) {
        alpha[i] = 0;
    }
    for (size_t i = 0; !status && here && i < f->rows.n; i++) {
        alpha[f->rows.order[i]] = x[i];
    }
    free(x);
    return lf_sum(ctx, status, f->n, alpha);
}

/* The inverse becomes the weights of the elements. */
static void inverse_to_weights(const lf_spread_factor *f, const double *alpha)
{
#pragma omp parallel for schedule(dynamic, 16) if (f->n > 256)
    for (size_t j = 0; j < f->columns.n; j++) {
        double *G = f->L + j * leading(f);
        size_t column = f->columns.order[j];
        for (size_t i = 0; i < f->rows.n; i++) {
            size_t row = f->rows.order[i];
            double times = row > column ? 2 : row == column ? 1 : 0;
            G[i] = times > 0 ? times * 0.5 * (alpha[row] * alpha[column] - G[i]) : 0;
        }
    }
}

typedef struct noise_gradient {
    const lf_model *model;
    const lf_point_set *points;
    double *gradient, *by_noise; /* by_noise (n): NULL: not wanted */
    int group;                   /* of the last row; rows ascend */
} noise_gradient;

static void add_noise_gradient(void *user, size_t row, double *element)
{
    noise_gradient *g = user;
    while (row >= g->points->start[g->group + 1]) {
        g->group++;
    }
    g->gradient[lf_index_noise(g->model, g->points->target[g->group])] += *element;
    if (g->by_noise) {
        g->by_noise[row] = *element;
    }
}

lf_status lf_spread_factor_gradient(lf_context *ctx, const lf_model *model, lf_spread_factor *f, const double *alpha,
                                    double *by_noise, double *gradient)
{
    double *share = lf_doubles(model->parameter_count, 1);
    lf_status status = lf_spread_inverse(ctx, share ? LF_OK : lf_no_memory(ctx), f->n, f->L);
    for (size_t i = 0; by_noise && i < f->n; i++) {
        by_noise[i] = 0;
    }
    if (!status && f->rows.n && f->columns.n) {
        noise_gradient noise = {model, f->rows.whole, share, by_noise, 0};
        inverse_to_weights(f, alpha);
        visit_diagonal(f, add_noise_gradient, &noise);
        status = lf_exact_covariance_gradient(ctx, model, f->kernel, &f->rows, &f->columns, f->L, leading(f), share);
    }
    status = lf_sum(ctx, status, model->parameter_count, share);
    for (size_t i = 0; !status && i < model->parameter_count; i++) {
        gradient[i] += share[i];
    }
    free(share);
    return by_noise ? lf_sum(ctx, status, f->n, by_noise) : status;
}

/* covariance (m, m), lower triangle: minus the products of the columns of V = L^-1 cross, whose local part has the columns `points`. Every
 * process multiplies some panels of whole rows of V. */
static lf_status subtract_products(lf_context *ctx, const lf_spread_factor *f, const lf_point_set *points, size_t m,
                                   const double *V, double *covariance)
{
    enum { PANEL = 256 };
    double *panel = lf_doubles(PANEL, m); /* (PANEL, m) */
    lf_status status = lf_agree(ctx, panel ? LF_OK : lf_no_memory(ctx));
    for (size_t from = 0, first = 0, number = 0; !status && from < f->n; from += PANEL, number++) {
        size_t last = first;
        while (last < f->rows.n && f->rows.order[last] < from + PANEL) {
            last++;
        }
        for (size_t k = 0; k < PANEL * m; k++) {
            panel[k] = 0;
        }
        for (size_t j = 0; j < points->n; j++) {
            for (size_t i = first; i < last; i++) {
                panel[points->order[j] * PANEL + f->rows.order[i] - from] = V[j * leading(f) + i];
            }
        }
        first = last;
        status = lf_sum(ctx, status, PANEL * m, panel);
        if (!status && number % (size_t)lf_process_count(ctx) == (size_t)lf_process_rank(ctx)) {
            cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, (int)m, PANEL, -1, panel, PANEL, 1, covariance, (int)m);
        }
    }
    free(panel);
    return lf_sum(ctx, status, m * m, covariance);
}

/* The prior covariance is added to its change. */
static lf_status add_prior(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                           const lf_point_set *points, double *covariance)
{
    size_t m = points->n;
    double *prior = lf_doubles(m, m);
    lf_status status = prior ? LF_OK : lf_no_memory(ctx);
    LF_TRY(status, lf_exact_covariance_matrix(ctx, model, kernel, points, points, prior, m));
    for (size_t j = 0; !status && j < m; j++) {
        for (size_t i = j; i < m; i++) {
            covariance[i * m + j] = covariance[j * m + i] += prior[j * m + i];
        }
    }
    free(prior);
    return lf_agree(ctx, status);
}

/* Fails where the processes do not ask for the same number of points. */
static lf_status check_points(lf_context *ctx, size_t m)
{
    double own = (double)m, most[2] = {own, -own};
    lf_status status = lf_largest(ctx, LF_OK, 2, most);
    return status || most[0] == -most[1]
               ? status
               : lf_fail(ctx, LF_ERROR_ARGUMENT,
                         "a posterior that is spread over processes is asked for %g points by one, for %g by another: "
                         "all ask for the same",
                         -most[1], most[0]);
}

lf_status lf_spread_factor_predict(lf_context *ctx, const lf_model *model, const lf_spread_factor *f,
                                   const double *alpha, const lf_point_set *points, double *mean, double *variance,
                                   double *covariance)
{
    size_t m = points->n, n = f->rows.n;
    lf_point_set here = {0}; /* the points of this column of the grid */
    lf_status status = check_points(ctx, m);
    LF_TRY(status, dealt_points(ctx, lf_dealt_columns(ctx, m), points, &here));
    double *cross = status ? NULL : lf_doubles(n, here.n); /* (rows, points) of this process */
    double *own = lf_doubles(n, 1), *prior = lf_doubles(here.n, 1);
    double *sums = lf_doubles(3, m); /* (3, m) mean, prior variance, and what the rows explain of it */
    status = status || (cross && own && prior && sums) ? status : lf_no_memory(ctx);
    LF_TRY(status, lf_check_spread(ctx, f->n, m));
    if (!status && n && here.n) {
        status = lf_exact_covariance_matrix(ctx, model, f->kernel, &f->rows, &here, cross, n);
    }
    for (size_t i = 0; !status && i < n; i++) {
        own[i] = alpha[f->rows.order[i]];
    }
    for (size_t j = 0; !status && j < here.n; j++) {
        sums[here.order[j]] = n ? cblas_ddot((int)n, cross + j * n, 1, own, 1) : 0;
    }
    if (variance || covariance) {
        status = lf_spread_solve(ctx, status, f->n, f->L, 0, m, cross);
    }
    if (!status && variance && here.n && lf_dealt_rows(ctx, f->n).at == 0) { /* once for each column of the grid */
        status = lf_exact_covariance_diagonal(ctx, model, f->kernel, &here, prior);
    }
    for (size_t j = 0; !status && variance && j < here.n; j++) {
        sums[m + here.order[j]] = prior[j];
        sums[2 * m + here.order[j]] = n ? cblas_ddot((int)n, cross + j * n, 1, cross + j * n, 1) : 0;
    }
    status = lf_sum(ctx, status, (variance ? 3 : 1) * m, sums);
    for (size_t i = 0; !status && i < m; i++) {
        double before = sums[m + i], explained = sums[2 * m + i];
        mean[i] = sums[i];
        if (variance) {
            variance[i] = before < explained ? 0 : before - explained; /* NaN stays NaN */
        }
    }
    if (!status && covariance) {
        for (size_t i = 0; i < m * m; i++) {
            covariance[i] = 0;
        }
        status = subtract_products(ctx, f, &here, m, cross, covariance);
        LF_TRY(status, add_prior(ctx, model, f->kernel, points, covariance));
    }
    lf_point_set_clear(&here);
    free(cross);
    free(own);
    free(prior);
    free(sums);
    return status;
}
