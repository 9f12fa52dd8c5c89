/* With s = sqrt V, alpha = a s, rho = r / s and the two halves of the kernel, sign = +1 and -1,
 *
 *   K = sum_sign sum_j p_j alpha^j m_j,   m_j = int_0^inf u^j e^{-alpha u} phi(u - sign rho) du = phi(rho) J_j(z),
 *   J_j(z) = int_0^inf u^j e^{-z u - u^2 / 2} du,   z = alpha - sign rho,   J_{j+1} = j J_{j-1} - z J_j,   J_1 = 1 - z J_0
 *
 * and J_0(z) = sqrt(pi / 2) erfcx(z / sqrt 2). The recurrence is stable for z < 0 and loses digits like z^2j for large z;
 * there the ratios J_j / J_{j-1} come from their continued fraction, j / (z + (j + 1) / (z + ...)).
 *
 * Derivatives by r are taken on the kernel if it is wider than the Gaussian (alpha <= 1), on the Gaussian otherwise; the
 * other way round they would cancel. */
#include "exact/smoothed_matern.h"

#include <cerf.h>
#include <math.h>

#include "base/numbers.h"

enum { MOMENTS = 5 };

/* p, and the polynomials of -k' / a, k'' / a^2 and l dk/dl = -t k', for nu = 1/2, 3/2, 5/2. A Matern-1/2 kernel has a kink,
 * which adds -2 a N(r; 0, V) to K''. */
static const double value_terms[3][4] = {{1}, {1, 1}, {1, 1, 1.0 / 3}};
static const double slope_terms[3][4] = {{1}, {0, 1}, {0, 1.0 / 3, 1.0 / 3}};
static const double curvature_terms[3][4] = {{1}, {-1, 1}, {-1.0 / 3, -1.0 / 3, 1.0 / 3}};
static const double lengthscale_terms[3][4] = {{0, 1}, {0, 0, 1}, {0, 0, 1.0 / 3, 1.0 / 3}};

/* m (MOMENTS) for one half. */
static void moments(double alpha, double rho, double sign, double *m)
{
    const double large = 2, phi = exp(-0.5 * rho * rho) / sqrt(2 * LF_PI), z = alpha - sign * rho;
    if (z < large) {
        m[0] = z < 0 ? 0.5 * exp(alpha * (0.5 * alpha - sign * rho)) * erfc(z * sqrt(0.5))
                     : phi * sqrt(0.5 * LF_PI) * erfcx(z * sqrt(0.5));
        m[1] = phi - z * m[0];
        for (int j = 1; j + 1 < MOMENTS; j++) {
            m[j + 1] = j * m[j - 1] - z * m[j];
        }
        return;
    }
    int last = MOMENTS + 8 + (int)(400 / (z * z)); /* the number of terms that rounding requires */
    double ratio = sqrt(0.25 * z * z + last) - 0.5 * z, ratios[MOMENTS];
    for (int j = last - 1; j > 0; j--) {
        ratio = j / (z + ratio);
        if (j < MOMENTS) {
            ratios[j] = ratio;
        }
    }
    m[0] = phi / (z + ratio);
    for (int j = 1; j < MOMENTS; j++) {
        m[j] = ratios[j] * m[j - 1];
    }
}

/* sum_j terms_j alpha^j m_{j + shift} */
static double combine(const double *terms, int count, double alpha, const double *m, int shift)
{
    double sum = 0, power = 1;
    for (int j = 0; j < count; j++) {
        sum += terms[j] * power * m[j + shift];
        power *= alpha;
    }
    return sum;
}

lf_smoothed lf_smoothed_matern(const lf_force_kernel *kernel, double lengthscale, double V, double r)
{
    int index = (int)(kernel->tail_power / 2) - 1; /* 0, 1, 2 for nu = 1/2, 3/2, 5/2 */
    double a = kernel->pole / lengthscale, s = sqrt(V), alpha = a * s, rho = r / s;
    const double *p = value_terms[index];
    lf_smoothed K = {0};
    for (int half = 0; half < 2; half++) {
        double m[MOMENTS], sign = half ? -1 : 1;
        moments(alpha, rho, sign, m);
        double value = combine(p, 3, alpha, m, 0);
        K.value += value;
        K.by_lengthscale += combine(lengthscale_terms[index], 4, alpha, m, 0) / lengthscale;
        if (alpha <= 1) {
            K.slope -= a * sign * combine(slope_terms[index], 3, alpha, m, 0);
            K.curvature += a * a * combine(curvature_terms[index], 3, alpha, m, 0);
        } else {
            double first = combine(p, 3, alpha, m, 1), second = combine(p, 3, alpha, m, 2);
            K.slope += sign * (first - sign * rho * value) / s;
            K.curvature += (second - 2 * sign * rho * first + (rho * rho - 1) * value) / V;
        }
    }
    if (index == 0 && alpha <= 1) {
        K.curvature -= 2 * a * exp(-0.5 * rho * rho) / (s * sqrt(2 * LF_PI));
    }
    return K;
}
