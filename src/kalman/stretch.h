/* Stretches over which the covariance of the filter does not change: even times, each with the same rows and noise, after the filter has
 * forgotten how it began. Gains stay constant there, so that a step of the filter moves the mean alone.
 *
 * Over a step of such a stretch an error of the state becomes Phi times it, Phi = (I - K H) A R, R the resets. Covariances of two steps that
 * differ by 1e-13 have forgotten the rest after `memory` steps more, |Phi^memory|^2 <= 1e-8 with states in units of their deviations. */
#ifndef LF_KALMAN_STRETCH_H
#define LF_KALMAN_STRETCH_H

#include <stddef.h>

#include "latentforce.h"

struct lf_filter;

typedef struct lf_stretch {
    size_t first, last;    /* steps with the covariances of the step first - 1 */
    size_t slot;           /* of their transition in the filter */
    size_t memory;         /* steps after which an error of a covariance is 1e-8 of what it was */
    size_t rows;           /* m, of each step */
    double *P;             /* (n, stride) after the measurement update; the other arrays follow it in memory */
    double *A_transposed;  /* (n, stride) */
    double *HP, *Kt;       /* (m, stride) */
    double *S, *S_inverse; /* (m, m) Cholesky factor and inverse */
    double constant;       /* what a step adds to minus the log likelihood, beside e'w / 2 */
} lf_stretch;

/* Where the search for stretches stands. */
typedef struct lf_stretch_search {
    int on;            /* it looks for stretches: in the first pass over the steps */
    int phase;         /* see stretch.c */
    size_t alike;      /* steps alike before this one, without a break */
    size_t wait_until; /* the step after which the stretch begins */
    size_t memory;
    double *predicted; /* (n, stride) P before a measurement update */
    size_t count, room;
    lf_stretch **stretches; /* (count) in order */
    size_t at;              /* no stretch before this one has steps from here on */
} lf_stretch_search;

/* Before and after the measurement update of a step that is in no stretch. */
void lf_stretch_before_update(struct lf_filter *filter, size_t step);
lf_status lf_stretch_after_update(struct lf_filter *filter, size_t step);

/* The stretch of a step; NULL: none. Steps are asked for in ascending order; lf_stretch_seek begins again at a step. */
const lf_stretch *lf_stretch_find(struct lf_filter *filter, size_t step);
void lf_stretch_seek(struct lf_filter *filter, size_t step);

/* Phi (n, stride) of a step alike to those of a stretch; Kt (m, stride) its gain. */
void lf_stretch_transition(const struct lf_filter *filter, size_t step, size_t slot, const double *Kt, double *Phi);
/* C = A B, all (n, stride) and full. */
void lf_full_multiply(size_t n, size_t stride, const double *A, const double *B, double *C);

void lf_stretch_search_clear(lf_stretch_search *search);

#endif
