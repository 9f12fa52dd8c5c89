/* v(t, lambda) as the solution of a linear system instead of a difference of waves.
 *
 * Let w have the Laplace transform 1 / (chi(s)^2 (s - j lambda)^m), chi(s) = s^P + b_1 s^{P-1} + … + b_P. Then
 *   m = 1:  v = (1/a_0) sum_j b_j w^(P-j),     dv/db_j = -(1/a_0) w^(P-j);
 *   m = 2:  dv/dlambda = (j/a_0) sum_j b_j w^(P-j).
 * w and its derivatives come from the Taylor series at 0 if t is small compared with every time scale, otherwise from
 * the exponential of the companion matrix of chi^2 (s - j lambda)^m. */
#include "features/wave_response.h"

#include <math.h>
#include <stddef.h>

#include "base/matrix_exponential.h"
#include "model/operator.h"

_Static_assert(2 * LF_MAX_ORDER + 2 <= LF_EXPONENTIAL_MAX, "companion matrices must fit");

enum { TERMS = 48, STATES = 2 * LF_MAX_ORDER };

/* Terms of the series for a remainder below rounding, (4 x)^k / k! < 1e-18: in units of the rate the roots are at most
 * 2, and the derivatives of w grow no faster than 4^k. */
static int terms_for(double x)
{
    static const struct {
        double x;
        int terms;
    } enough[] = {{0.05, 13}, {0.15, 17}, {0.4, 24}, {0.8, 32}};
    for (size_t i = 0; i < sizeof enough / sizeof *enough; i++) {
        if (x <= enough[i].x) {
            return enough[i].terms;
        }
    }
    return TERMS;
}

/* w (n): w^(i)(t), i < n, from the exponential of the companion matrix, n = 2P. */
static void by_exponential(int n, const double *square, double complex s, int m, double t, double complex *w)
{
    double complex A[LF_EXPONENTIAL_MAX * LF_EXPONENTIAL_MAX] = {0}, E[LF_EXPONENTIAL_MAX * LF_EXPONENTIAL_MAX];
    int size = n + m;
    for (int k = 0; k < n; k++) {
        A[(n - 1) * size + k] = -square[n - k] * t;
    }
    for (int k = 0; k + 1 < size; k++) { /* each state drives the one before it */
        A[k * size + k + 1] = t;
    }
    for (int k = n; k < size; k++) {
        A[k * size + k] = s * t;
    }
    lf_matrix_exponential(size, A, E);
    for (int i = 0; i < n; i++) {
        w[i] = E[i * size + size - 1];
    }
}

/* An ODE and a wave in units of the fastest time scale, 1 / rate, with the Taylor series of w:
 *   w^(i)(x) = x^{n-i} sum_k series_i[k] x^k,   n = 2P. */
typedef struct scaled_system {
    int P, m, terms; /* terms of the series computed so far */
    double rate, sigma, b[LF_MAX_ORDER + 1], inverse[LF_MAX_ORDER + 1],
        square[STATES + 1]; /* sigma = lambda / rate, inverse_k = rate^-k */
    double re[LF_MAX_ORDER + 2][TERMS], im[LF_MAX_ORDER + 2][TERMS];
} scaled_system;

/* The series from the derivatives at 0, with forcing = t^{m-1} e^{st}:
 *   w^(k + n) = forcing^(k) - sum_i square_i w^(k + n - i). */
static void expand(scaled_system *p, int terms)
{
    int n = 2 * p->P;
    double complex derivative[STATES + TERMS] = {0}, wave = 1, before = 0; /* s^k, s^{k-1} */
    double factor[STATES + TERMS] = {1};                                   /* 1 / k! */
    for (int k = 1; k < n + terms; k++) {
        factor[k] = factor[k - 1] / k;
    }
    for (int k = 0; k < terms; k++) {
        double complex next = p->m == 1 ? wave : k * before;
        for (int i = 1; i <= n; i++) {
            next -= p->square[i] * derivative[k + n - i];
        }
        derivative[k + n] = next;
        before = wave;
        wave *= p->sigma * I;
        for (int i = 0; i <= p->P + 1 && i < n; i++) {
            p->re[i][k] = creal(next) * factor[n - i + k];
            p->im[i][k] = cimag(next) * factor[n - i + k];
        }
    }
    p->terms = terms;
}

