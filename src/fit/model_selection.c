/* Which shape of model: the candidates that an option "auto" stands for. Operators and kernels are compared together, with the
 * default number of forces; then numbers of forces, for the best of these. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "fit/comparison.h"
#include "fit/initial_model.h"
#include "fit/known_inputs.h"
#include "fit/rough_forces.h"

static const char *const operators[] = {"ode1", "ode2"};
static const char *const kernels[] = {"eq", "matern52", "matern32", "matern12"};
static const int force_counts[] = {1, 2, 3, 4, 5, 6, 8};

#define COUNT(list) (sizeof(list) / sizeof *(list))
_Static_assert(COUNT(operators) * (COUNT(kernels) + 1) + COUNT(force_counts) + 1 + LF_MOST_WHITE <= LF_MOST_CANDIDATES,
               "there must be room for all");

lf_status lf_shaped_model(lf_context *ctx, const lf_training *training, const lf_fit_options *options,
                          const lf_shape_options *shape, lf_model **model)
{
    const lf_data *observed = training->observed ? training->observed : training->data;
    lf_status status = lf_initial_model(ctx, observed, training->summary, shape, model);
    if (!status && options->inputs.count > 0) {
        status = lf_add_known_inputs(ctx, &options->inputs, *model);
        LF_TRY(status, lf_take_labels(ctx, training->data, *model));
    }
    return status;
}

/* The kernels of the default shape, and those that --force-kernel K gives. */
static lf_candidate with_kernel(const lf_shape_options *shape, const char *kernel, int outputs, int inputs)
{
    lf_shape_options filled = *shape;
    filled.force_kernel = kernel;
    lf_fill_shape(&filled, outputs, inputs);
    return (lf_candidate){.operator_type = filled.operator_type,
                          .force_kernel = filled.force_kernel,
                          .private_kernel = strcmp(filled.private_forces, "yes") == 0 ? filled.private_kernel : NULL,
                          .forces = filled.forces};
}

static void add_operators_and_kernels(lf_comparison *c, const lf_fit_options *options, lf_candidate usual, int outputs,
                                      int inputs)
{
    for (size_t o = 0; o < (options->select_operator ? COUNT(operators) : 1); o++) {
        usual.operator_type = options->select_operator ? operators[o] : usual.operator_type;
        lf_comparison_add(c, &usual);
        for (size_t k = 0; k < (options->select_kernel ? COUNT(kernels) : 0); k++) {
            lf_candidate other = with_kernel(c->shape, kernels[k], outputs, inputs);
            other.operator_type = usual.operator_type;
            lf_comparison_add(c, &other);
        }
    }
}

/* At most two more forces than outputs, and the number that the candidate has; where that stands. */
static size_t add_force_counts(lf_comparison *c, lf_candidate usual, int outputs)
{
    int own = usual.forces, most = outputs > 1 ? outputs + 2 : 1;
    size_t kept = c->count;
    for (size_t i = 0; i <= COUNT(force_counts); i++) { /* in increasing order */
        int previous = i > 0 ? force_counts[i - 1] : 0, number = i < COUNT(force_counts) ? force_counts[i] : own + 1;
        if (own > previous && own <= number) {
            usual.forces = own;
            kept = lf_comparison_add(c, &usual);
        }
        if (i < COUNT(force_counts) && number <= most) {
            usual.forces = number;
            lf_comparison_add(c, &usual);
        }
    }
    return kept;
}

/* White forces are taken only where the evidence is a thousand to one for each output: a likelihood judges mostly the next
 * reading, and white forces leave nothing that is slow to carry a trend on. */
static lf_status add_white(lf_comparison *c, const lf_candidate *usual, int outputs)
{
    size_t first = c->count;
    double price = outputs * log(1000), best = c->candidates[lf_comparison_winner(c)].score;
    lf_candidate white = *usual;
    white.force_kernel = "white";
    white.private_kernel = usual->private_kernel ? "white" : NULL;
    for (white.forces = 1; white.forces <= outputs && white.forces <= LF_MOST_WHITE; white.forces++) {
        lf_comparison_add(c, &white);
    }
    lf_status status = lf_comparison_run(c, first, first);
    for (size_t i = first; i < c->count; i++) {
        c->rejected[i] = !(c->candidates[i].score > best + price);
    }
    return status;
}

lf_status lf_select_shape(lf_context *ctx, const lf_training *training, const lf_fit_options *options, double share,
                          lf_shape_options *shape, lf_fit_result *result, lf_chosen *chosen)
{
    int inputs = lf_data_input_dim(training->data), outputs = training->summary->output_count;
    *chosen = (lf_chosen){0};
    if (inputs > 1 && options->select_operator) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                       "with %d inputs there is no choice of operators: gaussian is the only one", inputs);
    }
    lf_candidate *candidates = result->candidates = calloc(LF_MOST_CANDIDATES, sizeof *candidates);
    if (!candidates) {
        return lf_no_memory(ctx);
    }
    lf_comparison c;
    lf_shape_options common = *shape;
    lf_comparison_begin(ctx, training, options, &common, candidates, &c);
    c.share = share;
    lf_candidate usual = with_kernel(&common, common.force_kernel, outputs, inputs);
    lf_status status = LF_OK;
    size_t first = 0;
    if (options->select_operator || options->select_kernel) {
        add_operators_and_kernels(&c, options, usual, outputs, inputs);
        status = lf_comparison_run(&c, 0, 0);
        usual = candidates[lf_comparison_winner(&c)];
        first = c.count;
    }
    if (!status && options->select_forces && !lf_monitor_stopped(training->monitor)) {
        size_t kept = add_force_counts(&c, usual, outputs);
        status = c.count > first ? lf_comparison_run(&c, first, kept) : LF_OK;
        if (!status && !lf_monitor_stopped(training->monitor) &&
            lf_tries_white(training, options, c.best[lf_comparison_winner(&c)])) {
            status = add_white(&c, &usual, outputs);
        }
    }
    result->candidate_count = c.count;
    if (!status) {
        size_t winner = lf_comparison_winner(&c);
        candidates[winner].chosen = 1;
        shape->operator_type = candidates[winner].operator_type;
        shape->force_kernel = candidates[winner].force_kernel;
        shape->private_kernel =
            candidates[winner].private_kernel ? candidates[winner].private_kernel : shape->private_kernel;
        shape->forces = candidates[winner].forces;
        *chosen = (lf_chosen){.start = c.start[winner], .best = c.best[winner]};
        c.start[winner] = c.best[winner] = NULL;
    }
    lf_comparison_clear(&c);
    return status;
}

void lf_chosen_clear(lf_chosen *chosen)
{
    lf_model_free(chosen->start);
    lf_model_free(chosen->best);
    *chosen = (lf_chosen){0};
}
