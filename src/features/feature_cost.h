/* The number of frequencies and columns that the feature engines would have, for estimates of their cost and memory. */
#ifndef LF_FEATURES_FEATURE_COST_H
#define LF_FEATURES_FEATURE_COST_H

#include "features/features.h"

typedef struct lf_feature_count {
    lf_grid_spec spec;
    double each;    /* frequencies per force, shared or private, with one grid per force; the average */
    double all;     /* frequencies of one grid for all forces */
    double order;   /* largest order of the outputs */
    double private; /* number of private forces */
} lf_feature_count;

/* Returns 0 if these options do not permit features for the model, -1 if there is no memory; the message of the context is
 * unchanged. */
int lf_feature_count_estimate(lf_context *ctx, const lf_model *model, const lf_rows *rows,
                              const lf_engine_options *options, lf_feature_count *count);

/* The features that an engine would make, for estimates of memory; to be cleared by the caller. all: one grid for all forces. Returns as
 * above, 0 also where there would be too many columns. */
int lf_features_trial(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                      int all, lf_features *features);
/* Numbers that the features themselves hold. */
double lf_features_numbers(const lf_features *features);

#endif
