/* Timing for the benchmark programs. Each prints ratios measured within one run; none passes or fails. */
#ifndef LF_BENCH_H
#define LF_BENCH_H

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "data/data.h"
#include "latentforce.h"
#include "model/access.h"
#include "predict/predict.h"

static inline double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds of all threads of this process: other programs do not count. */
static inline double processor_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What BEST_OF and the floors below measure with; a program on one thread may set it to processor_now. */
static double (*bench_clock)(void) = seconds_now;

/* Runs the statement `repeats` times and leaves the best time in `best`. */
#define BEST_OF(best, repeats, statement)                                                                              \
    do {                                                                                                               \
        (best) = 1e300;                                                                                                \
        for (int bench_repeat = 0; bench_repeat < (repeats); bench_repeat++) {                                         \
            double bench_start = bench_clock();                                                                        \
            statement;                                                                                                 \
            double bench_time = bench_clock() - bench_start;                                                           \
            (best) = bench_time < (best) ? bench_time : (best);                                                        \
        }                                                                                                              \
    } while (0)

/* A benchmark that cannot run is no benchmark. */
static inline void need(lf_context *ctx, lf_status status)
{
    if (status != LF_OK) {
        fprintf(stderr, "bench: %s\n", lf_context_message(ctx));
        exit(1);
    }
}

/* Seconds of dpotrf + dpotri at size n: the floor of a likelihood with its gradient. */
static inline double factor_and_invert(size_t n)
{
    double *A = malloc(n * n * sizeof *A), best = 1e300;
    for (int repeat = 0; repeat < 5; repeat++) {
        for (size_t j = 0; j < n; j++) {
            for (size_t i = 0; i < n; i++) {
                A[j * n + i] = i == j ? 2 : 1 / (1 + fabs((double)i - (double)j));
            }
        }
        double start = bench_clock();
        LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)n, A, (lapack_int)n);
        LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', (lapack_int)n, A, (lapack_int)n);
        double seconds = bench_clock() - start;
        best = seconds < best ? seconds : best;
    }
    free(A);
    return best;
}

static inline double *random_matrix(size_t n, size_t m)
{
    double *X = malloc(n * m * sizeof *X);
    for (size_t i = 0; i < n * m; i++) {
        X[i] = sin((double)(i % 7919));
    }
    return X;
}

/* Seconds of one dsyrk (m x m from n rows) and one dgemm (n x m by m x m): the floor of a low-rank likelihood with its
 * gradient. */
static inline double multiply_floor(size_t n, size_t m)
{
    double *X = random_matrix(n, m), *A = random_matrix(m, m), *Y = random_matrix(n, m), first, second;
    BEST_OF(first, 2, cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, (int)m, (int)n, 1, X, (int)n, 0, A, (int)m));
    BEST_OF(second, 2,
            cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)m, (int)m, 1, X, (int)n, A, (int)m, 0,
                        Y, (int)n));
    free(X);
    free(A);
    free(Y);
    return first + second;
}

/* Seconds of one measurement update of n states by m rows: Cholesky factor, gain, one triangle of the covariance. */
static inline double update_floor(size_t n, size_t m)
{
    enum { REPEATS = 3 };
    double *P = random_matrix(n, n), *G = random_matrix(n, m), *S = random_matrix(m, m), best = 1e300;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        for (size_t i = 0; i < m * m; i++) {
            S[i] = i % (m + 1) == 0 ? (double)m : 0.5;
        }
        double start = bench_clock();
        LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)m, S, (lapack_int)m);
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)n, (int)m, 1, S, (int)m, G,
                    (int)n);
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)n, (int)m, -1e-9, G, (int)n, 1, P, (int)n);
        best = fmin(best, bench_clock() - start);
    }
    free(P);
    free(G);
    free(S);
    return best;
}

#endif
