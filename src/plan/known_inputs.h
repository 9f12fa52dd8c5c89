/* Known inputs in a fit: which rows are readings of them, and their gains. */
#ifndef LF_PLAN_KNOWN_INPUTS_H
#define LF_PLAN_KNOWN_INPUTS_H

#include "model/model.h"
#include "options/options.h"
#include "plan/data_summary.h"

/* training: the rows of outputs that are not marked "test", and all readings of known inputs: these are known where predictions are asked for.
 * observed: the former alone. The inputs are those of the model or, where it is NULL, those of the options. In a model given by equations,
 * rows of other names are left out, with a note. */
lf_status lf_select_training(lf_context *ctx, const lf_data *data, const lf_model *model, const lf_option_list *inputs,
                             lf_data **training, lf_data **observed);
/* The rows of `training` in a table that several processes share; those of this process. */
lf_status lf_select_share(lf_context *ctx, const lf_data *data, const lf_model *model, const lf_option_list *inputs,
                          lf_data **share);

/* The first time that matters to an output: of its training rows (an average begins before it is read), and of impulses in replicates that
 * have such rows. */
lf_status lf_first_input(lf_context *ctx, const lf_data *training, const lf_model *model, const lf_option_list *inputs,
                         double *first);

/* The name of an input in "NAME" or "NAME=constant": its length, and what it is between readings. A name may hold '='. */
size_t lf_known_name_length(const char *item, lf_hold *hold);

/* Gives a model the known inputs of the options. Gains start at 0. */
lf_status lf_add_known_inputs(lf_context *ctx, const lf_option_list *inputs, lf_model *model);

#endif
