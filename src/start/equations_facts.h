/* What the training rows show of a model given by equations, before any of its open values is set: sizes and first values of outputs and
 * known inputs. A variable that an output shows as it is has the size and the first value of that output. */
#ifndef LF_START_EQUATIONS_FACTS_H
#define LF_START_EQUATIONS_FACTS_H

#include "model/model.h"
#include "plan/data_summary.h"
#include "plan/input_facts.h"
#include "start/scale_analysis.h"

typedef struct lf_system_facts {
    lf_context *ctx;
    const lf_equations *equations;
    const lf_data_summary *summary;
    lf_model *model;
    lf_input_facts *inputs; /* (inputs) */
    int *shown_by;          /* (variables) the output that shows it; -1: none */
    int *sized;             /* (variables) no open constant is part of how that output shows it */
    double *given;       /* (parameters) constants of the text, or centres of their priors; NaN where there are none */
    double *amplitude;   /* (forces) the same */
    double *lengthscale; /* (forces) the same */
    lf_sizes sizes;
    lf_system_matrices matrices;
} lf_system_facts;

/* `data` has the rows of outputs and known inputs, the summary is that of the outputs. It must be cleared, also after a failure. */
lf_status lf_system_facts_create(lf_context *ctx, const lf_data *data, const lf_data_summary *summary, lf_model *model,
                                 lf_system_facts *facts);
void lf_system_facts_clear(lf_system_facts *facts);

/* The coefficient of a variable in an output, at the constants of the matrices; 0: the output does not show this variable alone. */
double lf_shown_factor(const lf_system_facts *facts, int output, int variable);

#endif
