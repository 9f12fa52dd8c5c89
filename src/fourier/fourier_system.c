/* Assembly, solution and gradient of the system of the fourier engine (fourier_system.h). */
#include "fourier/fourier_system.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/parallel.h"

void lf_fourier_system_clear(lf_fourier_system *s)
{
    for (size_t d = 0; s->parts && d < s->count; d++) {
        lf_gram_clear(&s->parts[d].gram);
        lf_elimination_clear(&s->parts[d].elimination);
    }
    free(s->parts);
    free(s->W);
    free(s->S_products);
    free(s->by_S_products);
    free(s->C_packed);
    free(s->by_C_packed);
    free(s->C_mixed);
    free(s->A);
    free(s->alpha);
    free(s->mean);
    free(s->by_b);
    free(s->by_W);
    free(s->output_gradients);
    *s = (lf_fourier_system){0};
}

static const lf_source *private_source(const lf_features *features, int output)
{
    for (int i = 0; i < features->grids.source_count; i++) {
        if (features->grids.sources[i].output == output) {
            return &features->grids.sources[i];
        }
    }
    return NULL;
}

static lf_status part_create(lf_context *ctx, const lf_fourier_system *s, lf_series *series, lf_fourier_part *p)
{
    p->series = series;
    p->private = private_source(s->features, series->output);
    lf_status status = lf_gram_create(ctx, s->model, s->fourier_sums, series, &p->gram);
    size_t first = p->private ? 0 : s->S2, m = p->gram.n - first;
    return status || m == 0 ? status : lf_elimination_create(ctx, p->gram.n, s->S2, first, m, &p->elimination);
}

lf_status lf_fourier_system_create(lf_context *ctx, const lf_model *model, const lf_features *features,
                                   lf_fourier_sums *fourier_sums, int replicate, lf_fourier_system *s)
{
    size_t S = fourier_sums->S, Q = (size_t)model->force_count, count = 0;
    for (int i = 0; i < fourier_sums->series_count; i++) {
        count += fourier_sums->series[i].replicate == replicate;
    }
    *s = (lf_fourier_system){.model = model,
                             .features = features,
                             .fourier_sums = fourier_sums,
                             .S2 = 2 * S,
                             .Q = Q,
                             .M = 2 * S * Q,
                             .pair_count = Q * (Q + 1) / 2,
                             .packed_size = S * (2 * S + 1),
                             .count = count};
    s->parts = calloc(count + 1, sizeof *s->parts);
    s->W = lf_doubles(Q, s->S2);
    s->S_products = lf_doubles(s->pair_count, count);
    s->by_S_products = lf_doubles(s->pair_count, count);
    s->C_packed = lf_doubles(s->packed_size, count);
    s->by_C_packed = lf_doubles(s->packed_size, count);
    s->C_mixed = lf_doubles(s->packed_size, s->pair_count);
    s->A = lf_doubles(s->M, s->M);
    s->alpha = lf_doubles(s->M, 1);
    s->mean = lf_doubles(s->M, 1);
    s->by_b = lf_doubles(s->S2, count);
    s->by_W = lf_doubles(s->M, Q);
    s->output_gradients = lf_doubles(model->parameter_count, count);
    if (!s->parts || !s->W || !s->S_products || !s->by_S_products || !s->C_packed || !s->by_C_packed || !s->C_mixed ||
        !s->A || !s->alpha || !s->mean || !s->by_b || !s->by_W || !s->output_gradients) {
        return lf_no_memory(ctx);
    }
    lf_status status = LF_OK;
    for (int i = 0, d = 0; !status && i < fourier_sums->series_count; i++) {
        if (fourier_sums->series[i].replicate == replicate) {
            status = part_create(ctx, s, &fourier_sums->series[i], &s->parts[d++]);
        }
    }
    return status;
}

/* Gram matrix and elimination of one output. */
static lf_status part_fill(lf_context *ctx, const lf_fourier_system *s, lf_fourier_part *p)
{
    const lf_output *output = &s->model->outputs[p->series->output];
    lf_status status = lf_gram_fill(ctx, s->model, s->fourier_sums, p->series, &p->gram);
    if (status) {
        return status;
    }
    lf_elimination *e = &p->elimination;
    if (!e->m) {
        p->C = p->gram.C;
        p->b = p->gram.b;
        p->yy = p->gram.yy;
        return LF_OK;
    }
    for (size_t i = 0; p->private && i < s->S2; i++) {
        e->u[i] = output->private_amplitude * sqrt(p->private->w[i % (s->S2 / 2)]);
    }
    for (size_t k = s->S2; k < p->gram.n; k++) {
        e->u[k] = sqrt(output->initial_variance[k - s->S2]);
    }
    status = lf_eliminate(ctx, e, p->gram.C, p->gram.b, p->gram.yy);
    p->C = e->C;
    p->b = e->b;
    p->yy = e->yy;
    return status;
}

