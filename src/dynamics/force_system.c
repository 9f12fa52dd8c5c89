/* The Takenaka-Malmquist basis: a chain of all-pass sections, one for each real pole -a and one for each pair of poles
 * with sum -2a and product w^2,
 *
 *   real:  F_kk = -a, b_k = sqrt(2a)    pair:  F_kk = [-2a, -w; w, 0], b_k = [sqrt(4a), 0]    F_kj = -b_k b_j', j < k
 *
 * The states are orthonormal under white noise, so that no Gram matrix has to be inverted. The coefficients of a
 * transfer function H are its inner products with the states, c_k = 1/2pi int H(jw) conj phi_k(jw) dw. The midpoint
 * rule in the angle t, w = scale tan(t / 2), converges geometrically. */
#include "dynamics/force_system.h"

#include <math.h>

#include "base/context.h"
#include "base/matrix_exponential.h"
#include "base/numbers.h"

_Static_assert(LF_RATIONAL_MAX_ORDER <= LF_EXPONENTIAL_MAX, "lf_matrix_exponential must accept the matrices of forces");

typedef struct transfer_function {
    int poles, zeros;
    double complex pole[LF_RATIONAL_MAX_ORDER], zero[LF_RATIONAL_MAX_ORDER];
} transfer_function;

static void make_chain(const transfer_function *H, lf_force_system *system)
{
    int n = system->n = H->poles;
    system->slowest = INFINITY;
    for (int k = 0; k < n * n; k++) {
        system->F[k] = 0;
    }
    for (int k = 0; k < n;) {
        double a = -creal(H->pole[k]), w = cabs(H->pole[k]);
        int size = cimag(H->pole[k]) != 0 ? 2 : 1;
        system->slowest = fmin(system->slowest, a);
        system->b[k] = sqrt(2 * size * a);
        system->F[k * n + k] = -size * a;
        if (size == 2) {
            system->b[k + 1] = 0;
            system->F[k * n + k + 1] = -w;
            system->F[(k + 1) * n + k] = w;
        }
        for (int j = 0; j < k; j++) {
            system->F[k * n + j] = -system->b[k] * system->b[j];
        }
        k += size;
    }
}

/* phi (n) = (s - F)^-1 b along the chain. */
static void chain_response(const transfer_function *H, const lf_force_system *system, double complex s,
                           double complex *phi)
{
    double complex passed = 1; /* product of the all-pass responses of the sections before k */
    for (int k = 0; k < system->n;) {
        double a = -creal(H->pole[k]), w = cabs(H->pole[k]);
        if (cimag(H->pole[k]) != 0) {
            double complex section = passed * system->b[k] / (s * s + 2 * a * s + w * w);
            phi[k] = section * s;
            phi[k + 1] = section * w;
            passed -= system->b[k] * phi[k];
            k += 2;
        } else {
            phi[k] = passed * system->b[k] / (s + a);
            passed -= system->b[k] * phi[k];
            k++;
        }
    }
}

static void make_coefficients(const transfer_function *H, lf_force_system *system)
{
    enum { ANGLES = 512 };
    double log_scale = 0, norm = 0;
    for (int i = 0; i < H->poles; i++) {
        log_scale += log(cabs(H->pole[i])) / H->poles;
    }
    double scale = exp(log_scale);
    for (int k = 0; k < system->n; k++) {
        system->c[k] = 0;
    }
    for (int i = 0; i < ANGLES; i++) {
        double angle = LF_PI * (i + 0.5) / ANGLES, cosine = cos(angle / 2);
        double complex s = I * scale * tan(angle / 2), value = 1, phi[LF_RATIONAL_MAX_ORDER];
        for (int k = 0; k < H->poles; k++) { /* zeros and poles alternate, so that nothing overflows */
            value *= (k < H->zeros ? (s - H->zero[k]) / scale : 1) * scale / (s - H->pole[k]);
        }
        chain_response(H, system, s, phi);
        for (int k = 0; k < system->n; k++) {
            system->c[k] += creal(value * conj(phi[k])) / (cosine * cosine);
        }
    }
    for (int k = 0; k < system->n; k++) {
        norm += system->c[k] * system->c[k];
    }
    for (int k = 0; k < system->n; k++) {
        system->c[k] /= sqrt(norm); /* u has variance 1 */
    }
}

