/* Prior covariances of outputs, forces, rates and states. */
#ifndef LF_PREDICT_PRIOR_COVARIANCE_H
#define LF_PREDICT_PRIOR_COVARIANCE_H

#include "points/points.h"

/* K (count, count): of the points listed in `rows` (NULL: all), in the order of the list and the units of the data. */
lf_status lf_prior_covariance(lf_context *ctx, const lf_model *model, const lf_point_list *points,
                              const lf_engine_options *options, size_t count, const size_t *rows, double *K);

#endif
