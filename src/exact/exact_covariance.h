/* Prior covariances of a model, by closed form, quadrature or state space: the interface that engines use.
 *
 * Covariances are those of the scaled model (no offset, scale or noise). Targets are outputs, forces and rates and,
 * of models given by equations, states. */
#ifndef LF_EXACT_EXACT_COVARIANCE_H
#define LF_EXACT_EXACT_COVARIANCE_H

#include "points/points.h"

/* The numbers are stored in model files. LF_ROUTE_STATE_SPACE: Matern forces exactly, through the state space for ODEs
 * and in closed form for gaussian operators; everything else by quadrature, which includes the covariances of ODEs with
 * gaussian operators. Where a force is composed, the state space has all forces if all outputs are ODEs, otherwise the quadrature has them. LF_ROUTE_QUADRATURE cuts the algebraic tail of Matern forces. LF_ROUTE_FREQUENCIES: models given by equations
 * (system_covariance.h), and only these. */
typedef enum lf_route {
    LF_ROUTE_QUADRATURE,
    LF_ROUTE_CLOSED_FORM,
    LF_ROUTE_STATE_SPACE,
    LF_ROUTE_FREQUENCIES,
    LF_ROUTE_LAST = LF_ROUTE_FREQUENCIES
} lf_route;

typedef struct lf_exact_covariance {
    lf_route route;
    double tolerance; /* of the quadrature; 0: default */
} lf_exact_covariance;

/* Chooses a route according to options->nodes. "auto": the state space for Matern and composed forces, otherwise the cheaper of those
 * that support the model, for inputs between earliest and latest. Fails, with the reason, if the route named does not support the model. */
lf_status lf_exact_covariance_choose(lf_context *ctx, const lf_model *model, const lf_engine_options *options,
                                     double earliest, double latest, lf_exact_covariance *kernel);
/* Why a route, read from a file, does not support the model; NULL: it does. */
const char *lf_exact_covariance_obstacle(const lf_model *model, lf_route route);
const char *lf_exact_covariance_name(const lf_model *model, lf_exact_covariance kernel);
/* Whether LF_ROUTE_STATE_SPACE is for this model: one input, and a Matern force, or a composed one where all outputs are ODEs. */
int lf_has_exact_states(const lf_model *model);
/* Whether any output is one. */
int lf_has_odes(const lf_model *model);

/* K (A.n, B.n), column-major. A == B (same pointer): only the lower triangle is computed. */
lf_status lf_exact_covariance_matrix(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                                     const lf_point_set *A, const lf_point_set *B, double *K, size_t ld);
/* slopes (A.n, U.n): derivatives of the covariances of outputs A with forces U by the times of U. Route
 * LF_ROUTE_STATE_SPACE only. */
lf_status lf_exact_covariance_slopes(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                                     const lf_point_set *A, const lf_point_set *U, double *slopes, size_t ld);
/* k (A.n): the variances. */
lf_status lf_exact_covariance_diagonal(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                                       const lf_point_set *A, double *k);
/* gradient[i] += sum_mn G[m,n] dK[m,n] / d(natural value of parameter i). A == B: both triangles of G are needed.
 * Rates: Matern forces, ODEs, zero or stationary start only. */
lf_status lf_exact_covariance_gradient(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                                       const lf_point_set *A, const lf_point_set *B, const double *G, size_t ld,
                                       double *gradient);

#endif
