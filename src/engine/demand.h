/* What the feature engines ask of their frequencies, from the rows and the options. */
#ifndef LF_ENGINE_DEMAND_H
#define LF_ENGINE_DEMAND_H

#include "columns/features.h"
#include "engine/engine.h"

/* The rule of that name (NULL and "auto": uniform, which is right for one input); 0 when there is none. */
int lf_rule_find(const char *name, lf_rule *rule);

lf_status lf_feature_demand(lf_context *ctx, const lf_model *model, const lf_rows *rows,
                            const lf_engine_options *options, lf_demand *demand);

/* lf_features_create for an engine, which will factor a matrix of all columns: refuses more than can be. Pins the demand. */
lf_status lf_engine_features(lf_context *ctx, const lf_model *model, lf_demand *demand, lf_features *features);

/* An error that names the first output with a row without noise: the feature engines divide by it. */
lf_status lf_check_noise(lf_context *ctx, const lf_model *model, const lf_rows *rows);

#endif
