/* Values carried over between models that differ in their forces. A force of the smaller one has the values of a force of the larger one; where the
 * kernels differ, the outputs keep the variance that they have from it. Everything else is the same. */
#include "select/carry_over.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "start/initial_model.h"

typedef struct transfer {
    const lf_data_summary *summary;
    const lf_model *from; /* fitted */
    lf_model *to;
    int *source;             /* (forces of `to`) the force of `from`; -1: none */
    double *values, *theta;  /* of `from`, of `to` */
    double *values_at_start; /* of `to` */
    double *had, *has;       /* (outputs) the standard deviation of each under a force of sensitivity 1 */
} transfer;

/* ---- which force ---- */

/* The sum over outputs of S_q^2 / (sum of S^2 + A^2), A the private amplitude, for copies of a force together. */
static double share_of(const lf_model *model, int first, int copies)
{
    double sum = 0;
    for (int d = 0; d < model->output_count; d++) {
        const lf_output *output = &model->outputs[d];
        double all = output->has_private ? output->private_amplitude * output->private_amplitude : 0, own = 0;
        for (int q = 0; q < model->force_count; q++) {
            double square = output->sensitivity[q] * output->sensitivity[q];
            all += square;
            own += q >= first && q < first + copies ? square : 0;
        }
        sum += all > 0 ? own / all : 0;
    }
    return sum;
}

/* The forces with the largest shares, in their order. Those of periods come last and are in both. */
static void match(transfer *t, int copies, int have, int want)
{
    int kept = 0;
    for (int q = 0; q < t->to->force_count; q++) {
        t->source[q] = q < want ? -1 : have + q - want;
    }
    for (int q = 0; q < have; q += copies) {
        double share = share_of(t->from, q, copies);
        int before = 0;
        for (int other = 0; other < have; other += copies) {
            double theirs = share_of(t->from, other, copies);
            before += theirs > share || (theirs == share && other < q);
        }
        for (int i = 0; i < copies && before * copies < want; i++) {
            t->source[kept++] = q + i;
        }
    }
}

/* ---- values ---- */

static void copy(transfer *t, int from, int to, int count)
{
    if (count > 0) {
        memcpy(t->theta + to, t->values + from, (size_t)count * sizeof *t->theta);
    }
}

static int has_same_kernel(const lf_force *a, const lf_force *b)
{
    return a->kernel == b->kernel && a->term_count == b->term_count &&
           lf_force_parameter_count(a) == lf_force_parameter_count(b);
}

/* The standard deviations of the outputs under force `from` of the one model and `to` of the other, -1: the private ones. */
static lf_status find_gains(lf_context *ctx, transfer *t, int from, int to)
{
    lf_status status = lf_force_gains(ctx, t->summary, t->from, from, t->had);
    LF_TRY(status, lf_force_gains(ctx, t->summary, t->to, to, t->has));
    return status;
}

static lf_status fill_force(lf_context *ctx, transfer *t, int q)
{
    int source = t->source[q], same = source >= 0 && has_same_kernel(&t->from->forces[source], &t->to->forces[q]);
    lf_status status = source < 0 || same ? LF_OK : find_gains(ctx, t, source, q);
    if (!status && same) {
        copy(t, lf_index_kernel(t->from, source), lf_index_kernel(t->to, q),
             lf_force_parameter_count(&t->to->forces[q]));
    }
    for (int d = 0; !status && d < t->to->output_count; d++) {
        double *S = &t->theta[lf_index_sensitivity(t->to, d) + q];
        *S = source < 0 ? *S * lf_threshold.new_force
                        : t->values[lf_index_sensitivity(t->from, d) + source] * (same ? 1 : t->had[d] / t->has[d]);
    }
    return status;
}

static lf_status fill_private(lf_context *ctx, transfer *t)
{
    int different = 0;
    for (int d = 0; d < t->to->output_count; d++) {
        const lf_force *from = &t->from->outputs[d].private_force, *to = &t->to->outputs[d].private_force;
        different = different || (t->to->outputs[d].has_private && !has_same_kernel(from, to));
    }
    lf_status status = different ? find_gains(ctx, t, -1, -1) : LF_OK;
    for (int d = 0; !status && d < t->to->output_count; d++) {
        const lf_output *output = &t->to->outputs[d];
        int from = lf_index_private_amplitude(t->from, d), to = lf_index_private_amplitude(t->to, d);
        if (output->has_private && t->from->outputs[d].has_private) {
            copy(t, from, to, 1);
            t->theta[to] += different ? log(t->had[d] / t->has[d]) : 0;
            copy(t, lf_index_private_kernel(t->from, d), lf_index_private_kernel(t->to, d),
                 different ? 0 : lf_force_parameter_count(&output->private_force));
        }
    }
    return status;
}

static void fill_outputs(transfer *t)
{
    for (int d = 0; d < t->to->output_count; d++) {
        const lf_output *output = &t->to->outputs[d];
        copy(t, lf_index_constants(t->from, d), lf_index_constants(t->to, d), output->constant_count);
        copy(t, lf_index_noise(t->from, d), lf_index_noise(t->to, d), 1);
        copy(t, lf_index_initial_variance(t->from, d), lf_index_initial_variance(t->to, d),
             t->to->initial == LF_INITIAL_FREE ? output->order : 0);
        copy(t, lf_index_offset(t->from, d), lf_index_offset(t->to, d), 1);
        copy(t, lf_index_gain(t->from, d), lf_index_gain(t->to, d), t->to->known_count);
    }
}

/* Parameters that are fixed keep what they have at the start. */
static lf_status set_values(lf_context *ctx, const lf_model *start, transfer *t)
{
    lf_model_theta(start, t->values_at_start);
    for (size_t i = 0; i < start->parameter_count; i++) {
        t->theta[i] = lf_parameter_is_fixed(start, i) ? t->values_at_start[i] : t->theta[i];
    }
    return lf_model_set_theta(ctx, t->to, start->parameter_count, t->theta);
}

lf_status lf_carry_over(lf_context *ctx, const lf_problem *problem, const lf_structure *from, const lf_structure *to,
                        lf_model **warm)
{
    const lf_model *fitted = from->warm, *start = to->start;
    size_t outputs = (size_t)start->output_count, count = start->parameter_count;
    int copies = to->shape.copies;
    transfer t = {.summary = problem->summary,
                  .from = fitted,
                  .source = calloc((size_t)start->force_count + 1, sizeof *t.source),
                  .values = lf_doubles(fitted->parameter_count, 1),
                  .theta = lf_doubles(count, 1),
                  .values_at_start = lf_doubles(count, 1),
                  .had = lf_doubles(outputs, 1),
                  .has = lf_doubles(outputs, 1)};
    lf_status status = t.source && t.values && t.theta && t.values_at_start && t.had && t.has
                           ? lf_model_copy(ctx, start, warm)
                           : lf_no_memory(ctx);
    if (!status) {
        t.to = *warm;
        lf_model_theta(fitted, t.values);
        lf_model_theta(start, t.theta);
        match(&t, copies, from->shape.forces * copies, to->shape.forces * copies);
        fill_outputs(&t);
        status = set_values(ctx, start, &t); /* variances of the outputs depend on them */
    }
    LF_TRY(status, fill_private(ctx, &t));
    for (int q = 0; !status && q < start->force_count; q++) {
        status = fill_force(ctx, &t, q);
    }
    LF_TRY(status, set_values(ctx, start, &t));
    free(t.source);
    free(t.values);
    free(t.theta);
    free(t.values_at_start);
    free(t.had);
    free(t.has);
    return status;
}
