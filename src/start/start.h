/* The structure that a fit starts from, and those of other shapes. */
#ifndef LF_START_START_H
#define LF_START_START_H

#include "plan/structure.h"

/* The model that was given, with what the data add to it, or one of the shape of the plan. After a failure the structure is to be cleared
 * too. */
lf_status lf_start(lf_context *ctx, const lf_problem *problem, const lf_fit_plan *plan, lf_structure *s);

/* The model of the shape and engine that the structure has, at its starting values, and what follows from it. A prior that is set stays. */
lf_status lf_start_shape(lf_context *ctx, const lf_problem *problem, const lf_fit_plan *plan, lf_structure *s);

/* Holds the parameters "NAME=VALUE" of --fix at these values and those of "NAME" at the values they have, and frees those of --free. */
lf_status lf_fix_parameters(lf_context *ctx, const lf_fit_plan *plan, lf_model *model);

#endif
