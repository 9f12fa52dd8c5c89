/* The forces of a cycle, with starting values from the periodogram. */
#include "start/cycle_force.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "data/data.h"
#include "start/force_shapes.h"
#include "start/initial_model.h"

#define LEAST_SHARE 0.003 /* of the variance of an output, at the start: what is 0 would not grow */

/* The phase (D) of the first harmonic in each output, relative to the output with the largest share, which is returned. */
static int find_phases(const lf_data *data, const lf_data_summary *summary, const lf_cycle *cycle, double *phase)
{
    int D = data->outputs.count, first = 0;
    for (int d = 0; d < D; d++) {
        double cosine = 0, sine = 0;
        for (size_t i = 0; i < data->n; i++) {
            if (data->output[i] == d) {
                double angle = 2 * LF_PI * fmod(data->x[i], cycle->period) / cycle->period;
                double y = data->y[i] - summary->outputs[d].mean;
                cosine += y * cos(angle);
                sine += y * sin(angle);
            }
        }
        phase[d] = atan2(sine, cosine);
        first = cycle->share[d] > cycle->share[first] ? d : first;
    }
    double reference = phase[first];
    for (int d = 0; d < D; d++) {
        phase[d] -= reference;
    }
    return first;
}

/* Sensitivities of the last `copies` forces, which are alike, one or two. The first copy has the phase of the strongest output, the
 * second is a quarter of a period later. The strongest output feels only the first: two copies that are rotated into each other are the
 * same model. */
static lf_status set_sensitivities(lf_context *ctx, const lf_data *data, const lf_data_summary *summary,
                                   const lf_cycle *cycle, int copies, lf_model *model)
{
    int D = model->output_count, first = model->force_count - copies;
    double *gain = lf_doubles((size_t)D, 1), *phase = lf_doubles((size_t)D, 1);
    lf_status status = gain && phase ? lf_force_gains(ctx, summary, model, first, gain) : lf_no_memory(ctx);
    int strongest = status ? 0 : find_phases(data, summary, cycle, phase);
    for (int d = 0; !status && d < D; d++) {
        const lf_output_summary *seen = &summary->outputs[d];
        lf_output *output = &model->outputs[d];
        double size = seen->sd > 0 ? seen->sd / output->scale : 1;
        double full = sqrt(fmax(cycle->share[d], LEAST_SHARE)) * size / gain[d];
        output->sensitivity[first] = copies > 1 ? full * cos(phase[d]) : copysign(full, cos(phase[d]));
        if (copies > 1) {
            output->sensitivity[first + 1] = full * sin(phase[d]);
        }
    }
    if (!status && copies > 1) {
        lf_parameter_fix(model, (size_t)(lf_index_sensitivity(model, strongest) + first + 1), 1);
    }
    free(gain);
    free(phase);
    return status;
}

static lf_status make_room(lf_context *ctx, int copies, lf_model *model)
{
    size_t forces = (size_t)(model->force_count + copies);
    lf_force *larger = realloc(model->forces, (forces + 1) * sizeof *larger);
    if (!larger) {
        return lf_no_memory(ctx);
    }
    model->forces = larger;
    memset(larger + model->force_count, 0, ((size_t)copies + 1) * sizeof *larger);
    for (int d = 0; d < model->output_count; d++) {
        double *more = realloc(model->outputs[d].sensitivity, (forces + 1) * sizeof *more);
        if (!more) {
            return lf_no_memory(ctx);
        }
        model->outputs[d].sensitivity = more;
        for (int i = 0; i < copies; i++) {
            more[model->force_count + i] = 0;
        }
    }
    return LF_OK;
}

lf_status lf_model_add_cycle(lf_context *ctx, const lf_data *data, const lf_data_summary *summary,
                             const lf_cycle *cycle, int copies, lf_model *model)
{
    int first = model->force_count;
    lf_status status = make_room(ctx, copies, model);
    for (int i = 0; !status && i < copies; i++) {
        lf_force *force = &model->forces[model->force_count++];
        status = lf_make_periodic_force(
            ctx, cycle->period, cycle->harmonics < LF_LEAST_HARMONICS ? LF_LEAST_HARMONICS : cycle->harmonics, force);
        if (!status) {
            force->terms->lengthscale = fmax(cycle->coherence, cycle->period);
            force->terms->period_lengthscale = 1;
        }
    }
    LF_TRY(status, lf_parameters_rebuild(ctx, model));
    LF_TRY(status, lf_model_tie_copies(ctx, model, first, copies));
    lf_model_drop_errors(model);
    return status ? status : set_sensitivities(ctx, data, summary, cycle, copies, model);
}
