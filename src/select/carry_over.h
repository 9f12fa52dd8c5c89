/* The values of a fitted model for one with another number of forces, or with other kernels. */
#ifndef LF_SELECT_CARRY_OVER_H
#define LF_SELECT_CARRY_OVER_H

#include "plan/structure.h"

/* *warm: the model of `to` with the values of `from`, which has been fitted. Of more forces than `to` has, those with the smallest shares are left
 * out; forces that `from` lacks are as at the start of `to`, with small sensitivities. Both have the same operators, the same known inputs and filled
 * shapes. */
lf_status lf_carry_over(lf_context *ctx, const lf_problem *problem, const lf_structure *from, const lf_structure *to,
                        lf_model **warm);

#endif
