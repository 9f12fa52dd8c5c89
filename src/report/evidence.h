/* What a posterior says about the rows it is conditioned on, in scaled units. */
#ifndef LF_REPORT_EVIDENCE_H
#define LF_REPORT_EVIDENCE_H

#include "predict/posterior.h"
#include "report/diagnosis.h"

/* What is known about the rows of all replicates. */
typedef struct lf_evidence {
    lf_posterior *posterior;
    lf_rows rows;
    lf_data *training; /* what `rows` was made from; points.order numbers its rows, readings of known inputs included */
    int *replicate;    /* (rows.count) in the posterior */
    double **y;        /* (rows.count) scaled values, noise variances, means, variances of f: (n) each */
    double **noise;
    double **mean;
    double **variance;
    double **parts; /* (rows.count) of lf_contributions; of equations (Q + 2, n): forces, white forces, start */
    double **
        known; /* (rows.count) (K + 1, n) responses to the variation of each known input, and to their level; or NULL */
    double **
        scores; /* (rows.count) (n) of rows whose likelihood is not Gaussian: each predicted from the others, as a standard normal number; their
                      * y and noise are those of sites (engine/sites.h). NULL: all are Gaussian */
    double **innovations; /* (rows.count) (n) of the engine, or NULL */
    int with_parts;       /* whether there are parts */
} lf_evidence;

/* One training row of one output. */
typedef struct lf_diagnosed_row {
    int series; /* replicate */
    double x, y, residual, variance;
    size_t index; /* in the replicate */
    int exact; /* the noise is too small, beside the error of a prediction from the other rows, for a residual with digits */
} lf_diagnosed_row;

/* From the rows of the data that are not marked "test". After a failure it must still be cleared. */
lf_status lf_evidence_create(lf_posterior *posterior, const lf_data *data, int with_parts, lf_evidence *e);
void lf_evidence_clear(lf_evidence *e);

#endif
