/* Periodograms of series of any length: Bluestein's transform, which writes the sum over k of z_k e^(-2 pi i j k / n) with
 * 2 j k = j^2 + k^2 - (j - k)^2 as a convolution, and computes that by transforms whose length is a power of two. */
#include "report/periodogram.h"

#include <math.h>
#include <stdlib.h>

#include "base/fourier_transform.h"
#include "base/memory.h"

/* power (m): I_1 … I_m of z (n). */
static int find_powers(size_t n, const double *z, size_t m, double *power)
{
    size_t size = 1;
    double average = 0;
    while (size < 2 * n) {
        size *= 2;
    }
    lf_transform t;
    double *memory = lf_doubles(4, size);
    if (!memory || !lf_transform_create(size, &t)) {
        free(memory);
        return 0;
    }
    double *a[2] = {memory, memory + size}, *b[2] = {memory + 2 * size, memory + 3 * size};
    for (size_t k = 0; k < n; k++) {
        average += z[k] / (double)n;
    }
    size_t square = 0; /* k^2 modulo 2 n */
    for (size_t k = 0; k < n; k++) {
        double angle = acos(-1.0) * (double)square / (double)n, c = cos(angle), s = sin(angle);
        a[0][k] = (z[k] - average) * c;
        a[1][k] = -(z[k] - average) * s;
        b[0][k] = b[0][(size - k) % size] = c;
        b[1][k] = b[1][(size - k) % size] = s;
        square = (square + 2 * k + 1) % (2 * n);
    }
    lf_transform_apply(&t, a[0], a[1]);
    lf_transform_apply(&t, b[0], b[1]);
    for (size_t k = 0; k < size; k++) { /* the conjugate of the product: its transform is that of the inverse */
        double real = a[0][k] * b[0][k] - a[1][k] * b[1][k];
        a[1][k] = -(a[0][k] * b[1][k] + a[1][k] * b[0][k]);
        a[0][k] = real;
    }
    lf_transform_apply(&t, a[0], a[1]);
    for (size_t j = 1; j <= m; j++) {
        double re = a[0][j] / (double)size, im = a[1][j] / (double)size;
        power[j - 1] = re * re + im * im;
    }
    lf_transform_clear(&t);
    free(memory);
    return 1;
}

int lf_periodogram_create(size_t n, const double *z, lf_periodogram *p)
{
    *p = (lf_periodogram){0};
    if (n > LF_LONGEST_PERIODOGRAM) {
        z += (n - LF_LONGEST_PERIODOGRAM) / 2;
        n = LF_LONGEST_PERIODOGRAM;
    }
    if (n < 8) {
        return 1;
    }
    size_t m = (n - 1) / 2;
    double *share = lf_doubles(m, 1), total = 0, sum = 0, squares = 0;
    if (!share || !find_powers(n, z, m, share)) {
        free(share);
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        squares += z[i] * z[i];
    }
    for (size_t j = 0; j < m; j++) {
        total += share[j];
    }
    if (!(total > 1e-24 * (double)n * squares)) { /* equal numbers, but for rounding errors */
        free(share);
        return 1;
    }
    for (size_t j = 0; j < m; j++) {
        sum += share[j] / total;
        share[j] = fmin(sum, 1);
    }
    *p = (lf_periodogram){.rows = n, .count = m, .share = share};
    return 1;
}

void lf_periodogram_clear(lf_periodogram *p)
{
    free(p->share);
    *p = (lf_periodogram){0};
}

double lf_bartlett_distance(const lf_periodogram *p)
{
    double distance = p->count ? 0 : (double)NAN;
    for (size_t j = 1; j < p->count; j++) {
        distance = fmax(distance, fabs(p->share[j - 1] - (double)j / (double)p->count));
    }
    return distance;
}

/* Probability that Kolmogorov's statistic exceeds x. */
static double kolmogorov_tail(double x)
{
    double sum = 0;
    if (x < 0.2) {
        return 1;
    }
    for (int k = 1; k <= 50; k++) {
        sum += (k % 2 ? 2 : -2) * exp(-2.0 * k * k * x * x);
    }
    return fmin(fmax(sum, 0), 1);
}

/* S_1 … S_(m-1) are the order statistics of m - 1 uniform numbers. Kolmogorov's statistic of these is the largest of j / (m - 1) - S_j and
 * S_j - (j - 1) / (m - 1), which exceeds |S_j - j / m| by 1 / (2 m - 2) in the middle. Stephens' factor makes its limit good for few
 * numbers too. */
static double factor(size_t count)
{
    double root = sqrt((double)(count - 1));
    return root + 0.12 + 0.11 / root;
}

double lf_bartlett_p(size_t count, double distance)
{
    return count > 1 ? kolmogorov_tail(factor(count) * (distance + 0.5 / (double)(count - 1))) : (double)NAN;
}

double lf_bartlett_bound(size_t count, double p)
{
    double low = 0.2, high = 10;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        if (kolmogorov_tail(middle) > p) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return count > 1 ? high / factor(count) - 0.5 / (double)(count - 1) : (double)NAN;
}

/* The frequencies j = first … last and their excess over white noise. */
typedef struct range {
    size_t first, last; /* 0: none */
    double excess;
} range;

static double share_of(const lf_periodogram *p, size_t first, size_t last)
{
    return p->share[last - 1] - (first > 1 ? p->share[first - 2] : 0);
}

static double expected_of(const lf_periodogram *p, size_t first, size_t last)
{
    return (double)(last - first + 1) / (double)p->count;
}

static void improve(const lf_periodogram *p, size_t first, size_t last, range *best)
{
    double excess = share_of(p, first, last) - expected_of(p, first, last);
    if (excess > best->excess) {
        *best = (range){first, last, excess};
    }
}

lf_periodogram_peak lf_periodogram_find_peak(const lf_periodogram *p)
{
    double m = (double)p->count, average = 0;
    range band = {0}, side = {0};
    for (size_t j = 1; j <= p->count; j++) {
        double f = (double)j, first = ceil(fmax(f / 1.3, f - 0.05 * m)), last = floor(fmin(1.3 * f, f + 0.05 * m));
        improve(p, (size_t)first, (size_t)fmin(last, m), &band);
        improve(p, 1, j, &side);
        improve(p, j, p->count, &side);
    }
    if (!side.first) {
        return (lf_periodogram_peak){0, (double)NAN, (double)NAN, (double)NAN};
    }
    int around = band.excess >= 0.7 * side.excess, below = side.first == 1;
    const range *found = around ? &band : &side;
    double share = share_of(p, found->first, found->last);
    for (size_t j = found->first; j <= found->last; j++) {
        average += (double)j * share_of(p, j, j) / share;
    }
    double frequency = around ? average : (double)(below ? side.last : side.first);
    return (lf_periodogram_peak){around  ? 0
                                 : below ? 1
                                         : -1,
                                 (double)p->rows / frequency, share, expected_of(p, found->first, found->last)};
}
