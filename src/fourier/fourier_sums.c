/* Sums over rows as products with the matrix of waves cos, sin(lambda_s t). The waves are stored or, where they are too
 * many, computed by rotation for one tile of rows at a time. */
#include "fourier/fourier_sums.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/processes.h"

enum { TILE = 512, EXACT_EVERY = 32 }; /* EXACT_EVERY: rotations between two exact values */
#define MAX_WAVE_BYTES 6.4e7           /* stored waves of one time grid */

/* waves (m, 2 count), leading dimension ld: cos and sin of s step t for s < count. */
static void make_waves(size_t m, const double *t, double step, size_t count, double *waves, size_t ld)
{
    double rotation_re[TILE], rotation_im[TILE];
    for (size_t i = 0; i < m; i++) {
        rotation_re[i] = cos(step * t[i]);
        rotation_im[i] = sin(step * t[i]);
    }
    for (size_t s = 0; s < count; s++) {
        double *re = waves + s * ld, *im = waves + (count + s) * ld;
        if (s % EXACT_EVERY == 0) {
            for (size_t i = 0; i < m; i++) {
                re[i] = cos((double)s * step * t[i]);
                im[i] = sin((double)s * step * t[i]);
            }
            continue;
        }
        const double *previous_re = re - ld, *previous_im = im - ld;
        for (size_t i = 0; i < m; i++) {
            re[i] = previous_re[i] * rotation_re[i] - previous_im[i] * rotation_im[i];
            im[i] = previous_re[i] * rotation_im[i] + previous_im[i] * rotation_re[i];
        }
    }
}

/* result (2 count, columns) = waves' values: sums over the rows of values (n, columns) times cos and sin. */
static lf_status sum_waves(lf_context *ctx, const lf_fourier_sums *fourier_sums, const lf_time_grid *time_grid,
                           size_t count, size_t columns, const double *values, double *result)
{
    if (time_grid->waves && time_grid->n && count == fourier_sums->S) {
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)(2 * count), (int)columns, (int)time_grid->n, 1,
                    time_grid->waves, (int)time_grid->n, values, (int)time_grid->n, 0, result, (int)(2 * count));
        return LF_OK;
    }
    double *waves = lf_doubles(TILE, 2 * count);
    if (!waves) {
        return lf_no_memory(ctx);
    }
    memset(result, 0, 2 * count * columns * sizeof *result);
    for (size_t row = 0; row < time_grid->n; row += TILE) {
        size_t m = time_grid->n - row < TILE ? time_grid->n - row : TILE;
        make_waves(m, time_grid->t + row, fourier_sums->step, count, waves, TILE);
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)(2 * count), (int)columns, (int)m, 1, waves, TILE,
                    values + row, (int)time_grid->n, 1, result, (int)(2 * count));
    }
    free(waves);
    return LF_OK;
}

/* values (n, columns) = waves coefficients, the transpose of sum_waves; coefficients (2 count, columns). */
static lf_status evaluate_waves(lf_context *ctx, const lf_fourier_sums *fourier_sums, const lf_time_grid *time_grid,
                                size_t count, size_t columns, const double *coefficients, double *values)
{
    if (time_grid->waves && time_grid->n && count == fourier_sums->S) {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)time_grid->n, (int)columns, (int)(2 * count), 1,
                    time_grid->waves, (int)time_grid->n, coefficients, (int)(2 * count), 0, values, (int)time_grid->n);
        return LF_OK;
    }
    double *waves = lf_doubles(TILE, 2 * count);
    if (!waves) {
        return lf_no_memory(ctx);
    }
    for (size_t row = 0; row < time_grid->n; row += TILE) {
        size_t m = time_grid->n - row < TILE ? time_grid->n - row : TILE;
        make_waves(m, time_grid->t + row, fourier_sums->step, count, waves, TILE);
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)m, (int)columns, (int)(2 * count), 1, waves, TILE,
                    coefficients, (int)(2 * count), 0, values + row, (int)time_grid->n);
    }
    free(waves);
    return LF_OK;
}

/* result[s] = sum_n value_n e^{j s step t_n}, s < count. */
static lf_status fourier_sum(lf_context *ctx, const lf_fourier_sums *fourier_sums, const lf_time_grid *time_grid,
                             size_t count, const double *value, double complex *result)
{
    double *parts = lf_doubles(2 * count, 1);
    lf_status status = parts ? sum_waves(ctx, fourier_sums, time_grid, count, 1, value, parts) : lf_no_memory(ctx);
    for (size_t s = 0; !status && s < count; s++) {
        result[s] = parts[s] + parts[count + s] * I;
    }
    free(parts);
    return status;
}

