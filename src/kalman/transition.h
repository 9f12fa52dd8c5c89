/* From one time to the next: x(t + h) = A x(t) + N(0, Q),
 *
 *   A = exp(F h),   Q = int_0^h exp(F r) W exp(F r)' dr */
#ifndef LF_KALMAN_TRANSITION_H
#define LF_KALMAN_TRANSITION_H

#include "kalman/state_space.h"

/* Room to compute in, for gaps up to a longest one. */
typedef struct lf_transition_work {
    int doublings;  /* as many as the longest gap needs */
    double *terms;  /* terms of both Taylor series, each (n, stride) */
    double *halves; /* (doublings + 1, 2) pairs E, Q on the way */
    double *spare;  /* 8 matrices */
} lf_transition_work;

/* After a failure it must still be cleared. */
lf_status lf_transition_work_create(lf_context *ctx, const lf_state_space *space, double longest,
                                    lf_transition_work *work);
void lf_transition_work_clear(lf_transition_work *work);

/* A and Q (n, stride) of a gap; F is that of the space, or its `rest`. */
void lf_transition(const lf_state_space *space, const double *F, double gap, lf_transition_work *work, double *A,
                   double *Q);
/* by_F += and by_W += , from the derivatives by A (entries outside the pattern are not read) and Q (symmetric). */
void lf_transition_backward(const lf_state_space *space, double gap, const double *by_A, const double *by_Q,
                            lf_transition_work *work, double *by_F, double *by_W);

/* The covariance P (n, stride) that a stable system has in the long run, F P + P F' + W = 0, and its derivative. */
lf_status lf_stationary_covariance(lf_context *ctx, const lf_state_space *space, double *P);
lf_status lf_stationary_backward(lf_context *ctx, const lf_state_space *space, const double *by_P, double *by_F,
                                 double *by_W);

#endif
