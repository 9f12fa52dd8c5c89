/* Straight lines of linear forces through the covariance of the start. */
#include "dynamics/start_covariance.h"

#include <string.h>

/* The next linear atom, from atom f on; NULL: none. */
static const lf_force_states *next_linear(const lf_state_space *space, int *f)
{
    for (; *f < space->force_count; ++*f) {
        if (space->forces[*f].value.envelope == &lf_force_kernel_linear) {
            return &space->forces[(*f)++];
        }
    }
    return NULL;
}

static const double *motion(const lf_state_space *space)
{
    return space->model->initial == LF_INITIAL_STATIONARY ? space->F : space->F_before_origin;
}

/* g (n) and its slope F g (n); integrators stay at 0. */
static void straight_line(const lf_state_space *space, int slope_state, double *g, double *slope)
{
    size_t n = (size_t)space->n, s = (size_t)space->sparsity.stride;
    const double *F = motion(space);
    for (size_t i = 0; i < n; i++) {
        g[i] = space->P[i * s + (size_t)slope_state];
    }
    for (size_t i = 0; i < n; i++) {
        slope[i] = 0;
        for (size_t j = 0; i < (size_t)space->base && j < n; j++) {
            slope[i] += F[i * s + j] * g[j];
        }
    }
}

void lf_start_covariance(const lf_state_space *space, double time, double *P)
{
    size_t n = (size_t)space->n, s = (size_t)space->sparsity.stride;
    double T = time - space->model->origin;
    memcpy(P, space->P, n * s * sizeof *P);
    int f = 0;
    for (const lf_force_states *states; T != 0 && (states = next_linear(space, &f));) {
        double g[n], slope[n];
        straight_line(space, states->first, g, slope);
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) {
                P[i * s + j] += T * (g[i] * slope[j] + slope[i] * g[j]) + T * T * slope[i] * slope[j];
            }
        }
    }
}

void lf_start_covariance_backward(const lf_state_space *space, double time, double *by_P, double *by_F)
{
    size_t n = (size_t)space->n, s = (size_t)space->sparsity.stride;
    size_t moving = (size_t)(space->model->initial == LF_INITIAL_STATIONARY ? space->base : space->force_states);
    double T = time - space->model->origin;
    double by_column[n];
    const double *F = motion(space);
    int f = 0;
    for (const lf_force_states *states; T != 0 && (states = next_linear(space, &f));) {
        double g[n], slope[n], by_slope[n];
        size_t z = (size_t)states->first;
        straight_line(space, states->first, g, slope);
        for (size_t i = 0; i < n; i++) {
            double by_g = 0, by_line = 0; /* (by_P + by_P') g and (by_P + by_P') slope, by_P is symmetric */
            for (size_t j = 0; j < n; j++) {
                by_g += 2 * by_P[i * s + j] * g[j];
                by_line += 2 * by_P[i * s + j] * slope[j];
            }
            by_slope[i] = i < moving ? T * by_g + T * T * by_line : 0;
            by_column[i] = T * by_line;
        }
        for (size_t i = 0; i < moving; i++) {
            for (size_t j = 0; j < n; j++) {
                by_F[i * s + j] += by_slope[i] * g[j];
                by_column[j] += F[i * s + j] * by_slope[i];
            }
        }
        for (size_t i = 0; i < n; i++) { /* z and its variance do not depend on parameters */
            by_P[i * s + z] += i == z ? 0 : 0.5 * by_column[i];
            by_P[z * s + i] += i == z ? 0 : 0.5 * by_column[i];
        }
    }
}
