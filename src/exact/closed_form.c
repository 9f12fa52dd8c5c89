/* The forces that couple two targets, and their factors. The blocks themselves are in ode_block.c and
 * gaussian_block.c. */
#include "exact/closed_form.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "exact/gaussian_block.h"
#include "exact/ode_block.h"
#include "model/model.h"

enum { MAX_ORDER = 2 };

const char *lf_closed_form_obstacle(const lf_model *model)
{
    for (int q = 0; q < model->force_count; q++) {
        if (model->forces[q].kernel != &lf_force_kernel_eq) {
            return "only eq forces are supported";
        }
    }
    for (int d = 0; d < model->output_count; d++) {
        const lf_output *output = &model->outputs[d];
        if (output->has_private && output->private_force.kernel != &lf_force_kernel_eq) {
            return "only eq forces are supported";
        }
        if (output->op->is_ode != model->outputs[0].op->is_ode) {
            return "gaussian and ODE operators in one model are not supported";
        }
        if (output->op->is_ode) {
            double a[LF_MAX_ORDER + 1];
            if (output->order > MAX_ORDER) {
                return "only ODEs of order 1 and 2 are supported";
            }
            lf_ode_coefficients(output->op, output->constants, output->order, a);
            for (int k = 1; k <= output->order; k++) {
                if (a[k] / a[0] < 0) {
                    return "unstable operators are not supported";
                }
            }
        }
    }
    return NULL;
}

/* A force that drives targets a and b, with their sensitivities to it. */
typedef struct coupling {
    const lf_force *force;
    int index; /* q of a shared force, -1 for the private one of output a = b */
    double Sa, Sb;
} coupling;

static double sensitivity(const lf_model *model, int target, int q)
{
    return lf_target_is_force(model, target) ? target - model->output_count == q
                                             : model->outputs[target].sensitivity[q];
}

/* Coupling number k of two targets: the shared forces, then the private force. Returns 0 if there is none. */
static int find_coupling(const lf_model *model, int a, int b, int k, coupling *c)
{
    if (k < model->force_count) {
        *c = (coupling){&model->forces[k], k, sensitivity(model, a, k), sensitivity(model, b, k)};
        return 1;
    }
    if (k == model->force_count && a == b && !lf_target_is_force(model, a) && model->outputs[a].has_private) {
        const lf_output *output = &model->outputs[a];
        *c = (coupling){&output->private_force, -1, output->private_amplitude, output->private_amplitude};
        return 1;
    }
    return 0;
}

static lf_gaussian_side gaussian_side(const lf_model *model, lf_point_group points)
{
    lf_gaussian_side side = {.n = points.n, .x = points.x};
    if (!lf_target_is_force(model, points.target)) {
        const lf_output *output = &model->outputs[points.target];
        side.smoothing = (lf_smoothing){output->constant_count, output->constants};
    }
    return side;
}

/* Two targets of an ODE model: their times since the origin and their Green's functions. */
typedef struct ode_targets {
    double *ta, *tb;
    lf_exponentials a, b;
    lf_ode_pair pair; /* lengthscale still to be set */
} ode_targets;

static void ode_targets_clear(ode_targets *targets)
{
    free(targets->ta);
    free(targets->tb);
}

static double *since_origin(const lf_model *model, lf_point_group points)
{
    double *t = lf_doubles(points.n, 1);
    for (size_t i = 0; t && i < points.n; i++) {
        t[i] = points.x[i] - model->origin;
    }
    return t;
}

static lf_status ode_targets_create(lf_context *ctx, const lf_model *model, lf_point_group a, lf_point_group b,
                                    int gradient, ode_targets *targets)
{
    const int target[2] = {a.target, b.target};
    const size_t n[2] = {a.n, b.n};
    *targets = (ode_targets){.ta = since_origin(model, a), .tb = since_origin(model, b)};
    const double *t[2] = {targets->ta, targets->tb};
    if (!targets->ta || !targets->tb) {
        ode_targets_clear(targets);
        return lf_no_memory(ctx);
    }
    lf_exponential_use use = {.stationary = model->initial == LF_INITIAL_STATIONARY, .gradient = gradient};
    double coefficients[2][LF_MAX_ORDER + 1];
    int order[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < n[k]; i++) {
            use.span = fmax(use.span, fabs(t[k][i]));
        }
        if (!lf_target_is_force(model, target[k])) {
            const lf_output *output = &model->outputs[target[k]];
            order[k] = output->order;
            lf_ode_coefficients(output->op, output->constants, output->order, coefficients[k]);
        }
    }
    use.span = use.span > 0 ? use.span : 1;
    if (order[0] && order[1]) {
        lf_exponentials_pair(coefficients[0], order[0], coefficients[1], order[1], use, &targets->a, &targets->b);
    } else if (order[0]) {
        lf_exponentials_single(coefficients[0], order[0], use, &targets->a);
    } else if (order[1]) {
        lf_exponentials_single(coefficients[1], order[1], use, &targets->b);
    }
    targets->pair = (lf_ode_pair){.a = {a.n, targets->ta, order[0] ? &targets->a : NULL},
                                  .b = {b.n, targets->tb, order[1] ? &targets->b : NULL},
                                  .stationary = use.stationary};
    return LF_OK;
}

