/* What a fit of a structure would take, before it begins: memory, and operations. Both follow from data and options only. */
#ifndef LF_INFERENCE_ESTIMATE_H
#define LF_INFERENCE_ESTIMATE_H

#include "engine/engine.h"
#include "plan/structure.h"

typedef struct lf_fit_estimate {
    lf_engine_choice choice;
    double bytes; /* while the fit runs on one thread; infinite: no engine can evaluate the model */
    double work;  /* operations of a start, first stage included; 0: they are not limited; infinite as bytes */
} lf_fit_estimate;

/* Work is limited for many outputs along one input: the alternatives are for these. */
lf_status lf_estimate_fit(lf_context *ctx, const lf_problem *problem, const lf_fit_plan *plan, const lf_structure *s,
                          lf_fit_estimate *estimate);

#endif
