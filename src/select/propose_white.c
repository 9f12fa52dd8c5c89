/* White forces in place of forces that vary as fast as the readings can show. The readings tell nothing about the lengthscale of such a
 * force, and a differential equation of first order makes something smoother than a random walk of it. */
#include <math.h>

#include "data/data.h"
#include "select/proposer.h"

static int is_rough(const lf_force *force, const lf_data_summary *summary)
{
    return force->kernel && force->lengthscale[0] < lf_threshold.rough_gaps * summary->gap;
}

/* Whether white forces are worth a comparison with the fitted model. */
static int applies(const lf_search *search)
{
    const lf_problem *problem = search->problem;
    const lf_model *fitted = search->best->warm;
    if (!fitted || !lf_compares_forces(search) || !(search->plan->open & LF_OPEN_KERNEL) ||
        search->best->engine.inducing) {
        return 0;
    }
    size_t series = (size_t)fitted->output_count * problem->summary->replicate_count;
    int rough = 0, odes = fitted->input_dim == 1 && !fitted->system;
    for (int q = 0; odes && q < fitted->force_count; q++) {
        rough = rough || is_rough(&fitted->forces[q], problem->summary);
    }
    for (int d = 0; odes && d < fitted->output_count; d++) {
        const lf_output *output = &fitted->outputs[d];
        rough = rough || (output->has_private && is_rough(&output->private_force, problem->summary));
        odes = output->op->is_ode;
    }
    return odes && rough &&
           (double)lf_data_count(problem->observed, LF_KIND_ROW) >= lf_threshold.rough_rows * (double)series;
}

/* They are taken only where the evidence is a thousand to one for each output: a likelihood judges mostly the next reading, and white forces
 * leave nothing that is slow to carry a trend on. */
static lf_status propose(const lf_search *search, lf_proposals *list)
{
    int outputs = search->problem->summary->output_count, own = lf_best_shape(search).forces;
    double most = fmin(fmin(own, outputs), lf_threshold.white_forces);
    list->asked = (search->plan->compared & LF_OPEN_FORCES) != 0;
    for (int forces = (int)most; forces >= 1 && applies(search); forces--) {
        lf_proposal *p = lf_proposals_add(search, list);
        p->s.shape.forces = forces;
        p->s.shape.force_kernel = p->s.shape.private_kernel = "white";
        p->penalty = outputs * log(lf_threshold.white_evidence);
    }
    return LF_OK;
}

const lf_proposer lf_propose_white = {.name = "white forces", .propose = propose, .greedy = 1, .patience = 1};