static int starts_at_origin(const lf_model *model, const lf_series *series)
{
    return lf_starts_at_origin(model, series->output);
}

static lf_status time_grid_create(lf_context *ctx, const lf_model *model, const lf_fourier_sums *fourier_sums, size_t n,
                                  const double *x, lf_time_grid *time_grid)
{
    size_t S = fourier_sums->S;
    *time_grid = (lf_time_grid){.n = n, .t = lf_doubles(n, 1), .E = calloc(2 * S, sizeof *time_grid->E)};
    double *ones = lf_doubles(n, 1);
    lf_status status = time_grid->t && time_grid->E && ones ? LF_OK : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < n; i++) {
        time_grid->t[i] = x[i] - model->origin;
        ones[i] = 1;
    }
    LF_TRY(status, fourier_sum(ctx, fourier_sums, time_grid, 2 * S - 1, ones, time_grid->E));
    free(ones);
    if (!status && model->initial != LF_INITIAL_STATIONARY &&
        (double)n * 2 * (double)S * sizeof(double) <= MAX_WAVE_BYTES) {
        time_grid->waves = lf_doubles(n, 2 * S);
        for (size_t row = 0; time_grid->waves && row < n; row += TILE) {
            size_t m = n - row < TILE ? n - row : TILE;
            make_waves(m, time_grid->t + row, fourier_sums->step, S, time_grid->waves + row, n);
        }
    }
    return status;
}

/* The time grid with exactly these times, created if there is none. */
static lf_status find_time_grid(lf_context *ctx, const lf_model *model, lf_fourier_sums *fourier_sums, size_t n,
                                const double *x, int *index)
{
    for (int c = fourier_sums->time_grid_count - 1; c >= 0; c--) {
        const lf_time_grid *time_grid = &fourier_sums->time_grids[c];
        size_t i = 0;
        while (time_grid->n == n && i < n && time_grid->t[i] == x[i] - model->origin) {
            i++;
        }
        if (time_grid->n == n && i == n) {
            *index = c;
            return LF_OK;
        }
    }
    *index = fourier_sums->time_grid_count++;
    return time_grid_create(ctx, model, fourier_sums, n, x, &fourier_sums->time_grids[*index]);
}

lf_status lf_series_allocate(lf_context *ctx, const lf_model *model, const lf_fourier_sums *fourier_sums, int output,
                             lf_series *series)
{
    size_t S = fourier_sums->S, P = (size_t)model->outputs[output].order;
    series->output = output;
    series->sums.F = calloc(P * S + 1, sizeof *series->sums.F);
    series->sums.Y = calloc(S, sizeof *series->sums.Y);
    series->owns_E = series->weighted || fourier_sums->shared || fourier_sums->time_grid_count == 0;
    series->sums.E = series->owns_E ? calloc(2 * S, sizeof *series->sums.E) : NULL;
    return series->sums.F && series->sums.Y && (series->sums.E || !series->owns_E) ? LF_OK : lf_no_memory(ctx);
}

/* The series of an output of which this process has some rows, or none; output, total and weighted are set. */
static lf_status series_create(lf_context *ctx, const lf_model *model, lf_fourier_sums *fourier_sums,
                               const lf_replicate *replicate, lf_series *series)
{
    const lf_point_set *points = &replicate->points;
    const lf_output *output = &model->outputs[series->output];
    int group = 0;
    while (group < points->group_count && points->target[group] != series->output) {
        group++;
    }
    size_t start = points->start[group], S = fourier_sums->S;
    size_t n = group < points->group_count ? points->start[group + 1] - start : 0;
    series->n = n;
    series->y = replicate->y + start;
    lf_status status = find_time_grid(ctx, model, fourier_sums, n, points->x + start, &series->time_grid);
    LF_TRY(status, lf_series_allocate(ctx, model, fourier_sums, series->output, series));
    size_t P = (size_t)output->order;
    int allocated = 1;
    if (starts_at_origin(model, series)) {
        series->h = lf_doubles(n, P);
        series->dh = lf_doubles(n, P * (size_t)output->constant_count);
        allocated = allocated && series->h && series->dh;
    }
    series->first += start;
    if (series->weighted) {
        series->omega = lf_doubles(n, 1);
        allocated = allocated && series->omega;
    } else {
        series->Y_raw = calloc(S, sizeof *series->Y_raw);
        allocated = allocated && series->Y_raw;
    }
    if (!status && !allocated) {
        status = lf_no_memory(ctx);
    }
    if (!status && series->Y_raw) {
        status =
            fourier_sum(ctx, fourier_sums, &fourier_sums->time_grids[series->time_grid], S, series->y, series->Y_raw);
        series->yy_raw = cblas_ddot((int)n, series->y, 1, series->y, 1);
    }
    if (!status && series->Y_raw && series->owns_E) {
        memcpy(series->sums.E, fourier_sums->time_grids[series->time_grid].E, (2 * S - 1) * sizeof *series->sums.E);
    }
    return status;
}

