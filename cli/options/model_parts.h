/* Parts of a model that exist, as values: a part that does not exist is empty. */
#ifndef CLI_MODEL_PARTS_H
#define CLI_MODEL_PARTS_H

#include "latentforce.h"

/* lf_model_count() and lf_model_name(), for numbers that are int. */
int cli_count(const lf_model *model, lf_kind kind);
const char *cli_name(const lf_model *model, lf_kind kind, int index);
/* The number of the one with this name; -1: there is none. */
int cli_find(const lf_model *model, lf_kind kind, const char *name);

lf_model_info cli_about(const lf_model *model);
lf_label cli_input(const lf_model *model, int input);
lf_label cli_known(const lf_model *model, int known);
lf_output_info cli_output(const lf_model *model, int output);
/* Facts about a posterior, without its arrays. */
lf_posterior_info cli_posterior(const lf_posterior *posterior);
lf_parameter cli_parameter(const lf_model *model, size_t index);

#endif
