/* Forces that vary as fast as the readings can show. The readings tell nothing about the lengthscale of such a force, and a
 * differential equation of first order makes something smoother than a random walk of it: white forces are tried in its place,
 * unless the options name kernels. */
#ifndef LF_FIT_ROUGH_FORCES_H
#define LF_FIT_ROUGH_FORCES_H

#include "fit/fit_model.h"

enum { LF_MOST_WHITE = 4 }; /* shared white forces; they differ in their sensitivities only */

/* Whether white forces are tried in place of those of a fitted model. */
int lf_tries_white(const lf_training *training, const lf_fit_options *options, const lf_model *fitted);

#endif
