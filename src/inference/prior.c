/* Priors and limits, T the span of the inputs and g the typical gap between them.
 *
 *   what                      centre                 sd of its logarithm   limits
 *   lengthscale               T / 10                 1.5                   max(g, T / R) … T / 3, or g … 2 T
 *   of a modulated envelope   T / 2                  1.5                   period / 4 … 20 T, or T / 3
 *   of a linear term          T                      1.5                   T / 100 … 100 T
 *   period                    its starting value     0.1                   the value / 1.5 … 1.5 times the value
 *   period_lengthscale        1                      1                     0.2 … 10
 *   weight                    1                      2                     e^-12 … e^12
 *   decay                     10 / T                 2                     0.01 / T … 4 / g
 *   damper / mass             20 / T                 2                     0.01 / T … 20 / g
 *   spring / mass             (10 / T)^2             4                     (0.05 / T)^2 … (3 / g)^2
 *   initial variance k        v (10 / T)^2k          2                     e^-12 … e^12 of the centre
 *   precision                 (10 / T)^2             3                     (0.3 / T)^2 … (4 / g)^2
 *   private amplitude         s / 2                  2                     e^-10 … e^5 of the centre
 *   sensitivity               0                      10 s (of itself)      none
 *   gain of a known input     0                      10 s / its size       none
 *   coefficient k             0                      a_0 (100 / T)^k       none
 *   noise variance            no prior                                     1e-6 v … 4 v
 *     with several inputs     v / 20                 1.5                   1e-6 v … 4 v
 *   number of a likelihood    as likelihood/NAME.c says
 *   offset                    mean of the output     10 sd of it           none
 *   inducing input            no prior                                     the limits of the inputs
 *   inducing noise            no prior                                     1e-10 … 1
 * The narrower limits of lengthscales are for engines whose columns resolve each lengthscale in a span: R, between 15 and
 * 60, is how many of them one evaluation in about a seventh of a second can resolve.
 * s is the norm of the sensitivities at the start, v the variance of the scaled output. A white force has a variance per time and an impulse
 * acts at once: with tau the time scale of the output, a white force of sensitivity S counts as one of S / sqrt(tau), and an impulse v as an
 * input of v / tau, so that s, and with it the prior, is the same for any unit of time. With several inputs T is ten
 * times and g a hundredth of the standard deviation of an input times the square root of their number. There the places of an
 * output are few and far apart, and a noise that only the likelihood bounds can vanish: the model then runs through every value,
 * and its predictions are many standard deviations off.
 *
 * To a weak prior share_prior.c adds a term for the sensitivities of few outputs with private forces.
 *
 * A firm prior differs in this: sensitivities of 0.3 s, private amplitudes of 2 s (sd 0.5), noise of at least 1e-3 v, or of
 * what other outputs do not explain (component_count.h) if that is less. Many
 * smooth outputs with little noise need it: without, sensitivities follow from the detail between one reading and the next,
 * not from what outputs have in common, and private forces vanish. */
#include "inference/prior.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "engine/engine.h"
#include "plan/input_facts.h"

typedef struct builder {
    const lf_model *model;
    const lf_data_summary *summary;
    const lf_input_facts *inputs; /* (known inputs) */
    lf_prior *prior;
    lf_prior_kind kind;
    double low, high; /* of lengthscales, in parts of the span */
} builder;

/* Lengthscales in a span that are affordable. With Q shared forces and D private ones, S frequencies each cost about
 * 8 Q^3 S^3 + 160 D S^3 operations in the fourier engine, the cheapest for EQ forces, and R lengthscales in a span need
 * about 2.7 R frequencies. */
static double affordable(const lf_model *model)
{
    double Q = model->force_count, owners = 0, operations = 4e9;
    for (int d = 0; d < model->output_count; d++) {
        owners += model->outputs[d].has_private;
    }
    return fmin(fmax(cbrt(operations / (8 * Q * Q * Q + 160 * owners)) / 2.7, 15), 60);
}

/* Logarithm of a parameter: normal about log(centre), between low and high. */
static void set_log(const builder *b, int index, double centre, double sd, double low, double high)
{
    b->prior->mean[index] = log(centre);
    b->prior->sd[index] = sd;
    b->prior->lower[index] = log(low);
    b->prior->upper[index] = log(high);
}

/* A parameter of a size that may be of either sign. */
static void set_real(const builder *b, int index, double mean, double sd, double size)
{
    b->prior->mean[index] = mean;
    b->prior->sd[index] = sd;
    b->prior->step_scale[index] = isfinite(size) ? size : 1;
}

