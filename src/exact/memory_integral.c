/* The convolution of an exponential with an EQ kernel, L, in terms of the scaled error function:
 *   L(r) = (sqrt(pi) l / 2) e^{-a^2} W(nu - a),   a = r / l,  nu = alpha l / 2,  W(z) = erfcx(z) = w(jz).
 * If Re z < 0 the reflection W(z) = 2 e^{z^2} - W(-z) is used with combined exponents, so that nothing overflows and
 * libcerf is never called below the real axis, where some versions overflow. Since W' = 2 z W - 2 / sqrt(pi),
 *   dL/dl = ((1 + 2 nu^2) L - l e^{-a^2} (nu + a)) / l. */
#include "exact/memory_integral.h"

#include <cerf.h>
#include <math.h>

#include "base/gauss_legendre.h"
#include "base/numbers.h"

/* From this |nu| on the asymptotic series is more accurate than the two terms of the derivative, which cancel. */
#define LARGE 30.0

/* By parts: int_0^inf e^{-alpha x} f(r - x) dx = sum_n (-1)^n f^(n)(r) / alpha^{n+1}, with f = dk/dl = 2 r^2 k / l^3
 * and k^(n) = (-1/l)^n H_n(a) k. In units of l, with h_n = k^(n) l^n:
 *   f^(n) = 2 (a^2 h_n + 2 n a h_{n-1} + n (n-1) h_{n-2}). */
static double complex past_slope_series(double complex nu, double a, double gauss)
{
    double complex step = -1 / (2 * nu), power = 1 / (2 * nu), sum = 0;
    double before = 0, last = 0, here = gauss; /* h_{n-2}, h_{n-1}, h_n */
    for (int n = 0; n < 16; n++) {
        sum += power * (2 * (a * a * here + 2 * n * a * last + n * (n - 1) * before));
        before = last;
        last = here;
        here = -2 * a * last - 2 * n * before;
        power *= step;
    }
    return sum;
}

double complex lf_memory_past(double complex alpha, double lengthscale, double r, double complex *by_lengthscale)
{
    double complex nu = 0.5 * lengthscale * alpha;
    double a = r / lengthscale, gauss = exp(-a * a), half = 0.5 * LF_SQRT_PI * lengthscale;
    double x = creal(nu) - a, y = cimag(nu);
    double complex L = 0;
    if (y == 0) {
        L = gauss > 0 ? half * gauss * erfcx(fabs(x)) : 0;
        if (x < 0) {
            L = 2 * half * exp(creal(nu) * (creal(nu) - 2 * a)) - L;
        }
    } else {
        if (gauss > 0) { /* w(jz) = w(-y + jx), and w(-jz) = w(y - jx) */
            L = half * gauss * (x < 0 ? w_of_z(y - I * x) : w_of_z(-y + I * x));
        }
        if (x < 0) {
            L = 2 * half * cexp(nu * (nu - 2 * a)) - L;
        }
    }
    if (by_lengthscale) {
        *by_lengthscale =
            cabs(nu) < LARGE ? (1 + 2 * nu * nu) * L / lengthscale - gauss * (nu + a) : past_slope_series(nu, a, gauss);
    }
    return L;
}

/* E by Gauss-Legendre quadrature. */
static void since_by_quadrature(double complex alpha, double lengthscale, double t, int count, const double *s,
                                double complex *E, double complex *by_lengthscale)
{
    for (int p = 0; p < count; p++) {
        E[p] = 0;
        if (by_lengthscale) {
            by_lengthscale[p] = 0;
        }
    }
    for (int i = 0; i < LF_GAUSS_POINTS; i++) {
        double x = 0.5 * t * (1 + (i % 2 ? lf_gauss_x[i / 2] : -lf_gauss_x[i / 2]));
        double complex factor = 0.5 * t * lf_gauss_w[i / 2] * cexp(-alpha * (t - x));
        for (int p = 0; p < count; p++) {
            double a = (x - s[p]) / lengthscale, gauss = exp(-a * a);
            E[p] += factor * gauss;
            if (by_lengthscale) {
                by_lengthscale[p] += factor * (2 * a * a / lengthscale * gauss);
            }
        }
    }
}

void lf_memory_since(double complex alpha, double lengthscale, double t, int count, const double *s, double complex *E,
                     double complex *by_lengthscale)
{
    if (cabs(alpha) * t <= 8) { /* slow: the two terms would cancel, but the integrand is smooth */
        since_by_quadrature(alpha, lengthscale, t, count, s, E, by_lengthscale);
        return;
    }
    double complex decay = cexp(-alpha * t);
    for (int p = 0; p < count; p++) {
        double complex slope[2];
        E[p] = lf_memory_past(alpha, lengthscale, t - s[p], &slope[0]) -
               decay * lf_memory_past(alpha, lengthscale, -s[p], &slope[1]);
        if (by_lengthscale) {
            by_lengthscale[p] = slope[0] - decay * slope[1];
        }
    }
}
