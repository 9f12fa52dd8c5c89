/* The matrices of the mean of a model, and the chain rule back to its parameters. */
#include "dynamics/linear_system.h"

#include <math.h>

#include "base/context.h"
#include "base/memory.h"

/* The states of output d, f_d … f_d^(P-1), begin here. */
static int first_state(const lf_model *model, int d)
{
    int first = 0;
    for (int i = 0; i < d; i++) {
        first += model->outputs[i].order;
    }
    return first;
}

/* Matrices of zeros, in one array as those of equations. */
static lf_status allocate(lf_context *ctx, int states, int inputs, int outputs, lf_system_matrices *m)
{
    size_t n = (size_t)states, v = (size_t)inputs, y = (size_t)outputs;
    *m = (lf_system_matrices){.n = states, .inputs = inputs, .outputs = outputs};
    m->value_count = (n + y) * (n + v + 1) + 2 * n;
    m->A = lf_doubles(m->value_count, 1);
    if (!m->A) {
        return lf_no_memory(ctx);
    }
    m->B = m->A + n * n;
    m->L = m->c = m->B + n * v;
    m->C = m->c + n;
    m->D = m->C + y * n;
    m->E = m->d = m->D + y * v;
    m->start_mean = m->d + y;
    m->start_sd = m->start_mean + n;
    return LF_OK;
}

lf_status lf_linear_system_create(lf_context *ctx, const lf_model *model, lf_system_matrices *matrices)
{
    if (model->system) {
        return lf_system_matrices_create(ctx, model->system->equations, matrices);
    }
    *matrices = (lf_system_matrices){0};
    for (int d = 0; d < model->output_count; d++) {
        if (!model->outputs[d].op->is_ode) {
            return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                           "output '%s' has the operator %s: known inputs act through differential equations only; "
                           "choose ode1, ode2 or ode, or leave the input out",
                           model->outputs[d].name, model->outputs[d].op->name);
        }
    }
    return allocate(ctx, first_state(model, model->output_count), model->known_count, model->output_count, matrices);
}

lf_status lf_linear_system_evaluate(lf_context *ctx, const lf_model *model, lf_system_matrices *matrices)
{
    const lf_system_matrices *m = matrices;
    if (model->system) {
        return lf_system_evaluate(ctx, model->system, matrices);
    }
    for (int d = 0, first = 0; d < m->outputs; first += model->outputs[d++].order) {
        const lf_output *output = &model->outputs[d];
        int P = output->order, last = first + P - 1;
        double a[LF_MAX_ORDER + 1];
        lf_ode_coefficients(output->op, output->constants, P, a);
        m->C[d * m->n + first] = 1;
        for (int k = 0; k < P; k++) {
            m->A[last * m->n + first + k] = -a[P - k] / a[0];
        }
        for (int k = 0; k + 1 < P; k++) {
            m->A[(first + k) * m->n + first + k + 1] = 1;
        }
        for (int i = 0; i < m->inputs; i++) {
            m->B[last * m->inputs + i] = output->gain[i] / a[0];
        }
    }
    return LF_OK;
}

lf_status lf_linear_system_backward(lf_context *ctx, const lf_model *model, const lf_system_matrices *matrices,
                                    const lf_system_matrices *by, double *gradient)
{
    const lf_system_matrices *m = matrices;
    if (model->system) {
        return lf_equations_backward(ctx, model->system->equations, model->system->constants, matrices, by,
                                     gradient + lf_index_system_constants(model));
    }
    for (int d = 0, first = 0; d < m->outputs; first += model->outputs[d++].order) {
        const lf_output *output = &model->outputs[d];
        int P = output->order, last = first + P - 1, skip = output->op->first_coefficient;
        double a[LF_MAX_ORDER + 1], leading = 0, *constants = gradient + lf_index_constants(model, d);
        lf_ode_coefficients(output->op, output->constants, P, a);
        for (int k = 0; k < P; k++) {
            int entry = last * m->n + first + k;
            leading -= by->A[entry] * m->A[entry] / a[0];
            constants[P - k - skip] -= by->A[entry] / a[0];
        }
        for (int i = 0; i < m->inputs; i++) {
            int entry = last * m->inputs + i;
            leading -= by->B[entry] * m->B[entry] / a[0];
            gradient[lf_index_gain(model, d) + i] += by->B[entry] / a[0];
        }
        if (skip == 0) {
            constants[0] += leading;
        }
    }
    return LF_OK;
}

double lf_linear_system_start(const lf_model *model, const lf_system_matrices *matrices, int state)
{
    return !model->system                       ? 0
           : isnan(matrices->start_mean[state]) ? model->system->start_mean[state]
                                                : matrices->start_mean[state];
}
