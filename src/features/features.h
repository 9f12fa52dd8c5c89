/* Feature rows Phi: the covariance of two points is the product of their rows, K = Phi Phi'. From frequencies to
 * predictions:
 *
 *   nodes.h      frequencies lambda_s and their quadrature weights: one grid
 *   grid_spec.h  the requirements: times to cover, accuracy, rule for the frequencies; frozen nodes
 *   grids.h      grids for all forces of a model that meet a spec, with weights w_q = quadrature weight * density p_q
 *   response.h   response columns v_d(t, lambda_s) of an output, a force or a rate on one grid
 *   features.h   feature rows: response columns times sensitivity and sqrt(w_q), for all forces
 *   weights.h    the Gaussian posterior over the weights of the columns, and predictions from it
 *
 * Shared columns, M in total: for each force q the 2 S_q columns S_dq sqrt(w_q) [Re v, Im v] (for force q itself
 * sqrt(w_q) [cos, sin], and 0 in the columns of other forces). Private columns of output d, m_d in total, are 0 for all
 * other targets: amplitude sqrt(w) [Re v, Im v] of its private force and, for a free start, sqrt(variance_k) h_k(t). */
#ifndef LF_FEATURES_FEATURES_H
#define LF_FEATURES_FEATURES_H

#include "features/grids.h"

typedef struct lf_features {
    const lf_model *model;
    lf_grids grids;
    size_t shared; /* M */
    size_t *start; /* (Q + 1) first shared column of each force */
} lf_features;

/* The model must outlive the features. After a change of its lengthscales call lf_grids_update. */
lf_status lf_features_create(lf_context *ctx, const lf_model *model, lf_grid_spec spec, lf_features *features);
/* lf_features_create for an engine that factorises a matrix over all columns: fails if there are too many columns for
 * that, or for this number of rows (0: any). Freezes the nodes in the spec. */
lf_status lf_features_create_bounded(lf_context *ctx, const lf_model *model, size_t rows, lf_grid_spec *spec,
                                     lf_features *features);
void lf_features_clear(lf_features *features);

/* m_d; 0 for a force. */
size_t lf_features_private(const lf_features *features, int target);

/* The rows of one target at n inputs x (n, p): shared (n, M) and, if m_d > 0, private (n, m_d), column-major with
 * leading dimension n. */
lf_status lf_features_rows(lf_context *ctx, const lf_features *features, int target, size_t n, const double *x,
                           double *shared, double *private);

/* Given the derivatives of L by the rows of an output (overwritten): gradient[i] += dL/d(natural value of parameter
 * i). */
lf_status lf_features_backward(lf_context *ctx, const lf_features *features, int output, size_t n, const double *x,
                               double *shared_adjoint, double *private_adjoint, double *gradient);

/* ---- parts of these for rows that are made elsewhere (device_rows.c) ---- */

/* The columns of a source in the rows of a target, ld apart; NULL if it has none there. */
double *lf_features_source_columns(const lf_features *features, int target, const lf_source *source, size_t ld,
                                   double *shared, double *private);
/* From x (S), the sums over rows and over Re and Im of adjoint * v at each node, to the factor and, for fixed frequencies, the parameters
 * of the kernel of a source. */
void lf_source_backward(const lf_model *model, int output, const lf_source *source, size_t S, const double *x,
                        double *gradient);
/* From dL/dlambda to the kernel of the force: sampled frequencies, lambda = base / lengthscale, or lines. */
void lf_source_backward_frequencies(const lf_model *model, const lf_source *source, const lf_nodes *nodes,
                                    const double *by_lambda, double *gradient);

#endif
