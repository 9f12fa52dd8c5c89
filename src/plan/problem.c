/* The rows of a fit, their summary, and how far predictions reach. */
#include "plan/problem.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/processes.h"
#include "data/share.h"
#include "plan/component_count.h"
#include "plan/known_inputs.h"
#include "plan/likelihoods.h"
#include "plan/plan.h"
#include "plan/row_notes.h"

/* What a problem points to, which is its own. */
typedef struct owned {
    lf_problem problem; /* the first member: a problem is released as this */
    lf_data *sample, *training, *observed, *latent, *local;
    lf_data_summary summary;
    lf_model *given;
} owned;

void lf_problem_free(lf_problem *problem)
{
    owned *o = (owned *)problem;
    if (o) {
        lf_data_summary_clear(&o->summary);
        lf_data_free(o->sample);
        lf_data_free(o->training);
        lf_data_free(o->observed);
        lf_data_free(o->latent);
        lf_data_free(o->local);
        lf_model_free(o->given);
    }
    free(o);
}

const lf_data *lf_problem_rows(const lf_problem *problem)
{
    return problem->local ? problem->local : problem->training;
}

static void point_to_own(owned *o)
{
    o->problem.training = o->training;
    o->problem.observed = o->observed;
    o->problem.latent = o->latent;
    o->problem.local = o->local;
    o->problem.summary = &o->summary;
    o->problem.given = o->given;
}

static lf_status read_given(lf_context *ctx, const lf_options *options, lf_model **model)
{
    return options->init_model        ? lf_model_copy(ctx, options->init_model, model)
           : options->init            ? lf_model_read(ctx, options->init, model)
           : options->equations_model ? lf_model_copy(ctx, options->equations_model, model)
           : options->equations       ? lf_model_read_equations(ctx, options->equations, model)
                                      : LF_OK;
}

/* The rows of a shared table, on every process, and those that are the share of this one. More rows than a sample has are too many for
 * windows left out. */
static lf_status gather_rows(lf_context *ctx, const lf_data *data, const lf_options *options, owned *o)
{
    size_t total = 0;
    lf_status status = lf_data_sample(ctx, data, LF_MOST_GATHERED, &o->sample);
    LF_TRY(status, lf_select_share(ctx, data, o->given, &options->inputs, &o->local));
    LF_TRY(status, lf_data_total(ctx, data, &total));
    LF_TRY(status, lf_data_total(ctx, o->local, &o->problem.count));
    o->problem.sampled = !status && o->sample->n < total;
    if (o->problem.sampled) {
        lf_note(ctx,
                "%zu rows: starting values and shapes are those of %zu of them, in even windows; intervals are not "
                "calibrated",
                total, o->sample->n);
    }
    return status;
}

static lf_status find_origin(lf_context *ctx, const lf_data *data, const lf_options *options, owned *o)
{
    if (options->origin) {
        return lf_axis_parse_text(ctx, &data->axes[0], options->origin, &o->problem.origin);
    }
    return data->input_dim == 1 ? lf_first_input(ctx, o->training, o->given, &options->inputs, &o->problem.origin)
                                : LF_OK;
}

static void find_limits(const lf_data *data, double *first, double *last)
{
    *first = INFINITY;
    *last = -(double)INFINITY;
    for (size_t i = 0; i < data->n; i++) {
        *first = fmin(*first, data->x[i]);
        *last = fmax(*last, data->x[i]);
    }
}

/* Predictions reach every input of the data, test rows included (their inputs, not their values), and the horizon. */
static lf_status find_reach(lf_context *ctx, const lf_data *data, const char *wanted, owned *o)
{
    if (data->input_dim > 1) {
        return LF_OK;
    }
    double first, last, low, high;
    find_limits(o->observed, &first, &last);
    find_limits(data, &low, &high);
    if (wanted) {
        double horizon;
        char shown[LF_TIMESTAMP_SIZE];
        lf_status status = lf_axis_parse_text(ctx, &data->axes[0], wanted, &horizon);
        if (status) {
            return status;
        }
        if (horizon < last) {
            lf_axis_format(&data->axes[0], last, shown);
            return lf_fail(ctx, LF_ERROR_ARGUMENT, "--horizon %s lies before the last training input %s", wanted,
                           shown);
        }
        high = fmax(high, horizon);
    }
    o->problem.ahead = high - last;
    o->problem.behind = first - low;
    return LF_OK;
}

/* The summary, with notes on rows that tell little where a model is made for them. */
static lf_status summarise(lf_context *ctx, const lf_options *options, owned *o)
{
    lf_status status = lf_latent_rows(ctx, o->observed, &options->likelihoods, o->given, &o->latent);
    const lf_data *rows = o->latent ? o->latent : o->observed;
    if (o->given) {
        return status ? status : lf_data_summary_create(ctx, rows, o->given, &o->summary);
    }
    LF_TRY(status, lf_check_training_rows(ctx, o->observed));
    LF_TRY(status, lf_data_summary_create(ctx, rows, NULL, &o->summary));
    if (!status) {
        lf_note_training_rows(ctx, o->observed, &o->summary);
    }
    return status || lf_few_outputs(o->summary.output_count)
               ? status
               : lf_component_count_find(ctx, &o->summary, &o->summary.components);
}

lf_status lf_problem_create(lf_context *ctx, const lf_data *data, const lf_options *options, lf_problem **problem)
{
    int shared = lf_data_is_shared(data);
    owned *o = calloc(1, sizeof *o);
    *problem = &o->problem;
    lf_status status = o ? read_given(ctx, options, &o->given) : lf_no_memory(ctx);
    status = shared ? lf_agree(ctx, status) : status;
    status = status || !shared ? status : gather_rows(ctx, data, options, o);
    data = shared && o ? o->sample : data;
    LF_TRY(status, lf_select_training(ctx, data, o->given, &options->inputs, &o->training, &o->observed));
    if (!status && (!shared || o->problem.count <= o->sample->n)) {
        o->problem.count = o->observed->n;
    }
    LF_TRY(status, find_origin(ctx, data, options, o));
    LF_TRY(status, find_reach(ctx, data, options->horizon, o)); /* a wrong horizon is reported before the fit */
    LF_TRY(status, summarise(ctx, options, o));
    if (!status) {
        o->problem.asked = data;
        point_to_own(o);
    }
    return status;
}

lf_status lf_problem_part(lf_context *ctx, const lf_problem *whole, const lf_model *model, lf_keep_function keep,
                          const void *user, lf_problem **part)
{
    owned *o = calloc(1, sizeof *o);
    *part = &o->problem;
    if (!o) {
        return lf_no_memory(ctx);
    }
    o->problem = *whole;
    lf_status status = lf_data_pick(ctx, whole->training, keep, user, &o->training);
    LF_TRY(status, lf_data_pick(ctx, whole->observed, keep, user, &o->observed));
    if (!status && whole->latent) {
        status = lf_data_pick(ctx, whole->latent, keep, user, &o->latent);
    }
    LF_TRY(status, lf_data_summary_create(ctx, o->latent ? o->latent : o->observed, model, &o->summary));
    for (int d = 0; !status && d < o->summary.output_count; d++) {
        o->summary.outputs[d].unexplained = whole->summary->outputs[d].unexplained;
    }
    point_to_own(o);
    o->problem.given = whole->given;
    o->problem.count = status ? 0 : o->observed->n;
    return status;
}