/* T and g of input k. */
static void extent(const lf_model *model, const lf_data_summary *summary, int k, double *span, double *gap)
{
    double spread = summary->spread[k] / lf_model_input(model, k).scale * sqrt(summary->input_dim);
    *span = summary->series ? lf_data_summary_span(summary) : 10 * spread;
    *gap = summary->series ? fmin(summary->gap, *span / 10) : 0.01 * spread;
}

/* What depends on the firmness of the prior. Sensitivities and amplitudes are in units of s. */
static const struct {
    double sensitivity, private_amplitude, private_sd, least_noise;
} terms[] = {
    [LF_PRIOR_WEAK] = {10, 0.5, 2, 1e-6},
    [LF_PRIOR_FIRM] = {0.3, 2, 0.5, 1e-3},
    [LF_PRIOR_NONE] = {10, 0.5, 2, 1e-6},
};

/* Parameter i of a composed force. A modulated envelope says how long a cycle keeps its shape: as long as the data, or shorter. */
static void set_term_parameter(const builder *b, const lf_force *force, int i, int index)
{
    lf_force_parameter parameter = lf_force_parameter_at(force, i);
    const lf_force_term *term = &force->terms[parameter.term < 0 ? 0 : parameter.term];
    double T, g, value = *parameter.value;
    extent(b->model, b->summary, 0, &T, &g);
    if (parameter.value == &term->period) {
        set_log(b, index, value, 0.1, value / 1.5, value * 1.5);
    } else if (parameter.value == &term->period_lengthscale) {
        set_log(b, index, 1, 1, 0.2, 10);
    } else if (parameter.value == &term->weight) {
        set_log(b, index, 1, 2, exp(-12), exp(12));
    } else if (term->envelope == &lf_force_kernel_linear) {
        set_log(b, index, T, 1.5, T / 100, 100 * T);
    } else if (term->modulation) {
        double longest = b->high > 1 ? 20 * T : b->high * T;
        set_log(b, index, T / 2, 1.5, fmin(term->period / 4, T / 4), fmax(longest, term->period));
    } else {
        set_log(b, index, T / 10, 1.5, fmin(fmax(g, b->low * T), T / 4), b->high * T);
    }
}

static void set_force(const builder *b, const lf_force *force, int index)
{
    for (int k = 0; k < force->lengthscale_count; k++) {
        double T, g;
        extent(b->model, b->summary, k, &T, &g);
        /* values at K inputs carry nothing shorter than about their distance */
        double shortest = force->inducing_count > 1 && b->summary->series ? T / (force->inducing_count - 1) : 0;
        set_log(b, index + k, T / 10, 1.5, fmin(fmax(fmax(g, b->low * T), shortest), T / 4), b->high * T);
    }
    for (int i = 0; i < (force->term_count ? lf_force_parameter_count(force) : 0); i++) {
        set_term_parameter(b, force, i, index + i);
    }
}

/* Inducing values: their inputs stay where data are, and their noise below their variance. */
static void set_inducing(const builder *b, int q)
{
    const lf_model *model = b->model;
    int noise = lf_index_inducing_noise(model, q), first = lf_index_inducing(model, q), p = model->input_dim;
    if (noise >= 0) {
        set_log(b, noise, 1, INFINITY, 1e-10, 1);
    }
    for (int i = 0; i < model->forces[q].inducing_count * p; i++) {
        double T, g;
        extent(b->model, b->summary, i % p, &T, &g);
        b->prior->step_scale[first + i] = T / 10;
        b->prior->lower[first + i] = lf_input_seen(model, i % p, b->summary->low[i % p]);
        b->prior->upper[first + i] = lf_input_seen(model, i % p, b->summary->high[i % p]);
    }
}

static void set_constants(const builder *b, int d)
{
    const lf_output *output = &b->model->outputs[d];
    int index = lf_index_constants(b->model, d);
    for (int i = 0; i < output->constant_count; i++) {
        double T, g;
        extent(b->model, b->summary, b->model->input_dim > 1 ? i : 0, &T, &g);
        lf_constant_prior prior = output->op->prior(output->constants, i, T, g);
        if (prior.sd > 0 && output->op->positive) {
            set_log(b, index + i, prior.centre, prior.sd, prior.low, prior.high);
        } else if (prior.sd > 0) {
            set_real(b, index + i, prior.centre, prior.sd, prior.size);
        }
    }
}

double lf_sensitivity_unit(const lf_force *force, double time)
{
    return lf_force_has_envelope(force, &lf_force_kernel_white) ? sqrt(time) : 1;
}

/* Squared, for s. */
static double square_of(const lf_force *force, double time, double sensitivity)
{
    double size = sensitivity / lf_sensitivity_unit(force, time);
    return size * size;
}

