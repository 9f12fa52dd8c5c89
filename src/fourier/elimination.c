/* Elimination of columns from a Gram matrix (elimination.h), and its derivative. With by_X = dL/dX,
 *
 *   by_K = P' by_C' P + sym(P' by_b' z') + by_yy z z' + by_log K^-1
 *   by_T = -2 by_C' P - by_b' z',   by_t = -P' by_b' - 2 by_yy z
 *
 * where sym(X) = (X + X') / 2 and C', b' are the results of the elimination. */
#include "fourier/elimination.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"

lf_status lf_elimination_create(lf_context *ctx, size_t n, size_t kept, size_t first, size_t m, lf_elimination *e)
{
    *e = (lf_elimination){.n = n, .kept = kept, .first = first, .m = m};
    e->u = lf_doubles(n, 1);
    e->L = lf_doubles(m, m);
    e->P = lf_doubles(kept, m);
    e->z = lf_doubles(m, 1);
    e->C = lf_doubles(kept, kept);
    e->b = lf_doubles(kept, 1);
    return e->u && e->L && e->P && e->z && e->C && e->b ? LF_OK : lf_no_memory(ctx);
}

void lf_elimination_clear(lf_elimination *e)
{
    free(e->u);
    free(e->L);
    free(e->P);
    free(e->z);
    free(e->C);
    free(e->b);
    *e = (lf_elimination){0};
}

/* T (kept, m) = C_VJ U. */
static void make_T(const lf_elimination *e, const double *C, double *T)
{
    for (size_t j = 0; j < e->m; j++) {
        double u = e->u[e->first + j];
        for (size_t i = 0; i < e->kept; i++) {
            T[j * e->kept + i] = C[(e->first + j) * e->n + i] * u;
        }
    }
}

lf_status lf_eliminate(lf_context *ctx, lf_elimination *e, const double *C, const double *b, double yy)
{
    size_t n = e->n, kept = e->kept, m = e->m;
    const double *u = e->u + e->first;
    double *T = lf_doubles(kept, m);
    if (!T) {
        return lf_no_memory(ctx);
    }
    make_T(e, C, T);
    for (size_t j = 0; j < m; j++) {
        const double *column = C + (e->first + j) * n + e->first;
        for (size_t i = j; i < m; i++) {
            e->L[j * m + i] = u[i] * column[i] * u[j] + (i == j);
        }
        e->z[j] = u[j] * b[e->first + j];
    }
    e->yy = yy;
    e->log_determinant = 0;
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)m, e->L, (lapack_int)m)) {
        free(T);
        return lf_fail(ctx, LF_ERROR_NUMERIC, "a private force cannot be integrated out: a parameter is out of range");
    }
    for (size_t j = 0; j < m; j++) {
        e->log_determinant += 2 * log(e->L[j * m + j]);
    }
    /* P holds T L^-T first, for C' = C_VV - T K^-1 T', and then T K^-1 */
    memcpy(e->P, T, kept * m * sizeof *T);
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)kept, (int)m, 1, e->L, (int)m,
                e->P, (int)kept);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)m, e->L, (int)m, e->z, 1);
    e->yy -= cblas_ddot((int)m, e->z, 1, e->z, 1);
    for (size_t j = 0; j < kept; j++) {
        memcpy(e->C + j * kept, C + j * n, kept * sizeof *C);
    }
    memcpy(e->b, b, kept * sizeof *b);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)kept, (int)m, -1, e->P, (int)kept, 1, e->C, (int)kept);
    for (size_t j = 0; j < kept; j++) {
        for (size_t i = j + 1; i < kept; i++) {
            e->C[i * kept + j] = e->C[j * kept + i];
        }
    }
    cblas_dgemv(CblasColMajor, CblasNoTrans, (int)kept, (int)m, -1, e->P, (int)kept, e->z, 1, 1, e->b, 1);
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, (int)kept, (int)m, 1, e->L, (int)m,
                e->P, (int)kept);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, (int)m, e->L, (int)m, e->z, 1);
    free(T);
    return LF_OK;
}

lf_status lf_eliminate_backward(lf_context *ctx, const lf_elimination *e, const double *C, const double *b,
                                const double *by_kept, const double *by_b_kept, const lf_elimination_adjoints *by)
{
    size_t n = e->n, kept = e->kept, m = e->m;
    const double *u = e->u + e->first;
    double *by_K = lf_doubles(m, m), *by_T = lf_doubles(kept, m), *by_t = lf_doubles(m, 1);
    if (!by_K || !by_T || !by_t) {
        free(by_K);
        free(by_T);
        free(by_t);
        return lf_no_memory(ctx);
    }
    /* by_T holds by->C' P first */
    cblas_dsymm(CblasColMajor, CblasLeft, CblasLower, (int)kept, (int)m, 1, by_kept, (int)kept, e->P, (int)kept, 0,
                by_T, (int)kept);
    memcpy(by_K, e->L, m * m * sizeof *by_K);
    if (LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', (lapack_int)m, by_K, (lapack_int)m)) {
        free(by_K);
        free(by_T);
        free(by_t);
        return lf_fail(ctx, LF_ERROR_NUMERIC, "the covariance of a private force is singular to working precision");
    }
    cblas_dgemv(CblasColMajor, CblasTrans, (int)kept, (int)m, 1, e->P, (int)kept, by_b_kept, 1, 0, by_t, 1);
    for (size_t j = 0; j < m; j++) {
        for (size_t i = j; i < m; i++) {
            double half = 0.5 * (by_t[i] * e->z[j] + e->z[i] * by_t[j]);
            by_K[j * m + i] = 0.5 * by_K[j * m + i] + half + 0.5 * e->z[i] * e->z[j];
            by_K[i * m + j] = by_K[j * m + i];
        }
    }
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)m, (int)m, (int)kept, 1, e->P, (int)kept, by_T, (int)kept,
                1, by_K, (int)m);
    for (size_t j = 0; j < m; j++) {
        for (size_t i = 0; i < kept; i++) {
            by_T[j * kept + i] = -2 * by_T[j * kept + i] - by_b_kept[i] * e->z[j];
        }
        by_t[j] = -by_t[j] - e->z[j];
    }

    memset(by->C, 0, n * n * sizeof *by->C);
    memset(by->b, 0, n * sizeof *by->b);
    memset(by->u, 0, n * sizeof *by->u);
    for (size_t j = 0; j < kept; j++) {
        memcpy(by->C + j * n, by_kept + j * kept, kept * sizeof *by->C);
    }
    memcpy(by->b, by_b_kept, kept * sizeof *by->b);
    for (size_t j = 0; j < m; j++) {
        size_t column = e->first + j;
        const double *Cj = C + column * n;
        for (size_t i = 0; i < kept; i++) { /* T = C_VJ U: half of by_T goes to C_VJ, half to C_JV */
            double by_half = 0.5 * by_T[j * kept + i];
            by->C[column * n + i] += by_half * u[j];
            by->C[i * n + column] += by_half * u[j];
            by->u[column] += 2 * by_half * Cj[i];
        }
        for (size_t i = 0; i < m; i++) {
            by->C[column * n + e->first + i] += by_K[j * m + i] * u[i] * u[j];
            by->u[column] += 2 * by_K[j * m + i] * u[i] * Cj[e->first + i];
        }
        by->b[column] += by_t[j] * u[j];
        by->u[column] += by_t[j] * b[column];
    }
    free(by_K);
    free(by_T);
    free(by_t);
    return LF_OK;
}
