/* Which route covariances take, by what supports the model and what is cheaper. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "exact/closed_form.h"
#include "exact/exact_covariance.h"
#include "exact/quadrature.h"
#include "model/model.h"

int lf_has_odes(const lf_model *model)
{
    int odes = 0;
    for (int d = 0; d < model->output_count; d++) {
        odes += model->outputs[d].op->is_ode;
    }
    return odes > 0;
}

static int is_composed(const lf_model *model) { return lf_model_composed_force(model) != NULL; }

static const lf_output *other_operator(const lf_model *model)
{
    for (int d = 0; d < model->output_count; d++) {
        if (!model->outputs[d].op->is_ode) {
            return &model->outputs[d];
        }
    }
    return NULL;
}

int lf_has_exact_states(const lf_model *model)
{
    return model->input_dim == 1 && !model->system &&
           (is_composed(model) ? !other_operator(model) : lf_model_has_rough_force(model));
}

const char *lf_exact_covariance_name(const lf_model *model, lf_exact_covariance kernel)
{
    int states = kernel.route == LF_ROUTE_STATE_SPACE;
    return kernel.route == LF_ROUTE_FREQUENCIES             ? "frequencies"
           : states && lf_has_odes(model)                   ? "state-space"
           : states || kernel.route == LF_ROUTE_CLOSED_FORM ? "closed-form"
                                                            : "uniform";
}

const char *lf_exact_covariance_obstacle(const lf_model *model, lf_route route)
{
    if ((route == LF_ROUTE_FREQUENCIES) != (model->system != NULL)) {
        return model->system ? "the model is given by equations" : "the model is not given by equations";
    }
    switch (route) {
    case LF_ROUTE_FREQUENCIES:
        return NULL;
    case LF_ROUTE_CLOSED_FORM:
        return lf_closed_form_obstacle(model);
    case LF_ROUTE_STATE_SPACE:
        return lf_has_exact_states(model) ? NULL
               : is_composed(model)       ? "composed forces have states where all outputs are differential equations"
                                          : "there is no Matern force, or there are several inputs";
    default:
        return lf_quadrature_obstacle(model);
    }
}

lf_status lf_exact_covariance_choose(lf_context *ctx, const lf_model *model, const lf_engine_options *options,
                                     double earliest, double latest, lf_exact_covariance *kernel)
{
    const char *nodes = options && options->nodes ? options->nodes : "auto";
    const char *no_closed_form = lf_closed_form_obstacle(model), *no_quadrature = lf_quadrature_obstacle(model);
    kernel->tolerance = options ? options->tolerance : 0;
    if (!(kernel->tolerance >= 0 && kernel->tolerance < 1)) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "tolerance must be between 0 and 1, found %g", kernel->tolerance);
    }
    if (model->system) {
        kernel->route = LF_ROUTE_FREQUENCIES;
        return strcmp(nodes, "auto") == 0 || strcmp(nodes, "frequencies") == 0
                   ? LF_OK
                   : lf_fail(
                         ctx, LF_ERROR_UNSUPPORTED,
                         "nodes '%s': the covariances of a model given by equations are integrals over frequencies; "
                         "leave the option out",
                         nodes);
    }
    int matern = lf_has_exact_states(model), odes = lf_has_odes(model);
    if (is_composed(model) && !matern && no_quadrature) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                       "output '%s' has the operator %s: no engine supports kernels such as %s for it; use ode1, "
                       "ode2 or ode, or forces that are neither linear nor white",
                       other_operator(model)->name, other_operator(model)->op->name,
                       lf_model_composed_force(model)->formula);
    }
    const char *route = matern ? "state-space" : "uniform"; /* of composed forces */
    if (is_composed(model) && strcmp(nodes, "auto") != 0 && strcmp(nodes, route) != 0) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                       "nodes '%s': the dense engine has kernels such as %s by %s nodes for these outputs; leave the "
                       "option out",
                       nodes, lf_model_composed_force(model)->formula, route);
    }
    if (strcmp(nodes, "closed-form") == 0 && (odes || !matern)) {
        kernel->route = LF_ROUTE_CLOSED_FORM;
        return no_closed_form ? lf_fail(ctx, LF_ERROR_UNSUPPORTED, "closed-form covariances: %s", no_closed_form)
                              : LF_OK;
    }
    if (strcmp(nodes, "uniform") == 0) {
        kernel->route = LF_ROUTE_QUADRATURE;
        return no_quadrature ? lf_fail(ctx, LF_ERROR_UNSUPPORTED, "uniform nodes: %s", no_quadrature) : LF_OK;
    }
    if (strcmp(nodes, "state-space") == 0 && !(matern && odes)) {
        return lf_fail(
            ctx, LF_ERROR_UNSUPPORTED,
            "state-space covariances: the model has no Matern force that drives a differential equation; leave nodes "
            "out");
    }
    if (matern &&
        (strcmp(nodes, "state-space") == 0 || strcmp(nodes, "closed-form") == 0 || strcmp(nodes, "auto") == 0)) {
        kernel->route = LF_ROUTE_STATE_SPACE;
        return LF_OK;
    }
    if (strcmp(nodes, "auto") != 0) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                       "unknown nodes '%s'; the dense engine has auto, uniform, closed-form and state-space", nodes);
    }
    if (no_closed_form && no_quadrature) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                       "no exact covariances for this model: closed form: %s; quadrature: %s", no_closed_form,
                       no_quadrature);
    }
    /* The closed form of the gaussian operator is one exponential per entry. For ODEs an error function takes some
     * hundred nanoseconds per entry, and a column of the quadrature a multiply-add at BLAS speed: the closed form is
     * faster from thousands of columns on. */
    int smoothing = !model->outputs[0].op->is_ode;
    double threshold = smoothing ? 0 : 4000;
    double columns = no_closed_form  ? 0
                     : no_quadrature ? INFINITY
                                     : lf_quadrature_columns(model, kernel->tolerance, earliest, latest);
    if (columns < 0) {
        return lf_no_memory(ctx);
    }
    int closed = no_closed_form == NULL && columns > threshold;
    kernel->route = closed ? LF_ROUTE_CLOSED_FORM : LF_ROUTE_QUADRATURE;
    return LF_OK;
}
