/* Fits that begin with a part of the times, and the operations that a fit is expected to take. lf_optimise (optimise.h) makes such fits. */
#ifndef LF_INFERENCE_FIRST_STAGE_H
#define LF_INFERENCE_FIRST_STAGE_H

#include "plan/structure.h"

/* The operations that a start is expected to take, from those of one evaluation (lf_engine_choice.cost). Depends on data and plan only. */
lf_status lf_expected_work(lf_context *ctx, const lf_problem *problem, const lf_structure *s, double cost,
                           double *operations);

/* The most iterations after a first stage, where an evaluation takes so many operations: those of the plan, or what a limit of work
 * allows, but not fewer than predictions need. */
size_t lf_second_stage_iterations(const lf_fit_plan *plan, const lf_structure *s, double cost);

#endif
