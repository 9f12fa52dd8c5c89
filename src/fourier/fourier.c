/* The fourier engine, for one input: all forces share uniform frequencies. The Gram matrices of the response columns
 * then follow from a few sums over rows (fourier_sums.h, gram.h), and the cost of a likelihood depends little on the
 * number of rows. fourier_system.h has the linear algebra. */
#include "fourier/fourier.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory_limit.h"
#include "exact/feature_error.h"
#include "features/feature_cost.h"
#include "features/wave_response.h"
#include "features/weights.h"
#include "fourier/fourier_sums_file.h"
#include "fourier/fourier_system.h"
#include "model/posterior_io.h"

typedef struct fourier {
    const lf_rows *rows;
    lf_grid_spec spec;
    lf_features features; /* one grid for all */
    lf_fourier_sums fourier_sums;
    lf_fourier_system *systems; /* (replicates) */
} fourier;

/* Whether cancellation in the brackets B_i (gram.h) costs too much accuracy: the sums lose the square of it. This
 * happens for slow operators and for spans much shorter than the lengthscales. */
static int brackets_cancel(const lf_model *model, const lf_grid_spec *spec)
{
    double span = spec->latest - fmin(spec->earliest, model->origin);
    for (int d = 0; d < model->output_count; d++) {
        const lf_output *output = &model->outputs[d];
        double a[LF_MAX_ORDER + 1];
        if (!lf_starts_at_origin(model, d)) {
            continue;
        }
        lf_ode_coefficients(output->op, output->constants, output->order, a);
        double bracket = cabs(lf_wave_response(a, output->order, 0, span, NULL)) * fabs(a[output->order]);
        if (!(bracket > 1e-4)) {
            return 1;
        }
    }
    return 0;
}

/* M^3 + 6 D (2S)^2 Q^2 + 32 N S P, and 20 (2S)^3 for each private force; for any targets the sums E and Y too, at every evaluation. */
static double cost(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options)
{
    lf_feature_count count;
    if (lf_rule_is_sampled(options->nodes) || model->input_dim > 1 || !lf_model_has_force(model)) {
        return INFINITY;
    }
    int applies = lf_feature_count_estimate(ctx, model, rows, options, &count);
    if (applies <= 0 || brackets_cancel(model, &count.spec)) {
        return applies < 0 ? -1 : (double)INFINITY;
    }
    double N = (double)rows->n / rows->count, D = model->output_count, Q = model->force_count;
    double S = count.all, M = 2 * S * Q;
    double weighted = rows->any_targets ? 24 * N * S : 0;
    return rows->count *
           (M * M * M + weighted + 24 * D * S * S * Q * Q + 32 * N * S * count.order + 160 * count.private * S * S * S);
}

static lf_status estimate(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                          int with_memory, lf_demand *demand)
{
    demand->distribution = LF_BY_ROWS;
    demand->resolves_lengthscales = lf_grid_spec_resolves_lengthscales(model, options);
    return lf_demand_set(demand, cost(ctx, model, rows, options),
                         with_memory ? lf_fourier_memory(ctx, model, rows, options, &demand->memory) : 0);
}

static void destroy(void *state)
{
    fourier *engine = state;
    for (int r = 0; engine->systems && r < engine->rows->count; r++) {
        lf_fourier_system_clear(&engine->systems[r]);
    }
    free(engine->systems);
    lf_fourier_sums_clear(&engine->fourier_sums);
    lf_features_clear(&engine->features);
    lf_grid_spec_clear(&engine->spec);
    free(engine);
}

