/* The discrete-time transition over a gap h: x(t + h) = A x(t) + N(0, Q),
 *
 *   A = exp(F h),   Q = int_0^h exp(F r) W exp(F r)' dr
 *
 * by_X is the derivative of a scalar with respect to X. */
#ifndef LF_DYNAMICS_TRANSITION_H
#define LF_DYNAMICS_TRANSITION_H

#include "dynamics/state_space.h"

/* |F| h <= 1/2 on a step of the Taylor series: with so many terms beside the first, the remainders are 2^-15 / 15! for A and, since
 * X -> h (F X + X F') has norm 1, 1 / 21! for Q. */
enum { LF_A_TERMS = 14, LF_Q_TERMS = 20 };

/* Matrices (n, stride) of the work space below, where doublings are about as many as usual. */
enum { LF_TRANSITION_MATRICES = 58 };

/* Work space for gaps up to a longest one. */
typedef struct lf_transition_work {
    int doublings; /* of the longest gap */
    double *
        terms; /* (LF_A_TERMS + 1 + LF_Q_TERMS + 1, n, stride) T_k = (h F)^k / k! and C_0 = W, C_(k+1) = F C_k + C_k F' */
    double *pairs;   /* (doublings + 1, 2, n, stride) E and Q after each doubling */
    double *scratch; /* (8, n, stride) */
} lf_transition_work;

/* After a failure it must still be cleared. */
lf_status lf_transition_work_create(lf_context *ctx, const lf_state_space *space, double longest_gap,
                                    lf_transition_work *work);
void lf_transition_work_clear(lf_transition_work *work);

/* A and Q (n, stride) of a gap; F is space->F or space->F_before_origin. Without noise, Q, by_Q and by_W are NULL. */
void lf_transition(const lf_state_space *space, const double *F, double gap, lf_transition_work *work, double *A,
                   double *Q);
/* Adds to by_F and by_W, given by_A (entries outside the sparsity pattern are not read) and by_Q (symmetric). F as
 * above. */
void lf_transition_backward(const lf_state_space *space, const double *F, double gap, const double *by_A,
                            const double *by_Q, lf_transition_work *work, double *by_F, double *by_W);

/* The largest sum of magnitudes in a row of F. */
double lf_infinity_norm(const lf_sparsity *sparsity, const double *F);
/* The terms of the series on a step h, into work->terms. */
void lf_taylor_terms(const lf_state_space *space, const double *F, double h, lf_transition_work *work);
/* Derivatives by the terms of A and by h^(k+1) / (k+1)! C_k, each (n, stride), so many numbers apart; 0 apart: the same for all terms. */
typedef struct lf_taylor_adjoint {
    const double *by_A, *by_Q;
    size_t A_step, Q_step;
} lf_taylor_adjoint;
/* Adds to by_F and by_W. work->terms holds the terms. */
void lf_taylor_backward(const lf_sparsity *sparsity, const double *F, double h, lf_taylor_adjoint by,
                        lf_transition_work *work, double *by_F, double *by_W);

/* The stationary covariance P (n, stride) of a stable system, F P + P F' + W = 0, at the origin, and its derivative. Undamped states of
 * forces have the covariance that they have at every time; linear forces are 0 at the origin. */
lf_status lf_stationary_covariance(lf_context *ctx, const lf_state_space *space, double *P);
lf_status lf_stationary_backward(lf_context *ctx, const lf_state_space *space, const double *by_P, double *by_F,
                                 double *by_W);

#endif
