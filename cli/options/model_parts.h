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
/* A row of a table. */
lf_row cli_row(const lf_data *data, size_t index);

/* What the fit says of a force: a white one has no values, an idle one explains next to nothing. */
typedef struct cli_force {
    int white, idle;
} cli_force;
/* The forces of a model, to be released with free(); returns an exit status. */
int cli_forces(lf_context *ctx, const lf_model *model, cli_force **forces);

#endif
