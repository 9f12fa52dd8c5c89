/* Which fitted models have rough forces, and white forces in their place. */
#include "select/propose_white.h"

#include <math.h>

#include "data/data.h"

static int is_rough(const lf_force *force, const lf_data_summary *summary)
{
    return force->kernel && force->lengthscale[0] < lf_threshold.rough_gaps * summary->gap;
}

int lf_tries_white(const lf_comparison *c)
{
    const lf_problem *problem = c->search->problem;
    const lf_shape_options *shape = &c->base.shape;
    const lf_model *fitted = c->each[lf_comparison_winner(c)].warm;
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
    int named =
        shape->force_kernel || shape->private_kernel || shape->kernels || (c->search->plan->compared & LF_OPEN_KERNEL);
    return odes && rough && !named &&
           (double)lf_data_count(problem->observed) >= lf_threshold.rough_rows * (double)series;
}

/* White forces are taken only where the evidence is a thousand to one for each output: a likelihood judges mostly the next
 * reading, and white forces leave nothing that is slow to carry a trend on. */
lf_status lf_compare_white(lf_comparison *c, const lf_candidate *usual)
{
    int outputs = c->search->problem->summary->output_count;
    size_t first = c->count;
    double price = outputs * log(lf_threshold.white_evidence), best = c->candidates[lf_comparison_winner(c)].score;
    lf_candidate white = *usual;
    white.force_kernel = "white";
    white.private_kernel = usual->private_kernel ? "white" : NULL;
    for (white.forces = 1; white.forces <= outputs && white.forces <= (int)lf_threshold.white_forces; white.forces++) {
        lf_comparison_add(c, &white);
    }
    lf_status status = lf_comparison_run(c, first, first);
    for (size_t i = first; i < c->count; i++) {
        c->rejected[i] = !(c->candidates[i].score > best + price);
    }
    return status;
}
