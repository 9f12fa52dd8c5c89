/* The Gram matrix of one series from its sums (gram.h), and its derivatives. The loops over i run along contiguous
 * arrays of real and imaginary parts so that they vectorise. */
#include "fourier/gram.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"

/* j^k, by k mod 4: s_i^k = j^k lambda_i^k. */
static const double jk_re[4] = {1, 0, -1, 0}, jk_im[4] = {0, 1, 0, -1};

static double complex wave_power(const lf_gram *gram, size_t k, size_t i)
{
    double power = gram->s[k * gram->S + i];
    return power * jk_re[k % 4] + power * jk_im[k % 4] * I;
}

lf_status lf_gram_create(lf_context *ctx, const lf_model *model, const lf_fourier_sums *fourier_sums,
                         const lf_series *series, lf_gram *gram)
{
    const lf_output *output = &model->outputs[series->output];
    size_t S = fourier_sums->S, order = (size_t)output->order;
    int from_origin = lf_starts_at_origin(model, series->output);
    *gram = (lf_gram){.S = S, .P = from_origin ? order : 0};
    gram->n = 2 * S + (lf_has_initial_state(model, series->output) ? order : 0);
    gram->G = calloc(S, sizeof *gram->G);
    gram->s = lf_doubles(order + 1, S);
    gram->q = calloc(order * S + 1, sizeof *gram->q);
    gram->C = lf_doubles(gram->n, gram->n);
    gram->b = lf_doubles(gram->n, 1);
    return gram->G && gram->s && gram->q && gram->C && gram->b ? LF_OK : lf_no_memory(ctx);
}

void lf_gram_clear(lf_gram *gram)
{
    free(gram->G);
    free(gram->s);
    free(gram->q);
    free(gram->C);
    free(gram->b);
    *gram = (lf_gram){0};
}

/* Separate arrays of real and imaginary parts. */
typedef struct planes {
    double *E_re, *E_im; /* (2S - 1) */
    double *G_re, *G_im; /* (S) */
    double *F_re, *F_im; /* (P, S) */
    double *memory;
} planes;

static int planes_create(const lf_gram *gram, const lf_series_sums *sums, planes *p)
{
    size_t S = gram->S, P = gram->P;
    p->memory = lf_doubles(2 * (2 * S + S + P * S), 1);
    if (!p->memory) {
        return 0;
    }
    p->E_re = p->memory;
    p->E_im = p->E_re + 2 * S;
    p->G_re = p->E_im + 2 * S;
    p->G_im = p->G_re + S;
    p->F_re = p->G_im + S;
    p->F_im = p->F_re + P * S;
    for (size_t i = 0; i < 2 * S - 1; i++) {
        p->E_re[i] = creal(sums->E[i]);
        p->E_im[i] = cimag(sums->E[i]);
    }
    for (size_t i = 0; i < S; i++) {
        p->G_re[i] = creal(gram->G[i]);
        p->G_im[i] = cimag(gram->G[i]);
    }
    for (size_t i = 0; i < P * S; i++) {
        p->F_re[i] = creal(sums->F[i]);
        p->F_im[i] = cimag(sums->F[i]);
    }
    return 1;
}

/* Column j of the sums of B_i conj(B_j) (p) and B_i B_j (r), rows i = j … S - 1; arrays are indexed by i - j. */
static void bracket_column(const lf_gram *gram, const planes *p, size_t j, double *p_re, double *p_im, double *r_re,
                           double *r_im)
{
    size_t S = gram->S, m = S - j;
    memcpy(p_re, p->E_re, m * sizeof *p_re);
    memcpy(p_im, p->E_im, m * sizeof *p_im);
    memcpy(r_re, p->E_re + 2 * j, m * sizeof *r_re);
    memcpy(r_im, p->E_im + 2 * j, m * sizeof *r_im);
    for (size_t k = 0; k < gram->P; k++) {
        double complex w = wave_power(gram, k, j), q = gram->q[k * S + j];
        double w_re = creal(w), w_im = cimag(w), q_re = creal(q), q_im = cimag(q);
        /* s_i^k conj(q) and s_i^k q, with s_i^k = j^k power_i */
        double u_re = jk_re[k % 4], u_im = jk_im[k % 4];
        double a_re = u_re * q_re + u_im * q_im, a_im = u_im * q_re - u_re * q_im; /* j^k conj(q) */
        double c_re = u_re * q_re - u_im * q_im, c_im = u_im * q_re + u_re * q_im; /* j^k q */
        const double *F_re = p->F_re + k * S + j, *F_im = p->F_im + k * S + j, *power = gram->s + k * S + j;
        for (size_t i = 0; i < m; i++) {
            p_re[i] -= F_re[i] * w_re + F_im[i] * w_im + power[i] * a_re;
            p_im[i] -= F_im[i] * w_re - F_re[i] * w_im + power[i] * a_im;
            r_re[i] -= F_re[i] * w_re - F_im[i] * w_im + power[i] * c_re;
            r_im[i] -= F_im[i] * w_re + F_re[i] * w_im + power[i] * c_im;
        }
    }
}

