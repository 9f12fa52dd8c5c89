/* Training rows in the model file, for posteriors that cannot do without them. */
#ifndef LF_POINTS_ROWS_FILE_H
#define LF_POINTS_ROWS_FILE_H

#include <jansson.h>

#include "points/rows.h"

json_t *lf_replicate_save(const lf_replicate *replicate);
/* After a failure the replicate must still be cleared. */
lf_status lf_replicate_load(lf_context *ctx, const lf_model *model, const json_t *record, lf_replicate *replicate);

#endif
