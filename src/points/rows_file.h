/* Training rows in the model file, for posteriors that need them to predict. */
#ifndef LF_POINTS_ROWS_FILE_H
#define LF_POINTS_ROWS_FILE_H

#include <jansson.h>

#include "points/rows.h"

/* NULL when there is no memory. */
json_t *lf_replicate_save(const lf_replicate *replicate);
/* The caller clears the replicate, also after a failure. */
lf_status lf_replicate_load(lf_context *ctx, const lf_model *model, const json_t *record, lf_replicate *replicate);

#endif