/* rows, weighted (replicates, outputs): the rows of each, of all processes, and those whose noise differs from that of the others. */
static lf_status count_rows(lf_context *ctx, const lf_model *model, const lf_rows *rows, double *counts)
{
    size_t D = (size_t)model->output_count, size = (size_t)rows->count * D;
    double *weighted = counts + size;
    for (int r = 0; r < rows->count; r++) {
        const lf_replicate *replicate = &rows->replicates[r];
        const lf_point_set *points = &replicate->points;
        for (int g = 0; g < points->group_count; g++) {
            size_t entry = (size_t)r * D + (size_t)points->target[g];
            counts[entry] = (double)(points->start[g + 1] - points->start[g]);
            for (size_t i = points->start[g]; i < points->start[g + 1]; i++) {
                weighted[entry] += rows->any_targets || replicate->variance[i] > 0;
            }
        }
    }
    return rows->shared ? lf_sum(ctx, LF_OK, 2 * size, counts) : LF_OK;
}

lf_status lf_fourier_sums_create(lf_context *ctx, const lf_model *model, const lf_rows *rows, size_t S, double step,
                                 lf_fourier_sums *fourier_sums)
{
    *fourier_sums = (lf_fourier_sums){
        .S = S, .step = step, .shared = rows->shared > 0, .first = !rows->shared || lf_process_rank(ctx) == 0};
    size_t D = (size_t)model->output_count, size = (size_t)rows->count * D;
    double *counts = lf_doubles(size, 2);
    fourier_sums->time_grids = calloc(size + 1, sizeof *fourier_sums->time_grids);
    fourier_sums->series = calloc(size + 1, sizeof *fourier_sums->series);
    lf_status status = counts && fourier_sums->time_grids && fourier_sums->series ? LF_OK : lf_no_memory(ctx);
    LF_TRY(status, count_rows(ctx, model, rows, counts));
    for (size_t i = 0, first = 0; !status && i < size; i++) {
        first += i && i % D == 0 ? rows->replicates[i / D - 1].points.n : 0;
        if (counts[i] > 0) {
            lf_series *series = &fourier_sums->series[fourier_sums->series_count++];
            series->replicate = (int)(i / D);
            series->output = (int)(i % D);
            series->first = first;
            series->total = (size_t)counts[i];
            series->weighted = counts[size + i] > 0;
            status = series_create(ctx, model, fourier_sums, &rows->replicates[i / D], series);
        }
    }
    free(counts);
    return rows->shared ? lf_fourier_sums_exchange(ctx, status, model, fourier_sums, 0) : status;
}

void lf_fourier_sums_clear(lf_fourier_sums *fourier_sums)
{
    for (int c = 0; c < fourier_sums->time_grid_count; c++) {
        free(fourier_sums->time_grids[c].t);
        free(fourier_sums->time_grids[c].waves);
        free(fourier_sums->time_grids[c].E);
    }
    for (int s = 0; s < fourier_sums->series_count; s++) {
        lf_series *series = &fourier_sums->series[s];
        free(series->Y_raw);
        free(series->h);
        free(series->dh);
        free(series->omega);
        free(series->sums.F);
        free(series->sums.Y);
        if (series->owns_E) {
            free(series->sums.E);
        }
    }
    free(fourier_sums->time_grids);
    free(fourier_sums->series);
    *fourier_sums = (lf_fourier_sums){0};
}

static void free_motions(const lf_output *output, const lf_time_grid *time_grid, lf_series *series, int with_gradient)
{
    size_t n = series->n, P = (size_t)output->order, size = P * (size_t)output->constant_count;
    for (size_t i = 0; i < n; i++) {
        double h[LF_MAX_ORDER], dh[LF_MAX_ORDER * (LF_MAX_ORDER + 1)];
        output->op->motion(output->constants, output->order, time_grid->t[i], h, with_gradient ? dh : NULL);
        for (size_t k = 0; k < P; k++) {
            series->h[k * n + i] = h[k];
        }
        for (size_t k = 0; with_gradient && k < size; k++) {
            series->dh[k * n + i] = dh[k];
        }
    }
}

