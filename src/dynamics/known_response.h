/* The response of a model to its known inputs: the prior mean of its outputs, rates and states.
 *
 *   x' = A x + B v + c,   y = C x + D v + d
 *
 * Inputs are linear or constant between their readings, or impulses: doses, by which x jumps. x starts from the mean of the start or, in a
 * steady system, from the equilibrium under the first readings. Over a gap h, with v = v0 + r s,
 *
 *   x <- e^{Ah} x + B0 v0 + B1 r,   [e^{Ah} B0 B1] the upper rows of the exponential of [[A B 0], [0 0 I], [0 0 0]] h
 *
 * Of an output that is averaged, the integral over each gap is marched too, J' = y from 0 at every step; the mean over an interval is the sum
 * of J over its gaps, divided by the width. The constant c is an input with the value 1. A reading at the time of an impulse is taken before
 * it; an input that is constant between readings has its new value at the time of a reading. */
#ifndef LF_DYNAMICS_KNOWN_RESPONSE_H
#define LF_DYNAMICS_KNOWN_RESPONSE_H

#include "dynamics/timeline.h"
#include "dynamics/transition.h"
#include "points/rows.h"

typedef struct lf_known_response {
    const lf_model *model;
    lf_timeline timeline; /* the points are its queries */
    lf_system_matrices matrices;
    lf_state_space space;             /* states x, integrals J, inputs and 1, slopes; without noise */
    int n, integrals, inputs, slopes; /* of them; inputs includes the constant 1 */
    int *integral_of;                 /* (D) index of the state that is its integral; -1: it is not averaged */
    int *slope_of;                    /* (inputs) index of the state that is its slope; -1: it is constant */
    double *v, *r;                    /* (steps, inputs) right-hand values, and slopes until the next step */
    double *jump;                     /* (steps, inputs) impulses at the step */
    double *x;     /* (steps, n + integrals) before the impulses of the step; integrals over the gap before it */
    size_t cached; /* gaps whose transitions are kept */
    double *A;     /* (cached + 1, states, stride); the last slot is for other gaps */
    lf_transition_work work;
} lf_known_response;

/* Whether a model has a mean that differs from 0: known inputs, or equations. */
int lf_has_known_response(const lf_model *model);

/* For the points of one replicate. Fails where the readings do not reach from the start to the last point. The model must outlive it; only the
 * values of its parameters may change. After a failure it must still be cleared. */
lf_status lf_known_response_create(lf_context *ctx, const lf_model *model, const lf_known_set *known,
                                   const lf_point_set *points, lf_known_response *response);
void lf_known_response_clear(lf_known_response *response);

/* mean (points): at the current parameters, of the scaled outputs. */
lf_status lf_known_response_evaluate(lf_context *ctx, lf_known_response *response, double *mean);
/* gradient[i] += derivative by natural parameter i, given by_mean (points), which are outputs, at the parameters last evaluated. */
lf_status lf_known_response_backward(lf_context *ctx, lf_known_response *response, const double *by_mean,
                                     double *gradient);

/* Sets the mean of the rows of a replicate. */
lf_status lf_known_response_of_rows(lf_context *ctx, const lf_model *model, lf_replicate *replicate);

#endif
