/* Starting values.
 *
 * A series with time scale tau gets an operator that forgets in about tau; component c of the outputs becomes force c,
 * a little rougher than the component, because an operator smooths. Sensitivities are such that each force alone would
 * give its output the share of variance that the component has in it: S = share / gain, gain the standard deviation of
 * the output under a force of sensitivity 1. What the components leave is divided between private force and noise. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "exact/exact_covariance.h"
#include "exact/quadrature.h"
#include "start/initial_model.h"

#define ROUGHER 0.7         /* lengthscale of a force over the time scale of its component */
#define LEAST_RESIDUAL 0.02 /* of the variance of an output, for its private force */
#define LEAST_NOISE 1e-4    /* of the variance of an output */
#define COARSE 1e-4         /* tolerance of a variance */

/* (s + rate)^P: every mode forgets at the same rate. */
static void start_ode(lf_output *output, double timescale)
{
    int P = output->order;
    double rate = P / timescale, a[LF_MAX_ORDER + 1] = {1};
    for (int k = 1; k <= P; k++) {
        a[k] = a[k - 1] * rate * (P - k + 1) / k;
    }
    for (int i = 0; i < output->constant_count; i++) {
        output->constants[i] = a[i + output->op->first_coefficient];
    }
}

/* Several inputs: the standard deviation of input k as the model sees it. */
static double spread_of(const lf_data_summary *summary, const lf_model *model, int k)
{
    return summary->spread[k] / lf_model_input(model, k).scale;
}

static void start_force(const lf_data_summary *summary, const lf_model *model, lf_force *force, double timescale)
{
    for (int k = 0; k < force->lengthscale_count; k++) {
        double open = summary->series ? ROUGHER * timescale : sqrt(summary->input_dim) * spread_of(summary, model, k);
        force->lengthscale[k] = isnan(force->lengthscale[k]) ? open : force->lengthscale[k];
    }
    for (int i = 0; i < force->term_count; i++) { /* what the formula leaves open */
        lf_force_term *term = &force->terms[i];
        double span = lf_data_summary_span(summary);
        double open = term->envelope == &lf_force_kernel_linear ? span
                      : term->modulation                        ? fmax(span / 3, term->period)
                                                                : ROUGHER * timescale;
        term->lengthscale = isnan(term->lengthscale) ? open : term->lengthscale;
        term->period_lengthscale = isnan(term->period_lengthscale) ? 1 : term->period_lengthscale;
    }
}

static void start_operator(const lf_data_summary *summary, const lf_model *model, int d, lf_output *output)
{
    double timescale = summary->outputs[d].timescale;
    if (output->op->is_ode) {
        start_ode(output, timescale);
        for (int k = 0; k < output->order; k++) {
            output->initial_variance[k] = pow(timescale, -2.0 * k);
        }
        return;
    }
    for (int k = 0; k < output->constant_count; k++) { /* less than what the force varies over */
        double width = summary->series ? timescale / 3 : spread_of(summary, model, k) / 10;
        output->constants[k] = 1 / (width * width);
    }
}

/* How variances are found. Engines have no exact covariances of composed forces and smoothing operators; for starting values a coarse
 * quadrature is exact enough. */
static lf_status choose_covariance(lf_context *ctx, const lf_data_summary *summary, const lf_model *model,
                                   lf_exact_covariance *kernel)
{
    if (lf_model_composed_force(model) && !lf_has_exact_states(model) && !lf_quadrature_obstacle(model)) {
        *kernel = (lf_exact_covariance){.route = LF_ROUTE_QUADRATURE, .tolerance = COARSE};
        return LF_OK;
    }
    return lf_exact_covariance_choose(ctx, model, &(lf_engine_options){0}, summary->low[0], summary->high[0], kernel);
}

lf_status lf_force_gains(lf_context *ctx, const lf_data_summary *summary, const lf_model *model, int q, double *gain)
{
    size_t D = (size_t)model->output_count, p = (size_t)model->input_dim;
    lf_model *probe = NULL;
    lf_point_set set = {0};
    lf_exact_covariance kernel;
    int *target = calloc(D, sizeof *target);
    double *x = lf_doubles(D, p);
    lf_status status = target && x ? lf_model_copy(ctx, model, &probe) : lf_no_memory(ctx);
    for (size_t d = 0; !status && d < D; d++) {
        lf_output *output = &probe->outputs[d];
        for (int i = 0; i < model->force_count; i++) {
            output->sensitivity[i] = i == q;
        }
        output->private_amplitude = q < 0;
        for (int k = 0; k < output->order; k++) {
            output->initial_variance[k] = 0;
        }
        target[d] = (int)d;
        memcpy(x + d * p, summary->high, p * sizeof *x);
    }
    lf_point_list points = {.n = D, .target = target, .x = x};
    LF_TRY(status, choose_covariance(ctx, summary, probe, &kernel));
    LF_TRY(status, lf_point_set_create(ctx, probe, &points, D, NULL, &set));
    LF_TRY(status, lf_exact_covariance_diagonal(ctx, probe, kernel, &set, gain));
    for (size_t d = 0; !status && d < D; d++) { /* sorted by target: in the order of the outputs */
        gain[d] = sqrt(fmax(gain[d], 1e-300));
    }
    lf_point_set_clear(&set);
    lf_model_free(probe);
    free(target);
    free(x);
    return status;
}

