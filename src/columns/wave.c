/* v(t, lambda) as the solution of a linear system rather than a difference of waves.
 *
 * Let w have Laplace transform 1 / (chi(s)^2 (s - j lambda)), chi(s) = s^P + b_1 s^{P-1} + … + b_P. Then
 *   v = (1/a_0) sum_j b_j w^(P-j),     dv/db_j = -(1/a_0) w^(P-j).
 * w and its derivatives come from the Taylor series at 0 when t is small against every time scale, otherwise from the
 * exponential of the companion matrix of chi^2 (s - j lambda). */
#include "columns/wave.h"

#include <math.h>

#include "base/matrix_exponential.h"
#include "model/operator.h"

/* w^(i)(t), i < 2P, by the recurrence of the derivatives at 0: w^(n + 2P) = (j lambda)^n - sum_k square_k w^(n + 2P - k). */
static void by_series(int n, const double *square, double complex s, double t, double complex *w)
{
    enum { TERMS = 56 };
    double complex derivative[2 * LF_MAX_ORDER + TERMS] = {0}, wave = 1;
    for (int m = 0; m < TERMS; m++) {
        double complex next = wave;
        for (int k = 1; k <= n; k++) {
            next -= square[k] * derivative[m + n - k];
        }
        derivative[m + n] = next;
        wave *= s;
    }
    for (int i = 0; i < n; i++) {
        double complex sum = 0;
        double power = 1;
        for (int m = 0; m < n - i + TERMS; m++) {
            sum += derivative[i + m] * power;
            power *= t / (m + 1);
        }
        w[i] = sum;
    }
}

static void by_exponential(int n, const double *square, double complex s, double t, double complex *w)
{
    double complex A[LF_EXPONENTIAL_MAX * LF_EXPONENTIAL_MAX] = {0}, E[LF_EXPONENTIAL_MAX * LF_EXPONENTIAL_MAX];
    int size = n + 1;
    for (int k = 0; k < n; k++) {
        if (k + 1 < n) {
            A[k * size + k + 1] = t;
        }
        A[(n - 1) * size + k] = -square[n - k] * t;
    }
    A[(n - 1) * size + n] = t;
    A[n * size + n] = s * t;
    lf_matrix_exponential(size, A, E);
    for (int i = 0; i < n; i++) {
        w[i] = E[i * size + n];
    }
}

double complex lf_wave_response(const double *a, int order, double lambda, double t, double complex *da)
{
    int P = order, n = 2 * P;
    double rate = fmax(lf_ode_rate(a, P), lambda); /* time in units of the fastest scale */
    if (rate == 0) {
        rate = t > 0 ? 1 / t : 1;
    }
    double b[LF_MAX_ORDER + 1], square[2 * LF_MAX_ORDER + 1];
    for (int k = 0; k <= P; k++) {
        b[k] = a[k] / a[0] * pow(rate, -k);
    }
    lf_ode_square(b, P, square);
    double complex s = lambda / rate * I, w[2 * LF_MAX_ORDER];
    if (rate * t <= 1.5) {
        by_series(n, square, s, rate * t, w);
    } else {
        by_exponential(n, square, s, rate * t, w);
    }
    double unit = pow(rate, -P) / a[0];
    double complex v = 0;
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
