/* Priors and limits, T the span of the inputs and g the typical gap between them.
 *
 *   what                      centre                 sd of its logarithm   limits
 *   lengthscale               T / 10                 1.5                   max(g, T / R) … T / 3, or g … 2 T
 *   decay                     10 / T                 2                     0.01 / T … 4 / g
 *   damper / mass             20 / T                 2                     0.01 / T … 20 / g
 *   spring / mass             (10 / T)^2             4                     (0.05 / T)^2 … (3 / g)^2
 *   initial variance k        v (10 / T)^2k          2                     e^-12 … e^12 of the centre
 *   precision                 (10 / T)^2             3                     (0.3 / T)^2 … (4 / g)^2
 *   private amplitude         s / 2                  2                     e^-10 … e^5 of the centre
 *   sensitivity               0                      10 s (of itself)      none
 *   coefficient k             0                      a_0 (100 / T)^k       none
 *   noise variance            no prior                                     1e-6 v … 4 v
 *   offset                    mean of the output     10 sd of it           none
 *   inducing input            no prior                                     the limits of the inputs
 *   inducing noise            no prior                                     1e-10 … 1
 * The narrower limits of lengthscales are for engines whose columns resolve each lengthscale in a span: R, between 15 and
 * 60, is how many of them one evaluation in about a seventh of a second can resolve.
 * s is the norm of the sensitivities at the start, v the variance of the scaled output. With several inputs T is ten
 * times and g a hundredth of the standard deviation of an input times the square root of their number.
 *
 * A firm prior differs in this: sensitivities of 0.3 s, private amplitudes of 2 s (sd 0.5), noise of at least 1e-3 v. Many
 * smooth outputs with hardly any noise need it: without, sensitivities follow from the detail between one reading and the next,
 * not from what outputs have in common, and private forces vanish. */
#include "fit/expectation.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"

typedef struct scene {
    const lf_model *model;
    const lf_survey *survey;
    lf_expectation *expectation;
    lf_outlook outlook;
    double low, high; /* of lengthscales, in parts of the span */
} scene;

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
static void expect_log(const scene *s, int index, double centre, double sd, double low, double high)
{
    s->expectation->mean[index] = log(centre);
    s->expectation->sd[index] = sd;
    s->expectation->lower[index] = log(low);
    s->expectation->upper[index] = log(high);
}

/* A parameter of a size that may be of either sign. */
static void expect(const scene *s, int index, double mean, double sd, double size)
{
    s->expectation->mean[index] = mean;
    s->expectation->sd[index] = sd;
    s->expectation->size[index] = isfinite(size) ? size : 1;
}

/* T and g of input k. */
static void extent(const lf_model *model, const lf_survey *survey, int k, double *span, double *gap)
{
    double spread = survey->spread[k] / lf_model_input(model, k).scale * sqrt(survey->input_dim);
    *span = survey->series ? lf_survey_span(survey) : 10 * spread;
    *gap = survey->series ? fmin(survey->gap, *span / 10) : 0.01 * spread;
}

/* What depends on the firmness of the prior. Sensitivities and amplitudes are in units of s. */
static const struct {
    double sensitivity, private_amplitude, private_sd, least_noise;
} terms[] = {
    [LF_PRIOR_WEAK] = {10, 0.5, 2, 1e-6},
    [LF_PRIOR_FIRM] = {0.3, 2, 0.5, 1e-3},
    [LF_PRIOR_NONE] = {10, 0.5, 2, 1e-6},
};

static void expect_force(const scene *s, const lf_force *force, int index)
{
    for (int k = 0; k < force->lengthscale_count; k++) {
        double T, g;
        extent(s->model, s->survey, k, &T, &g);
        /* values at K inputs carry nothing shorter than about their distance */
        double shortest = force->inducing_count > 1 && s->survey->series ? T / (force->inducing_count - 1) : 0;
        expect_log(s, index + k, T / 10, 1.5, fmin(fmax(fmax(g, s->low * T), shortest), T / 4), s->high * T);
    }
}

/* Inducing values: their inputs stay where data are, and their noise below their variance. */
static void expect_inducing(const scene *s, int q)
{
    const lf_model *model = s->model;
    int noise = lf_index_inducing_noise(model, q), first = lf_index_inducing(model, q), p = model->input_dim;
    if (noise >= 0) {
        expect_log(s, noise, 1, INFINITY, 1e-10, 1);
    }
    for (int i = 0; i < model->forces[q].inducing_count * p; i++) {
        double T, g;
        extent(s->model, s->survey, i % p, &T, &g);
        s->expectation->size[first + i] = T / 10;
        s->expectation->lower[first + i] = lf_input_seen(model, i % p, s->survey->low[i % p]);
        s->expectation->upper[first + i] = lf_input_seen(model, i % p, s->survey->high[i % p]);
    }
}

