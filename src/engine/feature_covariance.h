/* The prior covariance of a feature model, and how far it is from the exact one. */
#ifndef LF_ENGINE_FEATURE_COVARIANCE_H
#define LF_ENGINE_FEATURE_COVARIANCE_H

#include "columns/features.h"
#include "exact/points.h"

/* K (n, n) = rows times rows', of the scaled model; the lower triangle. */
lf_status lf_feature_covariance(lf_context *ctx, const lf_features *features, const lf_point_set *points, double *K);

/* Twice the largest difference from the exact covariances of the outputs at probe times over the demand's inputs, relative
 * to the largest of these. Uniform nodes, one input. */
lf_status lf_feature_error(lf_context *ctx, const lf_model *model, lf_demand demand, double *bound);

/* Times at which covariances are probed, of up to 64 outputs: Chebyshev points, ends included. */
lf_status lf_probe_points(lf_context *ctx, const lf_model *model, double earliest, double latest, lf_point_set *set);

#endif
