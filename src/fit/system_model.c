/* Starting values of a model given by equations.
 *
 * Sizes and first values of outputs and inputs come from the rows. A variable that an output shows as it is has the size and the first
 * value of that output. Constants follow by scale analysis, for several time scales between the spacing of the rows and their span;
 * the likelihood decides between these. */
#include "fit/system_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/lapack.h"
#include "base/memory.h"
#include "data/data.h"
#include "fit/scale_analysis.h"

/* Time scales that are compared, half a decade apart, from the span of the rows down to their spacing. */
enum { LEAST_TIMES = 5, MOST_TIMES = 12, MOST_STARTS = 3 };
static const double wide = 5; /* standard deviation of an unknown start, in sizes */

/* What the rows say about the outputs and inputs of the equations. */
typedef struct series {
    double first_time, first, mean, sd;
    size_t n;
} series;

typedef struct facts {
    lf_context *ctx;
    const lf_equations *equations;
    const lf_data_summary *summary;
    lf_model *model;
    series *inputs;      /* (inputs) */
    int *shown_by;       /* (variables) the output that shows it; -1: none */
    int *sized;          /* (variables) no open constant is part of how that output shows it */
    double *given;       /* (parameters) constants of the text, or centres of their priors; NaN where there are none */
    double *amplitude;   /* (forces) the same */
    double *lengthscale; /* (forces) the same */
    lf_sizes sizes;
    lf_system_matrices matrices;
} facts;

static void facts_clear(facts *f)
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

/* Mean, spread and first value of the known inputs. */
static void see_inputs(const lf_data *data, facts *f)
{
    for (int k = 0; k < f->equations->input_count; k++) {
        f->inputs[k].first_time = INFINITY;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < data->n; i++) {
            int k = data->output[i] < 0 ? -1 : lf_model_find_known(f->model, data->outputs.name[data->output[i]]);
            if (k < 0) {
                continue;
            }
            series *s = &f->inputs[k];
            if (pass == 0) {
                s->first = data->x[i] < s->first_time ? data->y[i] : s->first;
                s->first_time = fmin(s->first_time, data->x[i]);
                s->mean += data->y[i];
                s->n++;
            } else {
                double e = data->y[i] - s->mean / (double)s->n;
                s->sd += e * e / (double)s->n;
            }
        }
    }
    for (int k = 0; k < f->equations->input_count; k++) {
        series *s = &f->inputs[k];
        s->mean = s->n ? s->mean / (double)s->n : 0;
        s->sd = sqrt(s->sd);
        int impulse = f->equations->inputs[k].hold == LF_HOLD_IMPULSE;
        double size = !impulse && s->sd > 0 ? s->sd : fabs(s->mean);
        f->sizes.input[k] = size > 0 ? size : 1;
    }
}

/* The coefficient of a variable in an output, at the constants of the matrices; 0: the output does not show this variable alone. */
static double factor_of(const facts *f, int output, int variable)
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
static lf_status evaluate_at(facts *f, double value)
{
    double *constants = f->model->system->constants;
    for (int i = 0; i < f->equations->parameter_count; i++) {
        constants[i] = isnan(f->given[i]) ? value : f->given[i];
    }
    return lf_equations_evaluate(f->ctx, f->equations, constants, &f->matrices);
}

/* The outputs that show one variable and nothing else. Such an output gives the size of the variable, unless an open constant is part of the
 * coefficient, as in q/C. */
static lf_status see_outputs(facts *f)
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
            double factor = factor_of(f, d, v);
            f->shown_by[v] = factor != 0 ? d : -1;
            f->sizes.variable[v] = f->sizes.output[d] / fabs(factor);
        }
    }
    status = status ? status : evaluate_at(f, 1.7);
    for (int v = 0; !status && v < equations->variable_count; v++) {
        int d = f->shown_by[v];
        f->sized[v] = d >= 0 && f->sizes.output[d] / fabs(factor_of(f, d, v)) == f->sizes.variable[v];
    }
    return status;
}

/* Amplitudes and lengthscales that the text leaves open: forces matter as much as the other terms, white ones a tenth of that. */
static void set_forces(facts *f)
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

static void set_noise(facts *f)
{
    for (int d = 0; d < f->model->output_count; d++) {
        lf_output *output = &f->model->outputs[d];
        double size = f->sizes.output[d], noise = f->summary->outputs[d].noise;
        if (isnan(output->noise_variance)) {
            output->noise_variance = fmin(fmax(noise, 1e-4 * size * size), 0.25 * size * size);
        }
    }
}

/* steady (n) = -A^-1 (B v + c) under the first inputs; *found 0: there is none. */
static lf_status find_steady(const facts *f, double *steady, int *found)
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
    double *A = lf_doubles(n, n);
    for (size_t i = 0; A && i < n * n; i++) {
        A[i] = m->A[i % n * n + i / n]; /* column-major */
    }
    int info = A ? lf_solve(n, A, steady) : LF_LAPACK_NO_MEMORY;
    free(A);
    *found = info == 0;
    for (size_t i = 0; *found && i < n; i++) {
        *found = isfinite(steady[i]) != 0;
    }
    return info == LF_LAPACK_NO_MEMORY ? lf_no_memory(f->ctx) : LF_OK;
}

