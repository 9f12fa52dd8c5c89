/* v(t, lambda) as the solution of a linear system rather than a difference of waves.
 *
 * Let w have Laplace transform 1 / (chi(s)^2 (s - j lambda)^m), chi(s) = s^P + b_1 s^{P-1} + … + b_P. Then
 *   m = 1:  v = (1/a_0) sum_j b_j w^(P-j),     dv/db_j = -(1/a_0) w^(P-j);
 *   m = 2:  dv/dlambda = (j/a_0) sum_j b_j w^(P-j).
 * w and its derivatives come from the Taylor series at 0 when t is small against every time scale, otherwise from the
 * exponential of the companion matrix of chi^2 (s - j lambda)^m. */
#include "columns/wave.h"

#include <math.h>
#include <stddef.h>

#include "base/matrix_exponential.h"
#include "model/operator.h"

_Static_assert(2 * LF_MAX_ORDER + 2 <= LF_EXPONENTIAL_MAX, "companion matrices must fit");

/* w^(i)(t), i < n = 2P, by the recurrence of the derivatives at 0, with forcing = t^{m-1} e^{s t}:
 *   w^(k + n) = forcing^(k) - sum_i square_i w^(k + n - i). */
static void by_series(int n, const double *square, double complex s, int m, double t, double complex *w)
{
    enum { TERMS = 56 };
    double complex derivative[2 * LF_MAX_ORDER + TERMS] = {0}, wave = 1, before = 0; /* s^k, s^{k-1} */
    for (int k = 0; k < TERMS; k++) {
        double complex next = m == 1 ? wave : k * before;
        for (int i = 1; i <= n; i++) {
            next -= square[i] * derivative[k + n - i];
        }
        derivative[k + n] = next;
        before = wave;
        wave *= s;
    }
    for (int i = 0; i < n; i++) {
        double complex sum = 0;
        double power = 1;
        for (int k = 0; k < n - i + TERMS; k++) {
            sum += derivative[i + k] * power;
            power *= t / (k + 1);
        }
        w[i] = sum;
    }
}

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

/* The derivatives of w in units of the fastest time scale 1 / rate, and b in those units. Returns the rate. */
static double solve(const double *a, int P, double lambda, int m, double t, double *b, double complex *w)
{
    double rate = fmax(lf_ode_rate(a, P), fabs(lambda)), square[2 * LF_MAX_ORDER + 1];
    if (rate == 0) {
        rate = t > 0 ? 1 / t : 1;
    }
    for (int k = 0; k <= P; k++) {
        b[k] = a[k] / a[0] * pow(rate, -k);
    }
    lf_ode_square(b, P, square);
    if (rate * t <= 1.5) {
        by_series(2 * P, square, lambda / rate * I, m, rate * t, w);
    } else {
        by_exponential(2 * P, square, lambda / rate * I, m, rate * t, w);
    }
    return rate;
}

double complex lf_wave_response(const double *a, int order, double lambda, double t, double complex *da)
{
    int P = order;
    double b[LF_MAX_ORDER + 1];
    double complex w[2 * LF_MAX_ORDER], v = 0;
    double rate = solve(a, P, lambda, 1, t, b, w), unit = pow(rate, -P) / a[0];
    for (int j = 0; j <= P; j++) {
        v += b[j] * w[P - j];
    }
    v *= unit;
    if (da) {
        da[0] = -v / a[0];
        for (int j = 1; j <= P; j++) {
            double complex by_b = -w[P - j] * unit;
            da[j] = by_b * pow(rate, -j) / a[0];
            da[0] -= by_b * b[j] / a[0];
        }
    }
    return v;
}

double complex lf_wave_slope(const double *a, int order, double lambda, double t)
{
    double b[LF_MAX_ORDER + 1];
    double complex w[2 * LF_MAX_ORDER], v = 0;
    double rate = solve(a, order, lambda, 2, t, b, w);
    for (int j = 0; j <= order; j++) {
        v += b[j] * w[order - j];
    }
    return I * v * (pow(rate, -order - 1) / a[0]);
}

double complex lf_wave_rate(const double *a, int order, double lambda, double t)
{
    if (order == 1) { /* from the equation itself */
        return (cexp(lambda * t * I) - a[1] * lf_wave_response(a, 1, lambda, t, NULL)) / a[0];
    }
    double b[LF_MAX_ORDER + 1];
    double complex w[2 * LF_MAX_ORDER], v = 0;
    double rate = solve(a, order, lambda, 1, t, b, w);
    for (int j = 0; j <= order; j++) {
        v += b[j] * w[order - j + 1];
    }
    return v * (pow(rate, 1 - order) / a[0]);
}
