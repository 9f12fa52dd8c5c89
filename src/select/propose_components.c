/* Fewer forces of many outputs. Principal components know no dynamics: outputs that follow the same force at different rates have several of
 * them, and over a span of few time scales chance gives them more. The plan says where fewer forces may do. */
#include <stdio.h>

#include "select/proposer.h"

static lf_status propose(const lf_search *search, lf_proposals *list)
{
    const lf_fit_plan *plan = search->plan;
    /* fixed parameters may be those of one number of forces, and what was taken because of a limit stays */
    if (plan->fewer_forces && !plan->fixed->count && !plan->freed->count && !search->best->engine.inducing &&
        !*search->best->words) {
        lf_proposal *p = lf_proposals_add(search, list);
        snprintf(p->seen, sizeof p->seen, "%d forces instead of %d", plan->fewer_forces, p->s.shape.forces);
        p->s.shape.forces = plan->fewer_forces;
        p->s.prior = LF_PRIOR_DEFAULT; /* that of its own number of parameters */
    }
    return LF_OK;
}

const lf_proposer lf_propose_components = {.name = "components", .propose = propose, .score = LF_BY_HELD_OUT};