/* The transfer function G_i and the powers of lambda_i. */
static void fill_transfer(const lf_model *model, const lf_fourier_sums *fourier_sums, const lf_series *series,
                          lf_gram *gram)
{
    const lf_output *output = &model->outputs[series->output];
    lf_constants constants = lf_output_constants(output, 1);
    for (size_t i = 0; i < gram->S; i++) {
        double lambda = (double)i * fourier_sums->step, power = 1;
        gram->G[i] = output->op->transfer(&constants, &lambda);
        for (size_t k = 0; k <= (size_t)output->order; k++, power *= lambda) {
            gram->s[k * gram->S + i] = power;
        }
    }
}

/* The block (2S, 2S) of the waves, its lower triangle. work (4, S): overwritten. */
static void fill_wave_block(const planes *p, double *work, lf_gram *gram)
{
    size_t S = gram->S, n = gram->n;
    double *p_re = work, *p_im = work + S, *r_re = work + 2 * S, *r_im = work + 3 * S, kappa = gram->kappa;
    double *C = gram->C;
    for (size_t j = 0; j < S; j++) {
        bracket_column(gram, p, j, p_re, p_im, r_re, r_im);
        double g_re = 0.5 * kappa * p->G_re[j], g_im = 0.5 * kappa * p->G_im[j];
        double *rr = C + j * n + j, *ii = C + (S + j) * n + S + j, *ir = C + j * n + S + j;
        for (size_t i = 0; i < S - j; i++) {
            double gi_re = p->G_re[j + i], gi_im = p->G_im[j + i];
            double a_re = gi_re * g_re + gi_im * g_im, a_im = gi_im * g_re - gi_re * g_im; /* G_i conj(G_j) / 2 */
            double c_re = gi_re * g_re - gi_im * g_im, c_im = gi_im * g_re + gi_re * g_im; /* G_i G_j / 2 */
            double P_re = a_re * p_re[i] - a_im * p_im[i], P_im = a_re * p_im[i] + a_im * p_re[i];
            double R_re = c_re * r_re[i] - c_im * r_im[i], R_im = c_re * r_im[i] + c_im * r_re[i];
            rr[i] = P_re + R_re;
            ii[i] = P_re - R_re;
            ir[i] = R_im + P_im;   /* Im_i Re_j */
            p_re[i] = R_im - P_im; /* Im_j Re_i, stored along a row below */
        }
        for (size_t i = 0; i < S - j; i++) {
            C[(j + i) * n + S + j] = p_re[i];
        }
    }
}

