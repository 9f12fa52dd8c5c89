/* The stationary covariance of a stable system: Q of a gap after which all damped modes have decayed, and what undamped states of forces,
 * oscillators, constants and straight lines, have caused by then: with A the transition of the gap, g g' for each g = A v that moves with one
 * of them. */
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "dynamics/atom_states.h"
#include "dynamics/transition.h"

static int has_undamped(const lf_state_space *space)
{
    int any = 0;
    for (int f = 0; f < space->force_count; f++) {
        any = any || lf_atom_is_undamped(&space->forces[f].value);
    }
    return any;
}

/* g (n) = A v, where v is what moves with state j of an undamped atom a decay time before the origin: itself, and where j is the slope z of a
 * linear force, z (t - origin) / l too. Returns the index of this second state, at which g is 0; -1: there is none. */
static ptrdiff_t undamped_motion(const lf_state_space *space, const lf_force_states *states, size_t j, const double *A,
                                 double *g)
{
    size_t n = (size_t)space->n, s = (size_t)space->sparsity.stride;
    int linear = states->value.envelope == &lf_force_kernel_linear;
    double before = linear ? -space->decay_time * space->F[(j + 1) * s + j] : 0;
    for (size_t i = 0; i < n; i++) {
        g[i] = A[i * s + j] + (linear ? before * A[i * s + j + 1] : 0);
    }
    if (linear) {
        g[j + 1] = 0;
    }
    return linear ? (ptrdiff_t)j + 1 : -1;
}

/* The states of an atom that start random a decay time before the origin. */
static size_t undamped_states(const lf_force_states *states)
{
    return !lf_atom_is_undamped(&states->value)                ? 0
           : states->value.envelope == &lf_force_kernel_linear ? 1
                                                               : (size_t)states->n;
}

static void undamped_forward(const lf_state_space *space, const double *A, double *P)
{
    size_t n = (size_t)space->n, s = (size_t)space->sparsity.stride;
    double g[n];
    for (int f = 0; f < space->force_count; f++) {
        size_t first = (size_t)space->forces[f].first;
        for (size_t j = first; j < first + undamped_states(&space->forces[f]); j++) {
            undamped_motion(space, &space->forces[f], j, A, g);
            for (size_t i = 0; i < n; i++) {
                for (size_t k = 0; k < n; k++) {
                    P[i * s + k] += g[i] * g[k];
                }
            }
        }
    }
}

static void undamped_backward(const lf_state_space *space, const double *A, const double *by_P, double *by_A,
                              double *by_F)
{
    size_t n = (size_t)space->n, s = (size_t)space->sparsity.stride;
    double g[n];
    for (int f = 0; f < space->force_count; f++) {
        size_t first = (size_t)space->forces[f].first;
        for (size_t j = first; j < first + undamped_states(&space->forces[f]); j++) {
            ptrdiff_t second = undamped_motion(space, &space->forces[f], j, A, g);
            size_t entry = second < 0 ? 0 : (size_t)second * s + j;
            for (size_t i = 0; i < n; i++) {
                double by_g = 0;
                for (size_t k = 0; k < n && (ptrdiff_t)i != second; k++) {
                    by_g += 2 * by_P[i * s + k] * g[k];
                }
                by_A[i * s + j] += by_g;
                if (second >= 0) {
                    by_A[i * s + (size_t)second] -= by_g * space->decay_time * space->F[entry];
                    by_F[entry] -= by_g * space->decay_time * A[i * s + (size_t)second];
                }
            }
        }
    }
}

lf_status lf_stationary_covariance(lf_context *ctx, const lf_state_space *space, double *P)
{
    lf_transition_work work;
    double *A = lf_doubles(1, lf_sparsity_size(&space->sparsity));
    lf_status status = lf_transition_work_create(ctx, space, space->decay_time, &work);
    status = status || A ? status : lf_no_memory(ctx);
    if (!status) {
        lf_transition(space, space->F, space->decay_time, &work, A, P);
        undamped_forward(space, A, P);
    }
    lf_transition_work_clear(&work);
    free(A);
    return status;
}

lf_status lf_stationary_backward(lf_context *ctx, const lf_state_space *space, const double *by_P, double *by_F,
                                 double *by_W)
{
    lf_transition_work work;
    double *by_A = lf_doubles(2, lf_sparsity_size(&space->sparsity));
    lf_status status = lf_transition_work_create(ctx, space, space->decay_time, &work);
    status = status || by_A ? status : lf_no_memory(ctx);
    if (!status && has_undamped(space)) {
        double *A = by_A + lf_sparsity_size(&space->sparsity);
        lf_transition(space, space->F, space->decay_time, &work, A, NULL);
        undamped_backward(space, A, by_P, by_A, by_F);
    }
    if (!status) {
        lf_transition_backward(space, space->F, space->decay_time, by_A, by_P, &work, by_F, by_W);
    }
    lf_transition_work_clear(&work);
    free(by_A);
    return status;
}
