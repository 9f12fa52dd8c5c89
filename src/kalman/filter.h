/* The Kalman filter of one replicate, and walking back along it.
 *
 *   move:    m = A m,   P = A P A' + Q
 *   absorb:  S = P_JJ + R,  K = P_.J S^-1,  e = y - m_J,  w = S^-1 e,  m += K e,
 *            P = (I - K H) P (I - K H)' + K R K'     (Joseph's form)
 *            log likelihood -= 1/2 [ e'w + log|S| + rows log 2 pi ]
 * J are the states z_0 of the outputs observed at that time; all of them are absorbed at once. */
#ifndef LF_KALMAN_FILTER_H
#define LF_KALMAN_FILTER_H

#include "kalman/timeline.h"
#include "kalman/transition.h"

enum { LF_MANY_ROWS = 16 }; /* of one step, from which on BLAS is faster than loops over lanes */

typedef struct lf_filter {
    lf_context *ctx;
    const lf_state_space *space;
    const lf_timeline *timeline;
    const double *y, *noise; /* (rows) scaled values and noise variances, sorted as the rows */
    size_t kept;             /* the transitions of gaps 0 … kept - 1, which occur more than once, are kept */
    double *A, *Q;           /* (kept + 1, n, stride); the last one serves the other gaps in turn */
    lf_transition_work work;
    size_t widest;         /* most rows of a step */
    double *mean, *P;      /* (stride), (n, stride): where the filter stands */
    double *V, *G, *Z, *S; /* (widest, stride) H P, K', the correction of Joseph's form; (widest, widest) */
    double *e, *w;         /* (widest) */
    double *spare;         /* 3 matrices */
} lf_filter;

/* After a failure it must still be cleared. It starts from mean and P (n, stride), or from the prior where they are NULL.
 * The timeline, and y and noise, must outlive it. */
lf_status lf_filter_create(lf_context *ctx, const lf_state_space *space, const lf_timeline *timeline, const double *y,
                           const double *noise, const double *mean, const double *P, lf_filter *filter);
void lf_filter_clear(lf_filter *filter);

/* What the filter knew at a step: after its rows, and how it came there. */
typedef struct lf_filter_record {
    double *mean, *P; /* (stride), (n, stride) */
    const double *A;  /* (n, stride) how it moved there; NULL: it stood at that time already */
    double *own;      /* (n, stride) room for an A that is not kept */
    double *G;        /* (rows, stride) K' */
    double *w;        /* (rows) */
    double *inverse;  /* (rows, rows) S^-1 */
} lf_filter_record;

/* One step; moment may be NULL. */
lf_status lf_filter_step(lf_filter *filter, size_t step, lf_filter_record *record, double *log_likelihood);

/* Refuses a likelihood that is not finite. */
lf_status lf_filter_check(const lf_filter *filter, double log_likelihood);

/* To the end of the timeline. */
lf_status lf_filter_run(lf_filter *filter, double *log_likelihood);

/* To the end and back: calls visit for each step, last first, with the step before (mean and P only; NULL at the first).
 * Only some states on the way are kept; between two of them the filter is run once more. */
typedef lf_status (*lf_visit)(void *user, lf_filter *filter, size_t step, const lf_filter_record *record,
                              const lf_filter_record *before);
lf_status lf_filter_backward_pass(lf_filter *filter, lf_visit visit, void *user, double *log_likelihood);

/* X = (I - K H)' X, X (n, stride); `U` (widest, stride) becomes K'X before it. */
void lf_gain_apply_transposed(const lf_filter *filter, size_t step, const lf_filter_record *record, double *X,
                              double *U);
/* X = (I - K H)' X (I - K H), X symmetric. `U` (widest, stride) and `C` (widest, widest) become K'X and K'X K before it. */
void lf_gain_backward(const lf_filter *filter, size_t step, const lf_filter_record *record, double *X, double *U,
                      double *C);

#endif