static void expect_constants(const scene *s, int d)
{
    const lf_output *output = &s->model->outputs[d];
    int index = lf_index_constants(s->model, d);
    double T, g, *c = output->constants;
    extent(s->model, s->survey, 0, &T, &g);
    if (output->op == &lf_operator_ode1) {
        expect_log(s, index, 10 / T, 2, 0.01 / T, 4 / g);
    } else if (output->op == &lf_operator_ode2) {
        expect_log(s, index + 1, c[0] * 20 / T, 2, c[0] * 0.01 / T, c[0] * 20 / g);
        expect_log(s, index + 2, c[0] * pow(10 / T, 2), 4, c[0] * pow(0.05 / T, 2), c[0] * pow(3 / g, 2));
    } else if (output->op == &lf_operator_gaussian) {
        for (int k = 0; k < output->constant_count; k++) {
            extent(s->model, s->survey, k, &T, &g);
            expect_log(s, index + k, pow(10 / T, 2), 3, pow(0.3 / T, 2), pow(4 / g, 2));
        }
    } else {
        for (int k = 1; k < output->constant_count; k++) {
            expect(s, index + k, 0, fabs(c[0]) * pow(100 / T, k), fabs(c[0]) * pow(10 / T, k));
        }
    }
}

static void expect_output(const scene *s, int d)
{
    const lf_model *model = s->model;
    const lf_output *output = &model->outputs[d];
    const lf_output_survey *seen = &s->survey->outputs[d];
    double scaled = seen->sd > 0 ? seen->sd / output->scale : 1, variance = scaled * scaled, T, g;
    lf_prior prior = s->outlook.prior;
    double norm = output->has_private ? output->private_amplitude * output->private_amplitude : 0;
    extent(s->model, s->survey, 0, &T, &g);
    for (int q = 0; q < model->force_count; q++) {
        norm += output->sensitivity[q] * output->sensitivity[q];
    }
    norm = norm > 0 ? sqrt(norm) : INFINITY;
    for (int q = 0; q < model->force_count; q++) {
        expect(s, lf_index_sensitivity(model, d) + q, 0, terms[prior].sensitivity * norm, norm);
    }
    expect_log(s, lf_index_noise(model, d), variance, INFINITY, terms[prior].least_noise * variance, 4 * variance);
    for (int k = 0; model->initial == LF_INITIAL_FREE && k < output->order; k++) {
        double centre = variance * pow(10 / T, 2 * k);
        expect_log(s, lf_index_initial_variance(model, d) + k, centre, 2, centre * exp(-12), centre * exp(12));
    }
    if (output->has_private) {
        expect_force(s, &output->private_force, lf_index_private_lengthscale(model, d));
        if (isfinite(norm)) {
            expect_log(s, lf_index_private_amplitude(model, d), norm * terms[prior].private_amplitude,
                       terms[prior].private_sd, norm / 2 * exp(-10), norm / 2 * exp(5));
        }
    }
    double spread = seen->sd > 0 ? seen->sd : fabs(seen->mean) + 1;
    expect(s, lf_index_offset(model, d), seen->mean, 10 * spread, spread);
    expect_constants(s, d);
}

/* A bound of the model goes before a limit, unless it is no bound. */
static void apply_bounds(const lf_model *model, lf_expectation *expectation)
{
    for (size_t i = 0; i < model->parameter_count; i++) {
        const lf_parameter_entry *entry = &model->parameters[i];
        int logarithm = entry->transform == LF_TRANSFORM_LOG;
        if (logarithm ? entry->lower > 0 : isfinite(entry->lower)) {
            expectation->lower[i] = logarithm ? log(entry->lower) : entry->lower;
            expectation->upper[i] = fmax(expectation->upper[i], expectation->lower[i]);
        }
        if (isfinite(entry->upper)) {
            expectation->upper[i] = logarithm ? log(entry->upper) : entry->upper;
            expectation->lower[i] = fmin(expectation->lower[i], expectation->upper[i]);
        }
    }
}

lf_status lf_expectation_create(lf_context *ctx, const lf_model *model, const lf_survey *survey, lf_outlook outlook,
                                lf_expectation *expectation)
{
    size_t count = model->parameter_count;
    *expectation = (lf_expectation){.mean = lf_doubles(count, 1),
                                    .sd = lf_doubles(count, 1),
                                    .lower = lf_doubles(count, 1),
                                    .upper = lf_doubles(count, 1),
                                    .size = lf_doubles(count, 1)};
    if (!expectation->mean || !expectation->sd || !expectation->lower || !expectation->upper || !expectation->size) {
        lf_expectation_clear(expectation);
        return lf_no_memory(ctx);
    }
    for (size_t i = 0; i < count; i++) {
        expectation->sd[i] = expectation->upper[i] = (double)INFINITY;
        expectation->lower[i] = -(double)INFINITY;
        expectation->size[i] = 1;
    }
    int by_columns = outlook.by_columns;
    scene s = {model, survey, expectation, outlook, by_columns ? 1 / affordable(model) : 0, by_columns ? 1.0 / 3 : 2};
    for (int q = 0; q < model->force_count; q++) {
        expect_force(&s, &model->forces[q], lf_index_lengthscale(model, q));
        expect_inducing(&s, q);
    }
    for (int d = 0; d < model->output_count; d++) {
        expect_output(&s, d);
    }
    for (size_t i = 0; outlook.prior == LF_PRIOR_NONE && i < count; i++) {
        expectation->sd[i] = (double)INFINITY;
    }
    apply_bounds(model, expectation);
    return LF_OK;
}

void lf_expectation_clear(lf_expectation *expectation)
{
    free(expectation->mean);
    free(expectation->sd);
    free(expectation->lower);
    free(expectation->upper);
    free(expectation->size);
    *expectation = (lf_expectation){0};
}
