/* Green's functions of ODEs of order 1 and 2 as sums of exponentials,
 *   G(t) = sum_i c_i e^{-alpha_i t} = (1 / 2 pi j) closed integral of e^{st} / (a_0 s^P + … + a_P) ds,
 * either by residues (one exponential a root) or by the trapezoid rule on circles around the roots. Circles may hold
 * several roots, so coincident roots are ordinary; they keep alpha_i + beta_j away from 0; and with the nodes held fixed
 * only the c_i depend on the coefficients. */
#ifndef LF_EXACT_EXPONENTIAL_SUM_H
#define LF_EXACT_EXPONENTIAL_SUM_H

#include <complex.h>

#include "model/operator.h"

enum { LF_CIRCLE_NODES = 32, LF_EXPONENTIALS = 2 * LF_CIRCLE_NODES };

/* Exponentials 0 … distinct-1 stand for themselves and, where paired, for their conjugates too; the conjugate of i is
 * also listed, as distinct + i. Either all are paired or none. */
typedef struct lf_exponentials {
    int order;
    double a[3]; /* coefficients of the ODE */
    int distinct, count;
    double weight; /* 2 when paired, 1 when not: a sum over all is the sum of weight * Re over the distinct */
    double complex alpha[LF_EXPONENTIALS], c[LF_EXPONENTIALS];
} lf_exponentials;

/* What the sums must serve. */
typedef struct lf_exponential_use {
    double span;    /* largest time from the origin */
    int stationary; /* the force has acted forever: stay within Re alpha > 0 */
    int gradient;   /* derivatives by the coefficients will be asked: circles throughout */
} lf_exponential_use;

/* Sums for a covariance of two outputs, which divides by alpha_i + beta_j: these are kept away from 0. */
void lf_exponentials_pair(const double *a, int order_a, const double *b, int order_b, lf_exponential_use use,
                          lf_exponentials *left, lf_exponentials *right);
/* For one output alone. */
void lf_exponentials_single(const double *a, int order, lf_exponential_use use, lf_exponentials *sum);

/* d c_i / d a_k, of circles. */
double complex lf_exponentials_slope(const lf_exponentials *sum, int i, int k);

#endif
