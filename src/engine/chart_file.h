/* The sums of the fourier engine in the model file: a few hundred numbers for each series, whatever its length. */
#ifndef LF_ENGINE_CHART_FILE_H
#define LF_ENGINE_CHART_FILE_H

#include <jansson.h>

#include "columns/grids.h"
#include "engine/series.h"

/* A new object, or NULL when there is no memory. The sums must be those of the model's parameters. */
json_t *lf_chart_save(const lf_model *model, const lf_chart *chart, const lf_demand *demand);

/* A chart with sums and no rows, for these nodes. After a failure it must still be cleared. */
lf_status lf_chart_load(lf_context *ctx, const lf_model *model, const lf_nodes *nodes, const json_t *state,
                        int replicates, lf_chart *chart);

#endif
