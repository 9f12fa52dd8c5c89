/* Priors and limits of a model given by equations.
 *
 * Constants have the priors of their statements, or none, and limits of 13 decades on either side of the start: far more than data can tell.
 * Amplitudes have no prior. Lengthscales have that of prior.c. */
#include <math.h>

#include "inference/prior.h"

static const double decades = 30; /* in natural logarithms */
static const double wide =
    2.5; /* spread of starts in natural logarithms: with less, some fits of tests/recovery/test_system_fits.c fail */

static void set_limits(const lf_model *model, int index, lf_prior *prior)
{
    const lf_parameter_entry *entry = &model->parameters[index];
    double value = *entry->value;
    if (entry->transform == LF_TRANSFORM_LOG && value > 0) {
        prior->lower[index] = log(value) - decades;
        prior->upper[index] = log(value) + decades;
    } else if (entry->transform == LF_TRANSFORM_IDENTITY) {
        prior->step_scale[index] = value != 0 ? fabs(value) : 1;
    }
}

static void set_constant(const lf_eq_parameter *given, int index, lf_prior *prior)
{
    if (given->prior == LF_EQ_PRIOR_NONE) {
        return;
    }
    int lognormal = given->prior == LF_EQ_PRIOR_LOGNORMAL;
    prior->mean[index] = lognormal ? log(given->prior_at) : given->prior_at;
    prior->sd[index] = given->prior_width;
    prior->of_value[index] = !lognormal && given->positive;
    prior->step_scale[index] = given->positive ? 1 : given->prior_width;
}

/* Starts of what no statement gives a value are decades apart; a parameter of either sign has a size already. */
static void set_spread(const lf_model *model, int open, int index, lf_prior *prior)
{
    if (open && model->parameters[index].transform == LF_TRANSFORM_LOG) {
        prior->spread[index] = wide;
    }
}

void lf_system_prior(const lf_model *model, double span, double gap, lf_prior *prior)
{
    const lf_equations *equations = model->system->equations;
    for (int i = 0; i < equations->parameter_count; i++) {
        int index = lf_index_system_constants(model) + i;
        set_limits(model, index, prior);
        set_constant(&equations->parameters[i], index, prior);
        set_spread(model, isnan(equations->parameters[i].value) && equations->parameters[i].prior == LF_EQ_PRIOR_NONE,
                   index, prior);
    }
    for (int i = 0; i < equations->force_count; i++) {
        int index = lf_index_amplitudes(model) + i;
        double value = *model->parameters[index].value;
        set_limits(model, index, prior);
        set_spread(model, isnan(equations->forces[i].amplitude.value), index, prior);
        if (value > 0) {
            prior->asinh_scale[index] = value;
            prior->lower[index] = log(value) - log(1e8);
        }
    }
    for (int q = 0; q < model->force_count; q++) {
        int index = lf_index_kernel(model, q);
        prior->mean[index] = log(span / 10);
        prior->sd[index] = 1.5;
        prior->lower[index] = log(gap / 10);
        prior->upper[index] = log(10 * span);
        set_spread(model, 1, index, prior);
    }
}
