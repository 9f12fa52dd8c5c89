/* The prior covariance of a feature model: K = Phi Phi', with feature rows Phi (features.h). */
#ifndef LF_FEATURES_FEATURE_COVARIANCE_H
#define LF_FEATURES_FEATURE_COVARIANCE_H

#include "features/features.h"
#include "points/points.h"

/* K (n, n), lower triangle: the covariance of the scaled model at the points. */
lf_status lf_feature_covariance(lf_context *ctx, const lf_features *features, const lf_point_set *points, double *K);

#endif
