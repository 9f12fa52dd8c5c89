/* Kernels and periods of the options, as forces. The force of a period is quasiperiodic: its envelope says how long a cycle keeps
 * its shape, and can be so long that it never changes. It is matern12, which has the fewest states: on one
 * record of a house matern32 gained 1 to 2 units of log likelihood and predicted alike. */
#include "start/force_shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/axis.h"
#include "base/context.h"
#include "base/memory.h"
#include "data/data.h"
#include "model/kernel_formula.h"

const char *lf_shape_kernel(const lf_shape_options *options, const char *kernel, int q)
{
    int leading = 0;
    while (leading < q && options->kernels && options->kernels[leading]) {
        leading++;
    }
    const char *own = options->kernels ? options->kernels[leading] : NULL;
    return own ? own : kernel;
}

static lf_status make_plain(lf_context *ctx, const lf_force_kernel *kernel, int inputs, double lengthscale,
                            lf_force *force)
{
    *force = (lf_force){.kernel = kernel, .lengthscale_count = inputs, .lengthscale = lf_doubles((size_t)inputs, 1)};
    for (int k = 0; force->lengthscale && k < inputs; k++) {
        force->lengthscale[k] = lengthscale;
    }
    return force->lengthscale ? LF_OK : lf_no_memory(ctx);
}

lf_status lf_make_force(lf_context *ctx, const char *kernel, const lf_data *data, lf_force *force)
{
    lf_force_term terms[LF_MAX_TERMS];
    int count;
    *force = (lf_force){0};
    lf_status status = lf_kernel_parse(ctx, kernel, &data->axes[0], &count, terms);
    int plain = !status && count == 1 && lf_term_is_plain(terms);
    if (plain && (data->input_dim == 1 || isnan(terms->lengthscale))) {
        return make_plain(ctx, terms->envelope, data->input_dim, terms->lengthscale, force);
    }
    if (!status && data->input_dim > 1) {
        status = lf_fail(ctx, LF_ERROR_ARGUMENT,
                         "kernel '%s' is for one input, the data have %d; with several inputs the kernels are %s",
                         kernel, data->input_dim, lf_force_kernel_names());
    }
    return status ? status : lf_force_compose(ctx, force, count, terms);
}

int lf_period_copies(int outputs) { return outputs > 1 ? 2 : 1; }

lf_status lf_make_periodic_force(lf_context *ctx, double period, int harmonics, lf_force *force)
{
    const lf_force_term term = {.envelope = &lf_force_kernel_matern12,
                                .modulation = LF_MODULATION_PERIODIC,
                                .harmonics = harmonics,
                                .lengthscale = (double)NAN,
                                .period = period,
                                .period_lengthscale = (double)NAN,
                                .weight = 1};
    *force = (lf_force){0};
    return lf_force_compose(ctx, force, 1, &term);
}