static lf_status create(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                        void **state)
{
    fourier *engine = calloc(1, sizeof *engine);
    *state = engine;
    if (!engine) {
        return lf_no_memory(ctx);
    }
    engine->rows = rows;
    if (model->input_dim > 1) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED, "the fourier engine supports one input, the model has %d",
                       model->input_dim);
    }
    lf_status status = lf_grid_spec_create(ctx, model, rows, options, &engine->spec);
    if (!status && engine->spec.rule != LF_RULE_UNIFORM) {
        status = lf_fail(ctx, LF_ERROR_UNSUPPORTED, "the fourier engine needs uniform nodes");
    }
    engine->spec.sharing = LF_SHARE_ALL;
    if (!status && !lf_model_has_force(model)) {
        status = lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                         "the model has no force, shared or private, which the fourier engine needs");
    }
    LF_TRY(status, lf_features_create_bounded(ctx, model, rows->n, &engine->spec, &engine->features));
    if (status) {
        return status;
    }
    const lf_nodes *nodes = &engine->features.grids.grids[0];
    engine->systems = calloc((size_t)rows->count, sizeof *engine->systems);
    status = engine->systems
                 ? lf_fourier_sums_create(ctx, model, rows, nodes->count, nodes->step, &engine->fourier_sums)
                 : lf_no_memory(ctx);
    for (int r = 0; !status && r < rows->count; r++) {
        status = lf_fourier_system_create(ctx, model, &engine->features, &engine->fourier_sums, r, &engine->systems[r]);
    }
    return status;
}

static void describe(const void *state, lf_engine_info *info)
{
    const fourier *engine = state;
    info->nodes = "uniform";
    info->columns = engine->features.shared;
}

static lf_status error_bound(lf_context *ctx, const void *state, const lf_model *model, lf_error_bounds *bounds)
{
    return lf_feature_error(ctx, model, &((const fourier *)state)->spec, bounds);
}

static int needs_regrid(const void *state, const lf_model *model)
{
    const fourier *engine = state;
    return lf_grids_need_regrid(model, engine->spec, &engine->features.grids);
}

static lf_status evaluate(lf_context *ctx, void *state, const lf_model *model, const lf_targets *targets, double *value,
                          double *gradient)
{
    fourier *engine = state;
    double nll = 0;
    lf_grids_update(&engine->features.grids);
    lf_status status = lf_check_noise(ctx, model, engine->rows, targets->noise);
    status = lf_fourier_sums_update(ctx, status, model, targets, &engine->fourier_sums, gradient != NULL);
    for (int r = 0; !status && r < engine->rows->count; r++) {
        status = lf_fourier_solve(ctx, &engine->systems[r], &nll);
        if (!status && gradient) {
            status = lf_fourier_backward(ctx, &engine->systems[r], gradient);
        }
    }
    if (!status && !isfinite(nll)) {
        status = lf_fail(ctx, LF_ERROR_NUMERIC, "the log likelihood is not a finite number");
    }
    *value = engine->fourier_sums.first ? -nll : 0;
    for (size_t i = 0; gradient && i < model->parameter_count; i++) {
        gradient[i] = -gradient[i];
    }
    return status;
}

/* The posterior of the private weights of one output given the shared ones (features/weights.h): F = K^-1 U C_JV (S
 * W). */
static void fill_private(const lf_fourier_system *s, const lf_fourier_part *p, lf_private_weights *weights)
{
    const lf_elimination *e = &p->elimination;
    const double *sensitivity = s->model->outputs[p->series->output].sensitivity;
    size_t m = e->m;
    for (size_t q = 0; q < s->Q; q++) {
        for (size_t i = 0; i < s->S2; i++) {
            double factor = sensitivity[q] * s->W[q * s->S2 + i];
            for (size_t j = 0; j < m; j++) {
                weights->F[(q * s->S2 + i) * m + j] = e->P[j * s->S2 + i] * factor;
            }
        }
    }
    memcpy(weights->L, e->L, m * m * sizeof *weights->L);
    memcpy(weights->mean, e->z, m * sizeof *weights->mean);
    if (s->M) {
        cblas_dgemv(CblasColMajor, CblasNoTrans, (int)m, (int)s->M, -1, weights->F, (int)m, s->mean, 1, 1,
                    weights->mean, 1);
    }
}

/* The posterior of the weights of one replicate, from its solved system. */
static void fill_replicate(const lf_fourier_system *s, lf_replicate_weights *replicate)
{
    memcpy(replicate->mean, s->mean, s->M * sizeof *s->mean);
    memcpy(replicate->L, s->A, s->M * s->M * sizeof *s->A);
    for (size_t d = 0; d < s->count; d++) {
        if (s->parts[d].elimination.m) {
            fill_private(s, &s->parts[d], &replicate->outputs[s->parts[d].series->output]);
        }
    }
}