lf_status lf_gram_fill(lf_context *ctx, const lf_model *model, const lf_fourier_sums *fourier_sums,
                       const lf_series *series, lf_gram *gram)
{
    const lf_output *output = &model->outputs[series->output];
    const lf_series_sums *sums = &series->sums;
    size_t S = gram->S, P = gram->P, n = gram->n;
    fill_transfer(model, fourier_sums, series, gram);
    for (size_t i = 0; i < S; i++) {
        if (!isfinite(cabs(gram->G[i]))) {
            return lf_fail(
                ctx, LF_ERROR_NUMERIC,
                "output '%s': its operator resonates without damping at frequency %g; use the lowrank engine",
                output->name, (double)i * fourier_sums->step);
        }
    }
    gram->kappa = series->weighted ? 1 : 1 / output->noise_variance;
    gram->log_noise = series->weighted ? sums->log_noise : (double)series->total * log(output->noise_variance);
    for (size_t k = 0; k < P; k++) {
        for (size_t i = 0; i < S; i++) {
            double complex q = sums->F[k * S + i];
            for (size_t l = 0; l < P; l++) {
                q -= wave_power(gram, l, i) * sums->H[l * P + k];
            }
            gram->q[k * S + i] = q;
        }
    }
    planes p;
    double *work = lf_doubles(4, S);
    if (!work || !planes_create(gram, sums, &p)) {
        free(work);
        return lf_no_memory(ctx);
    }
    fill_wave_block(&p, work, gram);
    double *C = gram->C, kappa = gram->kappa;
    for (size_t k = 0; n > 2 * S && k < P; k++) { /* columns h_k of a free start */
        for (size_t i = 0; i < S; i++) {
            double complex d = kappa * gram->G[i] * gram->q[k * S + i];
            C[i * n + 2 * S + k] = creal(d);
            C[(S + i) * n + 2 * S + k] = cimag(d);
        }
        for (size_t l = 0; l < P; l++) {
            C[(2 * S + l) * n + 2 * S + k] = kappa * sums->H[k * P + l];
        }
        gram->b[2 * S + k] = kappa * sums->Yh[k];
    }
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j + 1; i < n; i++) {
            C[i * n + j] = C[j * n + i];
        }
    }
    for (size_t i = 0; i < S; i++) {
        double complex y = sums->Y[i];
        for (size_t k = 0; k < P; k++) {
            y -= wave_power(gram, k, i) * sums->Yh[k];
        }
        y *= kappa * gram->G[i];
        gram->b[i] = creal(y);
        gram->b[S + i] = cimag(y);
    }
    gram->yy = kappa * sums->yy;
    free(work);
    free(p.memory);
    return LF_OK;
}

/* Derivatives with respect to the sums and to what lies between them and the Gram matrix. */
typedef struct adjoints {
    lf_series_sums sums;
    double complex *G; /* (S) */
    double complex *q; /* (P, S) */
    double *work;      /* (11 + 2P, S) */
} adjoints;

static void adjoints_clear(adjoints *by)
{
    free(by->sums.E);
    free(by->sums.Y);
    free(by->sums.F);
    free(by->G);
    free(by->q);
    free(by->work);
}

static lf_status adjoints_create(lf_context *ctx, const lf_gram *gram, adjoints *by)
{
    size_t S = gram->S, P = gram->P;
    *by = (adjoints){
        .G = calloc(S, sizeof *by->G), .q = calloc(P * S + 1, sizeof *by->q), .work = lf_doubles(11 + 2 * P, S)};
    by->sums.E = calloc(2 * S, sizeof *by->sums.E);
    by->sums.Y = calloc(S, sizeof *by->sums.Y);
    by->sums.F = calloc(P * S + 1, sizeof *by->sums.F);
    return by->G && by->q && by->work && by->sums.E && by->sums.Y && by->sums.F ? LF_OK : lf_no_memory(ctx);
}

/* The block (2S, 2S) of the waves. RR, II and IR are its blocks Re v Re v', Im v Im v' and Im v Re v'. For i >= j, with
 * entries off the diagonal counted twice,
 *
 *   by P = (by RR + by II) / 2 + j (by IR_ij - by IR_ji) / 2
 *   by R = (by RR - by II) / 2 + j (by IR_ij + by IR_ji) / 2
 *
 * where P = G_i conj(G_j) PB and R = G_i G_j RB, and PB and RB are the sums of B_i conj(B_j) and B_i B_j. From there to
 * G, F, q and E. */