/* A parameter on which nothing but the start depends gives it the expected mean, or the size of its variable as its deviation. */
static lf_status set_start_parameter(facts *f, int p, double *before, const double *mean, const double *sd)
{
    lf_system_matrices *m = &f->matrices;
    double *constant = &f->model->system->constants[p], kept = *constant;
    size_t n = (size_t)m->n, others = m->value_count - 2 * n;
    *constant = 1;
    lf_status status = lf_equations_evaluate(f->ctx, f->equations, f->model->system->constants, m);
    memcpy(before, m->A, m->value_count * sizeof *before);
    *constant = 2;
    status = status ? status : lf_equations_evaluate(f->ctx, f->equations, f->model->system->constants, m);
    if (status || memcmp(before, m->A, others * sizeof *before) != 0) { /* it is about more than the start */
        *constant = kept;
        return status;
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
static lf_status set_start(facts *f)
{
    const lf_equations *equations = f->equations;
    lf_system *system = f->model->system;
    size_t n = (size_t)equations->state_count;
    double *mean = lf_doubles(n, 1), *sd = lf_doubles(n, 1), *steady = lf_doubles(n, 1),
           *before = lf_doubles(f->matrices.value_count, 1);
    lf_status status = mean && sd && steady && before ? LF_OK : lf_no_memory(f->ctx);
    int has_steady = 0;
    status = status ? status : find_steady(f, steady, &has_steady);
    for (int v = 0; !status && v < equations->variable_count; v++) {
        const lf_eq_variable *variable = &equations->variables[v];
        int d = f->shown_by[v], first = variable->first_state;
        mean[first] = d >= 0 ? f->summary->outputs[d].first / factor_of(f, d, v) : has_steady ? steady[first] : 0;
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
static lf_status set_values(facts *f, double time)
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
    status = status ? status : lf_equations_evaluate(f->ctx, f->equations, system->constants, &f->matrices);
    if (!status) {
        set_forces(f);
        status = set_start(f);
    }
    return status;
}

/* The log likelihood of the model as it stands; -infinity where it has none. */
static lf_status find_likelihood(facts *f, const lf_data *data, double *value)
{
    lf_engine *engine = NULL;
    lf_status status = lf_engine_create(f->ctx, f->model, data, NULL, &engine);
    status = status ? status : lf_engine_evaluate(engine, 0, NULL, value, NULL);
    lf_engine_free(engine);
    *value = status ? -(double)INFINITY : *value;
    return status == LF_ERROR_MEMORY ? status : LF_OK;
}

/* The values of the model for a time scale become one of the other starts. */
static lf_status add_start(facts *f, double time, lf_starts *starts)
{
    size_t count = f->model->parameter_count;
    starts->theta = starts->theta ? starts->theta : lf_doubles(MOST_STARTS, count);
    lf_status status = starts->theta ? set_values(f, time) : lf_no_memory(f->ctx);
    if (!status) {
        lf_model_get_theta(f->model, count, starts->theta + starts->count++ * count);
    }
    return status;
}

static lf_status choose_time(facts *f, const lf_data *data, lf_starts *starts)
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
        status = status ? status : find_likelihood(f, data, &values[i]);
        chosen = values[i] > best ? time : chosen;
        best = fmax(best, values[i]);
    }
    for (int i = 0; open && !status && i < times && starts->count < MOST_STARTS; i += 2) {
        double time = span * pow(10, -0.5 * i);
        status = time != chosen && isfinite(values[i]) ? add_start(f, time, starts) : LF_OK;
    }
    return status ? status : set_values(f, chosen);
}

static lf_status facts_create(lf_context *ctx, const lf_data_summary *summary, lf_model *model, facts *f)
{
    const lf_equations *equations = model->system->equations;
    size_t inputs = (size_t)equations->input_count, variables = (size_t)equations->variable_count,
           forces = (size_t)equations->force_count, parameters = (size_t)equations->parameter_count;
    *f = (facts){.ctx = ctx,
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
    return lf_system_matrices_create(ctx, equations, &f->matrices);
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

/* The first time that a row of an output is about: an average begins before it is read. */
static double first_time(const lf_data *data, const lf_data_summary *summary, const lf_model *model)
{
    double first = summary->begin;
    for (size_t i = 0; i < data->n; i++) {
        int d = lf_model_find_output(model, data->outputs.name[data->output[i]]);
        int averaged = d >= 0 && !(data->width && data->width[i] > 0);
        first = fmin(first, averaged ? data->x[i] - model->system->equations->outputs[d].width : INFINITY);
    }
    return first;
}

lf_status lf_system_starting_values(lf_context *ctx, const lf_data *data, const lf_data_summary *summary,
                                    const double *origin, lf_model *model, lf_starts *starts)
{
    facts f;
    model->origin = origin ? *origin : first_time(data, summary, model);
    lf_status status = facts_create(ctx, summary, model, &f);
    if (!status) {
        see_inputs(data, &f);
        status = see_outputs(&f);
    }
    if (!status) {
        set_noise(&f);
        status = choose_time(&f, data, starts);
    }
    facts_clear(&f);
    return status ? status : lf_model_check(ctx, model, "the equations");
}