static lf_status posterior_create(lf_context *ctx, void *state, const lf_model *model, const lf_targets *targets,
                                  void **posterior)
{
    fourier *engine = state;
    lf_weights *weights = NULL;
    double ignored = 0;
    lf_grids_update(&engine->features.grids);
    lf_status status = lf_check_noise(ctx, model, engine->rows, targets->noise);
    status = lf_fourier_sums_update(ctx, status, model, targets, &engine->fourier_sums, 0);
    LF_TRY(status, lf_weights_create(ctx, model, engine->spec, engine->rows->count, &weights));
    *posterior = weights;
    for (int r = 0; !status && r < engine->rows->count; r++) {
        status = lf_fourier_solve(ctx, &engine->systems[r], &ignored);
        if (!status) {
            fill_replicate(&engine->systems[r], &weights->replicates[r]);
        }
    }
    if (!status) {
        weights->record = lf_fourier_sums_save(model, &engine->fourier_sums, &engine->spec);
        status = weights->record ? LF_OK : lf_no_memory(ctx);
    }
    return status;
}

/* Solves the systems again from the sums in the model file, without the rows. */
static lf_status posterior_load(lf_context *ctx, const lf_model *model, const json_t *state, int replicates,
                                void **posterior)
{
    lf_grid_spec spec;
    lf_fourier_sums fourier_sums = {0};
    lf_weights *weights = NULL;
    double ignored = 0;
    lf_status status = lf_grid_spec_load(ctx, model, LF_SHARE_ALL, json_object_get(state, "frequencies"), &spec);
    if (!status && spec.frozen_count) {
        status =
            lf_check_memory(ctx, lf_fourier_posterior_bytes(model, spec.frozen[0].count, replicates),
                            "condition the model by the kalman engine",
                            "the stored posterior of the fourier engine, with %.0f frequencies,", spec.frozen[0].count);
    }
    LF_TRY(status, lf_fourier_sums_load(ctx, model, &spec, state, replicates, &fourier_sums));
    LF_TRY(status, lf_weights_create(ctx, model, spec, replicates, &weights));
    lf_grid_spec_clear(&spec);
    *posterior = weights;
    for (int r = 0; !status && r < replicates; r++) {
        lf_fourier_system system = {0};
        status = lf_fourier_system_create(ctx, weights->model, &weights->features, &fourier_sums, r, &system);
        LF_TRY(status, lf_fourier_solve(ctx, &system, &ignored));
        if (!status) {
            fill_replicate(&system, &weights->replicates[r]);
        }
        lf_fourier_system_clear(&system);
    }
    lf_fourier_sums_clear(&fourier_sums);
    if (weights) {
        weights->record = json_incref((json_t *)state);
    }
    return status;
}

/* Where several processes share the rows, each has the weights of all. */
static lf_posterior_facts describe_posterior(const void *posterior, int replicate, size_t points, int joint)
{
    lf_posterior_facts facts = {.end = NAN, .numbers = lf_weights_predict_numbers(posterior, replicate, points, joint)};
    lf_weights_posterior_range(posterior, &facts.from, &facts.to);
    return facts;
}

static const lf_posterior_class posterior_class = {.free = lf_weights_posterior_free,
                                                   .save = lf_weights_posterior_save,
                                                   .load = posterior_load,
                                                   .describe = describe_posterior,
                                                   .predict = lf_weights_predict};

const lf_engine_class lf_engine_fourier = {.name = "fourier",
                                           .composed = LF_COMPOSED_DENSITY, /* lines lie between its frequencies */
                                           .posterior = &posterior_class,
                                           .estimate = estimate,
                                           .create = create,
                                           .destroy = destroy,
                                           .evaluate = evaluate,
                                           .describe = describe,
                                           .needs_regrid = needs_regrid,
                                           .error_bound = error_bound,
                                           .posterior_create = posterior_create};