static void backward_wave_block(const lf_series *series, const lf_gram *gram, const planes *p, const double *by_C,
                                adjoints *by)
{
    size_t S = gram->S, P = gram->P, n = gram->n;
    double *p_re = by->work, *p_im = by->work + S, *r_re = by->work + 2 * S, *r_im = by->work + 3 * S;
    double *P_re = by->work + 4 * S, *P_im = by->work + 5 * S, *R_re = by->work + 6 * S, *R_im = by->work + 7 * S;
    double *ir_transposed = by->work + 8 * S, *G_re = by->work + 9 * S, *G_im = by->work + 10 * S;
    double *F_re = by->work + 11 * S, *F_im = F_re + P * S;
    for (size_t j = 0; j < S; j++) {
        size_t m = S - j;
        bracket_column(gram, p, j, p_re, p_im, r_re, r_im);
        const double *rr = by_C + j * n + j, *ii = by_C + (S + j) * n + S + j, *ir = by_C + j * n + S + j;
        const double *gi_re = p->G_re + j, *gi_im = p->G_im + j;
        double gj_re = p->G_re[j], gj_im = p->G_im[j], kappa = gram->kappa, by_re = 0, by_im = 0;
        double *by_G_re = G_re + j, *by_G_im = G_im + j;
        for (size_t i = 0; i < m; i++) {
            ir_transposed[i] = by_C[(j + i) * n + S + j];
        }
#pragma omp simd reduction(+ : by_re, by_im)
        for (size_t i = 0; i < m; i++) {
            double half = i ? kappa : 0.5 * kappa; /* (2 or 1) / 2 */
            double a_re = half * (rr[i] + ii[i]), a_im = half * (ir[i] - ir_transposed[i]);
            double c_re = half * (rr[i] - ii[i]), c_im = half * (ir[i] + ir_transposed[i]);
            /* conj(PB) by P and conj(RB) by R */
            double x_re = p_re[i] * a_re + p_im[i] * a_im, x_im = p_re[i] * a_im - p_im[i] * a_re;
            double y_re = r_re[i] * c_re + r_im[i] * c_im, y_im = r_re[i] * c_im - r_im[i] * c_re;
            /* by G_i += G_j conj(PB) by P + conj(G_j) conj(RB) by R;  by G_j += G_i conj(x) + conj(G_i) y */
            by_G_re[i] += gj_re * x_re - gj_im * x_im + gj_re * y_re + gj_im * y_im;
            by_G_im[i] += gj_re * x_im + gj_im * x_re + gj_re * y_im - gj_im * y_re;
            by_re += gi_re[i] * x_re + gi_im[i] * x_im + gi_re[i] * y_re + gi_im[i] * y_im;
            by_im += gi_im[i] * x_re - gi_re[i] * x_im + gi_re[i] * y_im - gi_im[i] * y_re;
            /* by PB = conj(G_i) G_j by P,  by RB = conj(G_i G_j) by R */
            double u_re = gi_re[i] * gj_re + gi_im[i] * gj_im, u_im = gi_re[i] * gj_im - gi_im[i] * gj_re;
            double v_re = gi_re[i] * gj_re - gi_im[i] * gj_im, v_im = -gi_re[i] * gj_im - gi_im[i] * gj_re;
            P_re[i] = u_re * a_re - u_im * a_im;
            P_im[i] = u_re * a_im + u_im * a_re;
            R_re[i] = v_re * c_re - v_im * c_im;
            R_im[i] = v_re * c_im + v_im * c_re;
        }
        G_re[j] += by_re;
        G_im[j] += by_im;
        for (size_t k = 0; k < P; k++) {
            double complex w = wave_power(gram, k, j);
            double w_re = creal(w), w_im = cimag(w), p1 = 0, p2 = 0, r1 = 0, r2 = 0;
            double *by_F_re = F_re + k * S + j, *by_F_im = F_im + k * S + j;
            const double *power = gram->s + k * S + j;
#pragma omp simd reduction(+ : p1, p2, r1, r2)
            for (size_t i = 0; i < m; i++) { /* by F_k(i) -= by P s_j^k + by R conj(s_j^k) */
                by_F_re[i] -= P_re[i] * w_re - P_im[i] * w_im + R_re[i] * w_re + R_im[i] * w_im;
                by_F_im[i] -= P_re[i] * w_im + P_im[i] * w_re + R_im[i] * w_re - R_re[i] * w_im;
                p1 += power[i] * P_re[i];
                p2 += power[i] * P_im[i];
                r1 += power[i] * R_re[i];
                r2 += power[i] * R_im[i];
            }
            /* by q_k(j) -= conj(by P) s_i^k + by R conj(s_i^k) */
            double complex jk = jk_re[k % 4] + jk_im[k % 4] * I;
            by->q[k * S + j] -= jk * (p1 - p2 * I) + conj(jk) * (r1 + r2 * I);
        }
        for (size_t i = 0; series->weighted && i < m; i++) {
            by->sums.E[i] += P_re[i] + P_im[i] * I;
            by->sums.E[2 * j + i] += R_re[i] + R_im[i] * I;
        }
    }
    for (size_t i = 0; i < S; i++) {
        by->G[i] += G_re[i] + G_im[i] * I;
    }
    for (size_t i = 0; i < P * S; i++) {
        by->sums.F[i] += F_re[i] + F_im[i] * I;
    }
}

