/* Training rows in the form that engines use: by replicate, sorted by output. */
#ifndef LF_POINTS_ROWS_H
#define LF_POINTS_ROWS_H

#include "base/processes.h"
#include "data/names.h"
#include "model/model.h"
#include "points/known_series.h"
#include "points/points.h"

/* The rows of one replicate, sorted by output, in the units of the data. */
typedef struct lf_replicate {
    lf_point_set points; /* order: rows of the table that the rows were made from, readings of known inputs included */
    double *y;           /* (n) in sorted order */
    double *variance;    /* (n) known error variance sd^2 */
    double *mean;        /* (n) prior mean of the scaled values: the response to the known inputs; NULL: 0 */
    lf_known_set known;  /* readings of the known inputs of the model */
    double latest;       /* largest first input, over all processes; of a copy 0 */
} lf_replicate;

typedef struct lf_rows {
    int count;                /* of replicates */
    lf_replicate *replicates; /* (count) */
    lf_names names;           /* (count) of the replicates; one empty name if the data have no replicates */
    size_t n;                 /* total number of rows, those of all processes */
    lf_data *source;          /* of shared rows: the table, where it is kept; else NULL */
    struct lf_rows *sample;   /* of shared rows: those of lf_rows_sample, where they are kept; else NULL */
    int shared;               /* between so many processes: points are those of this one; 0: they are all here */
    int averages;             /* some rows are means over an interval */
    int any_targets; /* engines get other values and noise than those of these rows, different at every evaluation */
    double earliest, latest; /* least and largest first input */
    uint64_t fingerprint;    /* lf_data_fingerprint */
    size_t hash_count;       /* rows of outputs of this process */
    uint64_t *hashes;        /* (hash_count) lf_data_row_fingerprint of each */
    double step;             /* lf_data_step */
    size_t gaps;             /* different distances between neighbouring inputs, summed over replicates */
    size_t steps;            /* between different inputs of a replicate, and one */
} lf_rows;

/* The rows of a shared table are those of this process, in replicates that all processes have unless whole replicates are shared; step,
 * gaps and steps are then not known. */
lf_status lf_rows_create(lf_context *ctx, const lf_model *model, const lf_data *data, lf_rows *rows);

/* ---- in shared_rows.c ---- */

/* The rows of a shared table, shared in another way. keep: with a copy of the table, from which each process can have all rows again. */
lf_status lf_rows_create_shared(lf_context *ctx, const lf_model *model, const lf_data *data,
                                lf_distribution distribution, int keep, lf_rows *rows);
/* All rows of the table that was kept, on every process. */
lf_status lf_rows_gather(lf_context *ctx, const lf_rows *rows, lf_data **data);
/* Rows that every process has, with the number of all rows: those of the table or, of a shared one, a sample (lf_data_sample). */
lf_status lf_rows_sample(lf_context *ctx, const lf_model *model, const lf_data *data, lf_rows *rows);

/* ---- in rows.c ---- */

void lf_rows_clear(lf_rows *rows);
void lf_replicate_clear(lf_replicate *replicate);

/* `to` must be zeroed; the caller clears it, also after a failure. */
lf_status lf_replicate_copy(lf_context *ctx, const lf_model *model, const lf_replicate *from, lf_replicate *to);
/* Scaled values y (n) = (y - offset) / scale - mean and their noise variances noise (n) = sigma^2 + (sd / scale)^2. Of an
 * output whose likelihood is not Gaussian rows are sites (engine/sites.h), without sigma^2. */
void lf_rows_scaled(const lf_model *model, const lf_replicate *replicate, double *y, double *noise);

/* Fails if a noise variance (rows, one replicate after the other; NULL: as the rows and the model say) is 0: the feature engines divide by
 * it. The message names the output. */
lf_status lf_check_noise(lf_context *ctx, const lf_model *model, const lf_rows *rows, const double *noise);

#endif
