/* Predictions of rows by models that have not seen them. */
#ifndef LF_FIT_CROSS_VALIDATION_H
#define LF_FIT_CROSS_VALIDATION_H

#include "validate/scores.h"

/* Withholds every row of outputs of the table once, in folds, predicts it and appends it to the rows of the scores, which were made for this table. Marks of
 * a split in the table are changed. model_name: in messages; NULL: none. */
lf_status lf_cross_validate_rows(lf_context *ctx, const lf_model *model, const lf_options *validate,
                                 const char *model_name, lf_scores *scores);

/* The scores of a cross-validation of the rows that are not marked test. */
lf_status lf_cross_validate_named(lf_context *ctx, const lf_model *model, const lf_data *data,
                                  const lf_options *validate, const char *model_name, lf_scores **scores);

#endif
