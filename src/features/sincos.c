/* sin and cos in loops that compilers vectorise, for the widest vector instructions of the processor.
 *
 * With k = x / (pi/2) rounded, r = x - k pi/2 is kept as a sum of two doubles. sin r and cos r, |r| <= pi/4, are the
 * polynomials of fdlibm (Sun Microsystems 1993), which use both; the quadrant k mod 4 selects sine or cosine and the
 * sign. Up to LARGE, k times the first 33 bits of pi/2 is exact; larger arguments are left to libm. */
#include "features/sincos.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/widest.h"

#define LARGE 1e5
enum { BLOCK = 64 };

static const double per_quadrant = 6.36619772367581382433e-01; /* 2 / pi */
static const double quadrant = 1.57079632673412561417e+00;     /* 33 bits of pi / 2 */
static const double quadrant_rest = 6.07710050650619224932e-11;
static const double round_magic =
    6755399441055744.0; /* 1.5 * 2^52: adding it rounds to an integer, which stands in the low bits */

WIDEST static void sincos_block(size_t n, const double *restrict x, double *restrict sine, double *restrict cosine)
{
    for (size_t i = 0; i < n; i++) {
        double shifted = x[i] * per_quadrant + round_magic, k = shifted - round_magic;
        uint64_t q;
        memcpy(&q, &shifted, sizeof q);
        double near = x[i] - k * quadrant, rest = k * quadrant_rest;
        double r = near - rest, tail = (near - r) - rest;
        double z = r * r, zr = z * r, half = 0.5 * z, one = 1 - half;
        double ps =
            8.33333333332248946124e-03 +
            z * (-1.98412698298579493134e-04 +
                 z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
        double pc = 4.16666666666666019037e-02 +
                    z * (-1.38888888888741095749e-03 +
                         z * (2.48015872894767294178e-05 +
                              z * (-2.75573143513906633035e-07 +
                                   z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))));
        double s = r - ((z * (0.5 * tail - zr * ps) - tail) - zr * -1.66666666666666324348e-01);
        double c = one + (((1 - one) - half) + (z * z * pc - r * tail));
        double first = q & 1 ? c : s, second = q & 1 ? s : c;
        uint64_t a, b;
        memcpy(&a, &first, sizeof a);
        memcpy(&b, &second, sizeof b);
        a ^= (q & 2) << 62;
        b ^= ((q + 1) & 2) << 62;
        memcpy(&sine[i], &a, sizeof a);
        memcpy(&cosine[i], &b, sizeof b);
    }
}

void lf_sincos(size_t n, const double *x, double *sine, double *cosine)
{
    double copy[BLOCK];
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t m = n - at < BLOCK ? n - at : BLOCK;
        int large = 0;
        for (size_t i = 0; i < m; i++) {
            copy[i] = x[at + i];
            large |= !(fabs(copy[i]) <= LARGE);
        }
        sincos_block(m, copy, sine + at, cosine + at);
        for (size_t i = 0; large && i < m; i++) {
            if (!(fabs(copy[i]) <= LARGE)) {
                sine[at + i] = sin(copy[i]);
                cosine[at + i] = cos(copy[i]);
            }
        }
    }
}
