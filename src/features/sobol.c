/* The digital sequence u = sum over the bits of the index of column_c (addition modulo 2), after Sobol (1967), with the
 * direction numbers of S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional projections",
 * SIAM J. Sci. Comput. 30 (2008). A primitive polynomial x^s + a_1 x^{s-1} + … + 1 and odd m_1 … m_s give
 *   m_c = 2 a_1 m_{c-1} + … + 2^{s-1} a_{s-1} m_{c-s+1} + 2^s m_{c-s} + m_{c-s}  (mod 2, bit by bit),
 *   column_c = m_c / 2^c.
 * Scrambling multiplies each generator matrix by a random lower triangular binary matrix and adds a random digital
 * shift (J. Matousek, J. Complexity 14, 1998). It preserves the number of points in every elementary interval. */
#include "features/sobol.h"

#include <stddef.h>

enum { DIGITS = 52, MAX_DEGREE = 7 };

/* Dimensions 2 … 37, all primitive polynomials of degree up to 7; the first dimension is van der Corput's sequence. */
static const struct {
    unsigned char degree, inner; /* inner: the bits a_1 … a_{s-1} */
    unsigned char m[MAX_DEGREE];
} table[LF_SOBOL_DIMENSIONS - 1] = {{1, 0, {1}},
                                    {2, 1, {1, 3}},
                                    {3, 1, {1, 3, 1}},
                                    {3, 2, {1, 1, 1}},
                                    {4, 1, {1, 1, 3, 3}},
                                    {4, 4, {1, 3, 5, 13}},
                                    {5, 2, {1, 1, 5, 5, 17}},
                                    {5, 4, {1, 1, 5, 5, 5}},
                                    {5, 7, {1, 1, 7, 11, 19}},
                                    {5, 11, {1, 1, 5, 1, 1}},
                                    {5, 13, {1, 1, 1, 3, 11}},
                                    {5, 14, {1, 3, 5, 5, 31}},
                                    {6, 1, {1, 3, 3, 9, 7, 49}},
                                    {6, 13, {1, 1, 1, 15, 21, 21}},
                                    {6, 16, {1, 3, 1, 13, 27, 49}},
                                    {6, 19, {1, 1, 1, 15, 7, 5}},
                                    {6, 22, {1, 3, 1, 15, 13, 25}},
                                    {6, 25, {1, 1, 5, 5, 19, 61}},
                                    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
                                    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
                                    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
                                    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
                                    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
                                    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
                                    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
                                    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
                                    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
                                    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
                                    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
                                    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
                                    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
                                    {7, 50, {1, 3, 1, 3, 5, 53, 69}},
                                    {7, 55, {1, 1, 5, 5, 23, 33, 13}},
                                    {7, 56, {1, 1, 7, 7, 1, 61, 123}},
                                    {7, 59, {1, 1, 7, 9, 13, 61, 49}},
                                    {7, 62, {1, 3, 3, 5, 3, 55, 33}}};

/* column[c] in binary; the first digit is bit DIGITS - 1. */
static void plain_columns(int dimension, uint64_t *column)
{
    uint64_t m[LF_SOBOL_BITS];
    int s = dimension ? table[dimension - 1].degree : 0;
    for (int c = 0; c < LF_SOBOL_BITS; c++) {
        if (dimension == 0) {
            m[c] = 1;
        } else if (c < s) {
            m[c] = table[dimension - 1].m[c];
        } else {
            m[c] = m[c - s] ^ (m[c - s] << s);
            for (int k = 1; k < s; k++) {
                uint64_t a = (table[dimension - 1].inner >> (s - 1 - k)) & 1u;
                m[c] ^= a * (m[c - k] << k);
            }
        }
        column[c] = m[c] << (DIGITS - 1 - c);
    }
}

static uint64_t parity(uint64_t bits)
{
    for (int half = 32; half > 0; half /= 2) {
        bits ^= bits >> half;
    }
    return bits & 1u;
}

/* Digit i of every column becomes itself plus a random combination of the digits before it. */
static void scramble(lf_random *random, uint64_t *column)
{
    uint64_t scrambled[LF_SOBOL_BITS] = {0};
    for (int digit = DIGITS - 1; digit >= 0; digit--) {
        uint64_t before = UINT64_MAX << (digit + 1), diagonal = UINT64_C(1) << digit;
        uint64_t row = (lf_random_bits(random) & before) | diagonal;
        for (int c = 0; c < LF_SOBOL_BITS; c++) {
            scrambled[c] |= parity(row & column[c]) << digit;
        }
    }
    for (int c = 0; c < LF_SOBOL_BITS; c++) {
        column[c] = scrambled[c];
    }
}

void lf_sobol_create(lf_sobol *sobol, int dimensions, lf_random *random)
{
    sobol->dimensions = dimensions;
    for (int i = 0; i < dimensions; i++) {
        plain_columns(i, sobol->column[i]);
        sobol->shift[i] = 0;
        if (random) {
            scramble(random, sobol->column[i]);
            sobol->shift[i] = lf_random_bits(random) >> (64 - DIGITS);
        }
    }
}

void lf_sobol_point(const lf_sobol *sobol, uint32_t index, double *u)
{
    for (int i = 0; i < sobol->dimensions; i++) {
        uint64_t digits = sobol->shift[i];
        for (int c = 0; c < LF_SOBOL_BITS && index >> c; c++) {
            if ((index >> c) & 1u) {
                digits ^= sobol->column[i][c];
            }
        }
        u[i] = ((double)digits + 0.5) * 0x1p-52;
    }
}
