/* The number of forces where none is given. For few outputs several numbers are compared, unless one evaluation is expensive:
 * the comparison takes one to three times as long as the fit. */
#include <math.h>
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

/* Of one evaluation of the model by an engine (NULL: that of the options, whose name goes into *engine); infinite where it does
 * not apply, negative without memory. */
static double count_operations(lf_context *ctx, const lf_model *model, const lf_training *training,
                               const lf_fit_options *options, const char **engine)
{
    lf_fit_options filled = lf_fit_defaults(model, options);
    lf_engine *made = NULL;
    double operations = INFINITY;
    filled.engine.engine = *engine ? *engine : filled.engine.engine;
    lf_status status = lf_engine_create(ctx, model, training->data, &filled.engine, &made);
    if (!status) {
        lf_engine_info info = lf_engine_describe(made);
        double columns = (double)info.columns;
        /* The columns of the filter are states, whose cube every row costs; covariances cost more than their algebra. */
        double factor = strcmp(info.engine, "kalman") == 0 ? columns : 30;
        operations = (double)info.rows * columns * columns * factor;
        *engine = info.engine;
    }
    lf_engine_free(made);
    return status == LF_ERROR_MEMORY ? -1 : operations;
}

/* The cheaper of the engine of the options and, unless they name one, the filter. A model with the default number of forces stands
 * for all candidates: it is the most expensive one. What fails here fails again in the fit, which says why. */
static double choose_engine(lf_context *ctx, const lf_training *training, const lf_fit_options *options,
                            const char **engine)
{
    lf_model *model = NULL;
    const char *filter = "kalman", *given = options->engine.engine;
    double operations = INFINITY;
    lf_status status = lf_initial_model(ctx, training->data, training->summary, &options->shape, &model);
    if (!status) {
        *engine = NULL;
        operations = count_operations(ctx, model, training, options, engine);
        double filtered =
            !given || strcmp(given, "auto") == 0 ? count_operations(ctx, model, training, options, &filter) : INFINITY;
        *engine = filtered < operations ? filter : *engine;
        operations = fmin(filtered, operations);
    }
    lf_model_free(model);
    return status == LF_ERROR_MEMORY ? -1 : operations;
}

int lf_forces_are_compared(lf_context *ctx, const lf_training *training, const lf_fit_options *options,
                           const char **engine)
{
    const lf_engine_options *given = &options->engine;
    int outputs = training->data->outputs.count;
    if (options->shape.forces || options->shape.kernels || options->select_forces || training->data->input_dim > 1 ||
        outputs < 2 || outputs > LF_ENOUGH_FORCES || given->inducing || given->features || given->nodes) {
        return 0;
    }
    double operations = choose_engine(ctx, training, options, engine);
    if (!isfinite(operations) || operations < 0) {
        return operations < 0 ? -1 : 0;
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
