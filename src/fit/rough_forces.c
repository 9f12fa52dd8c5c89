/* Which fitted models have rough forces. */
#include "fit/rough_forces.h"

#include "data/data.h"

enum { ENOUGH_ROWS = 20 }; /* of a series, an output in a replicate, to tell rough from smooth */
#define ROUGH 2            /* gaps between readings; a shorter lengthscale is rough */

static int is_rough(const lf_force *force, const lf_data_summary *summary)
{
    return force->kernel && force->lengthscale[0] < ROUGH * summary->gap;
}

int lf_tries_white(const lf_training *training, const lf_fit_options *options, const lf_model *fitted)
{
    const lf_shape_options *shape = &options->shape;
    const lf_data *observed = training->observed ? training->observed : training->data;
    size_t series = (size_t)fitted->output_count * training->summary->replicate_count;
    int rough = 0, odes = fitted->input_dim == 1 && !fitted->system;
    for (int q = 0; odes && q < fitted->force_count; q++) {
        rough = rough || is_rough(&fitted->forces[q], training->summary);
    }
    for (int d = 0; odes && d < fitted->output_count; d++) {
        const lf_output *output = &fitted->outputs[d];
        rough = rough || (output->has_private && is_rough(&output->private_force, training->summary));
        odes = output->op->is_ode;
    }
    return odes && rough && !shape->force_kernel && !shape->private_kernel && !shape->kernels &&
           !options->select_kernel && lf_data_count(observed) >= ENOUGH_ROWS * series;
}
