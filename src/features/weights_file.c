/* Weights in the model file: means and factors; lower triangles are packed. */
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "features/weights.h"
#include "model/posterior_io.h"

static json_t *save_replicate(const lf_weights *weights, const lf_replicate_weights *replicate)
{
    size_t M = weights->features.shared;
    json_t *record = json_object(), *outputs = json_array();
    int done = record && lf_put_array(record, "mean", M, replicate->mean) &&
               lf_put_triangle(record, "factor", M, replicate->L);
    for (int d = 0; done && d < weights->model->output_count; d++) {
        const lf_private_weights *private_weights = &replicate->outputs[d];
        json_t *output = json_object();
        done = output && lf_put_array(output, "mean", private_weights->m, private_weights->mean) &&
               lf_put_array(output, "cross", private_weights->m * M, private_weights->F) &&
               lf_put_triangle(output, "factor", private_weights->m, private_weights->L);
        done = json_array_append_new(outputs, output) == 0 && done;
    }
    done = json_object_set_new(record, "outputs", outputs) == 0 && done;
    if (!done) {
        json_decref(record);
        return NULL;
    }
    return record;
}

json_t *lf_weights_posterior_save(const void *posterior)
{
    const lf_weights *weights = posterior;
    if (weights->record) {
        return json_incref(weights->record);
    }
    json_t *state = json_object(), *replicates = json_array();
    int done = state && json_object_set_new(state, "frequencies", lf_grid_spec_save(&weights->spec)) == 0;
    for (int r = 0; done && r < weights->count; r++) {
        done = json_array_append_new(replicates, save_replicate(weights, &weights->replicates[r])) == 0;
    }
    done = json_object_set_new(state, "weights", replicates) == 0 && done;
    if (!done) {
        json_decref(state);
        return NULL;
    }
    return state;
}

static lf_status load_replicate(lf_context *ctx, const lf_weights *weights, const json_t *record,
                                lf_replicate_weights *replicate)
{
    size_t M = weights->features.shared;
    json_t *outputs;
    lf_status status = lf_get_array(ctx, record, "mean", M, replicate->mean);
    LF_TRY(status, lf_get_triangle(ctx, record, "factor", M, replicate->L));
    LF_TRY(status, lf_get_list(ctx, record, "outputs", (size_t)weights->model->output_count, &outputs));
    for (int d = 0; !status && d < weights->model->output_count; d++) {
        const json_t *output = json_array_get(outputs, (size_t)d);
        lf_private_weights *private_weights = &replicate->outputs[d];
        if (private_weights->m) {
            status = lf_get_array(ctx, output, "mean", private_weights->m, private_weights->mean);
            LF_TRY(status, lf_get_array(ctx, output, "cross", private_weights->m * M, private_weights->F));
            LF_TRY(status, lf_get_triangle(ctx, output, "factor", private_weights->m, private_weights->L));
        }
    }
    return status;
}

/* Whether the file holds the weights of these features: what they need grows with the square of the number of columns. */
static lf_status check_sizes(lf_context *ctx, const lf_model *model, const lf_grid_spec *spec, const json_t *record)
{
    size_t M = 0;
    int source = model->force_count; /* private forces follow the shared ones, by output */
    json_t *outputs = NULL;
    for (int q = 0; q < model->force_count; q++) {
        M += 2 * lf_grid_spec_nodes(spec, &model->forces[q], q);
    }
    lf_status status = lf_check_array(ctx, record, "mean", M);
    LF_TRY(status, lf_check_triangle(ctx, record, "factor", M));
    LF_TRY(status, lf_get_list(ctx, record, "outputs", (size_t)model->output_count, &outputs));
    for (int d = 0; !status && d < model->output_count; d++) {
        size_t m = lf_has_initial_state(model, d) ? (size_t)model->outputs[d].order : 0;
        if (model->outputs[d].has_private) {
            m += 2 * lf_grid_spec_nodes(spec, &model->outputs[d].private_force, source++);
        }
        const json_t *output = json_array_get(outputs, (size_t)d);
        status = m ? lf_check_array(ctx, output, "mean", m) : LF_OK;
        status = status || !m ? status : lf_check_array(ctx, output, "cross", m * M);
        status = status || !m ? status : lf_check_triangle(ctx, output, "factor", m);
    }
    return status;
}

lf_status lf_weights_posterior_load(lf_context *ctx, const lf_model *model, const json_t *state, int replicates,
                                    void **posterior)
{
    lf_grid_spec spec;
    lf_weights *weights = NULL;
    json_t *list = NULL;
    lf_status status = lf_grid_spec_load(ctx, model, LF_SHARE_NONE, json_object_get(state, "frequencies"), &spec);
    LF_TRY(status, lf_get_list(ctx, state, "weights", (size_t)replicates, &list));
    for (int r = 0; !status && r < replicates; r++) {
        status = check_sizes(ctx, model, &spec, json_array_get(list, (size_t)r));
    }
    LF_TRY(status, lf_weights_create(ctx, model, spec, replicates, &weights));
    lf_grid_spec_clear(&spec);
    *posterior = weights;
    for (int r = 0; !status && r < replicates; r++) {
        status = load_replicate(ctx, weights, json_array_get(list, (size_t)r), &weights->replicates[r]);
    }
    return status;
}
