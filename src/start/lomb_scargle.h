/* The periodogram of a series at any times, with gaps: at each frequency the share of the variance that a sinusoid beside a constant
 * explains by least squares (Lomb 1976, Scargle 1982; the floating mean: Zechmeister and Kuerster 2009). With averages < > over the rows,
 * c = cos(2 pi f t), s = sin(2 pi f t) and y - <y> of variance Y,
 *
 *   [CC CS; CS SS] = cov(c, s),   YC = cov(y, c),   YS = cov(y, s),   P(f) = (SS YC^2 + CC YS^2 - 2 CS YC YS) / (Y (CC SS - CS^2))
 *
 * at f = k / (LF_OVERSAMPLING span). All averages are two discrete Fourier transforms, of 1 and y, put on an even grid by Lagrange's
 * interpolation of the waves (Press and Rybicki 1989). */
#ifndef LF_START_LOMB_SCARGLE_H
#define LF_START_LOMB_SCARGLE_H

#include <stddef.h>

#include "base/fourier_transform.h"

enum { LF_OVERSAMPLING = 4 }; /* frequencies per 1 / span */

typedef struct lf_lomb_scargle {
    double step;      /* between points of the even grid */
    double frequency; /* between frequencies */
    size_t count;     /* frequencies at most: up to a period of four steps */
    lf_transform transform;
    double *re, *im; /* (size of the transform) one piece of memory */
} lf_lomb_scargle;

/* For series whose times extend over `span` at most, down to periods of 2 gaps or, where that takes a transform longer than `most`,
 * as far as it reaches. Returns 0 where there is no memory. */
int lf_lomb_scargle_create(double span, double gap, size_t most, lf_lomb_scargle *l);
void lf_lomb_scargle_clear(lf_lomb_scargle *l);

/* power (count): P at the frequencies 0 … (count - 1) l->frequency of y (n) at times t (n); 0 at 0 and for a constant series. */
void lf_lomb_scargle_power(const lf_lomb_scargle *l, size_t n, const double *t, const double *y, double *power);

#endif