static lf_status check_supported(lf_context *ctx, const lf_model *model)
{
    const char *obstacle = lf_closed_form_obstacle(model);
    return obstacle ? lf_fail(ctx, LF_ERROR_UNSUPPORTED, "closed-form covariances: %s", obstacle) : LF_OK;
}

/* Whether a block needs no Green's function: the gaussian operator, or a force with a force. */
static int is_gaussian(const lf_model *model, int a, int b)
{
    return !model->outputs[0].op->is_ode || (lf_target_is_force(model, a) && lf_target_is_force(model, b));
}

lf_status lf_closed_form_block(lf_context *ctx, const lf_model *model, lf_point_group a, lf_point_group b, double *K,
                               size_t ld)
{
    lf_status status = check_supported(ctx, model);
    int lower = a.target == b.target && a.x == b.x && a.n == b.n, gaussian = is_gaussian(model, a.target, b.target);
    lf_gaussian_pair pair = {.p = model->input_dim, .a = gaussian_side(model, a), .b = gaussian_side(model, b)};
    ode_targets targets = {0};
    if (!status && !gaussian) {
        status = ode_targets_create(ctx, model, a, b, 0, &targets);
    }
    for (size_t n = 0; n < b.n; n++) {
        for (size_t m = 0; m < a.n; m++) {
            K[n * ld + m] = 0;
        }
    }
    coupling c;
    for (int k = 0; !status && find_coupling(model, a.target, b.target, k, &c); k++) {
        if (c.Sa == 0 || c.Sb == 0) {
            continue;
        }
        if (gaussian) {
            pair.force = c.force;
            lf_gaussian_block(&pair, c.Sa * c.Sb, lower, K, ld);
        } else {
            targets.pair.lengthscale = c.force->lengthscale[0];
            status = lf_ode_block(ctx, &targets.pair, c.Sa * c.Sb, lower, K, ld);
        }
    }
    for (size_t n = 0; lower && n < b.n; n++) {
        for (size_t m = 0; m < n; m++) {
            K[n * ld + m] = K[m * ld + n];
        }
    }
    ode_targets_clear(&targets);
    return status;
}

/* Adds the derivatives by sensitivities or amplitude; total = sum G k at sensitivities 1. */
static void add_sensitivities(const lf_model *model, int a, int b, const coupling *c, double total, double *gradient)
{
    if (c->index < 0) {
        gradient[lf_index_private_amplitude(model, a)] += 2 * c->Sa * total;
        return;
    }
    if (!lf_target_is_force(model, a)) {
        gradient[lf_index_sensitivity(model, a) + c->index] += c->Sb * total;
    }
    if (!lf_target_is_force(model, b)) {
        gradient[lf_index_sensitivity(model, b) + c->index] += c->Sa * total;
    }
}

static void add_constants(const lf_model *model, int target, double factor, const double *by_coefficient,
                          double *gradient)
{
    if (!lf_target_is_force(model, target)) {
        const lf_output *output = &model->outputs[target];
        for (int i = 0; i < output->constant_count; i++) {
            gradient[lf_index_constants(model, target) + i] +=
                factor * by_coefficient[i + output->op->first_coefficient];
        }
    }
}

lf_status lf_closed_form_gradient(lf_context *ctx, const lf_model *model, lf_point_group at, lf_point_group bt,
                                  const double *G, size_t ld, double *gradient)
{
    lf_status status = check_supported(ctx, model);
    int a = at.target, b = bt.target, gaussian = is_gaussian(model, a, b);
    lf_gaussian_pair pair = {.p = model->input_dim, .a = gaussian_side(model, at), .b = gaussian_side(model, bt)};
    ode_targets targets = {0};
    if (!status && !gaussian) {
        status = ode_targets_create(ctx, model, at, bt, 1, &targets);
    }
    coupling c;
    for (int k = 0; !status && find_coupling(model, a, b, k, &c); k++) {
        if (c.Sa == 0 && c.Sb == 0) {
            continue;
        }
        double factor = c.Sa * c.Sb, total;
        double *by_lengthscale =
            gradient + (c.index < 0 ? lf_index_private_kernel(model, a) : lf_index_kernel(model, c.index));
        if (gaussian) {
            pair.force = c.force;
            total = lf_gaussian_gradient(&pair, factor, G, ld, by_lengthscale,
                                         lf_target_is_force(model, a) ? NULL : gradient + lf_index_constants(model, a),
                                         lf_target_is_force(model, b) ? NULL : gradient + lf_index_constants(model, b));
        } else {
            lf_ode_slopes slopes;
            targets.pair.lengthscale = c.force->lengthscale[0];
            status = lf_ode_gradient(ctx, &targets.pair, G, ld, &slopes);
            total = slopes.total;
            *by_lengthscale += factor * slopes.by_lengthscale;
            add_constants(model, a, factor, slopes.by_a, gradient);
            add_constants(model, b, factor, slopes.by_b, gradient);
        }
        add_sensitivities(model, a, b, &c, total, gradient);
    }
    ode_targets_clear(&targets);
    return status;
}
