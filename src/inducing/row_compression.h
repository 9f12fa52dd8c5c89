/* The rows of one output in one replicate, or fewer rows that say the same about every f the model can make.
 *
 * Over the span of the data f_d is as smooth as the highest frequency of its columns and the roots of its operator: its
 * values at n Chebyshev points tau give all others by interpolation, f(t_i) = sum_j U_ij f(tau_j), to rounding. With
 * U = Q R, rows of equal noise variance and y, the vector Q'y is as good as y:
 *   log N(y | 0, K + s I) = log N(Q'y | 0, R K_tau R' + s I) - 1/2 [(N - n) log 2 pi s + |y - Q Q'y|^2 / s].
 * U does not depend on any parameter, so the work of an evaluation does not grow with the number of rows. */
#ifndef LF_INDUCING_ROW_COMPRESSION_H
#define LF_INDUCING_ROW_COMPRESSION_H

#include "features/features.h"
#include "points/rows.h"

typedef struct lf_row_compression {
    int output;
    size_t rows;         /* N */
    size_t n;            /* rows that are left */
    double *x;           /* (n, p) their inputs: tau, or those of the rows */
    const double *known; /* (n) known error variances, raw; NULL: none */
    double *tau;         /* (n) what x points to, or NULL */
    double middle, half; /* of the span of tau */
    double *R;           /* (n, n) upper triangle; NULL: the rows themselves */
    double *raw;         /* (n) Q'y of the raw y */
    double *ones;        /* (n) Q'1: what an offset adds */
    double rest;         /* |y - Q Q'y|^2, raw */
} lf_row_compression;

/* The rows of one group of a replicate. Reduced unless `features` is NULL (the kernels have
 * no columns), rows have error bars, or it saves too little. */
lf_status lf_row_compression_create(lf_context *ctx, const lf_model *model, const lf_features *features,
                                    const lf_replicate *replicate, int group, lf_row_compression *compression);
void lf_row_compression_clear(lf_row_compression *compression);

/* Whether the model's parameters have moved to where the points tau are too few. */
int lf_row_compression_needs_regrid(const lf_model *model, const lf_features *features,
                                    const lf_row_compression *compression);

/* V (n, columns) <- R V, or R' V; as it is where the rows are. */
void lf_row_compression_apply(const lf_row_compression *compression, int transpose, size_t columns, double *V);

#endif
