/* Parts of the posterior mean. With alpha = (K + noise)^-1 y the mean is K alpha, and K is a sum over the forces, the private forces
 * and the initial states; each term times alpha is one part. An engine that keeps alpha predicts a part when it is given the model
 * with everything else set to 0.
 *
 * Otherwise, for an ODE, the part of a shared force is the response to its mean force (forced_response.h) and that of the initial
 * state is the free motion from its mean, f(t0) and f'(t0), which determine it up to order 2. What remains of the mean belongs to the
 * private force or, without one, to the initial state. With a stationary start the response begins before the first row, and the
 * remainder holds what happened before that. */
#include "predict/contributions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "exact/exact_covariance.h"
#include "predict/forced_response.h"

lf_parts_route lf_contributions_route(const lf_scaled_posterior *posterior)
{
    const lf_model *model = posterior->model;
    int equations = model->input_dim == 1;
    for (int d = 0; d < model->output_count; d++) {
        equations = equations && model->outputs[d].op->is_ode;
    }
    return posterior->class->predicts_submodels ? LF_PARTS_SUBMODELS : equations ? LF_PARTS_RESPONSES : LF_PARTS_PRIOR;
}

/* Sets everything to 0 but part k: a force, the private forces (Q) or the initial states (Q + 1). */
static void keep_part(lf_model *model, int k)
{
    int Q = model->force_count;
    for (int d = 0; d < model->output_count; d++) {
        lf_output *output = &model->outputs[d];
        for (int q = 0; q < Q; q++) {
            output->sensitivity[q] = q == k ? output->sensitivity[q] : 0;
        }
        output->private_amplitude = k == Q ? output->private_amplitude : 0;
        for (int i = 0; output->initial_variance && k != Q + 1 && i < output->order; i++) {
            output->initial_variance[i] = 0;
        }
    }
}

/* Whether any output has part k. */
static int has_part(const lf_model *model, int k)
{
    int Q = model->force_count, has = k < Q;
    for (int d = 0; d < model->output_count; d++) {
        has = has || (k == Q ? model->outputs[d].has_private : lf_has_initial_state(model, d));
    }
    return has;
}

/* Parts of the mean or, by the prior, variances. */
static lf_status predict_parts(lf_context *ctx, const lf_scaled_posterior *posterior, int replicate,
                               const lf_point_set *rows, int prior, double *parts)
{
    const lf_engine_options options = {.size = sizeof options, .tolerance = 1e-5}; /* shares need few digits */
    lf_exact_covariance exact = {0};
    double first = INFINITY, last = -INFINITY;
    for (size_t i = 0; i < rows->n; i++) {
        first = fmin(first, rows->x[i * (size_t)rows->input_dim]);
        last = fmax(last, rows->x[i * (size_t)rows->input_dim]);
    }
    lf_status status = prior ? lf_exact_covariance_choose(ctx, posterior->model, &options, first, last, &exact) : LF_OK;
    for (int k = 0; !status && k < posterior->model->force_count + 2; k++) {
        double *part = parts + (size_t)k * rows->n;
        lf_model *model = NULL;
        if (!has_part(posterior->model, k)) {
            memset(part, 0, rows->n * sizeof *part);
            continue;
        }
        status = lf_model_copy(ctx, posterior->model, &model);
        if (!status) {
            keep_part(model, k);
            status = prior ? lf_exact_covariance_diagonal(ctx, model, exact, rows, part)
                           : posterior->class->predict(ctx, posterior->state, model, replicate, rows, part, NULL, NULL);
        }
        lf_model_free(model);
    }
    return status;
}

/* start (n) at the rows of one output: its free motion from the mean initial state. */
static lf_status find_start(lf_context *ctx, const lf_scaled_posterior *posterior, int replicate, int d, size_t n,
                            const double *x, double *start)
{
    const lf_model *model = posterior->model;
    const lf_output *output = &model->outputs[d];
    const int target[2] = {d, model->output_count + model->force_count + d};
    const double origin[2] = {model->origin, model->origin};
    double initial[2], h[LF_MAX_ORDER];
    lf_status status =
        lf_scaled_posterior_mean(ctx, posterior, replicate, (size_t)output->order, target, origin, initial);
    for (size_t i = 0; !status && i < n; i++) {
        output->op->motion(output->constants, output->order, fmax(x[i] - model->origin, 0), h, NULL);
        start[i] = 0;
        for (int k = 0; k < output->order; k++) {
            start[i] += initial[k] * h[k];
        }
    }
    return status;
}

/* The node of the path at the time of a row. */
static size_t find_row(const lf_force_path *path, double time)
{
    size_t low = 0, high = path->count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (path->time[middle] <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The rows from … to - 1 are of output d. */
static lf_status respond(lf_context *ctx, const lf_scaled_posterior *posterior, int replicate, const lf_point_set *rows,
                         const lf_force_path *path, int d, size_t from, size_t to, const double *mean, double *parts)
{
    const lf_model *model = posterior->model;
    const lf_output *output = &model->outputs[d];
    size_t Q = (size_t)model->force_count, n = rows->n, size = (size_t)output->order * Q;
    double *states = lf_doubles(path->count, size), *private = parts + Q * n, *start = parts + (Q + 1) * n;
    if (!states) {
        return lf_no_memory(ctx);
    }
    lf_forced_response_states(output, path, states);
    for (size_t i = from; i < to; i++) {
        const double *response = states + find_row(path, rows->x[i]) * size;
        private[i] = mean[i];
        for (size_t q = 0; q < Q; q++) {
            parts[q * n + i] = output->sensitivity[q] * response[q];
            private[i] -= parts[q * n + i];
        }
    }
    free(states);
    lf_status status = LF_OK;
    int separate = output->has_private && lf_has_initial_state(model, d) && output->order <= 2;
    memset(start + from, 0, (to - from) * sizeof *start);
    if (separate) {
        status = find_start(ctx, posterior, replicate, d, to - from, rows->x + from, start + from);
    }
    for (size_t i = from; i < to; i++) {
        start[i] = output->has_private ? start[i] : model->initial == LF_INITIAL_ZERO ? 0 : private[i];
        private[i] = output->has_private ? private[i] - start[i] : 0;
    }
    return status;
}

static lf_status respond_all(lf_context *ctx, const lf_scaled_posterior *posterior, int replicate,
                             const lf_point_set *rows, const double *mean, double *parts)
{
    lf_force_path path;
    double last = rows->x[0];
    for (size_t i = 1; i < rows->n; i++) {
        last = fmax(last, rows->x[i]);
    }
    lf_status status = lf_force_path_create(ctx, posterior, replicate, rows, last, &path);
    for (int g = 0; !status && g < rows->group_count; g++) {
        status = respond(ctx, posterior, replicate, rows, &path, rows->target[g], rows->start[g], rows->start[g + 1],
                         mean, parts);
    }
    lf_force_path_clear(&path);
    return status;
}

lf_status lf_contributions(lf_context *ctx, const lf_scaled_posterior *posterior, int replicate,
                           const lf_point_set *rows, const double *mean, double *parts)
{
    lf_parts_route route = lf_contributions_route(posterior);
    return route == LF_PARTS_RESPONSES ? respond_all(ctx, posterior, replicate, rows, mean, parts)
                                       : predict_parts(ctx, posterior, replicate, rows, route == LF_PARTS_PRIOR, parts);
}
