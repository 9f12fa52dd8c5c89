/* Which engine: the table of engines, and a model of what each would cost.
 *
 * Floating-point operations of one objective + gradient, N rows, M columns, S frequencies, D outputs, P their order:
 *   dense    N^3 + 3 N^2 columns                    one factor and inverse of the covariance of all rows
 *   lowrank  3 N M^2 + M^3                          one pass of dsyrk, one of dgemm
 *   fourier  M^3 + 6 D (2S)^2 Q^2 + 32 N S P + 20 D (2S)^3 when there are private forces
 *   kalman   8 (16 E n T + 12 n^2 N + 300 E n G)    n states, E entries of a transition, T times, G distinct gaps
 * The dense engine is exact, and so is kalman with Matern forces; otherwise they are as exact as their tolerance. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "columns/wave.h"
#include "engine/demand.h"
#include "kalman/kalman.h"

/* `auto` chooses among the first CHOICES; approximations by inducing values are for those who ask for them. */
static const lf_engine_class *const engines[] = {&lf_engine_dense,  &lf_engine_lowrank, &lf_engine_fourier,
                                                 &lf_engine_kalman, &lf_engine_dtc,     &lf_engine_variational,
                                                 &lf_engine_fitc,   &lf_engine_pitc};
enum { CHOICES = 4 };

#define MOST_DENSE_ROWS 20000.0 /* 3 GiB a matrix */

const lf_engine_class *lf_engine_find(const char *name)
{
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        if (strcmp(engines[i]->name, name) == 0) {
            return engines[i];
        }
    }
    return NULL;
}

/* Whether nodes of that name are a sample. */
static int is_sampled(const char *nodes)
{
    lf_rule rule;
    return lf_rule_find(nodes, &rule) && rule != LF_RULE_UNIFORM;
}

static int is(const char *option, const char *name) { return option && strcmp(option, name) == 0; }

/* The sums of the fourier engine lose the square of how much the bracket of a response cancels: slow operators, or spans
 * much shorter than the lengthscales. */
static int brackets_cancel(const lf_model *model, lf_demand demand)
{
    double span = demand.latest - fmin(demand.earliest, model->origin);
    for (int d = 0; model->initial != LF_INITIAL_STATIONARY && d < model->output_count; d++) {
        const lf_output *output = &model->outputs[d];
        double a[LF_MAX_ORDER + 1];
        if (!output->op->is_ode) {
            continue;
        }
        lf_ode_coefficients(output->op, output->constants, output->order, a);
        double still = cabs(lf_wave_response(a, output->order, 0, span, NULL)) * fabs(a[output->order]);
        if (!(still > 1e-4)) {
            return 1;
        }
    }
    return 0;
}

/* What they would cost; infinite where they do not apply. */
static void estimate(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                     double cost[CHOICES])
{
    double N = (double)rows->n / rows->count, D = model->output_count, Q = model->force_count, R = rows->count;
    char kept[sizeof ctx->message];
    lf_demand demand;
    int closed = is(options->nodes, "closed-form"), sampled = is_sampled(options->nodes);
    cost[0] = sampled || options->features || N > MOST_DENSE_ROWS ? (double)INFINITY : R * N * N * N;
    cost[1] = cost[2] = (double)INFINITY;
    cost[3] = lf_kalman_cost(ctx, model, rows, options);
    memcpy(kept, ctx->message, sizeof kept);
    int possible = !closed && lf_check_noise(ctx, model, rows) == LF_OK &&
                   lf_feature_demand(ctx, model, rows, options, &demand) == LF_OK;
    memcpy(ctx->message, kept, sizeof kept); /* an engine that does not apply is no failure */
    if (!possible) {
        return;
    }
    double each = (double)options->features, all = each, order = 1, private = 0;
    if (!sampled && !options->features) {
        demand.sharing = LF_SHARE_NONE;
        each = lf_grids_count(model, demand) / fmax(1, Q); /* private forces make this an overestimate */
        demand.sharing = LF_SHARE_ALL;
        all = lf_grids_count(model, demand);
    }
    for (int d = 0; d < model->output_count; d++) {
        order = fmax(order, model->outputs[d].order);
        private += model->outputs[d].has_private;
    }
    double M = 2 * each * Q + (private > 0 ? 2 * each : 0), shared = 2 * all * Q;
    cost[1] = R * (3 * N * M * M + M * M * M);
    if (!sampled && model->input_dim == 1 && lf_model_has_force(model) && !brackets_cancel(model, demand)) {
        cost[2] = R * (shared * shared * shared + 24 * D * all * all * Q * Q + 32 * N * all * order +
                       160 * private * all * all * all);
    }
}

lf_status lf_engine_choose(lf_context *ctx, const lf_model *model, const lf_rows *rows,
                           const lf_engine_options *options, const lf_engine_class **class, char *reason, size_t size)
{
    if (options->engine && !is(options->engine, "auto")) {
        *class = lf_engine_find(options->engine);
        snprintf(reason, size, "asked for");
        return *class ? LF_OK
                      : lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                                "unknown engine '%s'; the engines are auto, dense, lowrank, fourier, kalman, dtc, "
                                "variational, fitc, pitc",
                                options->engine);
    }
    double cost[CHOICES];
    estimate(ctx, model, rows, options, cost);
    int best = 0;
    for (int i = 1; i < CHOICES; i++) {
        best = cost[i] < cost[best] ? i : best;
    }
    if (!isfinite(cost[best])) { /* let the engine that the options point to say what is wrong with them */
        best = is_sampled(options->nodes) || options->features ? 1 : 0;
    }
    *class = engines[best];
    int used = snprintf(reason, size, "cheapest by estimate:");
    for (int i = 0; i < CHOICES && used > 0 && (size_t)used < size; i++) {
        used += isfinite(cost[i]) ? snprintf(reason + used, size - (size_t)used, "%s %s %.3g Gflop", i ? "," : "",
                                             engines[i]->name, 1e-9 * cost[i])
                                  : snprintf(reason + used, size - (size_t)used, "%s %s does not apply", i ? "," : "",
                                             engines[i]->name);
    }
    return LF_OK;
}
