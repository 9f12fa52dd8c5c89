/* The whole model as one linear stochastic differential equation, x' = F x + noise of intensity W:
 *
 *   states of each force, shared and then private:   their system (force_system.h) over the lengthscale
 *   states of each output:   z_k = f^(k) / unit^k, k < P:  z_k' = unit z_{k+1},
 *       z_{P-1}' = [ sum_q S_q u_q + amplitude v - sum_k a_{P-k} unit^k z_k ] / (a_0 unit^{P-1})
 * `unit` only balances the numbers: nothing that is computed depends on it, so it is no part of any derivative. The covariance
 * at the start is I for the forces; outputs start from rest (zero), from their initial variances (free), or from the
 * covariance that the whole system has in the long run (stationary). */
#ifndef LF_KALMAN_STATE_SPACE_H
#define LF_KALMAN_STATE_SPACE_H

#include "kalman/force_system.h"
#include "kalman/sparsity.h"
#include "model/model.h"

/* The states of one force. */
typedef struct lf_force_states {
    int first;
    int output; /* the output that a private force drives, -1 for a shared one */
    const lf_force *force;
    const lf_force_system *system;
} lf_force_states;

typedef struct lf_state_space {
    const lf_model *model;
    int n;
    lf_sparsity sparsity;
    int system_count;
    const lf_spectrum **kernels; /* (system_count) */
    lf_force_system *systems;    /* (system_count) one for each kernel that occurs */
    int force_count;             /* Q and the private ones */
    lf_force_states *forces;     /* (force_count) */
    int force_states;            /* states 0 … force_states - 1 belong to forces */
    int *first;                  /* (D) z_0 of each output */
    double *unit;                /* (D) */
    double *F, *W;               /* (n, stride) */
    double *rest;                /* (n, stride) F before the origin, where outputs stand still */
    double *P;                   /* (n, stride) covariance at the start */
    double settled;              /* the time after which a stationary system has forgotten its start */
} lf_state_space;

/* The model must outlive it, and every force and output of it must be as it is now but for the values of parameters.
 * tolerance: of EQ forces; 0: the default. After a failure it must still be cleared. */
lf_status lf_state_space_create(lf_context *ctx, const lf_model *model, double tolerance, lf_state_space *space);
void lf_state_space_clear(lf_state_space *space);

/* F, W and P at the parameters the model has now. */
lf_status lf_state_space_update(lf_context *ctx, lf_state_space *space);

/* gradient[i] += derivative by natural parameter i, given those by F, W and P (symmetric). by_F and by_W are overwritten. */
lf_status lf_state_space_backward(lf_context *ctx, const lf_state_space *space, double *by_F, double *by_W,
                                  const double *by_P, double *gradient);

/* A target (output, force, rate) is row'x; row (stride). */
void lf_state_space_row(const lf_state_space *space, int target, double *row);

#endif