/* Over the rows of this process. */
static lf_status update_series(lf_context *ctx, const lf_model *model, const lf_fourier_sums *fourier_sums,
                               lf_series *series, int with_gradient)
{
    const lf_output *output = &model->outputs[series->output];
    const lf_time_grid *time_grid = &fourier_sums->time_grids[series->time_grid];
    size_t n = series->n, S = fourier_sums->S, P = (size_t)output->order;
    const lf_targets targets = lf_targets_after(fourier_sums->targets, series->first);
    double c = targets.of_rows ? output->scale : 1, m = targets.of_rows ? output->offset : 0;
    const double *y = targets.of_rows ? series->y : targets.y; /* targets are (y - m) / c */
    lf_series_sums *sums = &series->sums;
    lf_status status = LF_OK;
    if (series->weighted) {
        double *weighted = lf_doubles(n, 1);
        status = weighted ? LF_OK : lf_no_memory(ctx);
        sums->yy = sums->log_noise = 0;
        for (size_t i = 0; !status && i < n; i++) {
            series->omega[i] = 1 / targets.noise[i];
            weighted[i] = series->omega[i] * targets.y[i];
            sums->yy += weighted[i] * targets.y[i];
            sums->log_noise -= log(series->omega[i]);
        }
        LF_TRY(status, fourier_sum(ctx, fourier_sums, time_grid, 2 * S - 1, series->omega, sums->E));
        LF_TRY(status, fourier_sum(ctx, fourier_sums, time_grid, S, weighted, sums->Y));
        free(weighted);
    } else {
        sums->E = series->owns_E ? sums->E : time_grid->E;
        for (size_t s = 0; s < S; s++) {
            sums->Y[s] = (series->Y_raw[s] - m * sums->E[s]) / c;
        }
        sums->yy = (series->yy_raw - 2 * m * creal(series->Y_raw[0]) + m * m * (double)series->total) / (c * c);
    }
    if (status || !starts_at_origin(model, series)) {
        return status;
    }
    free_motions(output, time_grid, series, with_gradient);
    double *weighted = lf_doubles(n, P), *F = lf_doubles(2 * S, P);
    status = weighted && F ? LF_OK : lf_no_memory(ctx);
    for (size_t k = 0; !status && k < P; k++) {
        sums->Yh[k] = 0;
        for (size_t i = 0; i < n; i++) {
            weighted[k * n + i] = (series->omega ? series->omega[i] : 1) * series->h[k * n + i];
            sums->Yh[k] += weighted[k * n + i] * (y[i] - m) / c;
        }
        for (size_t l = 0; l <= k; l++) {
            sums->H[k * P + l] = sums->H[l * P + k] = cblas_ddot((int)n, weighted + k * n, 1, series->h + l * n, 1);
        }
    }
    LF_TRY(status, sum_waves(ctx, fourier_sums, time_grid, S, P, weighted, F));
    for (size_t k = 0; !status && k < P; k++) {
        for (size_t s = 0; s < S; s++) {
            sums->F[k * S + s] = F[k * 2 * S + s] + F[k * 2 * S + S + s] * I;
        }
    }
    free(weighted);
    free(F);
    return status;
}

lf_status lf_fourier_sums_update(lf_context *ctx, lf_status status, const lf_model *model, const lf_targets *targets,
                                 lf_fourier_sums *fourier_sums, int with_gradient)
{
    fourier_sums->targets = *targets;
    lf_loop_failure *loop = status ? NULL : lf_loop_begin(ctx);
    status = status || loop ? status : LF_ERROR_MEMORY;
    if (!status) { /* each series with a separate context for its error message */
#pragma omp parallel for schedule(dynamic) if (fourier_sums->series_count > 1)
        for (int i = 0; i < fourier_sums->series_count; i++) {
            lf_context local = {0};
            lf_status failed = update_series(&local, model, fourier_sums, &fourier_sums->series[i], with_gradient);
            if (failed) {
                lf_loop_fail(loop, (size_t)i, failed, local.message);
            }
        }
        status = lf_loop_end(ctx, loop);
    }
    return fourier_sums->shared ? lf_fourier_sums_exchange(ctx, status, model, fourier_sums, 1) : status;
}

/* From complex derivatives (count) to coefficients of cos and sin (2 count): Re(conj(a) e^{jx}) = Re a cos x + Im a
 * sin x. */
static void split_complex(size_t count, const double complex *adjoint, double *parts)
{
    for (size_t s = 0; s < count; s++) {
        parts[s] = creal(adjoint[s]);
        parts[count + s] = cimag(adjoint[s]);
    }
}

