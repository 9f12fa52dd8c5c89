/* By route: quadrature has strips of columns for all points; closed forms collect the lags of a block; the state space marches through the
 * times of a block of outputs (state_march.h) and keeps, for its gradient, the covariances of the states and the transitions of all
 * steps; frequencies of equations keep the list of all lags. */
#include "exact/exact_memory.h"

#include <math.h>

#include "dynamics/transition.h"
#include "exact/node_pass.h"
#include "exact/quadrature.h"
#include "exact/state_covariance.h"
#include "exact/state_march.h"

static double force_states(const lf_model *model)
{
    double states = 0;
    for (int q = 0; q < model->force_count; q++) {
        states += lf_force_has_states(model, &model->forces[q]) ? lf_force_states_estimate(&model->forces[q]) : 0;
    }
    return states;
}

static double most_output_states(const lf_model *model)
{
    double most = 0;
    for (int d = 0; d < model->output_count; d++) {
        most = fmax(most, lf_state_march_states(model, d));
    }
    return most;
}

/* The state space of some outputs. */
static double march_numbers(const lf_model *model, double outputs, double rows, lf_time_count times)
{
    static const double strip = 4e6; /* state_gradient.c */
    double states = force_states(model) + outputs * most_output_states(model);
    double stride = LF_LANE * ceil(states / LF_LANE), size = states * stride, steps = fmin(times.steps, rows);
    double kept = model->initial == LF_INITIAL_STATIONARY ? 1 : steps, gaps = fmin(times.gaps, steps);
    double columns = fmax(fmin(strip, steps * states * rows), 8 * steps * states);
    return size * (LF_TRANSITION_MATRICES + 16 + kept + 4 * gaps) + columns + rows * (2 * stride + states);
}

/* Columns of a strip of nodes and their adjoints. */
static double node_numbers(const lf_model *model, double tolerance, double rows, double earliest, double latest)
{
    double columns = lf_quadrature_columns(model, tolerance, earliest, latest);
    return 2 * rows * fmin(2 * LF_STRIP, columns > 0 ? columns : 2 * LF_STRIP);
}

double lf_exact_block_numbers(const lf_model *model, lf_exact_covariance kernel, double rows, lf_time_count times)
{
    return kernel.route == LF_ROUTE_STATE_SPACE   ? march_numbers(model, 1, rows, times)
           : kernel.route == LF_ROUTE_CLOSED_FORM ? 2 * rows * rows
                                                  : 0;
}

double lf_exact_covariance_numbers(const lf_model *model, lf_exact_covariance kernel, const lf_point_set *points,
                                   lf_time_count times)
{
    double n = (double)points->n, groups = fmax(points->group_count, 1), earliest = INFINITY, latest = -INFINITY;
    for (size_t i = 0; i < points->n; i++) {
        earliest = fmin(earliest, points->x[i * (size_t)points->input_dim]);
        latest = fmax(latest, points->x[i * (size_t)points->input_dim]);
    }
    switch (kernel.route) {
    case LF_ROUTE_FREQUENCIES:
        return 6 * n * n; /* lags of 40 bytes and where sets of them begin; half of them in the gradient */
    case LF_ROUTE_QUADRATURE:
        return node_numbers(model, kernel.tolerance, n, earliest, latest);
    case LF_ROUTE_CLOSED_FORM:
        return 2 * n * n / groups / groups;
    default: /* two blocks of outputs at a time */
        break;
    }
    double together = fmax(1, floor(LF_CHUNK_STATES / fmax(most_output_states(model), 1)));
    double outputs = fmin(groups, 2 * together);
    return march_numbers(model, outputs, n * outputs / groups, times);
}
