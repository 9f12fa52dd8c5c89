/* Parts of the posterior mean. With alpha = (K + noise)^-1 y the mean is K alpha, and K is a sum over the forces, the private forces
 * and the initial states; each term times alpha is one part. An engine that keeps alpha predicts a part when it is given the model
 * with everything else set to 0.
 *
 * Otherwise, for an ODE, the part of a shared force is the response to its mean force (forced_response.h) and that of the initial
 * state is the free motion from its mean, f(t0) and f'(t0), which determine it up to order 2. What remains of the mean belongs to the
 * private force or, without one, to the initial state. With a stationary start the response begins before the first row, and the
 * remainder holds what happened before that. */
#include "report/contributions.h"

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
    for (int q = 0; q < model->force_count; q++) { /* whose mean is no function of time */
        equations = equations && !lf_model_force_is_white(model, q);
    }
    return lf_engine_is_able(posterior->class, LF_PREDICTS_SUBMODELS) ? LF_PARTS_SUBMODELS
           : equations                                                ? LF_PARTS_RESPONSES
                                                                      : LF_PARTS_PRIOR;
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
                           : lf_scaled_posterior_predict(ctx, posterior, model, replicate, rows, part, NULL, NULL);
        }
        lf_model_free(model);
    }
    return status;
}

/* Whether the initial state of an output must be told apart from its private force, and can be. */
static int has_separate_start(const lf_model *model, int d)
{
    return model->outputs[d].has_private && lf_has_initial_state(model, d) && model->outputs[d].order <= 2;
}

/* initial (D, 2): the mean f(t0) and f'(t0) of the outputs with a separate start; all at once, because a prediction costs a pass
 * over the rows. */
static lf_status find_initial_states(lf_context *ctx, const lf_scaled_posterior *posterior, int replicate,
                                     double *initial)
{
    const lf_model *model = posterior->model;
    size_t room = 2 * (size_t)model->output_count, n = 0;
    int *target = calloc(room, sizeof *target);
    double *x = lf_doubles(room, 1), *mean = lf_doubles(room, 1);
    lf_status status = target && x && mean ? LF_OK : lf_no_memory(ctx);
    for (int d = 0; !status && d < model->output_count; d++) {
        for (int k = 0; has_separate_start(model, d) && k < model->outputs[d].order; k++) {
            target[n] = k ? model->output_count + model->force_count + d : d;
            x[n++] = model->origin;
        }
    }
    status = status || !n ? status : lf_scaled_posterior_mean(ctx, posterior, replicate, n, target, x, mean);
    for (size_t i = 0; !status && i < n; i++) {
        initial[2 * lf_target_output(model, target[i]) + lf_target_is_rate(model, target[i])] = mean[i];
    }
    free(target);
    free(x);
    free(mean);
    return status;
}

/* The free motion of an output at a time, from its initial state. */
static double free_motion(const lf_model *model, const lf_output *output, const double *initial, double time)
{
    double h[LF_MAX_ORDER], sum = 0;
    output->op->motion(output->constants, output->order, fmax(time - model->origin, 0), h, NULL);
    for (int k = 0; k < output->order; k++) {
        sum += initial[k] * h[k];
    }
    return sum;
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

/* The rows of group g. initial (D, 2). */
static lf_status respond(lf_context *ctx, const lf_model *model, const lf_point_set *rows, int g,
                         const lf_force_path *path, const double *mean, const double *initial, double *parts)
{
    int d = rows->target[g];
    const lf_output *output = &model->outputs[d];
    size_t Q = (size_t)model->force_count, n = rows->n, size = (size_t)output->order * Q;
    double *states = lf_doubles(path->count, size), *private = parts + Q * n, *start = parts + (Q + 1) * n;
    if (!states) {
        return lf_no_memory(ctx);
    }
    lf_forced_response_states(output, path, states);
    for (size_t i = rows->start[g]; i < rows->start[g + 1]; i++) {
        const double *response = states + find_row(path, rows->x[i]) * size;
        double rest = mean[i];
        for (size_t q = 0; q < Q; q++) {
            parts[q * n + i] = output->sensitivity[q] * response[q];
            rest -= parts[q * n + i];
        }
        start[i] = has_separate_start(model, d) ? free_motion(model, output, initial + 2 * d, rows->x[i])
                   : output->has_private || model->initial == LF_INITIAL_ZERO ? 0
                                                                              : rest;
        private[i] = output->has_private ? rest - start[i] : 0;
    }
    free(states);
    return LF_OK;
}

static lf_status respond_all(lf_context *ctx, const lf_scaled_posterior *posterior, int replicate,
                             const lf_point_set *rows, const double *mean, double *parts)
{
    lf_force_path path = {0};
    double last = rows->x[0], *initial = lf_doubles((size_t)posterior->model->output_count, 2);
    for (size_t i = 1; i < rows->n; i++) {
        last = fmax(last, rows->x[i]);
    }
    lf_status status = initial ? find_initial_states(ctx, posterior, replicate, initial) : lf_no_memory(ctx);
    LF_TRY(status, lf_force_path_create(ctx, posterior, replicate, rows, last, &path));
    for (int g = 0; !status && g < rows->group_count; g++) {
        status = respond(ctx, posterior->model, rows, g, &path, mean, initial, parts);
    }
    lf_force_path_clear(&path);
    free(initial);
    return status;
}

lf_status lf_contributions(lf_context *ctx, const lf_scaled_posterior *posterior, int replicate,
                           const lf_point_set *rows, const double *mean, double *parts)
{
    lf_parts_route route = lf_contributions_route(posterior);
    return route == LF_PARTS_RESPONSES ? respond_all(ctx, posterior, replicate, rows, mean, parts)
                                       : predict_parts(ctx, posterior, replicate, rows, route == LF_PARTS_PRIOR, parts);
}
