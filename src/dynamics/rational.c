/* The Pade approximant p / q of exp(-x) with degrees (L, N):
 *
 *   p(x) = sum_j (-1)^j (L+N-j)! L! / ((L+N)! j! (L-j)!) x^j,   q(x) = sum_j (L+N-j)! N! / ((L+N)! j! (N-j)!) x^j
 *
 * It is positive on the real line for even L. L near N / 4 gave the smallest error of the covariance among the degrees
 * that were compared; the error falls by a factor 3 with each state. Roots are found by Aberth's simultaneous iteration
 * in long double; a root x gives s = -sqrt(-4 x). */
#include "dynamics/rational.h"

#include <math.h>

#include "base/numbers.h"

/* Coefficients c (degree + 1) of q or, with sign -1, of p. other_degree: the degree of the other polynomial. */
static void coefficients(int degree, int other_degree, long double sign, long double *c)
{
    c[0] = 1;
    for (int j = 1; j <= degree; j++) {
        c[j] = c[j - 1] * sign * (long double)(degree - j + 1) / ((long double)(degree + other_degree - j + 1) * j);
    }
}

static void find_roots(int degree, const long double *c, long double complex *x)
{
    enum { STEPS = 200 };
    const long double small = 1e-10L; /* the error after a correction is of the order of its cube */
    long double radius = powl(fabsl(c[0] / c[degree]), 1.0L / degree);
    for (int i = 0; i < degree; i++) {
        x[i] = radius * cexpl(I * (2 * (long double)LF_PI * i / degree + 0.4L));
    }
    long double largest = 1;
    for (int step = 0; step < STEPS && largest > small; step++) {
        largest = 0;
        for (int i = 0; i < degree; i++) {
            long double complex value = c[degree], slope = 0, repulsion = 0;
            for (int j = degree - 1; j >= 0; j--) {
                slope = slope * x[i] + value;
                value = value * x[i] + c[j];
            }
            for (int k = 0; k < degree; k++) {
                repulsion += k == i ? 0 : 1 / (x[i] - x[k]);
            }
            long double complex newton = value / slope, correction = newton / (1 - newton * repulsion);
            x[i] -= correction;
            largest = fmaxl(largest, cabsl(correction) / cabsl(x[i]));
        }
    }
}

/* s = -sqrt(-4 x), complex conjugates adjacent. */
static void map_roots(int degree, const long double complex *x, double complex *s)
{
    int count = 0;
    for (int i = 0; i < degree; i++) {
        double complex root = (double complex)(-csqrtl(-4 * x[i]));
        if (fabs(cimag(root)) < 1e-10 * cabs(root)) {
            s[count++] = creal(root);
        } else if (cimag(root) > 0) {
            s[count++] = root;
            s[count++] = conj(root);
        }
    }
}

int lf_rational_gaussian(int order, double complex *poles, double complex *zeros)
{
    int degree = 2 * ((order + 3) / 8);
    long double c[LF_RATIONAL_MAX_ORDER + 1];
    long double complex x[LF_RATIONAL_MAX_ORDER];
    coefficients(order, degree, 1, c);
    find_roots(order, c, x);
    map_roots(order, x, poles);
    if (degree > 0) {
        coefficients(degree, order, -1, c);
        find_roots(degree, c, x);
        map_roots(degree, x, zeros);
    }
    return degree;
}
