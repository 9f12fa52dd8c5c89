/* Green's functions of ODEs of order 1 and 2 as sums of exponentials,
 *   G(t) = sum_i c_i e^{-alpha_i t} = (1 / 2 pi j) closed integral of e^{st} / (a_0 s^P + … + a_P) ds,
 * either by residues (one exponential per root) or by the trapezoid rule on circles around the roots. A circle may
 * contain several roots, so coincident roots need no special case; circles keep alpha_i + beta_j away from 0; and with
 * fixed nodes only the c_i depend on the coefficients, which gives the gradient. */
#ifndef LF_EXACT_EXPONENTIAL_SUM_H
#define LF_EXACT_EXPONENTIAL_SUM_H

#include <complex.h>

#include "model/operator.h"

enum { LF_CIRCLE_NODES = 32, LF_EXPONENTIALS = 2 * LF_CIRCLE_NODES };

/* A sum of exponentials. Either none or all of the exponentials 0 … distinct-1 have conjugates; the conjugate of i is
 * then listed as distinct + i. */
typedef struct lf_exponentials {
    int order;
    double a[3]; /* coefficients of the ODE */
    int distinct, count;
    double weight; /* 2 with conjugates, 1 without: a sum over all is the sum of weight * Re over the distinct ones */
    double complex alpha[LF_EXPONENTIALS], c[LF_EXPONENTIALS];
} lf_exponentials;

/* What a sum is used for. */
typedef struct lf_exponential_use {
    double span;    /* largest distance of a time from the origin */
    int stationary; /* stationary start: Re alpha must be > 0 */
    int gradient;   /* derivatives by the coefficients are needed: circles only */
} lf_exponential_use;

/* Sums for the covariance of two outputs, which divides by alpha_i + beta_j: these are kept away from 0. */
void lf_exponentials_pair(const double *a, int order_a, const double *b, int order_b, lf_exponential_use use,
                          lf_exponentials *left, lf_exponentials *right);
/* A sum for the covariance of one output with a force. */
void lf_exponentials_single(const double *a, int order, lf_exponential_use use, lf_exponentials *sum);

/* d c_i / d a_k, for sums made with `gradient`. */
double complex lf_exponentials_slope(const lf_exponentials *sum, int i, int k);

#endif
