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

/* The operations of one evaluation of a model, without constant factors, and the engine that needs fewest: that of the structure or, unless it names
 * one, the filter. Infinite: the model cannot be evaluated; the fit will say why. */
lf_status lf_count_operations(lf_context *ctx, const lf_problem *problem, const lf_structure *s, double *operations,
                              const char **engine);
/* The share of its iterations that a comparison of models can afford, at most 1. */
double lf_affordable_share(double operations);

#endif
