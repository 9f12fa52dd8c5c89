/* The sums of the fourier engine in the model file: a few hundred numbers for each series, independent of its
 * length. */
#ifndef LF_FOURIER_FOURIER_SUMS_FILE_H
#define LF_FOURIER_FOURIER_SUMS_FILE_H

#include <jansson.h>

#include "features/grids.h"
#include "fourier/fourier_sums.h"

/* A new object; NULL: no memory. The sums must be those at the current parameters of the model. */
json_t *lf_fourier_sums_save(const lf_model *model, const lf_fourier_sums *fourier_sums, const lf_grid_spec *spec);

/* Sums without rows, for these nodes. After a failure they must still be cleared. */
lf_status lf_fourier_sums_load(lf_context *ctx, const lf_model *model, const lf_grid_spec *spec, const json_t *state,
                               int replicates, lf_fourier_sums *fourier_sums);

#endif
