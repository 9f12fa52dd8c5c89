/* Frequencies drawn from the spectral density of a force kernel, w_s = 1 / S. For p inputs, at lengthscale 1:
 *   EQ      lambda = sqrt(2) z,             z ~ N(0, I);
 *   Matern  lambda = sqrt(n) z / chi_n,     n = 2 nu: Student's t in p dimensions.
 * mc: independent draws. qmc: z and chi by their quantiles at scrambled Sobol points; for one input, the midpoints of
 * intervals of equal mass. orthogonal (Yu et al., Orthogonal random features, NIPS 2016): z = |z| q, with directions q
 * in blocks of p orthogonal ones, uniform on the sphere, and lengths |z| stratified over their distribution.
 *
 * The draws depend on the seed alone; they are scaled by the lengthscales later. */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/lapack.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/random.h"
#include "features/nodes.h"
#include "features/sobol.h"

/* n of a Matern density; 0 for EQ. */
static int degrees_of_freedom(const lf_force_kernel *kernel)
{
    return kernel->tail_power > 0 ? (int)kernel->tail_power - 1 : 0;
}

/* The length of a vector of n normals. */
static double draw_length(lf_random *random, int n)
{
    double squares = 0;
    for (int i = 0; i < n; i++) {
        double z = lf_random_normal(random);
        squares += z * z;
    }
    return sqrt(squares);
}

/* The factor between normals z and the frequency lambda. */
static double draw_scale(lf_random *random, int degrees)
{
    return degrees ? sqrt(degrees) / draw_length(random, degrees) : sqrt(2);
}

/* log Gamma(n / 2 + 1). */
static double log_gamma(int n)
{
    double sum = n % 2 ? 0.5 * log(LF_PI) : 0;
    for (int k = n; k > 0; k -= 2) {
        sum += log(0.5 * k);
    }
    return sum;
}

/* P(chi_n <= r) by its series x^a e^-x sum_k x^k / Gamma(a + k + 1), a = n / 2, x = r^2 / 2, of positive terms. */
static double chi_distribution(int n, double r)
{
    double a = 0.5 * n, x = 0.5 * r * r, term = exp(a * log(x) - x - log_gamma(n)), sum = term;
    for (int k = 1; term > 1e-17 * sum; k++) {
        term *= x / (a + k);
        sum += term;
    }
    return sum;
}

/* The r with P(chi_n <= r) = u: Newton iterations, with bisection where they leave the bracket. */
static double chi_quantile(int n, double u)
{
    double low = 0, high = sqrt(n) + 12, r = sqrt(n);
    for (int i = 0; i < 200; i++) {
        double error = chi_distribution(n, r) - u;
        *(error > 0 ? &high : &low) = r;
        double density = n * exp((n - 1) * log(r) - 0.5 * r * r - 0.5 * n * log(2) - log_gamma(n));
        double next = r - error / density;
        next = next > low && next < high ? next : 0.5 * (low + high);
        if (fabs(next - r) <= 1e-15 * r) {
            break;
        }
        r = next;
    }
    return r;
}

static void draw_mc(lf_random *random, const lf_force_kernel *kernel, size_t p, size_t count, double *base)
{
    for (size_t s = 0; s < count; s++) {
        if (p == 1) { /* v(-lambda) = conj v(lambda): positive frequencies are enough */
            base[s] = kernel->quantile(0.5 + 0.5 * lf_random_uniform(random));
            continue;
        }
        double scale = draw_scale(random, degrees_of_freedom(kernel));
        for (size_t k = 0; k < p; k++) {
            base[s * p + k] = scale * lf_random_normal(random);
        }
    }
}

