/* The ends of a fit: options with their defaults, a start within the limits, what is told at the end. */
#ifndef LF_FIT_SETTLE_H
#define LF_FIT_SETTLE_H

#include "fit/run.h"

/* Every default filled in. */
lf_fit_options lf_fit_resolve(const lf_model *model, const lf_fit_options *options);
lf_status lf_fit_check(lf_context *ctx, const lf_fit_options *options);

/* Priors and limits of a fit of the model to the data. */
lf_status lf_fit_expect(lf_context *ctx, const lf_model *model, const lf_data *data, const lf_fit_options *options,
                        lf_expectation *expectation);

/* Moves the free parameters of a model into their limits. */
lf_status lf_settle(lf_context *ctx, const lf_expectation *expectation, lf_model *model);

/* The parameters of a run become those of the model; fills what the run says about itself into the result. */
/* Marks sensitivities that were fitted as uncertain, by as much as the prior allows. */
void lf_fit_doubt(const lf_expectation *expectation, lf_model *model);

lf_status lf_fit_conclude(lf_context *ctx, lf_run *run, const lf_expectation *expectation, lf_model *model,
                          lf_fit_result *result);

#endif
