/* With f = g(x) - x and the differences df, dg of the last iterations, x <- g - dg c, where c minimises |W (f - df c)|. */
#include "base/anderson.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define RIDGE 1e-12 /* of the largest diagonal element: differences may be nearly parallel */

int lf_anderson_create(size_t n, lf_anderson *a)
{
    *a = (lf_anderson){.n = n,
                       .f = lf_doubles(n, 1),
                       .g = lf_doubles(n, 1),
                       .df = lf_doubles(n, LF_ANDERSON_MOST),
                       .dg = lf_doubles(n, LF_ANDERSON_MOST)};
    return a->f && a->g && a->df && a->dg;
}

void lf_anderson_clear(lf_anderson *a)
{
    free(a->f);
    free(a->g);
    free(a->df);
    free(a->dg);
    *a = (lf_anderson){0};
}

void lf_anderson_reset(lf_anderson *a) { a->count = a->next = a->begun = 0; }

/* Solves A c = b (m, m), symmetric and positive definite but for rounding, by elimination; 0: it is singular. */
static int solve(int m, double A[][LF_ANDERSON_MOST], double *c)
{
    double largest = 0;
    for (int i = 0; i < m; i++) {
        largest = fmax(largest, A[i][i]);
    }
    for (int i = 0; i < m; i++) {
        A[i][i] += RIDGE * largest;
    }
    for (int i = 0; i < m; i++) {
        if (!(A[i][i] > 0)) {
            return 0;
        }
        for (int j = i + 1; j < m; j++) {
            double factor = A[j][i] / A[i][i];
            for (int k = i; k < m; k++) {
                A[j][k] -= factor * A[i][k];
            }
            c[j] -= factor * c[i];
        }
    }
    for (int i = m - 1; i >= 0; i--) {
        for (int k = i + 1; k < m; k++) {
            c[i] -= A[i][k] * c[k];
        }
        c[i] /= A[i][i];
    }
    return 1;
}

static double product(size_t n, const double *weight, const double *u, const double *v)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += weight[i] * weight[i] * u[i] * v[i];
    }
    return sum;
}

/* The difference of this iteration and the last one. */
static void keep(lf_anderson *a, const double *g, const double *x)
{
    double *df = a->df + (size_t)a->next * a->n, *dg = a->dg + (size_t)a->next * a->n;
    for (size_t i = 0; i < a->n; i++) {
        double f = g[i] - x[i];
        df[i] = f - a->f[i];
        dg[i] = g[i] - a->g[i];
        a->f[i] = f;
        a->g[i] = g[i];
    }
    if (a->begun) {
        a->next = (a->next + 1) % LF_ANDERSON_MOST;
        a->count += a->count < LF_ANDERSON_MOST;
    }
    a->begun = 1;
}

void lf_anderson_step(lf_anderson *a, const double *g, const double *weight, double *x)
{
    double A[LF_ANDERSON_MOST][LF_ANDERSON_MOST], c[LF_ANDERSON_MOST];
    keep(a, g, x);
    for (int j = 0; j < a->count; j++) {
        c[j] = product(a->n, weight, a->df + (size_t)j * a->n, a->f);
        for (int k = 0; k < a->count; k++) {
            A[j][k] = product(a->n, weight, a->df + (size_t)j * a->n, a->df + (size_t)k * a->n);
        }
    }
    int solved = solve(a->count, A, c);
    memcpy(x, g, a->n * sizeof *x);
    for (int j = 0; solved && j < a->count; j++) {
        for (size_t i = 0; i < a->n; i++) {
            x[i] -= c[j] * a->dg[(size_t)j * a->n + i];
        }
    }
}