static lf_status draw_qmc(lf_context *ctx, lf_random *random, const lf_force_kernel *kernel, size_t p, size_t count,
                          double *base)
{
    int degrees = degrees_of_freedom(kernel), dimensions = (int)p + (degrees > 0);
    if (p == 1) {
        for (size_t s = 0; s < count; s++) {
            base[s] = kernel->quantile(0.5 + ((double)s + 0.5) / (2 * (double)count));
        }
        return LF_OK;
    }
    if (dimensions > LF_SOBOL_DIMENSIONS) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                       "qmc nodes are for at most %d inputs with %s forces, found %zu; use "
                       "orthogonal nodes",
                       LF_SOBOL_DIMENSIONS - (degrees > 0), kernel->name, p);
    }
    lf_sobol sobol;
    lf_sobol_create(&sobol, dimensions, random);
    for (size_t s = 0; s < count; s++) {
        double u[LF_SOBOL_DIMENSIONS];
        lf_sobol_point(&sobol, (uint32_t)s, u);
        u[0] = 0.5 + 0.5 * u[0]; /* positive frequencies, as above */
        double scale = degrees ? sqrt(0.5 * degrees) / chi_quantile(degrees, u[p]) : 1;
        for (size_t k = 0; k < p; k++) {
            base[s * p + k] = scale * lf_force_kernel_eq.quantile(u[k]);
        }
    }
    return LF_OK;
}

/* Q (p, p): a random orthogonal matrix (Haar), from the QR factorisation of a matrix of normals. */
static lf_status draw_orthogonal_matrix(lf_context *ctx, lf_random *random, size_t p, double *Q, double *tau)
{
    for (size_t i = 0; i < p * p; i++) {
        Q[i] = lf_random_normal(random);
    }
    int info = lf_qr(p, p, Q, tau);
    LF_TRY(info, lf_qr_matrix(p, Q, tau));
    return info ? lf_no_memory(ctx) : LF_OK;
}

/* length (count): a stratified sample of chi_p, one value from each of `count` intervals of equal mass, in random
 * order. */
static void draw_lengths(lf_random *random, int p, size_t count, double *length)
{
    for (size_t s = 0; s < count; s++) {
        double value = chi_quantile(p, ((double)s + lf_random_uniform(random)) / (double)count);
        size_t place = (size_t)(lf_random_uniform(random) * (double)(s + 1));
        length[s] = length[place];
        length[place] = value;
    }
}

/* The signs of the columns of Q do not matter: lambda and -lambda give the same covariance. */
static lf_status draw_orthogonal(lf_context *ctx, lf_random *random, const lf_force_kernel *kernel, size_t p,
                                 size_t count, double *base)
{
    double *Q = lf_doubles(p, p), *tau = lf_doubles(p, 1), *length = lf_doubles(count, 1);
    lf_status status = Q && tau && length ? LF_OK : lf_no_memory(ctx);
    if (!status) {
        draw_lengths(random, (int)p, count, length);
    }
    for (size_t s = 0; !status && s < count; s++) {
        if (s % p == 0) {
            status = draw_orthogonal_matrix(ctx, random, p, Q, tau);
        }
        double scale = length[s] * draw_scale(random, degrees_of_freedom(kernel));
        for (size_t k = 0; k < p; k++) {
            base[s * p + k] = scale * Q[(s % p) * p + k];
        }
    }
    free(Q);
    free(tau);
    free(length);
    return status;
}

lf_status lf_nodes_sampled(lf_context *ctx, const lf_force_kernel *kernel, int input_dim, size_t count, lf_rule rule,
                           uint64_t seed, lf_nodes *nodes)
{
    size_t p = (size_t)input_dim;
    double *base = lf_doubles(count, p);
    lf_status status = base ? LF_OK : lf_no_memory(ctx);
    lf_random random;
    lf_random_seed(&random, seed);
    if (!status && rule == LF_RULE_QMC) {
        status = draw_qmc(ctx, &random, kernel, p, count, base);
    } else if (!status && rule == LF_RULE_ORTHOGONAL) {
        status = draw_orthogonal(ctx, &random, kernel, p, count, base);
    } else if (!status) {
        draw_mc(&random, kernel, p, count, base);
    }
    LF_TRY(status, lf_nodes_from_base(ctx, input_dim, count, base, nodes));
    free(base);
    return status;
}
