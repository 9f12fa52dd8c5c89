/* An order of series by what they hold. Random draws that follow it do not depend on how a table is arranged, nor on names and units. */
#ifndef LF_PLAN_CONTENT_ORDER_H
#define LF_PLAN_CONTENT_ORDER_H

#include "latentforce.h"

/* key (outputs of the data, replicates or 1): for each series, the rows of an output in a replicate, the correlation of its values with the
 * first input, in steps of 1e-9, so that rounding does not matter; 0: there is none. */
lf_status lf_series_keys(lf_context *ctx, const lf_data *data, double *key);

/* order (outputs of the model): the outputs, sorted by the sums of the keys of their series, the largest first; equal ones by name. */
lf_status lf_output_order(lf_context *ctx, const lf_data *data, const lf_model *model, int *order);

#endif
