/* Factorisations of LAPACK with their workspace. */
#include "base/lapack.h"

#include <lapacke.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"

/* Workspace of the size that LAPACK asked for. NULL: no memory. */
static double *workspace(double size) { return lf_doubles((size_t)size + 1, 1); }

int lf_symmetric_eigen(size_t n, double *A, double *values)
{
    lapack_int N = (lapack_int)n;
    double size = 0;
    int info = LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', N, A, N, values, &size, -1);
    double *work = info ? NULL : workspace(size);
    if (!work) {
        return info ? info : LF_LAPACK_NO_MEMORY;
    }
    info = LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', N, A, N, values, work, (lapack_int)size);
    free(work);
    return info;
}

int lf_eigenvalues(size_t n, double *A, double *real, double *imaginary)
{
    lapack_int N = (lapack_int)n;
    double size = 0;
    int info = LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', N, A, N, real, imaginary, NULL, 1, NULL, 1, &size, -1);
    double *work = info ? NULL : workspace(size);
    if (!work) {
        return info ? info : LF_LAPACK_NO_MEMORY;
    }
    info = LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', N, A, N, real, imaginary, NULL, 1, NULL, 1, work,
                              (lapack_int)size);
    free(work);
    return info;
}

int lf_qr(size_t m, size_t n, double *A, double *reflectors)
{
    lapack_int M = (lapack_int)m, N = (lapack_int)n;
    double size = 0;
    int info = LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, M, N, A, M, reflectors, &size, -1);
    double *work = info ? NULL : workspace(size);
    if (!work) {
        return info ? info : LF_LAPACK_NO_MEMORY;
    }
    info = LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, M, N, A, M, reflectors, work, (lapack_int)size);
    free(work);
    return info;
}

int lf_qr_matrix(size_t n, double *A, const double *reflectors)
{
    lapack_int N = (lapack_int)n;
    double size = 0;
    int info = LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, N, N, N, A, N, reflectors, &size, -1);
    double *work = info ? NULL : workspace(size);
    if (!work) {
        return info ? info : LF_LAPACK_NO_MEMORY;
    }
    info = LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, N, N, N, A, N, reflectors, work, (lapack_int)size);
    free(work);
    return info;
}

int lf_qr_transposed_times(size_t m, size_t n, const double *A, const double *reflectors, double *y)
{
    lapack_int M = (lapack_int)m, N = (lapack_int)n;
    double size = 0;
    int info = LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'T', M, 1, N, A, M, reflectors, y, M, &size, -1);
    double *work = info ? NULL : workspace(size);
    if (!work) {
        return info ? info : LF_LAPACK_NO_MEMORY;
    }
    info = LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'T', M, 1, N, A, M, reflectors, y, M, work, (lapack_int)size);
    free(work);
    return info;
}

int lf_least_squares(size_t m, size_t n, double *A, double *y)
{
    double *reflectors = lf_doubles(n, 1);
    int info = reflectors ? lf_qr(m, n, A, reflectors) : LF_LAPACK_NO_MEMORY;
    LF_TRY(info, lf_qr_transposed_times(m, n, A, reflectors, y));
    LF_TRY(info,
           LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'U', 'N', 'N', (lapack_int)n, 1, A, (lapack_int)m, y, (lapack_int)m));
    free(reflectors);
    return info;
}

int lf_solve(size_t n, double *A, double *b)
{
    lapack_int N = (lapack_int)n, *pivots = calloc(n + 1, sizeof *pivots);
    int info = pivots ? LAPACKE_dgesv_work(LAPACK_COL_MAJOR, N, 1, A, N, pivots, b, N) : LF_LAPACK_NO_MEMORY;
    free(pivots);
    return info;
}
