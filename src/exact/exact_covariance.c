/* Applies a route (exact_route.c) block by block, and adds the terms that are common to all routes: the initial state of a
 * free start, Cov[f_d(t), f_d(t')] += sum_k variance_k h_k(t) h_k(t'). */
#include "exact/exact_covariance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "exact/closed_form.h"
#include "exact/quadrature.h"
#include "exact/smoothed_block.h"
#include "exact/state_covariance.h"
#include "exact/system_covariance.h"
#include "model/model.h"

/* Whether a force is composed: the state space covers all forces then. */
static int is_composed(const lf_model *model) { return lf_model_composed_force(model) != NULL; }

/* ---- initial state of a free start ---- */

/* Whether two targets are the same output, or its rate, with a random initial state. */
static int share_initial_state(const lf_model *model, int a, int b)
{
    int output = lf_target_output(model, a);
    return output >= 0 && output == lf_target_output(model, b) && lf_has_initial_state(model, output);
}

/* h (n, P), row-major (for a rate h'), and, unless NULL, dh (n, constants, P). */
static void free_motions(const lf_model *model, lf_point_group points, double *h, double *dh)
{
    const lf_output *output = &model->outputs[lf_target_output(model, points.target)];
    size_t P = (size_t)output->order, size = P * (size_t)output->constant_count;
    double a[LF_MAX_ORDER + 1], motion[LF_MAX_ORDER];
    lf_ode_coefficients(output->op, output->constants, output->order, a);
    for (size_t i = 0; i < points.n; i++) {
        output->op->motion(output->constants, output->order, points.x[i] - model->origin, h + i * P,
                           dh ? dh + i * size : NULL);
        if (lf_target_is_rate(model, points.target)) {
            memcpy(motion, h + i * P, P * sizeof *h);
            lf_ode_motion_rate(a, output->order, motion, h + i * P);
        }
    }
}

/* A block of a matrix: values if K is given, the gradient by its adjoint G if G is. */
typedef struct block {
    double *K;
    const double *G;
    size_t ld;
    double *gradient;
} block;

static block block_at(block whole, const lf_point_set *A, int ga, const lf_point_set *B, int gb)
{
    size_t at = B->start[gb] * whole.ld + A->start[ga];
    return (block){whole.K ? whole.K + at : NULL, whole.G ? whole.G + at : NULL, whole.ld, whole.gradient};
}

/* Adds the initial-state terms of two targets of one output; the gradient has no rates. */
static lf_status initial_state_block(lf_context *ctx, const lf_model *model, lf_point_group a, lf_point_group b,
                                     block to)
{
    int d = lf_target_output(model, a.target);
    const lf_output *output = &model->outputs[d];
    size_t P = (size_t)output->order, constants = (size_t)output->constant_count;
    double *ha = lf_doubles(a.n, P), *hb = lf_doubles(b.n, P);
    double *da = lf_doubles(to.G ? a.n : 0, P * constants), *db = lf_doubles(to.G ? b.n : 0, P * constants);
    lf_status status = ha && hb && da && db ? LF_OK : lf_no_memory(ctx);
    if (!status) {
        free_motions(model, a, ha, to.G ? da : NULL);
        free_motions(model, b, hb, to.G ? db : NULL);
    }
    for (size_t k = 0; !status && k < P; k++) {
        double variance = output->initial_variance[k], by_variance = 0;
        for (size_t j = 0; j < b.n; j++) {
            for (size_t i = 0; i < a.n; i++) {
                if (to.K) {
                    to.K[j * to.ld + i] += variance * ha[i * P + k] * hb[j * P + k];
                    continue;
                }
                double g = to.G[j * to.ld + i];
                by_variance += g * ha[i * P + k] * hb[j * P + k];
                for (size_t c = 0; c < constants; c++) {
                    to.gradient[(size_t)lf_index_constants(model, d) + c] +=
                        g * variance *
                        (da[(i * constants + c) * P + k] * hb[j * P + k] +
                         ha[i * P + k] * db[(j * constants + c) * P + k]);
                }
            }
        }
        if (to.G) {
            to.gradient[(size_t)lf_index_initial_variance(model, d) + k] += by_variance;
        }
    }
    free(ha);
    free(hb);
    free(da);
    free(db);
    return status;
}

