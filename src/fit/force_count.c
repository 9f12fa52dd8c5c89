/* The number of forces where none is given. For few outputs several numbers are compared, unless one evaluation is expensive:
 * the comparison takes about as long as the fit. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/plural.h"
#include "data/data.h"
#include "engine/engine.h"
#include "fit/fit_model.h"
#include "fit/initial_model.h"

/* Operations of one evaluation, without constant factors: at most about a fifth of a second. A limit of time would make the model
 * depend on the machine. */
#define MOST_OPERATIONS 5e8

/* Of one evaluation by an engine (NULL: that of the options, whose name goes into *engine); infinite where it does not apply. */
static lf_status count(lf_context *ctx, const lf_model *model, const lf_training *training,
                       const lf_fit_options *options, double *operations, const char **engine)
{
    lf_fit_options filled = lf_fit_defaults(model, options);
    lf_engine *made = NULL;
    *operations = INFINITY;
    filled.engine.engine = *engine ? *engine : filled.engine.engine;
    lf_status status = lf_engine_create(ctx, model, training->data, &filled.engine, &made);
    if (!status) {
        lf_engine_info info = lf_engine_describe(made);
        double columns = (double)info.columns;
        /* The columns of the filter are states. Their cube is the cost of every step in time, their square that of every row, and
         * about thirty times the cube that of a transition with its derivatives, once for every different gap. Covariances cost
         * more than their algebra. */
        int filters = strcmp(info.engine, "kalman") == 0;
        double passes = 30 * (double)info.rows;
        if (filters) {
            passes = (double)info.rows + columns * ((double)made->rows.steps + 30 * (double)made->rows.gaps);
        }
        *operations = passes * columns * columns;
        *engine = info.engine;
    }
    lf_engine_free(made);
    return status == LF_ERROR_MEMORY ? status : LF_OK;
}

lf_status lf_count_operations(lf_context *ctx, const lf_model *model, const lf_training *training,
                              const lf_fit_options *options, double *operations, const char **engine)
{
    const char *filter = "kalman", *given = options->engine.engine;
    double filtered = INFINITY;
    *engine = NULL;
    lf_status status = count(ctx, model, training, options, operations, engine);
    if (!status && (!given || strcmp(given, "auto") == 0)) {
        status = count(ctx, model, training, options, &filtered, &filter);
    }
    *engine = filtered < *operations ? filter : *engine;
    *operations = fmin(filtered, *operations);
    return status;
}

double lf_affordable_share(double operations) { return fmin(MOST_OPERATIONS / operations, 1); }

int lf_forces_may_be_compared(const lf_training *training, const lf_fit_options *options)
{
    const lf_engine_options *given = &options->engine;
    int outputs = training->summary->output_count;
    return !options->shape.forces && !options->shape.kernels && !options->select_forces &&
           training->data->input_dim == 1 && outputs <= LF_ENOUGH_FORCES && !given->inducing && !given->features &&
           !given->nodes;
}

int lf_forces_are_affordable(lf_context *ctx, const lf_training *training, double operations)
{
    int outputs = training->summary->output_count;
    if (isfinite(operations) && operations > MOST_OPERATIONS) {
        lf_note(
            ctx,
            "%d forces, the default for %d outputs; for %zu rows other numbers are compared only with --forces auto",
            lf_default_forces(outputs, 1), outputs, lf_data_count(training->observed));
    }
    return operations <= MOST_OPERATIONS;
}

/* Whether candidates differ in more than the number of forces. */
static int differ_in_kind(const lf_fit_result *result)
{
    int differ = 0;
    for (size_t i = 1; i < result->candidate_count; i++) {
        const lf_candidate *a = &result->candidates[0], *b = &result->candidates[i];
        differ = differ || strcmp(a->operator_type, b->operator_type) || strcmp(a->force_kernel, b->force_kernel) ||
                 (a->private_kernel && b->private_kernel && strcmp(a->private_kernel, b->private_kernel));
    }
    return differ;
}

void lf_note_choice(lf_context *ctx, const lf_fit_result *result)
{
    int least = 0, most = 0;
    const lf_candidate *chosen = NULL;
    for (size_t i = 0; i < result->candidate_count; i++) {
        const lf_candidate *c = &result->candidates[i];
        chosen = c->chosen ? c : chosen;
        if (isfinite(c->score)) {
            least = least && least < c->forces ? least : c->forces;
            most = most > c->forces ? most : c->forces;
        }
    }
    if (!chosen || result->candidate_count < 2) {
        return; /* there was nothing to choose */
    }
    if (differ_in_kind(result)) {
        lf_note(
            ctx,
            "model: %s with %d %s force%s, the best of %zu compared. To set it: --operator NAME, --force-kernel NAME, "
            "--forces N",
            chosen->operator_type, chosen->forces, chosen->force_kernel, lf_plural((size_t)chosen->forces),
            result->candidate_count);
    } else {
        lf_note(ctx, "number of forces: %d, the best of %d to %d. To set it: --forces N", chosen->forces, least, most);
    }
}
