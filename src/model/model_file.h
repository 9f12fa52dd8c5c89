/* Reading and writing the parts of the model file (docs/model-file.md). */
#ifndef LF_MODEL_MODEL_FILE_H
#define LF_MODEL_MODEL_FILE_H

#include "model/json_field.h"
#include "model/model.h"

struct lf_input_file;

/* The model that the equations of a file describe, as lf_model_from_equations makes it. */
lf_status lf_read_equations(lf_context *ctx, const struct lf_input_file *file, lf_model **model);

/* Names of the values of lf_initial, in order; ends with NULL. */
extern const char *const lf_initial_names[];

/* Names of the values of lf_hold, in order; ends with NULL. */
extern const char *const lf_hold_names[];

/* The member "known_inputs", and the same as JSON; NULL when there is no memory. */
lf_status lf_read_known_inputs(const lf_field *field, lf_model *model);
json_t *lf_write_known_inputs(const lf_model *model);

/* Replaces the model, of which the inputs and the origin were read, by that of the member "equations" of the file and those that belong to
 * it; and writes them. The latter returns 0 or fails. */
lf_status lf_read_system(const lf_field *root, lf_model *model);
int lf_write_system(const lf_model *model, json_t *root);

/* The kernel of a force: its name, or its formula and the values of its terms. The lengthscales of a plain force are read by the
 * caller. Writing returns 0 or fails. */
lf_status lf_read_kernel(const lf_field *field, lf_force *force);
int lf_write_kernel(const lf_force *force, json_t *object);

/* After a failure `force` or `output` holds what was read so far; lf_model_free releases it. */
lf_status lf_read_force(const lf_field *field, int input_dim, lf_force *force);
lf_status lf_read_output(const lf_field *field, const lf_model *model, lf_output *output);

/* The noise variance and the likelihood of an output, from its object and into it; the latter returns 0 or fails. */
lf_status lf_read_likelihood(const lf_field *output, lf_output *to);
int lf_write_likelihood(const lf_output *output, json_t *object);

/* What an input measures, from an entry of "inputs", and the same into one; the latter returns 0 or fails. */
lf_status lf_read_headings_of_files(const lf_field *columns, lf_model *model);
lf_status lf_read_axis(const lf_field *object, lf_axis *axis);
int lf_write_axis(const lf_axis *axis, json_t *object);

/* The member "parameters": which parameters are fixed, free, tied or bounded. */
lf_status lf_read_parameters(const lf_field *field, lf_model *model);
/* The same as JSON: only what differs from the defaults, so possibly an empty object; NULL when there is no memory. */
json_t *lf_write_parameters(const lf_model *model);

/* The member "standard_errors": numbers by name. */
lf_status lf_read_standard_errors(const lf_field *field, lf_model *model);
/* The same as JSON: an empty object when there are none; NULL when there is no memory. */
json_t *lf_write_standard_errors(const lf_model *model);

/* The member "quantities" of a model given by equations: [value, standard error] by name, the error null where it is not known. The value
 * is for readers of the file; the model computes it. NULL when there is no memory. */
lf_status lf_read_quantities(const lf_field *field, lf_model *model);
json_t *lf_write_quantities(const lf_model *model);

#endif
