/* Training rows as engines use them: by replicate, sorted by output. */
#ifndef LF_POINTS_ROWS_H
#define LF_POINTS_ROWS_H

#include "data/names.h"
#include "model/model.h"
#include "points/points.h"

/* The rows of one replicate, sorted by output and scaled by the model. */
typedef struct lf_replicate {
    lf_point_set points;
    double *y;        /* (n) raw, in sorted order */
    double *variance; /* (n) known error variance, raw units */
} lf_replicate;

typedef struct lf_rows {
    int count; /* replicates */
    lf_replicate *replicates;
    lf_names names;          /* of the replicates; one empty name when the data have none */
    size_t n;                /* rows in all */
    double earliest, latest; /* of the first input */
} lf_rows;

lf_status lf_rows_create(lf_context *ctx, const lf_model *model, const lf_data *data, lf_rows *rows);
void lf_rows_clear(lf_rows *rows);
void lf_replicate_clear(lf_replicate *replicate);
/* `to` zeroed before; after a failure it must still be cleared. */
lf_status lf_replicate_copy(lf_context *ctx, const lf_model *model, const lf_replicate *from, lf_replicate *to);
/* Of a replicate under the model: scaled values (y - offset) / scale and noise variances sigma^2 + (sd / scale)^2. */
void lf_rows_scaled(const lf_model *model, const lf_replicate *replicate, double *y, double *noise);

/* An error that names the first output with a row without noise: the feature engines divide by the noise variance. */
lf_status lf_check_noise(lf_context *ctx, const lf_model *model, const lf_rows *rows);

#endif
