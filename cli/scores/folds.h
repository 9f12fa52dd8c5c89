/* Folds of a cross-validation: which rows are withheld together. */
#ifndef CLI_FOLDS_H
#define CLI_FOLDS_H

#include "latentforce.h"

/* fold (n): for each row the fold, from 0, in which it is withheld. Fails if a fold would leave nothing of an output or of a
 * replicate; `path` names the rows in messages. Returns an exit status. */
int cli_folds_create(const lf_model *model, const lf_data *rows, size_t folds, uint64_t seed, const char *path,
                     int *fold);

#endif