static lf_status add_initial_states(lf_context *ctx, const lf_model *model, const lf_point_set *A,
                                    const lf_point_set *B, block whole)
{
    lf_status status = LF_OK;
    for (int b = 0; !status && b < B->group_count; b++) {
        for (int a = 0; !status && a < A->group_count; a++) {
            if (share_initial_state(model, A->target[a], B->target[b])) {
                status = initial_state_block(ctx, model, lf_point_set_group(A, a), lf_point_set_group(B, b),
                                             block_at(whole, A, a, B, b));
            }
        }
    }
    return status;
}

/* ---- the routes ---- */

/* Applies the closed form to every pair of groups. */
static lf_status closed_form_blocks(lf_context *ctx, const lf_model *model, const lf_point_set *A,
                                    const lf_point_set *B, block whole)
{
    lf_status status = LF_OK;
    for (int b = 0; !status && b < B->group_count; b++) {
        for (int a = whole.K && A == B ? b : 0; !status && a < A->group_count; a++) {
            lf_point_group rows = lf_point_set_group(A, a), columns = lf_point_set_group(B, b);
            block to = block_at(whole, A, a, B, b);
            status = to.K ? lf_closed_form_block(ctx, model, rows, columns, to.K, to.ld)
                          : lf_closed_form_gradient(ctx, model, rows, columns, to.G, to.ld, to.gradient);
        }
    }
    return status;
}

/* Whether a set contains rates, which only the quadrature supports. They are the last targets. */
static int has_rates(const lf_model *model, const lf_point_set *set)
{
    return set->group_count > 0 && lf_target_is_rate(model, set->target[set->group_count - 1]);
}

static int has_forces(const lf_model *model, const lf_point_set *set)
{
    int any = 0;
    for (int g = 0; g < set->group_count; g++) {
        any = any || lf_target_is_force(model, set->target[g]);
    }
    return any;
}

/* What the state space leaves to others: nothing where a force is composed. */
static lf_status rest_matrix(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel, const lf_point_set *A,
                             const lf_point_set *B, double *K, size_t ld)
{
    for (size_t j = 0; is_composed(model) && j < B->n; j++) {
        memset(K + j * ld, 0, A->n * sizeof *K);
    }
    if (is_composed(model)) {
        return LF_OK;
    }
    lf_status status = lf_quadrature_matrix(ctx, model, kernel, A, B, K, ld);
    if (!status) {
        lf_smoothed_add(model, A, B, K, ld);
    }
    return status;
}

static lf_status rest_diagonal(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                               const lf_point_set *A, double *k)
{
    if (is_composed(model)) {
        memset(k, 0, A->n * sizeof *k);
        return LF_OK;
    }
    lf_status status = lf_quadrature_diagonal(ctx, model, kernel, A, k);
    if (!status) {
        lf_smoothed_diagonal(model, A, k);
    }
    return status;
}

static lf_status rest_gradient(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                               const lf_point_set *A, const lf_point_set *B, const double *G, size_t ld,
                               double *gradient)
{
    if (is_composed(model)) {
        return LF_OK;
    }
    lf_status status = lf_quadrature_gradient(ctx, model, kernel, A, B, G, ld, gradient);
    if (!status) {
        lf_smoothed_gradient(model, A, B, G, ld, gradient);
    }
    return status;
}

lf_status lf_exact_covariance_matrix(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                                     const lf_point_set *A, const lf_point_set *B, double *K, size_t ld)
{
    if (kernel.route == LF_ROUTE_FREQUENCIES) {
        return lf_system_covariance_matrix(ctx, model, A, B, K, ld);
    }
    int closed = kernel.route == LF_ROUTE_CLOSED_FORM && !has_rates(model, A) && !has_rates(model, B);
    int exact = kernel.route == LF_ROUTE_STATE_SPACE;
    lf_status status = closed  ? closed_form_blocks(ctx, model, A, B, (block){.K = K, .ld = ld})
                       : exact ? rest_matrix(ctx, model, kernel, A, B, K, ld)
                               : lf_quadrature_matrix(ctx, model, kernel, A, B, K, ld);
    if (!status && exact) {
        status = lf_has_odes(model) ? lf_state_covariance_add(ctx, model, A, B, K, ld) : LF_OK;
    }
    return status ? status : add_initial_states(ctx, model, A, B, (block){.K = K, .ld = ld});
}