static void set_output(const builder *b, int d)
{
    const lf_model *model = b->model;
    const lf_output *output = &model->outputs[d];
    const lf_output_summary *seen = &b->summary->outputs[d];
    double scaled = seen->sd > 0 ? seen->sd / output->scale : 1, variance = scaled * scaled, T, g;
    double time = b->prior->time[d] = seen->timescale > 0 ? seen->timescale : 1;
    double norm = output->has_private ? square_of(&output->private_force, time, output->private_amplitude) : 0;
    extent(b->model, b->summary, 0, &T, &g);
    for (int q = 0; q < model->force_count && !model->system; q++) {
        norm += square_of(&model->forces[q], time, output->sensitivity[q]);
    }
    norm = norm > 0 ? sqrt(norm) : INFINITY;
    /* the unit of the optimiser is what the prior expects: with many forces that takes half the iterations of s */
    double sd = terms[b->kind].sensitivity * norm, unit = fmin(terms[b->kind].sensitivity, 1) * norm;
    for (int q = 0; !model->system && q < model->force_count; q++) {
        double one = lf_sensitivity_unit(&model->forces[q], time);
        set_real(b, lf_index_sensitivity(model, d) + q, 0, sd * one, unit * one);
    }
    double least = model->system ? 1e-10 : terms[b->kind].least_noise;
    if (seen->unexplained > 0) { /* noise is a part of what other outputs do not explain */
        least = fmin(least, fmax(seen->unexplained, terms[LF_PRIOR_WEAK].least_noise));
    }
    int scattered = !b->summary->series;
    set_log(b, lf_index_noise(model, d), scattered ? variance / 20 : variance, scattered ? 1.5 : INFINITY,
            least * variance, 4 * variance);
    const lf_likelihood *likelihood = lf_output_likelihood(output);
    if (likelihood->number) {
        set_log(b, lf_index_likelihood_number(model, d), likelihood->number_centre, likelihood->number_sd,
                likelihood->number_low, likelihood->number_high);
    }
    for (int k = 0; model->initial == LF_INITIAL_FREE && k < output->order; k++) {
        double centre = variance * pow(10 / T, 2 * k);
        set_log(b, lf_index_initial_variance(model, d) + k, centre, 2, centre * exp(-12), centre * exp(12));
    }
    if (model->system) {
        return;
    }
    for (int i = 0; i < model->known_count; i++) {
        double one = (model->known[i].hold == LF_HOLD_IMPULSE ? time : 1) / b->inputs[i].size;
        set_real(b, lf_index_gain(model, d) + i, 0, sd * one, norm * one);
    }
    if (output->has_private) {
        set_force(b, &output->private_force, lf_index_private_kernel(model, d));
        if (isfinite(norm)) {
            double size = norm * lf_sensitivity_unit(&output->private_force, time);
            set_log(b, lf_index_private_amplitude(model, d), size * terms[b->kind].private_amplitude,
                    terms[b->kind].private_sd, size / 2 * exp(-10), size / 2 * exp(5));
        }
    }
    double spread = seen->sd > 0 ? seen->sd : fabs(seen->mean) + 1;
    set_real(b, lf_index_offset(model, d), seen->mean, 10 * spread, spread);
    set_constants(b, d);
}

/* Bounds of the model override the limits. */
static void apply_bounds(const lf_model *model, lf_prior *prior)
{
    for (size_t i = 0; i < model->parameter_count; i++) {
        const lf_parameter_entry *entry = &model->parameters[i];
        int logarithm = entry->transform == LF_TRANSFORM_LOG;
        if (logarithm ? entry->lower > 0 : isfinite(entry->lower)) {
            prior->lower[i] = logarithm ? log(entry->lower) : entry->lower;
            prior->upper[i] = fmax(prior->upper[i], prior->lower[i]);
        }
        if (isfinite(entry->upper)) {
            prior->upper[i] = logarithm ? log(entry->upper) : entry->upper;
            prior->lower[i] = fmin(prior->lower[i], prior->upper[i]);
        }
    }
}

