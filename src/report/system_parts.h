/* Parts of the rows of models with known inputs or given by equations. */
#ifndef LF_REPORT_SYSTEM_PARTS_H
#define LF_REPORT_SYSTEM_PARTS_H

#include "report/evidence.h"

/* parts (K + 1, n), allocated: what the variation of each known input about its average does to the rows of a replicate, and the response to
 * inputs that stay at their averages. Their sum is the prior mean of the rows. */
lf_status lf_known_parts(lf_context *ctx, const lf_model *model, const lf_known_set *known, const lf_replicate *rows,
                         double **parts);

/* Parts of the posterior mean of a model given by equations, for all replicates. */
lf_status lf_system_parts(lf_evidence *e);

#endif
