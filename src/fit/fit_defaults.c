/* Defaults of the optimisation, and the prior that belongs to them. */
#include <math.h>

#include "base/context.h"
#include "engine/engine.h"
#include "fit/fit_model.h"

enum { FEW_FREE = 100 }; /* parameters; with more, the last iterations cost much and gain little */

const lf_data *lf_training_rows(const lf_training *training)
{
    return training->share ? training->share : training->data;
}

/* Whether any output can have uncertain sensitivities. */
static int has_private(const lf_model *model)
{
    int found = 0;
    for (int d = 0; d < model->output_count; d++) {
        found = found || (model->outputs[d].has_private && model->outputs[d].op->is_ode);
    }
    return found;
}

lf_fit_options lf_fit_defaults(const lf_model *model, const lf_fit_options *options)
{
    static const lf_fit_options defaults;
    lf_fit_options o = options ? *options : defaults;
    o.restarts = o.restarts ? o.restarts : 1;
    int few = lf_free_parameters(model, NULL) <= FEW_FREE;
    o.max_iterations = o.max_iterations ? o.max_iterations : few ? 500 : 300;
    o.prior = o.prior ? o.prior : few || !has_private(model) ? LF_PRIOR_WEAK : LF_PRIOR_FIRM;
    o.gradient = o.gradient > 0 ? o.gradient : 1e-3;
    o.checkpoint_seconds = o.checkpoint_seconds > 0 ? o.checkpoint_seconds : 30;
    /* Errors of the covariance far below the noise do not move an optimum, and columns are expensive. */
    o.engine.size = sizeof o.engine;
    o.engine.tolerance = o.engine.tolerance > 0 ? o.engine.tolerance : lf_model_has_rough_force(model) ? 1e-4 : 1e-3;
    o.engine.regrid_factor = o.engine.regrid_factor > 0 ? o.engine.regrid_factor : 1.1;
    return o;
}

lf_status lf_fit_prior(lf_context *ctx, const lf_model *model, const lf_training *training,
                       const lf_fit_options *options, lf_prior *prior)
{
    lf_rows rows;
    lf_engine_choice choice;
    lf_status status = lf_rows_create(ctx, model, training->data, &rows);
    if (status) {
        return status;
    }
    double bytes; /* at the limits of the prior it may be less */
    status = lf_engine_estimate(ctx, model, &rows, &options->engine, &choice, &bytes);
    lf_rows_clear(&rows);
    if (status) {
        return status;
    }
    const lf_engine_class *class = choice.class;
    lf_prior_options wanted = {.kind = options->prior,
                               .without_shares = options->without_shares,
                               .resolves_lengthscales = class->resolves_lengthscales &&
                                                        class->resolves_lengthscales(model, &options->engine)};
    return lf_prior_create(ctx, model, training->summary, wanted, prior);
}
