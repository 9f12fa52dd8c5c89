/* Likelihoods of a fit: "poisson" for all outputs, "NAME=poisson" for one; of several that apply, the last. */
#include "plan/likelihoods.h"

#include <string.h>

#include "base/context.h"
#include "base/nearest.h"

/* The entry is cut at its last '='. Returns the name of the likelihood; *length: of the name of the output, 0 where there is none. */
static const char *parts_of(const char *entry, size_t *length)
{
    const char *equals = strrchr(entry, '=');
    *length = equals ? (size_t)(equals - entry) : 0;
    return equals ? equals + 1 : entry;
}

static int applies(const char *entry, const char *output)
{
    size_t length;
    parts_of(entry, &length);
    return length == 0 || (strlen(output) == length && memcmp(entry, output, length) == 0);
}

/* The likelihood of an output; NULL: the options say nothing of it. */
static const lf_likelihood *named(const lf_option_list *likelihoods, const char *output)
{
    const lf_likelihood *found = NULL;
    for (size_t i = 0; i < likelihoods->count; i++) {
        size_t length;
        const char *name = parts_of(likelihoods->item[i], &length);
        found = applies(likelihoods->item[i], output) ? lf_likelihood_find(name) : found;
    }
    return found;
}

static lf_status check(lf_context *ctx, const lf_option_list *likelihoods, const lf_model *model)
{
    for (size_t i = 0; i < likelihoods->count; i++) {
        const char *entry = likelihoods->item[i], *name;
        size_t length;
        int known = 0;
        name = parts_of(entry, &length);
        if (!lf_likelihood_find(name)) {
            return lf_fail(ctx, LF_ERROR_ARGUMENT, "--likelihood %s: '%s' is no likelihood; choose one of %s", entry,
                           name, LF_LIKELIHOOD_NAMES);
        }
        for (int d = 0; d < model->output_count; d++) {
            known = known || applies(entry, model->outputs[d].name);
        }
        if (!known) {
            return lf_fail(ctx, LF_ERROR_ARGUMENT, "--likelihood %s: there is no output '%.*s'; check its name", entry,
                           (int)length, entry);
        }
    }
    return LF_OK;
}

lf_status lf_take_likelihoods(lf_context *ctx, const lf_option_list *likelihoods, lf_model *model)
{
    lf_status status = check(ctx, likelihoods, model);
    int taken = 0;
    for (int d = 0; !status && d < model->output_count; d++) {
        lf_output *output = &model->outputs[d];
        const lf_likelihood *likelihood = named(likelihoods, output->name);
        if (likelihood && likelihood != lf_output_likelihood(output)) {
            lf_output_take_likelihood(output, likelihood);
            taken = 1;
        }
    }
    if (!status && taken) {
        lf_model_drop_posterior(model);
        status = lf_parameters_rebuild(ctx, model);
    }
    /* the mean of the logarithm is not the logarithm of the mean: the level is estimated */
    for (int d = 0; !status && taken && d < model->output_count; d++) {
        int offset = lf_index_offset(model, d);
        if (offset >= 0 && named(likelihoods, model->outputs[d].name) &&
            !lf_likelihood_is_direct(lf_output_likelihood(&model->outputs[d]))) {
            lf_parameter_fix(model, (size_t)offset, 0);
        }
    }
    return status;
}

lf_status lf_latent_rows(lf_context *ctx, const lf_data *data, const lf_option_list *likelihoods, const lf_model *model,
                         lf_data **latent)
{
    *latent = NULL;
    for (int d = 0; d < data->outputs.count; d++) {
        const char *name = data->outputs.name[d];
        int output = model ? lf_model_find_output(model, name) : -1;
        const lf_likelihood *likelihood = named(likelihoods, name);
        likelihood = likelihood ? likelihood : output >= 0 ? lf_output_likelihood(&model->outputs[output]) : NULL;
        if (!likelihood || lf_likelihood_is_direct(likelihood)) {
            continue;
        }
        lf_status status = *latent ? LF_OK : lf_data_copy(ctx, data, latent);
        if (status) {
            return status;
        }
        for (size_t i = 0; i < data->n; i++) {
            double mean, variance;
            lf_reading reading = {.y = data->y[i], .number = likelihood->number_start};
            if (data->output[i] == d && likelihood->allows(reading.y)) { /* the engine refuses others */
                likelihood->start(&reading, &mean, &variance);
                (*latent)->y[i] = mean;
            }
        }
    }
    return LF_OK;
}
