/* The parts of the model file, each read and written on its own. */
#ifndef LF_MODEL_MODEL_FILE_H
#define LF_MODEL_MODEL_FILE_H

#include "model/json_field.h"
#include "model/model.h"

/* The names of lf_initial in the file, in its order; ends with NULL. */
extern const char *const lf_initial_names[];

/* On failure they leave what they have read in `force` and `output`, for lf_model_free. */
lf_status lf_read_force(const lf_field *field, int input_dim, lf_force *force);
lf_status lf_read_output(const lf_field *field, const lf_model *model, lf_output *output);

/* What is fixed, free, tied and bounded. An absent field changes nothing. */
lf_status lf_read_parameters(const lf_field *field, lf_model *model);
/* The same as JSON: an empty object when everything is as it would be without; NULL when there is no memory. */
json_t *lf_write_parameters(const lf_model *model);

/* "standard_errors" by name. */
lf_status lf_read_standard_errors(const lf_field *field, lf_model *model);
/* The same as JSON: an empty object when none is known; NULL when there is no memory. */
json_t *lf_write_standard_errors(const lf_model *model);

#endif
