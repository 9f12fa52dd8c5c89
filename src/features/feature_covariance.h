/* The prior covariance of a feature model. */
#ifndef LF_FEATURES_FEATURE_COVARIANCE_H
#define LF_FEATURES_FEATURE_COVARIANCE_H

#include "features/features.h"
#include "points/points.h"

/* K (n, n) = rows times rows', of the scaled model; the lower triangle. */
lf_status lf_feature_covariance(lf_context *ctx, const lf_features *features, const lf_point_set *points, double *K);

#endif
