/* Starting values of a model given by equations. Constants follow from the sizes of outputs and inputs (system_facts.h) by scale analysis,
 * for several time scales between the spacing of the rows and their span; the likelihood decides between these. */
#include "start/equations_start.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "start/equations_facts.h"

/* Time scales that are compared, half a decade apart, from the span of the rows down to their spacing. */
enum { LEAST_TIMES = 5, MOST_TIMES = 12, MOST_STARTS = 3 };
static const double wide = 5; /* standard deviation of an unknown start, in sizes */

/* Amplitudes and lengthscales that the text leaves open: forces matter as much as the other terms, white ones a tenth of that. */
static void set_forces(lf_system_facts *f)
{
    lf_system *system = f->model->system;
    const lf_system_matrices *m = &f->matrices;
    const lf_equations *equations = f->equations;
    for (int i = 0; i < m->forces; i++) {
        double sum = 0, count = 0;
        for (int v = 0; v < equations->variable_count; v++) {
            int state = equations->variables[v].first_state + equations->variables[v].order - 1;
            double L = fabs(m->L[state * m->forces + i]),
                   size = f->sizes.variable[v] * pow(f->sizes.time, 1 - equations->variables[v].order);
            if (L > 0) {
                sum += log(equations->forces[i].white ? 0.1 * size / sqrt(f->sizes.time) / L
                                                      : 0.5 * size / f->sizes.time / L);
                count++;
            }
        }
        system->amplitude[i] = !isnan(f->amplitude[i]) ? f->amplitude[i] : count > 0 ? exp(sum / count) : 1;
        if (system->force[i] >= 0) {
            f->model->forces[system->force[i]].lengthscale[0] =
                isnan(f->lengthscale[i]) ? f->sizes.time : f->lengthscale[i];
        }
    }
}

static void set_noise(lf_system_facts *f)
{
    for (int d = 0; d < f->model->output_count; d++) {
        lf_output *output = &f->model->outputs[d];
        double size = f->sizes.output[d], noise = f->summary->outputs[d].noise;
        if (isnan(output->noise_variance)) {
            output->noise_variance = fmin(fmax(noise, 1e-4 * size * size), 0.25 * size * size);
        }
    }
}

/* steady (n) = -A^-1 (B v + c) under the inputs v when the first rows are read (input_facts.h); *found 0: there is none. */
static lf_status find_steady(const lf_system_facts *f, double *steady, int *found)
{
    const lf_system_matrices *m = &f->matrices;
    size_t n = (size_t)m->n;
    for (size_t i = 0; i < n; i++) {
        steady[i] = -m->c[i];
        for (int k = 0; k < m->inputs; k++) {
            int impulse = f->equations->inputs[k].hold == LF_HOLD_IMPULSE;
            steady[i] -= impulse ? 0 : m->B[i * (size_t)m->inputs + (size_t)k] * f->inputs[k].first;
        }
    }
    lf_status status = lf_system_solve(f->ctx, m, 0, steady);
    *found = !status;
    for (size_t i = 0; i < n; i++) {
        *found = *found && isfinite(steady[i]);
    }
    return status == LF_ERROR_MEMORY ? status : LF_OK;
}

/* A parameter on which nothing but the start depends gives it the expected mean, or the size of its variable as its deviation. */
static lf_status set_start_parameter(lf_system_facts *f, int p, double *before, const double *mean, const double *sd)
{
    lf_system_matrices *m = &f->matrices;
    double *constant = &f->model->system->constants[p], kept = *constant;
    size_t n = (size_t)m->n, others = m->value_count - 2 * n;
    *constant = 1;
    lf_status status = lf_equations_evaluate(f->ctx, f->equations, f->model->system->constants, m);
    memcpy(before, m->A, m->value_count * sizeof *before);
    *constant = 2;
    LF_TRY(status, lf_equations_evaluate(f->ctx, f->equations, f->model->system->constants, m));
    if (status || memcmp(before, m->A, others * sizeof *before) != 0) { /* it is about more than the start */
        *constant = kept;
        return status == LF_ERROR_MEMORY ? status : LF_OK;
    }
    for (size_t i = 0; i < n; i++) {
        double at = before[others + i], slope = m->start_mean[i] - at, value = 1 + (mean[i] - at) / slope;
        int allowed = value > 0 || !f->equations->parameters[p].positive;
        if (slope != 0 && isfinite(value)) {
            *constant = allowed ? value : 1;
        } else if (m->start_sd[i] > before[others + n + i]) {
            *constant = sd[i] / before[others + n + i];
        }
    }
    return LF_OK;
}

/* The start: first readings of what is shown, the steady state of what is not, 0 for derivatives. */
static lf_status set_start(lf_system_facts *f)
{
    const lf_equations *equations = f->equations;
    lf_system *system = f->model->system;
    size_t n = (size_t)equations->state_count;
    double *mean = lf_doubles(n, 1), *sd = lf_doubles(n, 1), *steady = lf_doubles(n, 1),
           *before = lf_doubles(f->matrices.value_count, 1);
    lf_status status = mean && sd && steady && before ? LF_OK : lf_no_memory(f->ctx);
    int has_steady = 0;
    LF_TRY(status, find_steady(f, steady, &has_steady));
    for (int v = 0; !status && v < equations->variable_count; v++) {
        const lf_eq_variable *variable = &equations->variables[v];
        int d = f->shown_by[v], first = variable->first_state;
        mean[first] = d >= 0 ? f->summary->outputs[d].first / lf_shown_factor(f, d, v) : has_steady ? steady[first] : 0;
        sd[first] = d >= 0 ? f->sizes.variable[v] : wide * f->sizes.variable[v];
        for (int k = 1; k < variable->order; k++) {
            sd[first + k] = wide * f->sizes.variable[v] * pow(f->sizes.time, -k);
        }
    }
    for (size_t i = 0; !status && i < n && equations->start == LF_EQ_START_DEFAULT; i++) {
        system->start_mean[i] = mean[i];
        system->start_sd[i] = sd[i];
    }
    for (int p = 0; !status && p < equations->parameter_count; p++) {
        status = isnan(f->given[p]) ? set_start_parameter(f, p, before, mean, sd) : LF_OK;
    }
    free(mean);
    free(sd);
    free(steady);
    free(before);
    return status;
}

