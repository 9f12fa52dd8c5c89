/* The filter as textbooks write it, for comparison: dense matrices and BLAS, one scalar update a row, the transition of each
 * step from the exponential of a 2n x 2n matrix (Van Loan), made anew at every step or once for each distinct gap. No
 * derivatives: those come from differences of values. */
#ifndef LF_BENCH_TEXTBOOK_H
#define LF_BENCH_TEXTBOOK_H

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dynamics/state_space.h"
#include "dynamics/timeline.h"

static inline void textbook_multiply(int n, CBLAS_TRANSPOSE turn, const double *A, const double *B, double *C)
{
    cblas_dgemm(CblasRowMajor, CblasNoTrans, turn, n, n, n, 1, A, n, B, n, 0, C, n);
}

/* E (m, m) = exp(M), Taylor with scaling and squaring; M is overwritten. */
static inline void textbook_exponential(int m, double *M, double *E, double *spare)
{
    double norm = 0;
    int squarings = 0;
    for (int i = 0; i < m; i++) {
        norm = fmax(norm, cblas_dasum(m, M + i * m, 1));
    }
    for (; norm > 0.5; norm /= 2) {
        squarings++;
    }
    cblas_dscal(m * m, ldexp(1, -squarings), M, 1);
    memset(E, 0, (size_t)(m * m) * sizeof *E);
    for (int k = 14; k >= 0; k--) { /* E = I + M E / k */
        if (k < 14) {
            textbook_multiply(m, CblasNoTrans, M, E, spare);
            memcpy(E, spare, (size_t)(m * m) * sizeof *E);
            cblas_dscal(m * m, 1.0 / (k + 1), E, 1);
        }
        for (int i = 0; i < m; i++) {
            E[i * m + i] += 1;
        }
    }
    for (int k = 0; k < squarings; k++) {
        textbook_multiply(m, CblasNoTrans, E, E, spare);
        memcpy(E, spare, (size_t)(m * m) * sizeof *E);
    }
}

/* exp([-F W; 0 F'] h) = [. A^-1 Q; 0 A']. */
static inline void textbook_transition(const lf_state_space *space, double h, double *A, double *Q, double *spare)
{
    int n = space->n, m = 2 * n, s = space->sparsity.stride;
    double *M = spare, *E = M + m * m, *rest = E + m * m;
    memset(M, 0, (size_t)(m * m) * sizeof *M);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            M[i * m + j] = -h * space->F[i * s + j];
            M[i * m + n + j] = h * space->W[i * s + j];
            M[(n + i) * m + n + j] = h * space->F[j * s + i];
        }
    }
    textbook_exponential(m, M, E, rest);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            A[i * n + j] = E[(n + j) * m + n + i];
            rest[i * n + j] = E[i * m + n + j];
        }
    }
    textbook_multiply(n, CblasNoTrans, A, rest, Q);
}

/* The log likelihood of the first `steps` steps. */
static inline double textbook_filter(const lf_state_space *space, const lf_timeline *t, size_t steps, int cached,
                                     const double *y, const double *noise)
{
    int n = space->n, s = space->sparsity.stride;
    size_t size = (size_t)(n * n), gaps = cached ? t->gap_count : 1;
    double *A = malloc(gaps * size * sizeof *A), *Q = malloc(gaps * size * sizeof *Q);
    double *spare = malloc(12 * size * sizeof *spare), *P = malloc(size * sizeof *P),
           *half = malloc(size * sizeof *half);
    double *m = calloc((size_t)n, sizeof *m), *next = calloc((size_t)n, sizeof *next), value = 0;
    char *made = calloc(t->gap_count + 1, 1);
    for (int i = 0; i < n * n; i++) {
        P[i] = space->P[i / n * s + i % n];
    }
    for (size_t k = 0; k < steps; k++) {
        if (t->gap_index[k] >= 0) {
            size_t place = cached ? (size_t)t->gap_index[k] : 0;
            if (!cached || !made[place]) {
                textbook_transition(space, t->gap_length[t->gap_index[k]], A + place * size, Q + place * size, spare);
                made[place] = 1;
            }
            textbook_multiply(n, CblasNoTrans, A + place * size, P, half);
            textbook_multiply(n, CblasTrans, half, A + place * size, P);
            cblas_daxpy(n * n, 1, Q + place * size, 1, P, 1);
            cblas_dgemv(CblasRowMajor, CblasNoTrans, n, n, 1, A + place * size, n, m, 1, 0, next, 1);
            memcpy(m, next, (size_t)n * sizeof *m);
        }
        for (size_t i = t->first_row[k]; i < t->first_row[k + 1]; i++) {
            int j = space->first[t->output[i]];
            double S = P[j * n + j] + noise[t->row[i]], e = y[t->row[i]] - m[j];
            value -= 0.5 * (e * e / S + log(2 * 3.14159265358979323846 * S));
            memcpy(next, P + j * n, (size_t)n * sizeof *next);
            cblas_daxpy(n, e / S, next, 1, m, 1);
            cblas_dger(CblasRowMajor, n, n, -1 / S, next, 1, next, 1, P, n);
        }
    }
    free(A);
    free(Q);
    free(spare);
    free(P);
    free(half);
    free(m);
    free(next);
    free(made);
    return value;
}

#endif
