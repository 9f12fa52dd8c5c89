/* The number of forces where none is given. For few outputs several numbers are compared, unless one evaluation is expensive:
 * the comparison takes about as long as the fit. */
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "data/data.h"
#include "engine/engine.h"
#include "fit/fit_model.h"
#include "fit/initial_model.h"

/* Operations of one evaluation, without constant factors: at most about a fifth of a second. A limit of time would make the model
 * depend on the machine. */
#define MOST_OPERATIONS 5e8

/* A model with the default number of forces stands for all candidates: it is the most expensive one. */
static lf_status count_operations(lf_context *ctx, const lf_training *training, const lf_fit_options *options,
                                  double *operations)
{
    lf_model *model = NULL;
    lf_engine *engine = NULL;
    lf_status status = lf_initial_model(ctx, training->data, training->summary, &options->shape, &model);
    if (!status) {
        lf_fit_options filled = lf_fit_defaults(model, options);
        status = lf_engine_create(ctx, model, training->data, &filled.engine, &engine);
    }
    if (!status) {
        lf_engine_info info = lf_engine_describe(engine);
        double columns = (double)info.columns;
        /* The columns of the filter are states, whose cube every row costs; covariances cost more than their algebra. */
        double factor = strcmp(info.engine, "kalman") == 0 ? columns : 30;
        *operations = (double)info.rows * columns * columns * factor;
    }
    lf_engine_free(engine);
    lf_model_free(model);
    return status;
}

int lf_forces_are_compared(lf_context *ctx, const lf_training *training, const lf_fit_options *options)
{
    const lf_engine_options *engine = &options->engine;
    int outputs = training->data->outputs.count;
    double operations;
    if (options->shape.forces || options->select_forces || training->data->input_dim > 1 || outputs < 2 ||
        outputs > LF_ENOUGH_FORCES || engine->inducing || engine->features || engine->nodes) {
        return 0;
    }
    if (count_operations(ctx, training, options, &operations)) {
        return 0; /* the fit itself will say why */
    }
    if (operations > MOST_OPERATIONS) {
        lf_note(
            ctx,
            "%d forces, the default for %d outputs; for %zu rows other numbers are compared only with --forces auto",
            lf_default_forces(outputs, 1), outputs, lf_data_count(training->data));
        return 0;
    }
    return 1;
}

void lf_note_forces(lf_context *ctx, const lf_fit_result *result, int chosen)
{
    char tried[128] = "";
    size_t first = result->candidate_count; /* the numbers of forces were compared last, in increasing order */
    while (first > 1 && result->candidates[first - 2].forces < result->candidates[first - 1].forces) {
        first--;
    }
    for (size_t i = first ? first - 1 : 0; i < result->candidate_count; i++) {
        size_t used = strlen(tried);
        snprintf(tried + used, sizeof tried - used, "%s%d", used ? ", " : "", result->candidates[i].forces);
    }
    lf_note(ctx, "%d force%s: chosen among %s by AIC (--forces Q sets the number)", chosen, chosen == 1 ? "" : "s",
            tried);
}
