/* The sums of the fourier engine in the model file: a few hundred numbers for each series, whatever its length. */
#ifndef LF_FOURIER_FOURIER_SUMS_FILE_H
#define LF_FOURIER_FOURIER_SUMS_FILE_H

#include <jansson.h>

#include "features/grids.h"
#include "fourier/fourier_sums.h"

/* A new object, or NULL when there is no memory. The sums must be those of the model's parameters. */
json_t *lf_fourier_sums_save(const lf_model *model, const lf_fourier_sums *fourier_sums, const lf_grid_spec *spec);

/* A chart with sums and no rows, for these nodes. After a failure it must still be cleared. */
lf_status lf_fourier_sums_load(lf_context *ctx, const lf_model *model, const lf_nodes *nodes, const json_t *state,
                               int replicates, lf_fourier_sums *fourier_sums);

#endif
