/* What follows from a model for its fit. */
#include "plan/structure.h"

#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"

/* Whether any output can have uncertain sensitivities. */
static int has_private(const lf_model *model)
{
    int found = 0;
    for (int d = 0; d < model->output_count; d++) {
        found = found || (model->outputs[d].has_private && model->outputs[d].op->is_ode);
    }
    return found;
}

void lf_structure_settle(const lf_fit_plan *plan, lf_structure *s)
{
    const lf_model *model = s->start;
    const lf_thresholds *t = &lf_threshold;
    int few = (double)lf_free_parameters(model, NULL) <= t->few_free;
    s->prior = s->prior                     ? s->prior
               : plan->prior                ? plan->prior
               : few || !has_private(model) ? LF_PRIOR_WEAK
                                            : LF_PRIOR_FIRM;
    s->iterations = plan->iterations ? plan->iterations : (size_t)(few ? t->iterations_of_few : t->iterations_of_many);
    /* a comparison has compared starts already */
    s->restarts = plan->restarts ? plan->restarts
                  : s->warm || s->prior == LF_PRIOR_FIRM
                      ? 1
                      : (size_t)(model->system ? t->restarts_of_equations : t->restarts);
    s->fitting = s->engine;
    s->fitting.tolerance = s->engine.tolerance > 0           ? s->engine.tolerance
                           : lf_model_has_rough_force(model) ? t->tolerance_of_rough
                                                             : t->tolerance_of_smooth;
    s->fitting.regrid_factor = s->engine.regrid_factor > 0 ? s->engine.regrid_factor : t->regrid_factor;
}

lf_structure lf_structure_like(const lf_structure *s)
{
    lf_structure other = *s;
    other.start = other.warm = NULL;
    other.others = (lf_starts){0};
    return other;
}

lf_status lf_structure_copy(lf_context *ctx, const lf_structure *from, lf_structure *to)
{
    *to = lf_structure_like(from);
    lf_status status = lf_model_copy(ctx, from->start, &to->start);
    return status || !from->warm ? status : lf_model_copy(ctx, from->warm, &to->warm);
}

void lf_structure_clear(lf_structure *s)
{
    lf_model_free(s->start);
    lf_model_free(s->warm);
    free(s->others.theta);
    *s = (lf_structure){0};
}

void lf_structure_move(lf_structure *from, lf_structure *to)
{
    lf_structure_clear(to);
    *to = *from;
    *from = (lf_structure){0};
}

const lf_model *lf_structure_begin(const lf_structure *s) { return s->warm ? s->warm : s->start; }