/* Noise and private force of one output from what the components leave of its unit variance. */
static void start_rest(const lf_output_summary *seen, double explained, double private_gain, lf_output *output)
{
    double variance = seen->sd > 0 ? seen->sd * seen->sd : 1, size = sqrt(variance) / output->scale;
    double noise = fmin(fmax(seen->noise / variance, LEAST_NOISE), 0.5);
    double rest = fmax(1 - explained - noise, LEAST_RESIDUAL);
    output->noise_variance = (output->has_private ? noise : noise + 0.1 * rest) * size * size;
    output->private_amplitude = output->has_private ? sqrt(rest) * size / private_gain : 0;
    for (int k = 0; k < output->order; k++) {
        output->initial_variance[k] *= size * size;
    }
}

/* Two copies that are rotated into each other are the same model: of two that repeat, the output that has most of them feels only the first.
 * Which one that is does not depend on the order of the outputs. shares (D x components). */
static void fix_rotations(const double *shares, int components, lf_model *model)
{
    for (int q = 1; q < model->force_count; q++) {
        const lf_force *force = &model->forces[q];
        int leader = model->parameters[force->first_parameter].tied_to;
        if (force->term_count && force->terms->modulation && leader == model->forces[q - 1].first_parameter) {
            int first = (q - 1) % components, second = q % components, strongest = 0;
            double largest = -1;
            for (int d = 0; d < model->output_count; d++) {
                double share = hypot(shares[d * components + first], shares[d * components + second]);
                if (share > largest + 1e-9) { /* equal but for rounding: the earlier one */
                    largest = share;
                    strongest = d;
                }
            }
            model->outputs[strongest].sensitivity[q] = 0;
            lf_parameter_fix(model, (size_t)(lf_index_sensitivity(model, strongest) + q), 1);
        }
    }
}

lf_status lf_starting_values(lf_context *ctx, const lf_data_summary *summary, lf_model *model)
{
    int D = model->output_count, Q = model->force_count, components = Q < D ? Q : D;
    size_t rows = (size_t)D;
    double *shares = lf_doubles(rows, (size_t)components), *timescales = lf_doubles((size_t)components, 1),
           *gain = lf_doubles(rows, 1), *explained = lf_doubles(rows, 1);
    lf_status status = shares && timescales && gain && explained ? LF_OK : lf_no_memory(ctx);
    LF_TRY(status, lf_principal_components(ctx, summary, components, shares, timescales));
    for (int q = 0; !status && q < Q; q++) { /* more forces than outputs: the components again, faster and faster */
        start_force(summary, model, &model->forces[q], timescales[q % components] / (1 + q / components));
    }
    for (size_t i = 0; !status && i < model->parameter_count; i++) { /* copies have the lengthscales of the first */
        const lf_parameter_entry *entry = &model->parameters[i];
        *entry->value = entry->tied_to >= 0 ? *model->parameters[entry->tied_to].value : *entry->value;
    }
    for (int d = 0; !status && d < D; d++) {
        start_operator(summary, model, d, &model->outputs[d]);
        if (model->outputs[d].has_private) {
            start_force(summary, model, &model->outputs[d].private_force, summary->outputs[d].timescale);
        }
    }
    for (int q = 0; !status && q < Q; q++) {
        status = lf_force_gains(ctx, summary, model, q, gain);
        for (int d = 0; !status && d < D; d++) {
            lf_output *output = &model->outputs[d];
            double size = summary->outputs[d].sd > 0 ? summary->outputs[d].sd / output->scale : 1;
            double share = shares[d * components + q % components] / (1 + q / components);
            output->sensitivity[q] = share * size / gain[d];
            explained[d] += share * share;
        }
    }
    if (!status) {
        status = lf_force_gains(ctx, summary, model, -1, gain);
    }
    for (int d = 0; !status && d < D; d++) {
        start_rest(&summary->outputs[d], explained[d], gain[d], &model->outputs[d]);
    }
    if (!status) {
        fix_rotations(shares, components, model);
    }
    free(shares);
    free(timescales);
    free(gain);
    free(explained);
    return status;
}
