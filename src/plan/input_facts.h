/* What the readings of known inputs show while outputs are read: sizes for priors and starting values, values at the start. Readings long
 * before the first row of a replicate, and after its last one, do not count: the rows say nothing about them. */
#ifndef LF_PLAN_INPUT_FACTS_H
#define LF_PLAN_INPUT_FACTS_H

#include "model/model.h"
#include "plan/data_summary.h"

typedef struct lf_input_facts {
    double first; /* value when the first row of a replicate begins, averaged over the replicates; of impulses 0 */
    double
        size; /* standard deviation; of a constant input its absolute value, of impulses their root mean square; never 0 */
} lf_input_facts;

/* facts (known inputs of the model), from training rows and all readings of the inputs. */
lf_status lf_input_facts_find(lf_context *ctx, const lf_data *data, const lf_model *model, lf_input_facts *facts);

#endif
