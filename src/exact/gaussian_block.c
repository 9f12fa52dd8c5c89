/* k = prod_i sqrt(u_i / V_i) exp(-r_i^2 / 2 V_i), u_i = l_i^2 / 2. The gradient needs only k and k r_i^2 of each entry:
 *   d log k / d V_i = (r_i^2 / V_i - 1) / 2 V_i,   d log k / d u_i = that + 1 / 2 u_i. */
#include "exact/gaussian_block.h"

#include <math.h>

static double element(const double *values, int count, int i) { return values[count > 1 ? i : 0]; }

static double smoothing(lf_smoothing s, int i) { return s.count ? 1 / element(s.precision, s.count, i) : 0; }

/* u_i and V_i. */
static void variances(const lf_gaussian_pair *pair, int i, double *u, double *V)
{
    double l = element(pair->force->lengthscale, pair->force->lengthscale_count, i);
    *u = 0.5 * l * l;
    *V = *u + smoothing(pair->a.smoothing, i) + smoothing(pair->b.smoothing, i);
}

/* Returns the height prod_i sqrt(u_i / V_i) of k and stores 1 / 2 V_i in half_inverse (p). */
static double prepare(const lf_gaussian_pair *pair, double *half_inverse)
{
    double height = 1;
    for (int i = 0; i < pair->p; i++) {
        double u, V;
        variances(pair, i, &u, &V);
        height *= sqrt(u / V);
        half_inverse[i] = 0.5 / V;
    }
    return height;
}

static double exponent(int p, const double *half_inverse, const double *x, const double *z)
{
    double sum = 0;
    for (int i = 0; i < p; i++) {
        double r = x[i] - z[i];
        sum += r * r * half_inverse[i];
    }
    return sum;
}

void lf_gaussian_block(const lf_gaussian_pair *pair, double factor, int lower, double *K, size_t ld)
{
    int p = pair->p;
    size_t na = pair->a.n, nb = pair->b.n;
    const double *xa = pair->a.x, *xb = pair->b.x;
    double half_inverse[p], height = factor * prepare(pair, half_inverse);
#pragma omp parallel for schedule(static) if (na * nb > 1024)
    for (size_t n = 0; n < nb; n++) {
        for (size_t m = lower ? n : 0; m < na; m++) {
            K[n * ld + m] += height * exp(-exponent(p, half_inverse, xa + m * (size_t)p, xb + n * (size_t)p));
        }
    }
}

enum { CHUNKS = 8 };

double lf_gaussian_gradient(const lf_gaussian_pair *pair, double factor, const double *G, size_t ld,
                            double *by_lengthscale, double *by_a, double *by_b)
{
    int p = pair->p;
    const lf_force *force = pair->force;
    size_t na = pair->a.n, nb = pair->b.n;
    const double *xa = pair->a.x, *xb = pair->b.x;
    double half_inverse[p], squares[p], partial[CHUNKS][p + 1], total = 0, height = prepare(pair, half_inverse);
    /* a fixed number of chunks, so that the sums do not depend on the number of threads */
#pragma omp parallel for schedule(static) if (na * nb > 1024)
    for (size_t chunk = 0; chunk < CHUNKS; chunk++) {
        double *sums = partial[chunk];
        for (int i = 0; i <= p; i++) {
            sums[i] = 0;
        }
        for (size_t n = chunk * nb / CHUNKS; n < (chunk + 1) * nb / CHUNKS; n++) {
            for (size_t m = 0; m < na; m++) {
                const double *x = xa + m * (size_t)p, *z = xb + n * (size_t)p;
                double k = G[n * ld + m] * height * exp(-exponent(p, half_inverse, x, z));
                for (int i = 0; i < p; i++) {
                    sums[i] += k * (x[i] - z[i]) * (x[i] - z[i]);
                }
                sums[p] += k;
            }
        }
    }
    for (int i = 0; i < p; i++) {
        squares[i] = 0;
    }
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        for (int i = 0; i < p; i++) {
            squares[i] += partial[chunk][i];
        }
        total += partial[chunk][p];
    }
    for (int i = 0; i < p; i++) {
        double u, V;
        variances(pair, i, &u, &V);
        double by_V = 0.5 * factor * (squares[i] / V - total) / V, by_u = by_V + 0.5 * factor * total / u;
        by_lengthscale[force->lengthscale_count > 1 ? i : 0] +=
            by_u * element(force->lengthscale, force->lengthscale_count, i);
        const lf_smoothing sides[2] = {pair->a.smoothing, pair->b.smoothing};
        double *slopes[2] = {by_a, by_b};
        for (int k = 0; k < 2; k++) {
            if (sides[k].count) {
                double inverse = smoothing(sides[k], i);
                slopes[k][sides[k].count > 1 ? i : 0] -= by_V * inverse * inverse;
            }
        }
    }
    return total;
}
