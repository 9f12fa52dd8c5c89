/* Rolling origins: times from which later rows are forecast. */
#ifndef LF_VALIDATE_ORIGINS_H
#define LF_VALIDATE_ORIGINS_H

#include "data/data.h"
#include "model/model.h"
#include "options/options.h"

/* Rows up to `time` are known, those after it and up to `end` are predicted. Times that steps reach miss times of rows by rounding, less than `slack`. */
typedef struct lf_origin {
    double time, end, slack;
} lf_origin;

/* Whether a row is known at an origin, or predicted from it. */
static inline int lf_origin_knows(const lf_origin *origin, double x) { return x <= origin->time + origin->slack; }
static inline int lf_origin_predicts(const lf_origin *origin, double x)
{
    return x > origin->time + origin->slack && x <= origin->end + origin->slack;
}

/* The origins that the options ask for, with the rows of outputs: at least one, each with rows to predict. Fails if the first leaves nothing of an output or
 * of a replicate. `origins` is to be freed. */
lf_status lf_origins_create(lf_context *ctx, const lf_model *model, const lf_data *rows, const lf_options *validate,
                            size_t *count, lf_origin **origins);

#endif