static lf_status allocate(lf_context *ctx, const lf_model *model, lf_prior *prior)
{
    size_t count = model->parameter_count;
    *prior = (lf_prior){.mean = lf_doubles(count, 1),
                        .sd = lf_doubles(count, 1),
                        .lower = lf_doubles(count, 1),
                        .upper = lf_doubles(count, 1),
                        .step_scale = lf_doubles(count, 1),
                        .asinh_scale = lf_doubles(count, 1),
                        .spread = lf_doubles(count, 1),
                        .time = lf_doubles((size_t)model->output_count, 1),
                        .of_value = calloc(count + 1, 1)};
    if (!prior->mean || !prior->sd || !prior->of_value || !prior->lower || !prior->upper || !prior->step_scale ||
        !prior->asinh_scale || !prior->spread || !prior->time) {
        return lf_no_memory(ctx);
    }
    for (size_t i = 0; i < count; i++) {
        prior->sd[i] = prior->upper[i] = (double)INFINITY;
        prior->lower[i] = -(double)INFINITY;
        prior->step_scale[i] = 1;
        prior->spread[i] = 0.5;
    }
    return LF_OK;
}

lf_status lf_prior_of_model(lf_context *ctx, const lf_problem *problem, const lf_model *model, lf_prior_options options,
                            lf_prior *prior)
{
    lf_input_facts *inputs = calloc((size_t)model->known_count + 1, sizeof *inputs);
    lf_status status = allocate(ctx, model, prior);
    status = status || inputs ? status : lf_no_memory(ctx);
    LF_TRY(status, lf_input_facts_find(ctx, problem->training, model, inputs));
    if (status) {
        lf_prior_clear(prior);
        free(inputs);
        return status;
    }
    prior->of_shares = options.kind == LF_PRIOR_WEAK && !options.without_shares && lf_few_outputs(model->output_count);
    int limited = options.resolves_lengthscales;
    builder b = {.model = model,
                 .summary = problem->summary,
                 .inputs = inputs,
                 .prior = prior,
                 .kind = options.kind,
                 .low = limited ? 1 / affordable(model) : 0,
                 .high = limited ? 1.0 / 3 : 2};
    if (model->system) {
        double T, g;
        extent(model, problem->summary, 0, &T, &g);
        lf_system_prior(model, T, g, prior);
    }
    for (int q = 0; !model->system && q < model->force_count; q++) {
        set_force(&b, &model->forces[q], lf_index_kernel(model, q));
        set_inducing(&b, q);
    }
    for (int d = 0; d < model->output_count; d++) {
        set_output(&b, d);
    }
    for (size_t i = 0; options.kind == LF_PRIOR_NONE && i < model->parameter_count; i++) {
        prior->sd[i] = (double)INFINITY;
    }
    apply_bounds(model, prior);
    free(inputs);
    return LF_OK;
}

lf_status lf_prior_create(lf_context *ctx, const lf_problem *problem, const lf_structure *s, lf_prior *prior)
{
    lf_rows rows;
    lf_engine_choice choice;
    double bytes; /* at the limits of the prior it may be less */
    *prior = (lf_prior){0};
    lf_status status = lf_rows_create(ctx, s->start, problem->training, &rows);
    if (status) {
        return status;
    }
    size_t engines = ctx->engines;
    ctx->engines = s->restarts;
    status = lf_engine_estimate(ctx, s->start, &rows, &s->fitting, &choice, &bytes);
    ctx->engines = engines;
    lf_rows_clear(&rows);
    if (status) {
        return status;
    }
    lf_prior_options wanted = {
        .kind = s->prior, .without_shares = s->without_shares, .resolves_lengthscales = choice.resolves_lengthscales};
    return lf_prior_of_model(ctx, problem, s->start, wanted, prior);
}

void lf_prior_clear(lf_prior *prior)
{
    free(prior->mean);
    free(prior->sd);
    free(prior->lower);
    free(prior->upper);
    free(prior->step_scale);
    free(prior->asinh_scale);
    free(prior->spread);
    free(prior->time);
    free(prior->of_value);
    *prior = (lf_prior){0};
}

lf_coordinate lf_prior_coordinate(const lf_prior *prior, size_t i)
{
    double scale = prior->asinh_scale[i];
    return scale > 0 ? (lf_coordinate){.kind = LF_COORDINATE_ASINH, .scale = scale}
                     : (lf_coordinate){.kind = LF_COORDINATE_SCALED, .scale = prior->step_scale[i]};
}

lf_status lf_clamp_to_bounds(lf_context *ctx, const lf_prior *prior, lf_model *model)
{
    size_t count = model->parameter_count;
    double *theta = lf_doubles(count, 1);
    if (!theta) {
        return lf_no_memory(ctx);
    }
    lf_model_theta(model, theta);
    for (size_t i = 0; i < count; i++) {
        if (model->parameters[i].tied_to < 0 && !lf_parameter_is_fixed(model, i)) {
            theta[i] = fmin(fmax(theta[i], prior->lower[i]), prior->upper[i]);
        }
    }
    lf_status status = lf_model_set_theta(ctx, model, count, theta);
    free(theta);
    return status;
}
