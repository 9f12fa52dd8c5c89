/* Folds of a cross-validation: which rows are withheld together. */
#ifndef LF_VALIDATE_FOLDS_H
#define LF_VALIDATE_FOLDS_H

#include "data/data.h"
#include "model/model.h"

/* fold (n): for each row the fold, from 0, in which it is withheld; -1: in none, a reading of a known input. Fails if a fold would leave nothing
 * of an output or of a replicate. */
lf_status lf_folds_create(lf_context *ctx, const lf_model *model, const lf_data *rows, size_t folds, uint64_t seed,
                          int *fold);

#endif
