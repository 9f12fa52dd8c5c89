/* Prior covariances of a model, by whichever route applies: the one place that engines and commands ask.
 *
 * Covariances are of the scaled model (no offset, scale or noise). Targets: outputs, then forces. */
#ifndef LF_EXACT_KERNEL_H
#define LF_EXACT_KERNEL_H

#include "points/points.h"

typedef enum lf_route { LF_ROUTE_QUADRATURE, LF_ROUTE_CLOSED_FORM } lf_route;

typedef struct lf_kernel {
    lf_route route;
    double tolerance; /* of the quadrature; 0 = default */
} lf_kernel;

/* Resolves the options for a model: "auto" takes the cheaper route that covers it for inputs between earliest and
 * latest; a route asked for by name that does not cover it is an error with the reason. */
lf_status lf_kernel_choose(lf_context *ctx, const lf_model *model, const lf_engine_options *options, double earliest,
                           double latest, lf_kernel *kernel);
const char *lf_kernel_name(lf_kernel kernel);

/* K (A.n, B.n), column-major. A == B: the lower triangle. */
lf_status lf_kernel_matrix(lf_context *ctx, const lf_model *model, lf_kernel kernel, const lf_point_set *A,
                           const lf_point_set *B, double *K, size_t ld);
/* k (A.n), the variances. */
lf_status lf_kernel_diagonal(lf_context *ctx, const lf_model *model, lf_kernel kernel, const lf_point_set *A,
                             double *k);
/* gradient[i] += sum G dK/d(natural value of parameter i). A == B: G must be symmetric and whole. */
lf_status lf_kernel_gradient(lf_context *ctx, const lf_model *model, lf_kernel kernel, const lf_point_set *A,
                             const lf_point_set *B, const double *G, size_t ld, double *gradient);

#endif
