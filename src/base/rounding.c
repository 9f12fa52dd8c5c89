/* The condition of a Gaussian log likelihood, from numbers that its computation leaves behind. */
#include "base/rounding.h"

#include <float.h>
#include <math.h>

double lf_rounding_error(size_t n, const double *v, const double *L, size_t pitch, const double *w, const double *g)
{
    double root = 0, trace = 0, shift = 0;
    for (size_t i = 0; i < n; i++) {
        double pivot = L[i * pitch];
        root += sqrt(v[i]) * fabs(w[i]);
        trace += v[i] / (pivot * pivot);
        shift += g ? g[i] * fabs(w[i]) : 0;
    }
    return DBL_EPSILON * (0.5 * (root * root + trace) + shift);
}
