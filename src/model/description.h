/* Parts of documents that describe a model: its parameters and its quantities, by name. */
#ifndef LF_MODEL_DESCRIPTION_H
#define LF_MODEL_DESCRIPTION_H

#include "base/document.h"

/* The parameter "OWNER.WHAT", or "OWNER.WHATnumber" for a number above 0, and, unless NULL, its index; one whose value and error are NaN, and
 * the number of parameters, where there is none. */
lf_parameter lf_parameter_of(const lf_model *model, const char *owner, const char *what, int number, size_t *index);

/* "parameters":{NAME:{"value":…,"unit":…,"standard_error":…,"lower":…,"upper":…,"fixed":…,"tied_to":…},…} */
void lf_describe_parameters(lf_document *d, const lf_model *model);
/* "quantities":{NAME:{"value":…,"standard_error":…},…} of the equations; null for one that is not defined at the parameters. */
lf_status lf_describe_quantities(lf_context *ctx, lf_document *d, const lf_model *model);
/* NAME:{"value":…,"standard_error":…} */
void lf_describe_pair(lf_document *d, const char *name, double value, double error);

#endif
