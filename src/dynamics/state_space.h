/* The model as one linear stochastic differential equation, dx/dt = F x + white noise of spectral density W:
 *
 *   states of each atom (force_terms.h) of each force, shared and then private (atom_states.h)
 *   states of each output:   z_k = f^(k) / r^k, k < P:  z_k' = r z_{k+1},
 *       z_{P-1}' = [ sum_q S_q u_q + amplitude v - sum_k a_{P-k} r^k z_k ] / (a_0 r^{P-1})
 *
 * u_q are the shared forces, v the private force of the output. r (rate_scale) only balances the magnitudes of the
 * states: the likelihood and the predictions do not depend on it, so derivatives treat it as a constant. White forces
 * have no states: they add to W of the outputs. The covariance at the start is I for the forces, but for linear ones
 * (start_covariance.h). Outputs start at 0 (zero), with their initial variances (free), or with the stationary
 * covariance of the whole system (stationary), in which undamped oscillators and constants keep the covariance I.
 *
 * Integrators of outputs, I' = h'x, come last: what is averaged over an interval is an integrator that was 0 at its beginning, divided by
 * the width (timeline_averages.h). Nothing depends on them, and they start at 0. */
#ifndef LF_DYNAMICS_STATE_SPACE_H
#define LF_DYNAMICS_STATE_SPACE_H

#include "dynamics/force_system.h"
#include "dynamics/measurements.h"
#include "dynamics/sparsity.h"
#include "model/model.h"

/* The states of one atom of a force. */
typedef struct lf_force_states {
    int first;  /* index of the first state */
    int n;      /* states; 0: white */
    int output; /* the output driven by a private force, -1 for a shared one */
    const lf_force *force;
    int atom;                      /* its number among the atoms of the force */
    const lf_force_system *system; /* of its envelope; NULL: a line, linear or white */
    lf_atom value;                 /* at the current parameters */
} lf_force_states;

typedef struct lf_state_space {
    const lf_model *model;
    int n;    /* states */
    int base; /* of these, the states without integrators */
    lf_sparsity sparsity;
    int system_count;
    const lf_force_kernel **kernels; /* (system_count) */
    lf_force_system *systems;        /* (system_count) one for each kernel in use */
    int force_count;                 /* atoms of shared and private forces; of equations: one for each force */
    lf_force_states *forces;         /* (force_count) */
    int force_states;                /* states 0 … force_states - 1 belong to forces */
    int *first;                      /* (D) index of z_0 of each output; -1: left out */
    lf_measurements measurements;    /* of the outputs */
    int zero_start;                  /* a free start is treated as a zero start */
    double *rate_scale;              /* (D) r */
    lf_system_matrices matrices;     /* of a model given by equations (system_space.h) */
    int *slots;                      /* (D) integrators of each output; NULL: there are none */
    int *integrator;                 /* (D) index of the first of them */
    double *F, *W;                   /* (n, stride); W NULL: without noise */
    double *F_before_origin;         /* (n, stride) F with constant outputs, for times before the origin */
    double *P;                       /* (n, stride) covariance at the start */
    double decay_time;               /* time after which the slowest damped mode of a stable system is negligible */
    int has_linear;                  /* some atom is linear */
} lf_state_space;

/* The model must outlive the state space; only the values of its parameters may change afterwards. tolerance: error of
 * the covariance of EQ forces; 0: the default. After a failure it must still be cleared. */
lf_status lf_state_space_create(lf_context *ctx, const lf_model *model, double tolerance, lf_state_space *space);
/* The same with slots[d] integrators of output d; slots NULL: none. */
lf_status lf_state_space_create_averaging(lf_context *ctx, const lf_model *model, double tolerance, const int *slots,
                                          lf_state_space *space);
/* The part of a model that is exact in this form: its Matern forces and those outputs, given by their indices, that are
 * ODEs; in a model with a composed force all forces. A free start is treated as a zero start. */
lf_status lf_state_space_create_part(lf_context *ctx, const lf_model *model, size_t count, const int *outputs,
                                     lf_state_space *space);
void lf_state_space_clear(lf_state_space *space);

/* Computes F and W at the current parameters of the model. */
lf_status lf_state_space_move(lf_context *ctx, lf_state_space *space);
/* The same and P. */
lf_status lf_state_space_update(lf_context *ctx, lf_state_space *space);

/* gradient[i] += derivative with respect to natural parameter i, given by_X = derivative with respect to X for F, W and
 * P (symmetric), and by_H for the values of the measurements (NULL: 0). by_F, by_W and by_H are overwritten. */
lf_status lf_state_space_backward(lf_context *ctx, const lf_state_space *space, double *by_F, double *by_W,
                                  const double *by_P, double *by_H, double *gradient);

/* The measurement row (stride) of a target (output, force or rate): the target is row'x. 0 for what is left out. */
void lf_state_space_row(const lf_state_space *space, int target, double *row);

#endif
