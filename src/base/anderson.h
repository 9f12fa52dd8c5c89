/* Anderson's acceleration of a fixed-point iteration x <- g(x): the next x is the combination of the last g(x), whose weights sum to 1, that would
 * have the least residual g(x) - x if residuals were linear. */
#ifndef LF_BASE_ANDERSON_H
#define LF_BASE_ANDERSON_H

#include <stddef.h>

enum { LF_ANDERSON_MOST = 5 }; /* differences that are kept */

typedef struct lf_anderson {
    size_t n;
    int count, next; /* differences that are there, and where the next one goes */
    int begun;       /* x and g of an iteration are there */
    double *f, *g;   /* (n) the last residual and the last g(x) */
    double *df, *dg; /* (LF_ANDERSON_MOST, n) differences of those that follow each other */
} lf_anderson;

/* Returns 0 when there is no memory; it must still be cleared. */
int lf_anderson_create(size_t n, lf_anderson *a);
void lf_anderson_clear(lf_anderson *a);
/* Forgets what was before. */
void lf_anderson_reset(lf_anderson *a);
/* x (n) becomes the next one, from g = g(x) (n). weight (n): residuals are compared by the sum of (weight residual)^2. */
void lf_anderson_step(lf_anderson *a, const double *g, const double *weight, double *x);

#endif
