/* Targets: the outputs, the forces, the rates of the outputs and the states of equations, in this order. */
#include "model/model.h"

int lf_target_output(const lf_model *model, int target)
{
    int D = model->output_count, Q = model->force_count;
    return target < D ? target : target < D + Q || target >= 2 * D + Q ? -1 : target - D - Q;
}

int lf_target_force(const lf_model *model, int target)
{
    int D = model->output_count, Q = model->force_count;
    return target >= D && target < D + Q ? target - D : -1;
}

int lf_target_is_rate(const lf_model *model, int target)
{
    int first = model->output_count + model->force_count;
    return target >= first && target < first + model->output_count;
}

int lf_target_has_value(const lf_model *model, int target)
{
    int q = lf_target_force(model, target), d = lf_target_output(model, target);
    if (q >= 0) {
        return !lf_model_force_is_white(model, q);
    }
    if (model->system || !lf_target_is_rate(model, target) || model->outputs[d].order != 1) {
        return 1;
    }
    const lf_output *output = &model->outputs[d];
    int driven = output->has_private && output->private_amplitude != 0 &&
                 lf_force_has_envelope(&output->private_force, &lf_force_kernel_white);
    for (int i = 0; i < model->force_count; i++) {
        driven = driven || (output->sensitivity[i] != 0 && lf_model_force_is_white(model, i));
    }
    return !driven;
}

int lf_target_state(const lf_model *model, int target)
{
    int first = 2 * model->output_count + model->force_count;
    return target >= first ? target - first : -1;
}

int lf_target_count(const lf_model *model)
{
    return 2 * model->output_count + model->force_count + (model->system ? model->system->equations->state_count : 0);
}