lf_status lf_exact_covariance_slopes(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                                     const lf_point_set *A, const lf_point_set *U, double *slopes, size_t ld)
{
    if (kernel.route != LF_ROUTE_STATE_SPACE) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED, "derivatives by the times of forces need exact Matern forces");
    }
    lf_status status = lf_quadrature_slopes(ctx, model, kernel, A, U, slopes, ld);
    if (!status) {
        lf_smoothed_slopes(model, A, U, slopes, ld);
        status = lf_has_odes(model) ? lf_state_covariance_slopes(ctx, model, A, U, slopes, ld) : LF_OK;
    }
    return status;
}

lf_status lf_exact_covariance_diagonal(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                                       const lf_point_set *A, double *k)
{
    if (kernel.route == LF_ROUTE_FREQUENCIES) {
        return lf_system_covariance_diagonal(ctx, model, A, k);
    }
    int closed = kernel.route == LF_ROUTE_CLOSED_FORM && !has_rates(model, A);
    int exact = kernel.route == LF_ROUTE_STATE_SPACE;
    lf_status status = closed  ? LF_OK
                       : exact ? rest_diagonal(ctx, model, kernel, A, k)
                               : lf_quadrature_diagonal(ctx, model, kernel, A, k);
    if (!status && exact) {
        status = lf_has_odes(model) ? lf_state_covariance_diagonal(ctx, model, A, k) : LF_OK;
    }
    for (int g = 0; !status && g < A->group_count; g++) {
        int target = A->target[g], has_initial_state = share_initial_state(model, target, target);
        for (size_t i = A->start[g]; !status && i < A->start[g + 1]; i++) {
            lf_point_group point = {target, 1, A->x + i * (size_t)A->input_dim};
            if (closed) {
                status = lf_closed_form_block(ctx, model, point, point, &k[i], 1);
            }
            if (!status && has_initial_state) {
                double h[LF_MAX_ORDER];
                const lf_output *output = &model->outputs[lf_target_output(model, target)];
                free_motions(model, point, h, NULL);
                for (int m = 0; m < output->order; m++) {
                    k[i] += output->initial_variance[m] * h[m] * h[m];
                }
            }
        }
    }
    return status;
}

/* Whether gradients of rates are implemented: all forces are Matern forces, all operators ODEs, and the start is not free. */
static int rates_have_gradients(const lf_model *model, lf_exact_covariance kernel)
{
    int all = kernel.route == LF_ROUTE_STATE_SPACE && model->initial != LF_INITIAL_FREE;
    for (int q = 0; q < model->force_count; q++) {
        all = all && (is_composed(model) || model->forces[q].kernel->tail_power > 0);
    }
    for (int d = 0; d < model->output_count; d++) {
        const lf_output *output = &model->outputs[d];
        all = all && output->op->is_ode &&
              (!output->has_private || is_composed(model) || output->private_force.kernel->tail_power > 0);
    }
    return all;
}

lf_status lf_exact_covariance_gradient(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                                       const lf_point_set *A, const lf_point_set *B, const double *G, size_t ld,
                                       double *gradient)
{
    if (kernel.route == LF_ROUTE_FREQUENCIES) {
        return A == B ? lf_system_covariance_gradient(ctx, model, A, G, ld, gradient)
                      : lf_fail(ctx, LF_ERROR_UNSUPPORTED, "gradients of cross-covariances of equations");
    }
    int exact = kernel.route == LF_ROUTE_STATE_SPACE;
    if ((has_rates(model, A) || has_rates(model, B)) && !rates_have_gradients(model, kernel)) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                       "gradients of the covariances of rates are implemented only for Matern forces, ODEs and a zero "
                       "or stationary start");
    }
    if (is_composed(model) && (has_forces(model, A) || has_forces(model, B))) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                       "gradients of the covariances of forces are implemented only for eq and Matern kernels");
    }
    block adjoint = {.G = G, .ld = ld, .gradient = gradient};
    lf_status status = kernel.route == LF_ROUTE_CLOSED_FORM ? closed_form_blocks(ctx, model, A, B, adjoint)
                       : exact                              ? rest_gradient(ctx, model, kernel, A, B, G, ld, gradient)
                               : lf_quadrature_gradient(ctx, model, kernel, A, B, G, ld, gradient);
    if (!status && exact) {
        status = lf_has_odes(model) ? lf_state_covariance_gradient(ctx, model, A, B, G, ld, gradient) : LF_OK;
    }
    return status ? status : add_initial_states(ctx, model, A, B, adjoint);
}
