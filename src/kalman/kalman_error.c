/* The error of the kalman engine. Matern forces are exact, EQ forces are approximated. The prior covariances that the
 * EQ forces cause are compared with those by quadrature at probe points; Matern forces are left out because they are
 * exact. Covariances of equations are compared with integrals over frequencies. Where a force is composed and some envelope is EQ, the
 * error is unknown. */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "exact/exact_covariance.h"
#include "exact/feature_error.h"
#include "exact/system_covariance.h"
#include "kalman/kalman.h"
#include "kalman/smoother.h"

enum { MAX_LENGTHSCALES = 300 };     /* the span of the probe points */
static const double most_work = 3e9; /* of integrals over frequencies, in floating-point operations */
static const lf_error_bounds unknown = {NAN, NAN, NAN};

/* The prior covariance K (n, n) of the state space at the points. */
static lf_status prior_covariance(lf_context *ctx, const lf_model *model, double tolerance, const lf_point_set *set,
                                  double *K)
{
    lf_state_space space;
    lf_timeline timeline = {0};
    double *mean = lf_doubles(set->n, 1);
    lf_status status = lf_state_space_create(ctx, model, tolerance, &space);
    LF_TRY(status, lf_state_space_update(ctx, &space));
    LF_TRY(status, lf_timeline_create(ctx, model, NAN, NULL, set, &timeline));
    status = status || mean ? status : lf_no_memory(ctx);
    if (!status) {
        status = lf_kalman_smooth(ctx, &space, &timeline, NULL, NULL, NULL, NULL, mean, NULL, K);
    }
    free(mean);
    lf_timeline_clear(&timeline);
    lf_state_space_clear(&space);
    return status;
}

static int is_approximate(const lf_force *force) { return lf_force_has_envelope(force, &lf_force_kernel_eq); }

static int has_approximate(const lf_model *model)
{
    int any = 0;
    for (int q = 0; q < model->force_count; q++) {
        any = any || is_approximate(&model->forces[q]);
    }
    for (int d = 0; d < model->output_count; d++) {
        any = any || (model->outputs[d].has_private && is_approximate(&model->outputs[d].private_force));
    }
    return any;
}

/* The longest lengthscale of the approximated forces, none of them composed. */
static double longest_lengthscale(const lf_model *model)
{
    double length = 0;
    for (int q = 0; q < model->force_count; q++) {
        length = fmax(length, is_approximate(&model->forces[q]) ? model->forces[q].lengthscale[0] : 0);
    }
    for (int d = 0; d < model->output_count; d++) {
        const lf_force *force = &model->outputs[d].private_force;
        length = fmax(length, model->outputs[d].has_private && is_approximate(force) ? force->lengthscale[0] : 0);
    }
    return length;
}

/* Sets the sensitivities of all exactly represented forces to 0, with a kernel and a lengthscale that add no cost. */
static void remove_exact_forces(lf_model *model, double length)
{
    for (int q = 0; q < model->force_count; q++) {
        lf_force *force = &model->forces[q];
        for (int d = 0; !is_approximate(force) && d < model->output_count; d++) {
            model->outputs[d].sensitivity[q] = 0;
        }
        force->lengthscale[0] = is_approximate(force) ? force->lengthscale[0] : length;
        force->kernel = &lf_force_kernel_eq;
    }
    for (int d = 0; d < model->output_count; d++) {
        lf_output *output = &model->outputs[d];
        if (output->has_private && !is_approximate(&output->private_force)) {
            output->private_amplitude = 0;
            output->private_force.lengthscale[0] = length;
            output->private_force.kernel = &lf_force_kernel_eq;
        }
    }
}

/* Of a model given by equations. Unknown where frequencies would take long, or cannot give what is compared: outputs that are averages,
 * or that have no rate of change. */
static lf_status system_error(lf_context *ctx, const lf_model *model, double tolerance, const lf_point_set *set,
                              lf_error_bounds *bounds)
{
    *bounds = unknown;
    if (set->width || !(lf_system_covariance_cost(model, set) < most_work)) {
        return LF_OK;
    }
    double *K = lf_doubles(set->n, set->n), *exact = lf_doubles(set->n, set->n);
    lf_status status = K && exact ? LF_OK : lf_no_memory(ctx);
    LF_TRY(status, prior_covariance(ctx, model, tolerance, set, K));
    LF_TRY(status, lf_system_covariance_matrix(ctx, model, set, set, exact, set->n));
    if (!status) {
        *bounds = lf_probe_error(model, set, K, exact, K);
    }
    free(K);
    free(exact);
    return status;
}

lf_status lf_kalman_error(lf_context *ctx, const lf_model *model, double tolerance, double earliest, double latest,
                          lf_error_bounds *bounds)
{
    lf_model *eq_model = NULL;
    lf_point_set set = {0};
    *bounds = (lf_error_bounds){0};
    if (!has_approximate(model)) {
        return LF_OK;
    }
    if (lf_model_composed_force(model)) { /* the dense engine has them by the same states */
        *bounds = unknown;
        return LF_OK;
    }
    double length = longest_lengthscale(model);
    lf_status status = lf_model_copy(ctx, model, &eq_model);
    /* over a longer span the quadrature would cost more than the engine, and the error would be the same */
    earliest = model->initial == LF_INITIAL_STATIONARY ? earliest : fmin(earliest, model->origin);
    latest = fmin(latest, earliest + MAX_LENGTHSCALES * length);
    LF_TRY(status, lf_probe_points(ctx, model, earliest, latest, 0, &set));
    if (model->system) {
        LF_TRY(status, system_error(ctx, model, tolerance, &set, bounds));
        *bounds = status ? unknown : *bounds;
        lf_point_set_clear(&set);
        lf_model_free(eq_model);
        return status == LF_ERROR_MEMORY ? status : LF_OK;
    }
    size_t n = set.n;
    if (!status) {
        remove_exact_forces(eq_model, length);
    }
    double *K_all = lf_doubles(n, n), *K = lf_doubles(n, n), *exact = lf_doubles(n, n);
    lf_exact_covariance kernel = {.route = LF_ROUTE_QUADRATURE, .tolerance = 1e-13};
    status = status || (K_all && K && exact) ? status : lf_no_memory(ctx);
    LF_TRY(status, prior_covariance(ctx, model, tolerance, &set, K_all));
    LF_TRY(status, prior_covariance(ctx, eq_model, tolerance, &set, K));
    LF_TRY(status, lf_exact_covariance_matrix(ctx, eq_model, kernel, &set, &set, exact, n));
    *bounds = status ? (lf_error_bounds){NAN, NAN, NAN} : lf_probe_error(model, &set, K, exact, K_all);
    free(K_all);
    free(K);
    free(exact);
    lf_point_set_clear(&set);
    lf_model_free(eq_model);
    return status;
}
