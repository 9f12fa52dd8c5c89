/* The states, the time axis and the inputs of the response, which known_march.c marches. */
#include "dynamics/known_response.h"

#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "dynamics/known_values.h"
#include "dynamics/linear_system.h"

static const double cache_bytes = 64e6; /* for transitions */

int lf_has_known_response(const lf_model *model) { return model->system || model->known_count > 0; }

/* The states of the space: x, the integrals of averaged outputs, the inputs and the constant 1, the slopes of the inputs that are linear
 * between readings. */
static lf_status create_space(lf_context *ctx, const lf_point_set *points, lf_known_response *response)
{
    const lf_model *model = response->model;
    lf_state_space *space = &response->space;
    response->slope_of = calloc((size_t)response->inputs + 1, sizeof(int));
    response->integral_of = calloc((size_t)model->output_count + 1, sizeof(int));
    if (!response->slope_of || !response->integral_of) {
        return lf_no_memory(ctx);
    }
    for (int d = 0; d < model->output_count; d++) {
        response->integral_of[d] = -1;
    }
    for (int g = 0; points->width && g < points->group_count; g++) {
        for (size_t i = points->start[g]; i < points->start[g + 1]; i++) {
            if (points->width[i] > 0 && response->integral_of[points->target[g]] < 0) {
                response->integral_of[points->target[g]] = response->n + response->integrals++;
            }
        }
    }
    size_t n = (size_t)(response->n + response->integrals);
    for (int i = 0; i < response->inputs; i++) {
        int linear = i < model->known_count && model->known[i].hold == LF_HOLD_LINEAR;
        response->slope_of[i] = linear ? (int)n + response->inputs + response->slopes++ : -1;
    }
    *space = (lf_state_space){.model = model, .n = (int)n + response->inputs + response->slopes};
    size_t total = (size_t)space->n;
    char *depends = calloc(total + 1, total + 1);
    if (!depends) {
        return lf_no_memory(ctx);
    }
    memset(depends, 1, n * total);
    for (size_t i = 0; i < n; i++) { /* nothing depends on an integral */
        memset(depends + i * total + (size_t)response->n, 0, (size_t)response->integrals);
        depends[i * total + i] = 1;
    }
    for (size_t i = n; i < total; i++) {
        depends[i * total + i] = 1;
    }
    for (int i = 0; i < response->inputs; i++) {
        if (response->slope_of[i] >= 0) {
            depends[(n + (size_t)i) * total + (size_t)response->slope_of[i]] = 1;
        }
    }
    lf_status status = lf_sparsity_create(ctx, space->n, depends, &space->sparsity);
    free(depends);
    space->F = status ? NULL : lf_doubles(lf_sparsity_size(&space->sparsity), 1);
    return status || space->F ? status : lf_no_memory(ctx);
}

lf_status lf_known_response_create(lf_context *ctx, const lf_model *model, const lf_known_set *known,
                                   const lf_point_set *points, lf_known_response *response)
{
    *response = (lf_known_response){.model = model};
    lf_status status = lf_linear_system_create(ctx, model, &response->matrices);
    response->n = response->matrices.n;
    response->inputs = model->known_count + 1;
    LF_TRY(status, create_space(ctx, points, response));
    LF_TRY(status, lf_known_timeline(ctx, model, known, points, &response->timeline));
    size_t steps = response->timeline.step_count, inputs = (size_t)response->inputs;
    if (!status) {
        size_t size = lf_sparsity_size(&response->space.sparsity);
        const lf_timeline *t = &response->timeline;
        while (response->cached < t->gap_count && t->gap_uses[response->cached] > 1 &&
               (double)(response->cached * size * sizeof(double)) < cache_bytes) {
            response->cached++;
        }
        response->v = lf_doubles(steps, inputs);
        response->r = lf_doubles(steps, inputs);
        response->jump = lf_doubles(steps, inputs);
        response->x = lf_doubles(steps + 1, (size_t)(response->n + response->integrals));
        response->A = lf_doubles(response->cached + 1, size);
        status = response->v && response->r && response->jump && response->x && response->A ? LF_OK : lf_no_memory(ctx);
    }
    for (int i = 0; !status && i < model->known_count; i++) {
        lf_known_values(&response->timeline, model->known[i].hold, &known->series[i], inputs, response->v + i,
                        response->r + i, response->jump + i);
    }
    for (size_t k = 0; !status && k < steps; k++) {
        response->v[k * inputs + inputs - 1] = 1;
    }
    return status;
}

void lf_known_response_clear(lf_known_response *response)
{
    lf_timeline_clear(&response->timeline);
    lf_system_matrices_clear(&response->matrices);
    lf_transition_work_clear(&response->work);
    lf_sparsity_clear(&response->space.sparsity);
    free(response->space.F);
    free(response->slope_of);
    free(response->integral_of);
    free(response->v);
    free(response->r);
    free(response->jump);
    free(response->x);
    free(response->A);
    *response = (lf_known_response){0};
}

lf_status lf_known_response_of_rows(lf_context *ctx, const lf_model *model, lf_replicate *replicate)
{
    lf_known_response response = {0};
    if (!lf_has_known_response(model)) {
        return LF_OK;
    }
    free(replicate->mean);
    replicate->mean = lf_doubles(replicate->points.n, 1);
    lf_status status = replicate->mean ? LF_OK : lf_no_memory(ctx);
    LF_TRY(status, lf_known_response_create(ctx, model, &replicate->known, &replicate->points, &response));
    LF_TRY(status, lf_known_response_evaluate(ctx, &response, replicate->mean));
    lf_known_response_clear(&response);
    return status;
}
