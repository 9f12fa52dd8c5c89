/* What each of several processes has found on its own, from the same rows, becomes what the first has found: their processors may round
 * differently, and one choice would lead them to different calls. Functions of base/processes.h, for parts of a fit; with one process they do
 * nothing. */
#ifndef LF_INFERENCE_AGREEMENT_H
#define LF_INFERENCE_AGREEMENT_H

#include "model/model.h"

/* The parameters of a model of the same structure on all. */
lf_status lf_agree_values(lf_context *ctx, lf_status status, lf_model *model);
/* A number by which the processes would go different ways; `what` names it in the message of those that have another one than the first. */
lf_status lf_agree_number(lf_context *ctx, lf_status status, double number, const char *what);

#endif
