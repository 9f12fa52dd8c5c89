/* The options of the fit that made a model. */
#ifndef LF_FIT_RECIPE_H
#define LF_FIT_RECIPE_H

#include "model/model.h"
#include "options/options.h"

/* Options of a fit like that of the model, from its provenance: without standard errors, calibrated if that fit was, from the origin of the model on.
 * Files that only the provenance names are not opened: equations are those of the model, and a model to start from is that of the options of the
 * validation. The options are to be released with lf_options_free(). */
lf_status lf_recipe_create(lf_context *ctx, const lf_model *model, const lf_options *validate, lf_options **fit);

#endif
