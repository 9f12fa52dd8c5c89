/* Whether many outputs need as many forces as their components suggest. */
#ifndef LF_FIT_FEWER_FORCES_H
#define LF_FIT_FEWER_FORCES_H

#include "fit/fit_model.h"

/* Compares the model, at its starting values, with one of `fewer` forces by the density of rows in windows left out of a refit of each.
 * Where that of fewer forces is higher, and the refits are affordable, it replaces the model, the options have its number, and a note says
 * so. */
lf_status lf_try_fewer_forces(lf_context *ctx, const lf_training *training, int fewer, lf_fit_options *options,
                              lf_model **model);

#endif
