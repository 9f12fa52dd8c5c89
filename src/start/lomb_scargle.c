/* Periodograms of uneven series by discrete Fourier transforms. */
#include "start/lomb_scargle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { MARGIN = 2 }; /* points of the grid before the first time */

int lf_lomb_scargle_create(double span, double gap, size_t most, lf_lomb_scargle *l)
{
    /* Waves of twice the frequency are needed too: the shortest has two gaps between its halves, that is four steps of a quarter gap. */
    double wanted = LF_OVERSAMPLING * (4 * span / gap + 2 * MARGIN);
    size_t size = 64;
    while (size < most && (double)size < wanted) {
        size *= 2;
    }
    *l = (lf_lomb_scargle){0};
    double *memory = lf_doubles(2, size);
    if (!memory || !lf_transform_create(size, &l->transform)) {
        free(memory);
        return 0;
    }
    l->re = memory;
    l->im = memory + size;
    l->frequency = 1 / (LF_OVERSAMPLING * span);
    l->step = 1 / ((double)size * l->frequency);
    l->count = size / 4;
    return 1;
}

void lf_lomb_scargle_clear(lf_lomb_scargle *l)
{
    lf_transform_clear(&l->transform);
    free(l->re);
    *l = (lf_lomb_scargle){0};
}

/* Adds a row to the four points around its time t >= 0, such that every cubic polynomial has the same sum over them. */
static void spread(const lf_lomb_scargle *l, double t, double weight, double y)
{
    size_t size = l->transform.size;
    double at = t / l->step, below = floor(at), u = at - below;
    double share[4] = {-u * (u - 1) * (u - 2) / 6, (u + 1) * (u - 1) * (u - 2) / 2, -(u + 1) * u * (u - 2) / 2,
                       (u + 1) * u * (u - 1) / 6};
    for (size_t i = 0; i < 4; i++) {
        size_t point = ((size_t)below + i + MARGIN - 1) % size;
        l->re[point] += weight * share[i];
        l->im[point] += y * share[i];
    }
}

void lf_lomb_scargle_power(const lf_lomb_scargle *l, size_t n, const double *t, const double *y, double *power)
{
    size_t size = l->transform.size;
    double first = INFINITY, average = 0, variance = 0;
    memset(l->re, 0, 2 * size * sizeof *l->re);
    for (size_t i = 0; i < n; i++) {
        first = fmin(first, t[i]);
        average += y[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        variance += (y[i] - average) * (y[i] - average) / (double)n;
        spread(l, t[i] - first, 1 / (double)n, (y[i] - average) / (double)n);
    }
    lf_transform_apply(&l->transform, l->re, l->im);
    power[0] = 0;
    for (size_t k = 1; k < l->count; k++) {
        /* Both series are real, so that their transforms are the even and odd parts of that of their complex sum. */
        const double *re = l->re, *im = l->im;
        size_t mirror = size - k, twice = 2 * k, twice_mirror = size - twice;
        double c = 0.5 * (re[k] + re[mirror]), s = -0.5 * (im[k] - im[mirror]);
        double yc = 0.5 * (im[k] + im[mirror]), ys = 0.5 * (re[k] - re[mirror]);
        double c2 = 0.5 * (re[twice] + re[twice_mirror]), s2 = -0.5 * (im[twice] - im[twice_mirror]);
        /* The margin shifts the time: the power does not depend on its zero. */
        double cc = 0.5 * (1 + c2) - c * c, ss = 0.5 * (1 - c2) - s * s, cs = 0.5 * s2 - c * s;
        double determinant = cc * ss - cs * cs, explained = ss * yc * yc + cc * ys * ys - 2 * cs * yc * ys;
        power[k] = determinant > 1e-9 && variance > 0 ? fmin(fmax(explained / (variance * determinant), 0), 1) : 0;
    }
}
