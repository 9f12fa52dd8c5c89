/* How many frequencies and columns the feature engines would have, for estimates of their cost. */
#ifndef LF_FEATURES_FEATURE_COST_H
#define LF_FEATURES_FEATURE_COST_H

#include "features/grid_spec.h"

typedef struct lf_feature_count {
    lf_grid_spec spec;
    double each;    /* frequencies of one force, with a grid for each force */
    double all;     /* frequencies of the grid that all forces share */
    double order;   /* the largest of the outputs */
    double private; /* private forces */
} lf_feature_count;

/* 0: the features of these options do not apply to the model. Leaves no message in the context. */
int lf_feature_count_estimate(lf_context *ctx, const lf_model *model, const lf_rows *rows,
                              const lf_engine_options *options, lf_feature_count *count);

#endif
