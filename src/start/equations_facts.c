/* Sizes and first values, from the rows of outputs and known inputs. */
#include "start/equations_facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "data/data.h"

void lf_system_facts_clear(lf_system_facts *f)
{
    free(f->inputs);
    free(f->shown_by);
    free(f->sized);
    free(f->given);
    free(f->amplitude);
    free(f->lengthscale);
    free(f->sizes.variable);
    free(f->sizes.input);
    free(f->sizes.output);
    free(f->sizes.amplitude);
    lf_system_matrices_clear(&f->matrices);
}

double lf_shown_factor(const lf_system_facts *f, int output, int variable)
{
    const lf_system_matrices *m = &f->matrices;
    const double *row = m->C + output * m->n;
    int state = f->equations->variables[variable].first_state;
    for (int j = 0; j < m->n; j++) {
        if (j != state && row[j] != 0) {
            return 0;
        }
    }
    return row[state];
}

/* The matrices where every open constant has the same value. */
static lf_status evaluate_at(lf_system_facts *f, double value)
{
    double *constants = f->model->system->constants;
    for (int i = 0; i < f->equations->parameter_count; i++) {
        constants[i] = isnan(f->given[i]) ? value : f->given[i];
    }
    return lf_equations_evaluate(f->ctx, f->equations, constants, &f->matrices);
}

/* The outputs that show one variable and nothing else. Such an output gives the size of the variable, unless an open constant is part of the
 * coefficient, as in q/C. */
static lf_status see_outputs(lf_system_facts *f)
{
    const lf_equations *equations = f->equations;
    for (int d = 0; d < equations->output_count; d++) {
        double sd = f->summary->outputs[d].sd, mean = fabs(f->summary->outputs[d].mean);
        f->sizes.output[d] = sd > 0 ? sd : mean > 0 ? mean : 1;
    }
    lf_status status = evaluate_at(f, 1);
    for (int v = 0; !status && v < equations->variable_count; v++) {
        f->shown_by[v] = -1;
        f->sizes.variable[v] = NAN;
        for (int d = 0; d < equations->output_count && f->shown_by[v] < 0; d++) {
            double factor = lf_shown_factor(f, d, v);
            f->shown_by[v] = factor != 0 ? d : -1;
            f->sizes.variable[v] = f->sizes.output[d] / fabs(factor);
        }
    }
    LF_TRY(status, evaluate_at(f, 1.7));
    for (int v = 0; !status && v < equations->variable_count; v++) {
        int d = f->shown_by[v];
        f->sized[v] = d >= 0 && f->sizes.output[d] / fabs(lf_shown_factor(f, d, v)) == f->sizes.variable[v];
    }
    return status;
}

lf_status lf_system_facts_create(lf_context *ctx, const lf_data *data, const lf_data_summary *summary, lf_model *model,
                                 lf_system_facts *f)
{
    const lf_equations *equations = model->system->equations;
    size_t inputs = (size_t)equations->input_count, variables = (size_t)equations->variable_count,
           forces = (size_t)equations->force_count, parameters = (size_t)equations->parameter_count;
    *f = (lf_system_facts){.ctx = ctx,
                           .equations = equations,
                           .summary = summary,
                           .model = model,
                           .inputs = calloc(inputs + 1, sizeof *f->inputs),
                           .shown_by = calloc(variables + 1, sizeof *f->shown_by),
                           .sized = calloc(variables + 1, sizeof *f->sized),
                           .given = lf_doubles(parameters, 1),
                           .amplitude = lf_doubles(forces, 1),
                           .lengthscale = lf_doubles(forces, 1),
                           .sizes = {.variable = lf_doubles(variables, 1),
                                     .input = lf_doubles(inputs, 1),
                                     .output = lf_doubles((size_t)equations->output_count, 1),
                                     .amplitude = lf_doubles(forces, 1)}};
    if (!f->inputs || !f->shown_by || !f->sized || !f->given || !f->amplitude || !f->lengthscale ||
        !f->sizes.variable || !f->sizes.input || !f->sizes.output || !f->sizes.amplitude) {
        return lf_no_memory(ctx);
    }
    for (size_t i = 0; i < parameters; i++) { /* a prior says more than sizes do */
        const lf_eq_parameter *p = &equations->parameters[i];
        int centred = p->prior != LF_EQ_PRIOR_NONE && (p->prior_at > 0 || !p->positive);
        f->given[i] = isnan(model->system->constants[i]) && centred ? p->prior_at : model->system->constants[i];
    }
    memcpy(f->amplitude, model->system->amplitude, forces * sizeof(double));
    for (size_t i = 0; i < forces; i++) {
        int q = model->system->force[i];
        f->lengthscale[i] = q < 0 ? (double)NAN : model->forces[q].lengthscale[0];
    }
    lf_status status = lf_system_matrices_create(ctx, equations, &f->matrices);
    LF_TRY(status, lf_input_facts_find(ctx, data, model, f->inputs));
    for (size_t k = 0; !status && k < inputs; k++) {
        f->sizes.input[k] = f->inputs[k].size;
    }
    LF_TRY(status, see_outputs(f));
    return status;
}
