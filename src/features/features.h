/* Feature rows: what stands at a point in the columns of the model, so that the covariance of two points is the product
 * of their rows.
 *
 * Shared columns, M in all: for each force q of the model the 2 S_q columns S_dq sqrt(w_q) [Re v, Im v] (a force itself:
 * sqrt(w_q) [cos, sin] in its own block and 0 elsewhere). Private columns of output d, m_d in all, are zero at every other
 * target: amplitude sqrt(w) [Re v, Im v] of its private force, then, for a free start, sqrt(variance_k) h_k(t). */
#ifndef LF_FEATURES_FEATURES_H
#define LF_FEATURES_FEATURES_H

#include "features/grids.h"

typedef struct lf_features {
    const lf_model *model;
    lf_grids grids; /* sources: the shared forces in order, then the private ones by output */
    size_t shared;  /* M */
    size_t *start;  /* (Q + 1) first shared column of each force */
} lf_features;

/* The model must outlive the features; they follow its parameters through lf_grids_update. */
lf_status lf_features_create(lf_context *ctx, const lf_model *model, lf_grid_spec spec, lf_features *features);
/* lf_features_create for an engine, which factors a matrix of all columns: refuses more than that allows. Freezes the
 * grids of the spec. */
lf_status lf_features_create_bounded(lf_context *ctx, const lf_model *model, lf_grid_spec *spec, lf_features *features);
void lf_features_clear(lf_features *features);

/* m_d; 0 for a force. */
size_t lf_features_private(const lf_features *features, int target);

/* The rows of one target at n inputs x (n, p): shared (n, M) and, where m_d > 0, private (n, m_d), column-major with
 * leading dimension n. */
lf_status lf_features_rows(lf_context *ctx, const lf_features *features, int target, size_t n, const double *x,
                           double *shared, double *private);

/* Given the derivative of L by those rows (overwritten), gradient[i] += dL/d(natural value of parameter i). */
lf_status lf_features_backward(lf_context *ctx, const lf_features *features, int output, size_t n, const double *x,
                               double *shared_adjoint, double *private_adjoint, double *gradient);

#endif