/* All values, for one time scale. */
static lf_status set_values(lf_system_facts *f, double time)
{
    lf_system *system = f->model->system;
    double *sizes = f->sizes.variable;
    f->sizes.time = time;
    memcpy(system->constants, f->given, (size_t)f->equations->parameter_count * sizeof(double));
    memcpy(f->sizes.amplitude, f->amplitude, (size_t)f->equations->force_count * sizeof(double));
    for (int v = 0; v < f->equations->variable_count; v++) {
        sizes[v] = f->sized[v] ? sizes[v] : (double)NAN;
    }
    lf_status status = lf_scale_analysis(f->ctx, f->equations, &f->sizes, system->constants);
    LF_TRY(status, lf_equations_evaluate(f->ctx, f->equations, system->constants, &f->matrices));
    if (!status) {
        set_forces(f);
        status = set_start(f);
    }
    return status;
}

/* The log likelihood of the model as it stands; -infinity where it has none. */
static lf_status find_likelihood(lf_system_facts *f, const lf_data *data, const lf_engine_options *options,
                                 double *value)
{
    lf_engine *engine = NULL;
    lf_status status = lf_engine_create(f->ctx, f->model, data, options, &engine);
    LF_TRY(status, lf_engine_evaluate(engine, 0, NULL, value, NULL));
    lf_engine_free(engine);
    *value = status ? -(double)INFINITY : *value;
    return status == LF_ERROR_MEMORY ? status : LF_OK;
}

/* The values of the model for a time scale become one of the other starts. */
static lf_status add_start(lf_system_facts *f, double time, lf_starts *starts)
{
    size_t count = f->model->parameter_count;
    starts->theta = starts->theta ? starts->theta : lf_doubles(MOST_STARTS, count);
    lf_status status = starts->theta ? set_values(f, time) : lf_no_memory(f->ctx);
    if (!status) {
        lf_model_theta(f->model, starts->theta + starts->count++ * count);
    }
    return status;
}

static lf_status choose_time(lf_system_facts *f, const lf_data *data, const lf_engine_options *options,
                             lf_starts *starts)
{
    double span = lf_data_summary_span(f->summary), step = f->summary->gap, best = -INFINITY, chosen = span / 10;
    double scales = span > 0 && step > 0 ? 1.5 + 2 * log10(span / step) : 0;
    double values[MOST_TIMES];
    int open = 0, times = (int)fmin(fmax(scales, LEAST_TIMES), MOST_TIMES);
    for (int i = 0; i < f->equations->parameter_count; i++) {
        open = open || isnan(f->given[i]);
    }
    lf_status status = LF_OK;
    for (int i = 0; open && !status && i < times; i++) {
        double time = span * pow(10, -0.5 * i);
        status = set_values(f, time);
        values[i] = -INFINITY;
        LF_TRY(status, find_likelihood(f, data, options, &values[i]));
        chosen = values[i] > best ? time : chosen;
        best = fmax(best, values[i]);
    }
    for (int i = 0; open && !status && i < times && starts->count < MOST_STARTS; i += 2) {
        double time = span * pow(10, -0.5 * i);
        status = time != chosen && isfinite(values[i]) ? add_start(f, time, starts) : LF_OK;
    }
    return status ? status : set_values(f, chosen);
}

int lf_system_is_open(const lf_model *model)
{
    int open = 0;
    for (size_t i = 0; model->system && i < model->parameter_count; i++) {
        open = open || isnan(*model->parameters[i].value);
    }
    for (int i = 0;
         model->system && model->initial != LF_INITIAL_STATIONARY && i < model->system->equations->state_count; i++) {
        open = open || (isnan(model->system->start_mean[i]) && !lf_system_start_is_given(model->system->equations, i));
    }
    return open;
}

/* An open constant is 1 at first, where a coefficient may not be finite: the message says what to do. */
static lf_status add_remedy(lf_context *ctx, lf_status status)
{
    char *message = status == LF_ERROR_NUMERIC ? lf_copy_string(lf_context_message(ctx)) : NULL;
    if (message) {
        lf_fail(ctx, status, "%s\n    a parameter without a value starts at 1; give it another: parameter NAME = VALUE",
                message);
    }
    free(message);
    return status;
}

lf_status lf_system_starting_values(lf_context *ctx, const lf_data *data, const lf_data_summary *summary,
                                    const lf_engine_options *options, const double *origin, lf_model *model,
                                    lf_starts *starts)
{
    lf_system_facts f;
    model->origin = origin ? *origin : summary->begin;
    lf_status status = lf_system_facts_create(ctx, data, summary, model, &f);
    if (!status) {
        set_noise(&f);
        status = choose_time(&f, data, options, starts);
    }
    lf_system_facts_clear(&f);
    return status ? add_remedy(ctx, status) : lf_model_check(ctx, model, "the equations");
}
