/* The error of the covariances of a feature model, measured against the exact covariances. */
#ifndef LF_EXACT_FEATURE_ERROR_H
#define LF_EXACT_FEATURE_ERROR_H

#include "features/features.h"
#include "points/points.h"

/* Twice the largest difference from the exact covariances of the outputs at probe times over the range of the spec,
 * relative to the largest covariance. Uniform nodes, one input; NaN for sampled nodes. */
lf_status lf_feature_error(lf_context *ctx, const lf_model *model, const lf_grid_spec *spec, double *bound);

/* Points at which covariances are compared: Chebyshev points including the ends, for up to 64 outputs. */
lf_status lf_probe_points(lf_context *ctx, const lf_model *model, double earliest, double latest, lf_point_set *set);

#endif
