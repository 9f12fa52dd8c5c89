/* Standard errors at an optimum. */
#ifndef LF_INFERENCE_STANDARD_ERRORS_H
#define LF_INFERENCE_STANDARD_ERRORS_H

#include "base/monitor.h"
#include "inference/prior.h"

/* Standard errors at an optimum by Laplace's approximation, which takes two evaluations for every free parameter. They are kept in the model until its
 * parameters change. Parameters on a limit count as fixed. A parameter that the data do not determine gets none; the result, unless NULL, lists
 * these. *evaluations: those that were made are added. LF_ERROR_CANCELLED: none is set. */
lf_status lf_standard_errors(lf_context *ctx, const lf_problem *problem, const lf_structure *s, const lf_prior *prior,
                             lf_monitor *monitor, lf_model *model, lf_fit_result *result, size_t *evaluations);

#endif