static void pack(size_t n, const double *full, double *packed)
{
    for (size_t j = 0; j < n; j++) {
        memcpy(packed, full + j * n + j, (n - j) * sizeof *packed);
        packed += n - j;
    }
}

/* All outputs in parallel, each with a separate context for its error message. */
static lf_status fill_parts(lf_context *ctx, lf_fourier_system *s)
{
    lf_loop_failure *loop = lf_loop_begin(ctx);
    if (!loop) {
        return LF_ERROR_MEMORY;
    }
#pragma omp parallel for schedule(dynamic) if (s->count > 1)
    for (size_t d = 0; d < s->count; d++) {
        lf_context local = {0};
        lf_status failed = part_fill(&local, s, &s->parts[d]);
        if (failed) {
            lf_loop_fail(loop, d, failed, local.message);
        } else {
            pack(s->S2, s->parts[d].C, s->C_packed + d * s->packed_size);
        }
    }
    return lf_loop_end(ctx, loop);
}

static void assemble(lf_fourier_system *s)
{
    size_t S2 = s->S2, S = S2 / 2;
    memset(s->mean, 0, s->M * sizeof *s->mean);
    for (size_t q = 0; q < s->Q; q++) {
        for (size_t i = 0; i < S2; i++) {
            s->W[q * S2 + i] = sqrt(s->features->grids.sources[q].w[i % S]);
        }
    }
    for (size_t d = 0; d < s->count; d++) {
        const double *sensitivity = s->model->outputs[s->parts[d].series->output].sensitivity;
        for (size_t q = 0, pair = 0; q < s->Q; q++) {
            for (size_t r = 0; r <= q; r++, pair++) {
                s->S_products[d * s->pair_count + pair] = sensitivity[q] * sensitivity[r];
            }
            cblas_daxpy((int)S2, sensitivity[q], s->parts[d].b, 1, s->mean + q * S2, 1);
        }
    }
    if (s->Q == 0) {
        return;
    }
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)s->packed_size, (int)s->pair_count, (int)s->count, 1,
                s->C_packed, (int)s->packed_size, s->S_products, (int)s->pair_count, 0, s->C_mixed,
                (int)s->packed_size);
#pragma omp parallel for schedule(dynamic)
    for (size_t pair = s->pair_count; pair > 0; pair--) {
        size_t q = 0;
        while ((q + 1) * (q + 2) / 2 < pair) {
            q++;
        }
        size_t r = pair - 1 - q * (q + 1) / 2;
        const double *block = s->C_mixed + (pair - 1) * s->packed_size, *Wq = s->W + q * S2, *Wr = s->W + r * S2;
        double *A_qr = s->A + r * S2 * s->M + q * S2; /* block (q, r) of A; its lower triangle where q == r */
        for (size_t j = 0; j < S2; j++) {
            double *column = A_qr + j * s->M;
            for (size_t i = j; i < S2; i++) {
                column[i] = Wq[i] * Wr[j] * block[i - j];
            }
            for (size_t i = j + 1; q != r && i < S2; i++) {
                A_qr[i * s->M + j] = Wq[j] * Wr[i] * block[i - j];
            }
            block += S2 - j;
        }
    }
    for (size_t i = 0; i < s->M; i++) {
        s->A[i * s->M + i] += 1;
        s->mean[i] *= s->W[i];
    }
}

lf_status lf_fourier_solve(lf_context *ctx, lf_fourier_system *s, double *value)
{
    lf_status status = fill_parts(ctx, s);
    if (status) {
        return status;
    }
    assemble(s);
    for (size_t d = 0; d < s->count; d++) {
        const lf_fourier_part *p = &s->parts[d];
        *value += 0.5 * (p->gram.log_noise + p->yy + (double)p->series->total * log(2 * LF_PI));
        *value += p->elimination.m ? 0.5 * p->elimination.log_determinant : 0;
    }
    if (s->M == 0) {
        return LF_OK;
    }
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)s->M, s->A, (lapack_int)s->M)) {
        return lf_fail(ctx, LF_ERROR_NUMERIC, "the likelihood cannot be computed: a parameter is out of range");
    }
    memcpy(s->alpha, s->mean, s->M * sizeof *s->alpha);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)s->M, s->A, (int)s->M, s->mean, 1);
    *value -= 0.5 * cblas_ddot((int)s->M, s->mean, 1, s->mean, 1);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, (int)s->M, s->A, (int)s->M, s->mean, 1);
    for (size_t i = 0; i < s->M; i++) {
        *value += log(s->A[i * s->M + i]);
    }
    return LF_OK;
}

