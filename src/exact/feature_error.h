/* The error of the covariances of a feature model, measured against the exact covariances. */
#ifndef LF_EXACT_FEATURE_ERROR_H
#define LF_EXACT_FEATURE_ERROR_H

#include "exact/exact_covariance.h"
#include "features/features.h"
#include "points/points.h"

/* Twice the largest differences from the exact covariances of outputs, forces and rates at probe times over the range of
 * the spec, relative to the largest variances of either kind. Uniform nodes, one input; NaN for sampled nodes. */
lf_status lf_feature_error(lf_context *ctx, const lf_model *model, const lf_grid_spec *spec, lf_error_bounds *bounds);

/* The same for a route: 0, except where the quadrature cuts the tail of Matern forces. */
lf_status lf_route_error(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel, double earliest,
                         double latest, lf_error_bounds *bounds);

/* Points at which covariances are compared: Chebyshev points including the ends, for up to 64 outputs, their rates and
 * all forces; and, where the error may vary within a short `lag`, some that are as close as that. */
lf_status lf_probe_points(lf_context *ctx, const lf_model *model, double earliest, double latest, double lag,
                          lf_point_set *set);

/* Twice the largest difference of two covariance matrices (n, n), lower triangles, at such points, relative to the
 * geometric mean of the largest variances of the kinds of both points (output, force, rate; rates that are 0 but for rounding: the size of
 * outputs over the span of the points). size (n, n): the matrix that
 * has these variances. */
lf_error_bounds lf_probe_error(const lf_model *model, const lf_point_set *set, const double *K, const double *exact,
                               const double *size);

#endif
