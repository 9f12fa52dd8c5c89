/* The likelihoods that the options of a fit name, and the latent values that readings suggest. */
#ifndef LF_PLAN_LIKELIHOODS_H
#define LF_PLAN_LIKELIHOODS_H

#include "data/data.h"
#include "model/model.h"
#include "options/options.h"

/* Fails on an entry that is no "LIKELIHOOD" or "NAME=LIKELIHOOD" of an output of the model. */
lf_status lf_take_likelihoods(lf_context *ctx, const lf_option_list *likelihoods, lf_model *model);

/* The rows with the latent values that readings suggest, from which models start: the logarithm of counts. model: NULL, or one that has
 * likelihoods. *latent: NULL where all readings are latent values themselves. */
lf_status lf_latent_rows(lf_context *ctx, const lf_data *data, const lf_option_list *likelihoods, const lf_model *model,
                         lf_data **latent);

#endif