/* Derivatives with respect to C_mixed (in place) and log W, given A^-1 in the lower triangle of s->A. */
static void backward_assembly(lf_fourier_system *s)
{
    size_t S2 = s->S2, M = s->M;
    memset(s->by_W, 0, M * s->Q * sizeof *s->by_W);
#pragma omp parallel for schedule(dynamic)
    for (size_t down = 0; down < s->Q; down++) {
        size_t q = s->Q - 1 - down; /* largest tasks first */
        double *by_W = s->by_W + q * M;
        for (size_t r = 0; r <= q; r++) {
            double *block = s->C_mixed + (q * (q + 1) / 2 + r) * s->packed_size;
            const double *Wq = s->W + q * S2, *Wr = s->W + r * S2, *mq = s->mean + q * S2, *mr = s->mean + r * S2;
            const double *inverse = s->A + r * S2 * M + q * S2;
            double *by_q = by_W + q * S2, *by_r = by_W + r * S2;
            for (size_t j = 0; j < S2; j++) {
                for (size_t i = j; i < S2; i++) {
                    /* entries (i, j) and (j, i) of block (q, r); for q != r each occurs twice in A */
                    double by_ij = (inverse[j * M + i] + mq[i] * mr[j]) * Wq[i] * Wr[j], by = by_ij,
                           value = block[i - j];
                    by_q[i] += by_ij * value;
                    by_r[j] += by_ij * value;
                    if (q != r && i != j) {
                        double by_ji = (inverse[i * M + j] + mq[j] * mr[i]) * Wq[j] * Wr[i];
                        by_q[j] += by_ji * value;
                        by_r[i] += by_ji * value;
                        by += by_ji;
                    } else if (q == r && i == j) {
                        by *= 0.5;
                        by_q[i] -= by_ij * value; /* a diagonal entry occurs once */
                    }
                    block[i - j] = by;
                }
                block += S2 - j;
            }
        }
    }
}

/* Derivatives with respect to sensitivities, kernels of shared forces, and the b_d. */
static void backward_shared(lf_fourier_system *s, double *gradient)
{
    size_t S2 = s->S2, S = S2 / 2;
    memset(s->by_b, 0, S2 * s->count * sizeof *s->by_b);
    for (size_t d = 0; d < s->count; d++) {
        const double *sensitivity = s->model->outputs[s->parts[d].series->output].sensitivity;
        double *by_sensitivity = gradient + lf_index_sensitivity(s->model, s->parts[d].series->output);
        for (size_t q = 0, pair = 0; q < s->Q; q++) {
            for (size_t i = 0; i < S2; i++) { /* alpha = W S b */
                double by = -s->mean[q * S2 + i] * s->W[q * S2 + i];
                by_sensitivity[q] += by * s->parts[d].b[i];
                s->by_b[d * S2 + i] += by * sensitivity[q];
            }
            for (size_t r = 0; r <= q; r++, pair++) {
                by_sensitivity[q] += s->by_S_products[d * s->pair_count + pair] * sensitivity[r];
                by_sensitivity[r] += s->by_S_products[d * s->pair_count + pair] * sensitivity[q];
            }
        }
    }
    for (size_t q = 0; q < s->Q; q++) {
        const lf_source *source = &s->features->grids.sources[q];
        double *by_kernel = gradient + lf_index_kernel(s->model, (int)q);
        size_t parameters = (size_t)lf_force_parameter_count(source->force);
        for (size_t i = 0; i < S2; i++) {
            size_t entry = q * S2 + i;
            double by = -s->mean[entry] * s->alpha[entry], w = source->w[i % S];
            for (size_t k = 0; k < s->Q; k++) {
                by += s->by_W[k * s->M + entry];
            }
            for (size_t k = 0; k < parameters; k++) {
                by_kernel[k] += w > 0 ? by * source->dw[k * S + i % S] / (2 * w) : 0;
            }
        }
    }
}

/* From derivatives with respect to a packed lower triangle to those with respect to both triangles (n, n): entries off
 * the diagonal are halved. */
static void unpack(size_t n, const double *packed, double *full)
{
    for (size_t j = 0; j < n; j++) {
        full[j * n + j] = packed[0];
        for (size_t i = j + 1; i < n; i++) {
            full[j * n + i] = full[i * n + j] = 0.5 * packed[i - j];
        }
        packed += n - j;
    }
}

