/* Tables of the parts of a model: what lf_model_table() hands out for forces, outputs and what drives them. */
#ifndef LF_REPORT_MODEL_TABLES_H
#define LF_REPORT_MODEL_TABLES_H

#include "base/table.h"
#include "model/model.h"

lf_status lf_forces_table(lf_context *ctx, const lf_model *model, lf_table **table);
lf_status lf_outputs_table(lf_context *ctx, const lf_model *model, lf_table **table);
lf_status lf_sensitivities_table(lf_context *ctx, const lf_model *model, lf_table **table);
lf_status lf_known_table(lf_context *ctx, const lf_model *model, lf_table **table);
lf_status lf_modes_table(lf_context *ctx, const lf_model *model, lf_table **table);

#endif
