/* Matern kernels of order nu = 1/2, 3/2, 5/2: k(r) = polynomial(c r) e^{-c r}, c = sqrt(2 nu); p is Student's t with
 * n = 2 nu degrees of freedom, p(lambda) ~ (1 + lambda^2 / n)^-(n+1)/2.
 *
 * With lambda = sqrt(n) tan(theta) its distribution function is 1/2 + F(theta) / pi,
 *   n = 1: F = theta,  n = 3: F = theta + sin cos,  n = 5: F = theta + sin cos (1 + 2/3 cos^2). */
#include <math.h>

#include "base/numbers.h"
#include "model/force_kernel.h"

/* k(r) for n = 1, 3, 5. */
static double value(int n, double r)
{
    double z = sqrt(n) * r;
    double polynomial = n == 1 ? 1 : n == 3 ? 1 + z : 1 + z + z * z / 3;
    return polynomial * exp(-z);
}

/* k'(r) */
static double slope(int n, double r)
{
    double c = sqrt(n), z = c * r;
    double polynomial = n == 1 ? 1 : n == 3 ? z : (z + z * z) / 3;
    return -c * polynomial * exp(-z);
}

/* Gamma((n+1)/2) / (sqrt(n pi) Gamma(n/2)) */
static double normaliser(int n)
{
    return n == 1 ? 1 / LF_PI : n == 3 ? 2 / (sqrt(3) * LF_PI) : 8 / (3 * sqrt(5) * LF_PI);
}

static double density(int n, double lambda) { return normaliser(n) * pow(1 + lambda * lambda / n, -(n + 1) / 2); }

static double density_slope(int n, double lambda)
{
    return -(n + 1) * lambda / (n + lambda * lambda) * density(n, lambda);
}

/* pi/2 - F(theta) as a function of phi = pi/2 - theta: phi - sin cos (1 + …), for small phi from its series, which does
 * not cancel. */
static double upper_tail(int n, double phi)
{
    double s = sin(phi), c = cos(phi);
    if (n == 1) {
        return phi;
    }
    if (phi < 0.3) {
        static const double series3[] = {2.0 / 3,      -2.0 / 15,      4.0 / 315,      -2.0 / 2835,
                                         4.0 / 155925, -4.0 / 6081075, 8.0 / 638512875};
        static const double series5[] = {8.0 / 15,       -16.0 / 63,     8.0 / 135, -272.0 / 31185,
                                         496.0 / 552825, -32.0 / 467775, 4.0248e-6};
        const double *series = n == 3 ? series3 : series5;
        double q = phi * phi, sum = 0;
        for (int i = 6; i >= 0; i--) {
            sum = sum * q + series[i];
        }
        return (n == 3 ? phi * q : phi * q * q) * sum;
    }
    return n == 3 ? phi - s * c : phi - s * c * (1 + 2.0 / 3 * s * s);
}

/* The lambda > 0 above which p has mass u < 1/2: upper_tail(phi) = pi u, by Newton iterations in a bracket. */
static double upper_quantile(int n, double u)
{
    double target = LF_PI * u;
    double low = 0, high = LF_PI / 2, phi = n == 1 ? target : n == 3 ? cbrt(1.5 * target) : pow(1.875 * target, 0.2);
    for (int i = 0; i < 100; i++) {
        double error = upper_tail(n, phi) - target;
        *(error > 0 ? &high : &low) = phi;
        double s2 = sin(phi) * sin(phi);
        double derivative = n == 1 ? 1 : n == 3 ? 2 * s2 : 8.0 / 3 * s2 * s2;
        double next = phi - error / derivative;
        if (!(next > low && next < high)) {
            next = (low + high) / 2;
        }
        if (fabs(next - phi) <= 2e-16 * phi) {
            break;
        }
        phi = next;
    }
    return sqrt(n) / tan(phi);
}

static double quantile(int n, double u)
{
    return u == 0.5 ? 0 : u < 0.5 ? -upper_quantile(n, u) : upper_quantile(n, 1 - u);
}

static double reach(int n, double epsilon)
{
    double r = -log(epsilon) / sqrt(n);
    for (int i = 0; i < 8; i++) { /* fixed point of c r = log(polynomial / epsilon) */
        r = log(value(n, r) * exp(sqrt(n) * r) / epsilon) / sqrt(n);
    }
    return r;
}

#define MATERN(suffix, degrees, root)                                                                                  \
    static double covariance_##suffix(double r) { return value(degrees, r); }                                          \
    static double covariance_slope_##suffix(double r) { return slope(degrees, r); }                                    \
    static double density_##suffix(double lambda) { return density(degrees, lambda); }                                 \
    static double density_slope_##suffix(double lambda) { return density_slope(degrees, lambda); }                     \
    static double quantile_##suffix(double u) { return quantile(degrees, u); }                                         \
    static double reach_##suffix(double epsilon) { return reach(degrees, epsilon); }                                   \
    static double tail_##suffix(double epsilon) { return upper_quantile(degrees, epsilon / 2); }                       \
    const lf_force_kernel lf_force_kernel_matern##suffix = {.name = "matern" #suffix,                                  \
                                                            .covariance = covariance_##suffix,                         \
                                                            .covariance_slope = covariance_slope_##suffix,             \
                                                            .density = density_##suffix,                               \
                                                            .density_slope = density_slope_##suffix,                   \
                                                            .quantile = quantile_##suffix,                             \
                                                            .reach = reach_##suffix,                                   \
                                                            .tail = tail_##suffix,                                     \
                                                            .tail_power = (degrees) + 1,                               \
                                                            .pole = root};

MATERN(12, 1, 1)
MATERN(32, 3, 1.7320508075688772)
MATERN(52, 5, 2.2360679774997897)