/* The derivative by a number that is added to all y, from existing sums: sum e^{j lambda t} = E, sum h_k = Re F_k(0). */
static double by_all_y(const lf_series *series, const lf_series_sums *by, size_t S, size_t P)
{
    double by_y = 2 * by->yy * creal(series->sums.Y[0]);
    for (size_t s = 0; s < S; s++) {
        by_y += creal(conj(by->Y[s]) * series->sums.E[s]);
    }
    for (size_t k = 0; k < P; k++) {
        by_y += by->Yh[k] * creal(series->sums.F[k * S]);
    }
    return by_y;
}

lf_status lf_series_backward(lf_context *ctx, const lf_model *model, const lf_fourier_sums *fourier_sums,
                             const lf_series *series, const lf_series_sums *by, double *gradient, double *by_noise)
{
    const lf_output *output = &model->outputs[series->output];
    const lf_time_grid *time_grid = &fourier_sums->time_grids[series->time_grid];
    size_t n = series->n, S = fourier_sums->S, P = starts_at_origin(model, series) ? (size_t)output->order : 0;
    const lf_targets targets = lf_targets_after(fourier_sums->targets, series->first);
    double c = output->scale;
    double *parts = lf_doubles(4 * S, P + 1), *by_rows = lf_doubles(n, P + 2);
    lf_status status = parts && by_rows ? LF_OK : lf_no_memory(ctx);

    /* by_rows (n, P) = Re(conj(by->F_k) e^{j lambda t}), and then omega dL/dh_k(t_n) */
    for (size_t k = 0; !status && k < P; k++) {
        split_complex(S, by->F + k * S, parts + k * 2 * S);
    }
    if (!status && P) {
        status = evaluate_waves(ctx, fourier_sums, time_grid, S, P, parts, by_rows);
    }
    double *constants = gradient + lf_index_constants(model, series->output);
    for (size_t k = 0; !status && k < P; k++) {
        for (size_t i = 0; i < n; i++) {
            double by_h = by_rows[k * n + i] + targets.y[i] * by->Yh[k];
            for (size_t l = 0; l < P; l++) {
                by_h += (by->H[k * P + l] + by->H[l * P + k]) * series->h[l * n + i];
            }
            by_rows[k * n + i] = by_h * (series->omega ? series->omega[i] : 1);
        }
        for (int a = 0; a < output->constant_count; a++) {
            constants[a] += cblas_ddot((int)n, by_rows + k * n, 1, series->dh + ((size_t)a * P + k) * n, 1);
        }
    }
    if (!series->weighted) {
        gradient[lf_index_offset(model, series->output)] -= fourier_sums->first ? by_all_y(series, by, S, P) / c : 0;
        free(parts);
        free(by_rows);
        return status;
    }
    /* weighted: derivatives with respect to y and omega of each row */
    double *e = by_rows + P * n, *ey = by_rows + (P + 1) * n;
    if (!status) {
        split_complex(2 * S - 1, by->E, parts);
        status = evaluate_waves(ctx, fourier_sums, time_grid, 2 * S - 1, 1, parts, e);
    }
    if (!status) {
        split_complex(S, by->Y, parts);
        status = evaluate_waves(ctx, fourier_sums, time_grid, S, 1, parts, ey);
    }
    for (size_t i = 0; !status && i < n; i++) {
        double y = targets.y[i], omega = series->omega[i];
        double by_y = 2 * by->yy * y + ey[i], by_omega = by->yy * y * y + e[i] + ey[i] * y;
        for (size_t k = 0; k < P; k++) {
            double h = series->h[k * n + i], quadratic = 0;
            by_y += by->Yh[k] * h;
            for (size_t l = 0; l < P; l++) {
                quadratic += by->H[k * P + l] * series->h[l * n + i];
            }
            /* by_rows = omega (Re F + y Yh + (H + H') h): the quadratic term enters by_omega with a factor 1/2 */
            double symmetric = 0;
            for (size_t l = 0; l < P; l++) {
                symmetric += (by->H[k * P + l] + by->H[l * P + k]) * series->h[l * n + i];
            }
            by_omega += h * (by_rows[k * n + i] / omega - symmetric + quadratic);
        }
        gradient[lf_index_offset(model, series->output)] -= omega * by_y / c;
        *by_noise -= by_omega * omega * omega;
        if (targets.by_y) {
            targets.by_y[i] = -omega * by_y;
        }
        if (targets.by_noise) {
            targets.by_noise[i] = by_omega * omega * omega;
        }
    }
    free(parts);
    free(by_rows);
    return status;
}
