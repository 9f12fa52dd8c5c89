/* The fast engine for one input: uniform frequencies shared by all forces, so that the Gram matrices of the response
 * columns follow from a few sums over rows (engine/series.h, engine/gram.h) and the cost of a likelihood hardly depends on
 * the number of rows. The linear algebra is in engine/fourier_system.h. */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "engine/chart_file.h"
#include "engine/demand.h"
#include "engine/fourier_system.h"
#include "engine/record.h"
#include "engine/weights.h"

typedef struct fourier {
    const lf_rows *rows;
    lf_demand demand;
    lf_features features; /* one grid for all */
    lf_chart chart;
    lf_fourier_system *systems; /* (replicates) */
} fourier;

static void destroy(void *state)
{
    fourier *engine = state;
    for (int r = 0; engine->systems && r < engine->rows->count; r++) {
        lf_fourier_system_clear(&engine->systems[r]);
    }
    free(engine->systems);
    lf_chart_clear(&engine->chart);
    lf_features_clear(&engine->features);
    lf_demand_clear(&engine->demand);
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
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED, "the fourier engine is for one input, the model has %d; use lowrank",
                       model->input_dim);
    }
    lf_status status = lf_feature_demand(ctx, model, rows, options, &engine->demand);
    if (!status && engine->demand.rule != LF_RULE_UNIFORM) {
        status = lf_fail(ctx, LF_ERROR_UNSUPPORTED, "the fourier engine needs uniform nodes; use lowrank for others");
    }
    engine->demand.sharing = LF_SHARE_ALL;
    if (!status && !lf_model_has_force(model)) {
        status =
            lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                    "the model has no force, shared or private, and the fourier engine is about forces; use dense");
    }
    status = status ? status : lf_engine_features(ctx, model, &engine->demand, &engine->features);
    if (status) {
        return status;
    }
    const lf_nodes *nodes = &engine->features.grids.grids[0];
    engine->systems = calloc((size_t)rows->count, sizeof *engine->systems);
    status = engine->systems ? lf_chart_create(ctx, model, rows, nodes->count, nodes->step, &engine->chart)
                             : lf_no_memory(ctx);
    for (int r = 0; !status && r < rows->count; r++) {
        status = lf_fourier_system_create(ctx, model, &engine->features, &engine->chart, r, &engine->systems[r]);
    }
    return status;
}

static void describe(const void *state, lf_engine_info *info)
{
    const fourier *engine = state;
    info->nodes = "uniform";
    info->columns = engine->features.shared;
}

static const lf_demand *demand(const void *state) { return &((const fourier *)state)->demand; }

static int outgrown(const void *state, const lf_model *model)
{
    const fourier *engine = state;
    return lf_grids_outgrown(model, engine->demand, &engine->features.grids);
}

static lf_status evaluate(lf_context *ctx, void *state, const lf_model *model, double *value, double *gradient)
{
    fourier *engine = state;
    double nll = 0;
    lf_grids_update(&engine->features.grids);
    lf_status status = lf_check_noise(ctx, model, engine->rows);
    for (int r = 0; !status && r < engine->rows->count; r++) {
        status = lf_fourier_solve(ctx, &engine->systems[r], 0, gradient != NULL, &nll);
        if (!status && gradient) {
            status = lf_fourier_backward(ctx, &engine->systems[r], gradient);
        }
    }
    if (!status && !isfinite(nll)) {
        status = lf_fail(ctx, LF_ERROR_NUMERIC, "the log likelihood is not a finite number");
    }
    *value = -nll;
    for (size_t i = 0; gradient && i < model->parameter_count; i++) {
        gradient[i] = -gradient[i];
    }
    return status;
}

/* The weights of one output's private columns, given those of the shared ones: F = K^-1 U C_JV (S W). */
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

/* The weights of one replicate from its solved system. */
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

static lf_status condition(lf_context *ctx, void *state, const lf_model *model, void **posterior)
{
    fourier *engine = state;
    lf_weights *weights = NULL;
    double ignored = 0;
    lf_grids_update(&engine->features.grids);
    lf_status status = lf_check_noise(ctx, model, engine->rows);
    status = status ? status : lf_weights_create(ctx, model, engine->demand, engine->rows->count, &weights);
    *posterior = weights;
    for (int r = 0; !status && r < engine->rows->count; r++) {
        status = lf_fourier_solve(ctx, &engine->systems[r], 0, 0, &ignored);
        if (!status) {
            fill_replicate(&engine->systems[r], &weights->replicates[r]);
        }
    }
    if (!status) {
        weights->record = lf_chart_save(model, &engine->chart, &engine->demand);
        status = weights->record ? LF_OK : lf_no_memory(ctx);
    }
    return status;
}

/* From the sums of the model file: the same system without the rows. */
static lf_status load(lf_context *ctx, const lf_model *model, const json_t *state, int replicates, void **posterior)
{
    lf_demand demand;
    lf_chart chart = {0};
    lf_weights *weights = NULL;
    double ignored = 0;
    lf_status status = lf_record_get_demand(ctx, json_object_get(state, "frequencies"), &demand);
    demand.sharing = LF_SHARE_ALL;
    status = status ? status : lf_weights_create(ctx, model, demand, replicates, &weights);
    lf_demand_clear(&demand);
    *posterior = weights;
    if (status) {
        return status;
    }
    status = lf_chart_load(ctx, weights->model, &weights->features.grids.grids[0], state, replicates, &chart);
    for (int r = 0; !status && r < replicates; r++) {
        lf_fourier_system system = {0};
        status = lf_fourier_system_create(ctx, weights->model, &weights->features, &chart, r, &system);
        status = status ? status : lf_fourier_solve(ctx, &system, 1, 0, &ignored);
        if (!status) {
            fill_replicate(&system, &weights->replicates[r]);
        }
        lf_fourier_system_clear(&system);
    }
    lf_chart_clear(&chart);
    weights->record = json_incref((json_t *)state);
    return status;
}

const lf_engine_class lf_engine_fourier = {.name = "fourier",
                                           .create = create,
                                           .destroy = destroy,
                                           .evaluate = evaluate,
                                           .describe = describe,
                                           .demand = demand,
                                           .outgrown = outgrown,
                                           .condition = condition,
                                           .forget = lf_weights_forget,
                                           .save = lf_weights_save,
                                           .load = load,
                                           .range = lf_weights_range,
                                           .predict = lf_weights_predict};
