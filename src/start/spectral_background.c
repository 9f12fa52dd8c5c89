/* Local lines of least absolute deviations through the logarithm of a periodogram, at knots that are even in the logarithm of the
 * frequency. Equal pieces of that have equal weight. Few frequencies are in the range of a line, so that a line spectrum leaves it alone. */
#include "start/spectral_background.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "start/lomb_scargle.h"

enum { STEPS = 8, LEAST = 16 * LF_OVERSAMPLING, ENOUGH = 1000 }; /* iterations; frequencies in the range of a line */
static const double reach = 1.0,
                    between = 0.2; /* of a line to both sides, and of knots: differences of log frequency */

/* The value at `centre` of the line through the points first … last - 1; x, y (count). */
static double local_line(const double *x, const double *y, size_t first, size_t last, double centre, double width)
{
    double level = 0, slope = 0;
    size_t stride = (last - first) / ENOUGH + 1;
    for (int step = 0; step < STEPS; step++) { /* least squares with weights 1 / |residual| */
        double s0 = 0, s1 = 0, s2 = 0, t0 = 0, t1 = 0;
        for (size_t i = first; i < last; i += stride) {
            double d = x[i] - centre, u = fabs(d) / width, r = y[i] - level - slope * d;
            double weight = u < 1 ? (1 - u * u) / (double)i : 0;
            weight = step ? weight / fmax(fabs(r), 0.05) : weight;
            s0 += weight;
            s1 += weight * d;
            s2 += weight * d * d;
            t0 += weight * y[i];
            t1 += weight * d * y[i];
        }
        double determinant = s0 * s2 - s1 * s1;
        slope = determinant > 1e-9 * s0 * s2 ? (s0 * t1 - s1 * t0) / determinant : 0;
        level = s0 > 0 ? (t0 - slope * s1) / s0 : level;
    }
    return level;
}

int lf_spectral_background(size_t count, const double *power, double *background)
{
    double *x = lf_doubles(2, count);
    if (!x) {
        return 0;
    }
    double *y = x + count;
    for (size_t k = 1; k < count; k++) {
        x[k] = log((double)k);
        y[k] = log(fmax(power[k], 1e-300));
    }
    size_t lowest = LF_OVERSAMPLING; /* the lowest frequency that a detrended series tells something about */
    double previous = 0, at = 0;
    size_t done = 0;
    for (double centre = log((double)lowest); done < count; centre += between) {
        size_t first = lowest, last;
        double k = exp(centre), width = reach;
        while (width < 3 && k * (exp(width) - exp(-width)) < LEAST) {
            width += 0.1;
        }
        while (first + 1 < count && x[first] < centre - width) {
            first++;
        }
        for (last = first; last < count && x[last] < centre + width;) {
            last++;
        }
        double level = last - first >= LF_OVERSAMPLING ? local_line(x, y, first, last, centre, width) : previous;
        previous = done ? previous : level;
        for (; done < count && (done == 0 || x[done] <= centre); done++) { /* straight between knots */
            double share = done > lowest ? (x[done] - at) / between : 1;
            background[done] = exp(previous + share * (level - previous));
        }
        previous = level;
        at = centre;
    }
    free(x);
    return 1;
}