/* b, and the columns h_k of a free start. */
static void backward_b_and_states(const lf_series *series, const lf_gram *gram, const double *by_C, const double *by_b,
                                  adjoints *by)
{
    size_t S = gram->S, P = gram->P, n = gram->n;
    const lf_series_sums *sums = &series->sums;
    for (size_t i = 0; i < S; i++) {
        double complex y = sums->Y[i], by_beta = gram->kappa * (by_b[i] + by_b[S + i] * I);
        for (size_t k = 0; k < P; k++) {
            double complex w = wave_power(gram, k, i);
            y -= w * sums->Yh[k];
            by->sums.Yh[k] -= creal(conj(by_beta) * gram->G[i] * w);
        }
        by->G[i] += conj(y) * by_beta;
        by->sums.Y[i] += conj(gram->G[i]) * by_beta;
    }
    for (size_t k = 0; n > 2 * S && k < P; k++) {
        for (size_t i = 0; i < S; i++) {
            const double *column = by_C + (2 * S + k) * n;
            double complex by_d = 2 * gram->kappa * (column[i] + column[S + i] * I);
            by->G[i] += conj(gram->q[k * S + i]) * by_d;
            by->q[k * S + i] += conj(gram->G[i]) * by_d;
        }
        for (size_t l = 0; l < P; l++) {
            by->sums.H[k * P + l] += gram->kappa * by_C[(2 * S + k) * n + 2 * S + l];
        }
        by->sums.Yh[k] += gram->kappa * by_b[2 * S + k];
    }
    for (size_t k = 0; k < P; k++) { /* q_k = F_k - sum_l s^l H_lk */
        for (size_t i = 0; i < S; i++) {
            by->sums.F[k * S + i] += by->q[k * S + i];
            for (size_t l = 0; l < P; l++) {
                by->sums.H[l * P + k] -= creal(conj(by->q[k * S + i]) * wave_power(gram, l, i));
            }
        }
    }
}

static void backward_transfer(const lf_model *model, const lf_fourier_sums *fourier_sums, const lf_series *series,
                              const lf_gram *gram, const double complex *by_G, double *gradient)
{
    const lf_output *output = &model->outputs[series->output];
    lf_constants constants = lf_output_constants(output, 1);
    for (size_t i = 0; i < gram->S; i++) {
        double lambda = (double)i * fourier_sums->step;
        output->op->transfer_backward(&constants, &lambda, gram->G[i], by_G[i],
                                      gradient + lf_index_constants(model, series->output));
    }
}

lf_status lf_gram_backward(lf_context *ctx, const lf_model *model, const lf_fourier_sums *fourier_sums,
                           const lf_series *series, const lf_gram *gram, const double *by_C, const double *by_b,
                           double *gradient)
{
    const lf_output *output = &model->outputs[series->output];
    adjoints by;
    planes p = {0};
    lf_status status = adjoints_create(ctx, gram, &by);
    if (!status && !planes_create(gram, &series->sums, &p)) {
        status = lf_no_memory(ctx);
    }
    double by_noise = 0, *by_rows = fourier_sums->targets.by_noise;
    if (!status) {
        by.sums.yy = 0.5 * gram->kappa;
        backward_wave_block(series, gram, &p, by_C, &by);
        backward_b_and_states(series, gram, by_C, by_b, &by);
        if (fourier_sums->first) {
            backward_transfer(model, fourier_sums, series, gram, by.G, gradient);
        }
        status = lf_series_backward(ctx, model, fourier_sums, series, &by.sums, gradient, &by_noise);
    }
    if (!status && series->weighted) {
        for (size_t i = 0; i < series->n; i++) { /* log_noise = -sum log omega */
            by_noise += 0.5 * series->omega[i];
            if (by_rows) {
                by_rows[series->first + i] -= 0.5 * series->omega[i];
            }
        }
    } else if (!status && fourier_sums->first) { /* everything is proportional to kappa = 1 / noise variance */
        double by_kappa = 0.5 * gram->yy + cblas_ddot((int)gram->n, by_b, 1, gram->b, 1) +
                          cblas_ddot((int)(gram->n * gram->n), by_C, 1, gram->C, 1);
        by_noise = (0.5 * (double)series->total - by_kappa) / output->noise_variance;
    }
    gradient[lf_index_noise(model, series->output)] += by_noise;
    adjoints_clear(&by);
    free(p.memory);
    return status;
}