/* max |c' exp(F r) c - k(r)| over lags r up to where k(r) is negligible. */
static double max_error(const lf_force_kernel *kernel, const lf_force_system *system)
{
    enum { LAGS = 400 };
    int n = system->n;
    double step = kernel->reach(1e-16) / LAGS, largest = 0;
    double complex F[LF_RATIONAL_MAX_ORDER * LF_RATIONAL_MAX_ORDER], A[LF_RATIONAL_MAX_ORDER * LF_RATIONAL_MAX_ORDER];
    double x[LF_RATIONAL_MAX_ORDER], next[LF_RATIONAL_MAX_ORDER];
    for (int k = 0; k < n * n; k++) {
        F[k] = step * system->F[k];
    }
    lf_matrix_exponential(n, F, A);
    for (int k = 0; k < n; k++) {
        x[k] = system->c[k];
    }
    for (int lag = 0; lag <= LAGS; lag++) {
        double covariance = 0;
        for (int i = 0; i < n; i++) {
            covariance += system->c[i] * x[i];
            next[i] = 0;
            for (int j = 0; j < n; j++) {
                next[i] += creal(A[i * n + j]) * x[j];
            }
        }
        largest = fmax(largest, fabs(covariance - kernel->covariance(lag * step)));
        for (int i = 0; i < n; i++) {
            x[i] = next[i];
        }
    }
    return largest;
}

/* The smallest order that may be within a tolerance. Trying those that are not takes most of the time. */
static int first_order(double tolerance)
{
    /* half of the errors of the orders from 2 on, as max_error finds them */
    static const double error[] = {6e-2,   2e-2,   1e-2,   6e-3,   1.6e-3,  4.6e-4,  1.4e-4, 4.9e-5,
                                   1.7e-5, 6e-6,   2.4e-6, 6.7e-7, 2.1e-7,  7e-8,    2.5e-8, 8e-9,
                                   3.2e-9, 1.2e-9, 4e-10,  1e-10,  3.5e-11, 1.2e-11, 4e-12};
    int order = 2;
    while (order < LF_RATIONAL_MAX_ORDER && error[order - 2] > tolerance) {
        order++;
    }
    return order;
}

lf_status lf_force_system_create(lf_context *ctx, const lf_force_kernel *kernel, double tolerance,
                                 lf_force_system *system)
{
    transfer_function H = {0};
    if (kernel->tail_power > 0) { /* p ~ (pole^2 + lambda^2)^-tail_power/2 */
        H.poles = (int)(kernel->tail_power / 2);
        for (int k = 0; k < H.poles; k++) {
            H.pole[k] = -kernel->pole;
        }
        make_chain(&H, system);
        make_coefficients(&H, system);
        system->error = 0;
        return LF_OK;
    }
    system->error = INFINITY;
    for (int order = first_order(tolerance); order <= LF_RATIONAL_MAX_ORDER; order++) {
        H.poles = order;
        H.zeros = lf_rational_gaussian(order, H.pole, H.zero);
        make_chain(&H, system);
        make_coefficients(&H, system);
        system->error = max_error(kernel, system);
        if (system->error <= tolerance) {
            return LF_OK;
        }
    }
    return lf_fail(ctx, LF_ERROR_ARGUMENT,
                   "tolerance %g is below what the kalman engine reaches for '%s' forces, %.1g with %d states; use a "
                   "larger tolerance or another engine",
                   tolerance, kernel->name, system->error, LF_RATIONAL_MAX_ORDER);
}