/* The gradient of one output through elimination, Gram matrix and sums, given by_packed and by_b of its C_d and b_d. */
static lf_status part_backward(lf_context *ctx, const lf_fourier_system *s, const lf_fourier_part *p,
                               const double *by_packed, const double *by_b, double *gradient)
{
    const lf_model *model = s->model;
    const lf_output *output = &model->outputs[p->series->output];
    size_t n = p->gram.n, S2 = s->S2, full_n = p->elimination.m ? n : 0;
    double *by_C = lf_doubles(S2, S2), *by_full_C = lf_doubles(full_n, full_n);
    double *by_full_b = lf_doubles(full_n, 1), *by_u = lf_doubles(full_n, 1);
    lf_status status = by_C && by_full_C && by_full_b && by_u ? LF_OK : lf_no_memory(ctx);
    if (!status) {
        unpack(S2, by_packed, by_C);
    }
    if (!status && full_n) {
        const lf_elimination_adjoints by_full = {by_full_C, by_full_b, by_u};
        status = lf_eliminate_backward(ctx, &p->elimination, p->gram.C, p->gram.b, by_C, by_b, &by_full);
    }
    int first = s->fourier_sums->first;
    for (size_t i = 0; !status && first && p->private && i < S2; i++) {
        double w = p->private->w[i % (S2 / 2)], root = sqrt(w);
        gradient[lf_index_private_amplitude(model, p->series->output)] += by_u[i] * root;
        size_t parameters = w > 0 ? (size_t)lf_force_parameter_count(p->private->force) : 0;
        for (size_t k = 0; k < parameters; k++) {
            gradient[(size_t)lf_index_private_kernel(model, p->series->output) + k] +=
                by_u[i] * output->private_amplitude * p->private->dw[k * (S2 / 2) + i % (S2 / 2)] / (2 * root);
        }
    }
    for (size_t k = S2; !status && first && k < full_n; k++) {
        double root = sqrt(output->initial_variance[k - S2]);
        gradient[(size_t)lf_index_initial_variance(model, p->series->output) + k - S2] +=
            root > 0 ? by_u[k] / (2 * root) : 0;
    }
    LF_TRY(status, lf_gram_backward(ctx, model, s->fourier_sums, p->series, &p->gram, full_n ? by_full_C : by_C,
                                    full_n ? by_full_b : by_b, gradient));
    free(by_C);
    free(by_full_C);
    free(by_full_b);
    free(by_u);
    return status;
}

lf_status lf_fourier_backward(lf_context *ctx, lf_fourier_system *s, double *gradient)
{
    size_t parameters = s->model->parameter_count;
    if (s->Q) {
        if (LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', (lapack_int)s->M, s->A, (lapack_int)s->M)) {
            return lf_fail(ctx, LF_ERROR_NUMERIC, "the matrix of the weights is singular to working precision");
        }
        backward_assembly(s);
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)s->pair_count, (int)s->count, (int)s->packed_size, 1,
                    s->C_mixed, (int)s->packed_size, s->C_packed, (int)s->packed_size, 0, s->by_S_products,
                    (int)s->pair_count);
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)s->packed_size, (int)s->count, (int)s->pair_count,
                    1, s->C_mixed, (int)s->packed_size, s->S_products, (int)s->pair_count, 0, s->by_C_packed,
                    (int)s->packed_size);
    }
    double *by_shared =
        lf_doubles(s->fourier_sums->first ? 0 : parameters, 1); /* other processes leave it to the first */
    if (!by_shared) {
        return lf_no_memory(ctx);
    }
    backward_shared(s, s->fourier_sums->first ? gradient : by_shared);
    free(by_shared);
    memset(s->output_gradients, 0, parameters * s->count * sizeof *s->output_gradients);
    lf_loop_failure *loop = lf_loop_begin(ctx);
    if (!loop) {
        return LF_ERROR_MEMORY;
    }
#pragma omp parallel for schedule(dynamic) if (s->count > 1)
    for (size_t d = 0; d < s->count; d++) {
        lf_context local = {0};
        lf_status failed = part_backward(&local, s, &s->parts[d], s->by_C_packed + d * s->packed_size,
                                         s->by_b + d * s->S2, s->output_gradients + d * parameters);
        if (failed) {
            lf_loop_fail(loop, d, failed, local.message);
        }
    }
    lf_status status = lf_loop_end(ctx, loop);
    for (size_t d = 0; d < s->count; d++) { /* in order, so that the sum does not depend on the threads */
        cblas_daxpy((int)parameters, 1, s->output_gradients + d * parameters, 1, gradient, 1);
    }
    return status;
}
