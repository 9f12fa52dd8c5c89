/* Joint draws x = m + D R^{1/2} z, with the covariance C = D R D, R of unit diagonal.
 *
 * Smooth processes have covariances that are singular to rounding. A triangular root depends there on an order of the points that
 * rounding decides, and so would the draw. The symmetric root R^{1/2} = V f(L) V', f(l) = sqrt(l), has no order: it is a continuous
 * function of R. Its slope is unbounded at 0, so f is flattened below a cut t: f(l) = sqrt(l) (1 - exp(-l/t)) differs from the
 * root by less than t in the covariance, and rounding e of R moves a draw by about e / sqrt(t).
 *
 * R = Q T Q' with T tridiagonal; the eigenvectors of T are enough, because Q is applied to vectors. */
#include "predict/gaussian_draw.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"

/* The cut, relative to the largest eigenvalue: a thousand times its rounding. */
#define CUT 1e-12

enum { BLOCK = 64 }; /* columns that LAPACK takes at once; its workspace is BLOCK n */

typedef struct root {
    lapack_int n;
    double *R;     /* (n, n) below its diagonal the reflectors of Q */
    double *scale; /* (n) D; 0: the point does not vary */
    double *tau;   /* (n) factors of the reflectors */
    double *V;     /* (n, n) eigenvectors of T */
    double *f;     /* (n) of the eigenvalues */
    double *work;  /* (BLOCK n) */
} root;

/* C = D R D in place. Rounding can make variances negative and correlations larger than 1. */
static void split_scales(size_t n, double *C, double *scale)
{
    for (size_t i = 0; i < n; i++) {
        scale[i] = C[i * n + i] > 0 ? sqrt(C[i * n + i]) : 0;
    }
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            double r = scale[i] > 0 && scale[j] > 0 ? C[j * n + i] / scale[i] / scale[j] : 0;
            C[j * n + i] = i == j ? scale[i] > 0 : fmax(-1, fmin(1, r));
        }
    }
}

/* Eigenvalues, in r->f, and eigenvectors of the tridiagonal matrix with diagonal d and e beside it. */
static int tridiagonal_eigenvectors(root *r, const double *d, const double *e)
{
    size_t n = (size_t)r->n;
    double *copy = lf_doubles(2, n), *work = lf_doubles(18, n);
    lapack_int *support = calloc(2 * n, sizeof *support), *integers = calloc(10 * n, sizeof *integers);
    lapack_int found = 0, accurate = 1, info = -1;
    if (copy && work && support && integers) {
        memcpy(copy, d, n * sizeof *d);
        memcpy(copy + n, e, n * sizeof *e);
        info = LAPACKE_dstemr_work(LAPACK_COL_MAJOR, 'V', 'A', r->n, copy, copy + n, 0, 0, 0, 0, &found, r->f, r->V,
                                   r->n, r->n, support, &accurate, work, 18 * r->n, integers, 10 * r->n);
        if (info > 0 || (info == 0 && found != r->n)) { /* the slow way, which does not fail */
            memcpy(r->f, d, n * sizeof *d);
            memcpy(copy + n, e, n * sizeof *e);
            info = LAPACKE_dsteqr_work(LAPACK_COL_MAJOR, 'I', r->n, r->f, copy + n, r->V, r->n, work);
        }
    }
    free(copy);
    free(work);
    free(support);
    free(integers);
    return info;
}

/* The root of the covariance in r->R: 0, a negative number without memory, a positive one without eigenvectors. */
static int decompose(root *r)
{
    size_t n = (size_t)r->n;
    double *d = lf_doubles(2, n), *e = d + n, largest = 0;
    int info =
        d ? LAPACKE_dsytrd_work(LAPACK_COL_MAJOR, 'L', r->n, r->R, r->n, d, e, r->tau, r->work, BLOCK * r->n) : -1;
    LF_TRY(info, tridiagonal_eigenvectors(r, d, e));
    for (size_t i = 0; !info && i < n; i++) {
        largest = fmax(largest, r->f[i]);
    }
    for (size_t i = 0; !info && i < n; i++) {
        r->f[i] = r->f[i] > 0 ? sqrt(r->f[i]) * -expm1(-r->f[i] / (CUT * largest)) : 0;
    }
    free(d);
    return info;
}

/* x = D Q V f V' Q' x; y (n) is scratch. One vector at a time: several at once round differently. */
static void apply(root *r, double *x, double *y)
{
    int n = r->n;
    LAPACKE_dormtr_work(LAPACK_COL_MAJOR, 'L', 'L', 'T', n, 1, r->R, n, r->tau, x, n, r->work, BLOCK * n);
    cblas_dgemv(CblasColMajor, CblasTrans, n, n, 1, r->V, n, x, 1, 0, y, 1);
    for (int i = 0; i < n; i++) {
        y[i] *= r->f[i];
    }
    cblas_dgemv(CblasColMajor, CblasNoTrans, n, n, 1, r->V, n, y, 1, 0, x, 1);
    LAPACKE_dormtr_work(LAPACK_COL_MAJOR, 'L', 'L', 'N', n, 1, r->R, n, r->tau, x, n, r->work, BLOCK * n);
    for (int i = 0; i < n; i++) {
        x[i] *= r->scale[i];
    }
}

lf_status lf_gaussian_draw(lf_context *ctx, size_t n, const double *mean, double *covariance, size_t count,
                           double *samples)
{
    if (n == 0) {
        return LF_OK;
    }
    for (size_t i = 0; i < n * n; i++) {
        if (!isfinite(covariance[i])) {
            return lf_fail(ctx, LF_ERROR_NUMERIC, "the covariance of %zu points is not finite: nothing can be drawn",
                           n);
        }
    }
    root r = {.n = (lapack_int)n,
              .R = covariance,
              .scale = lf_doubles(n, 1),
              .tau = lf_doubles(n, 1),
              .V = lf_doubles(n, n),
              .f = lf_doubles(n, 1),
              .work = lf_doubles(BLOCK, n)};
    double *x = lf_doubles(2, n);
    int info = -1;
    if (r.scale && r.tau && r.V && r.f && r.work && x) {
        split_scales(n, covariance, r.scale);
        info = decompose(&r);
    }
    for (size_t s = 0; info == 0 && s < count; s++) {
        lf_normals(ctx, n, x);
        apply(&r, x, x + n);
        for (size_t i = 0; i < n; i++) {
            samples[s * n + i] = (mean ? mean[i] : 0) + x[i];
        }
    }
    free(r.scale);
    free(r.tau);
    free(r.V);
    free(r.f);
    free(r.work);
    free(x);
    if (info > 0) {
        return lf_fail(ctx, LF_ERROR_NUMERIC, "the covariance of %zu points has no eigenvectors: nothing can be drawn",
                       n);
    }
    return info < 0 ? lf_no_memory(ctx) : LF_OK;
}
