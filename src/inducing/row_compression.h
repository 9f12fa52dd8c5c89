/* The rows of one output in one replicate, compressed without loss where possible.
 *
 * Over the span of the data, the smoothness of f_d is limited by the highest frequency of its columns and the roots of
 * its operator: values at n Chebyshev points tau determine f_d by interpolation, f(t_i) = sum_j U_ij f(tau_j), to
 * rounding. With U = Q R and noise variance s, equal for all rows, Q'y is sufficient for f:
 *
 *   log N(y | 0, K + s I) = log N(Q'y | 0, R K_tau R' + s I) - 1/2 [(N - n) log 2 pi s + |y - Q Q'y|^2 / s]
 *
 * U does not depend on any parameter, so the cost of an evaluation does not grow with the number of rows. */
#ifndef LF_INDUCING_ROW_COMPRESSION_H
#define LF_INDUCING_ROW_COMPRESSION_H

#include "features/features.h"
#include "points/rows.h"

typedef struct lf_row_compression {
    int output;
    size_t rows;                 /* N */
    size_t n;                    /* compressed rows; N where they are not compressed */
    double *x;                   /* (n, p) their inputs: tau, or those of the rows */
    double *tau;                 /* (n) Chebyshev points; NULL: not compressed */
    double midpoint, half_width; /* of the span of tau */
    double *R;                   /* (n, n) upper triangle; NULL: not compressed */
    double *Qty;                 /* (n) Q'y of y in data units */
    double *Qt1;                 /* (n) Q'1: the contribution of an offset */
    double residual;             /* |y - Q Q'y|^2 in data units */
} lf_row_compression;

/* How many rows those of one group become, as lf_row_compression_create decides. */
size_t lf_row_compression_size(const lf_model *model, const lf_features *features, const lf_replicate *replicate,
                               int group);

/* The rows of one group of a replicate. They are not compressed if `features` is NULL (the covariances have no
 * columns), if rows have known error variances, or if that would save too little. */
lf_status lf_row_compression_create(lf_context *ctx, const lf_model *model, const lf_features *features,
                                    const lf_replicate *replicate, int group, lf_row_compression *compression);
void lf_row_compression_clear(lf_row_compression *compression);

/* Whether the points tau are too few for the current parameters of the model. */
int lf_row_compression_needs_regrid(const lf_model *model, const lf_features *features,
                                    const lf_row_compression *compression);

/* V (n, columns) <- R V or, with transpose, R' V. R = I where the rows are not compressed. */
void lf_row_compression_apply(const lf_row_compression *compression, int transpose, size_t columns, double *V);

#endif