/* w^(i)(x), i <= last <= P + 1. */
static void by_series(const scaled_system *p, int terms, double x, int last, double complex *w)
{
    for (int i = 0; i <= last; i++) {
        const double *re = p->re[i], *im = p->im[i];
        double real = 0, imaginary = 0, power = 1;
        for (int k = terms - 1; k >= 0; k--) {
            real = real * x + re[k];
            imaginary = imaginary * x + im[k];
        }
        for (int k = i; k < 2 * p->P; k++) {
            power *= x;
        }
        w[i] = power * real + power * imaginary * I;
    }
}

static void scale_system(const double *a, int P, double lambda, double t, int m, scaled_system *p)
{
    p->P = P;
    p->m = m;
    p->terms = 0;
    p->rate = fmax(lf_ode_rate(a, P), fabs(lambda));
    if (p->rate == 0) {
        p->rate = t > 0 ? 1 / t : 1;
    }
    p->sigma = lambda / p->rate;
    p->inverse[0] = 1;
    for (int k = 0; k <= P; k++) {
        p->inverse[k] = k ? p->inverse[k - 1] / p->rate : 1;
        p->b[k] = a[k] / a[0] * p->inverse[k];
    }
    lf_ode_square(p->b, P, p->square);
}

/* w^(i)(t), i <= last, in the units of the system. */
static void solve(scaled_system *p, double t, int last, double complex *w)
{
    double x = p->rate * t;
    if (x > 1.5) {
        by_exponential(2 * p->P, p->square, p->sigma * I, p->m, x, w);
        return;
    }
    int terms = terms_for(x);
    if (terms > p->terms) {
        expand(p, terms);
    }
    by_series(p, terms, x, last, w);
}

void lf_wave_responses(const double *a, int order, double lambda, size_t n, const double *t, double complex *v,
                       double complex *da, double complex *slope)
{
    scaled_system p, q;
    double complex w[STATES];
    double longest = n ? t[n - 1] : 0;
    scale_system(a, order, lambda, longest, 1, &p);
    if (slope) {
        scale_system(a, order, lambda, longest, 2, &q);
    }
    double unit = p.inverse[order] / a[0];
    for (size_t i = 0; i < n; i++) {
        v[i] = 0;
        solve(&p, t[i], order, w);
        for (int j = 0; j <= order; j++) {
            v[i] += p.b[j] * w[order - j];
        }
        v[i] *= unit;
        double complex *by = da ? da + i * (size_t)(order + 1) : NULL;
        for (int j = 1; by && j <= order; j++) {
            double complex by_b = -w[order - j] * unit;
            by[0] = (j == 1 ? -v[i] / a[0] : by[0]) - by_b * p.b[j] / a[0];
            by[j] = by_b * p.inverse[j] / a[0];
        }
        if (slope) {
            double complex sum = 0;
            solve(&q, t[i], order, w);
            for (int j = 0; j <= order; j++) {
                sum += q.b[j] * w[order - j];
            }
            slope[i] = I * sum * (unit / q.rate);
        }
    }
}

double complex lf_wave_response(const double *a, int order, double lambda, double t, double complex *da)
{
    double complex v;
    lf_wave_responses(a, order, lambda, 1, &t, &v, da, NULL);
    return v;
}

double complex lf_wave_rate(const double *a, int order, double lambda, double t)
{
    if (order == 1) { /* from the equation itself */
        return (cexp(lambda * t * I) - a[1] * lf_wave_response(a, 1, lambda, t, NULL)) / a[0];
    }
    scaled_system p;
    double complex w[STATES], v = 0;
    scale_system(a, order, lambda, t, 1, &p);
    solve(&p, t, order + 1, w);
    for (int j = 0; j <= order; j++) {
        v += p.b[j] * w[order - j + 1];
    }
    return v * (p.inverse[order - 1] / a[0]);
}
