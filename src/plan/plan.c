/* The plan of a fit: defaults that do not depend on a model, and what the options leave open. */
#include "plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/axis.h"
#include "base/context.h"
#include "base/memory.h"

const lf_thresholds lf_threshold = {
#define LF_VALUE(stage, name, value, reason) .name = (value),
    LF_THRESHOLDS(LF_VALUE)
#undef LF_VALUE
};

static int is(const char *text, const char *word) { return text && strcmp(text, word) == 0; }

/* ---- the shape of a model ---- */

int lf_few_outputs(int outputs) { return outputs <= lf_threshold.few_outputs; }

/* What few outputs share is smoother than what each has alone. A formula is meant for the shared forces. */
static void fill_kernels(lf_shape_options *shape, int outputs, int inputs)
{
    const char *force = shape->force_kernel, *private = shape->private_kernel;
    int shares = shape->private_forces ? is(shape->private_forces, "yes") : outputs > 1;
    if (force && !private && !lf_force_kernel_find(force)) {
        private = "matern12";
    }
    if (!force) {
        force = inputs > 1 ? "eq" : shares && lf_few_outputs(outputs) ? "matern32" : "matern12";
        private = private || inputs > 1 ? private : "matern12";
    }
    shape->force_kernel = force;
    shape->private_kernel = private ? private : force;
}

int lf_default_forces(int outputs, int inputs)
{
    double most = inputs > 1 ? lf_threshold.most_forces_of_map : lf_threshold.most_forces;
    double many = fmin(outputs, most), few = fmin(outputs + lf_threshold.more_forces, lf_threshold.few_outputs);
    return outputs == 1 ? 1 : (int)(inputs > 1 ? many : fmax(many, few));
}

void lf_fill_shape(lf_shape_options *shape, int outputs, int inputs)
{
    int given = 0;
    while (shape->kernels && shape->kernels[given]) {
        given++;
    }
    fill_kernels(shape, outputs, inputs);
    shape->operator_type = shape->operator_type ? shape->operator_type : inputs > 1 ? "gaussian" : "ode1";
    shape->forces = shape->forces ? shape->forces : given ? given : lf_default_forces(outputs, inputs);
    shape->copies = shape->copies ? shape->copies : 1;
    shape->private_forces = shape->private_forces ? shape->private_forces : outputs > 1 && inputs == 1 ? "yes" : "no";
}

/* ---- what the options and the rows say ---- */

static lf_choice choice_of(const char *text)
{
    return is(text, "yes") ? LF_CHOICE_YES : is(text, "no") ? LF_CHOICE_NO : LF_CHOICE_AUTO;
}

/* With several inputs the only exact engine costs the cube of the rows: many rows are approximated by features. */
static void choose_features(lf_context *ctx, const lf_problem *problem, lf_fit_plan *plan)
{
    lf_engine_options *engine = &plan->engine;
    if (problem->training->input_dim > 1 && (double)problem->training->n > lf_threshold.many_rows_of_map &&
        !engine->engine && !engine->nodes && !engine->features) {
        engine->features = (size_t)lf_threshold.features_of_map;
        lf_note(
            ctx,
            "%zu rows with %d inputs: each force is approximated by %zu frequencies; --features S takes more or fewer, "
            "--engine dense none",
            problem->training->n, problem->training->input_dim, engine->features);
    }
}

/* What was understood, and whether rows of this length and step can have such a cycle. */
static void note_periods(lf_context *ctx, const lf_shape_options *shape, const lf_data *data)
{
    lf_label axis = lf_axis_info(&data->axes[0]);
    const char *unit = axis.unit ? axis.unit : "", *space = *unit ? " " : "";
    double step = lf_data_step(data), first = INFINITY, last = -(double)INFINITY;
    for (size_t i = 0; i < data->n; i++) {
        first = fmin(first, data->x[i]);
        last = fmax(last, data->x[i]);
    }
    for (int i = 0; i < shape->period_count; i++) {
        double period = shape->periods[i], cycles = (last - first) / period;
        const char *doubt = period < 2 * step ? ", but a period is shorter than two steps between rows"
                            : cycles < 2      ? ", too few to see a cycle"
                                              : "";
        lf_note(ctx, "forces that repeat every %.4g%s%s are added; the training rows span %.3g such periods%s", period,
                space, unit, cycles, doubt);
    }
}

static lf_status read_periods(lf_context *ctx, const lf_option_list *texts, const lf_data *data, lf_fit_plan *plan)
{
    if (texts->count == 0) {
        return LF_OK;
    }
    if (data->input_dim > 1) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "--period %s is for one input, the data have %d", texts->item[0],
                       data->input_dim);
    }
    plan->periods = lf_doubles(texts->count, 1);
    lf_status status = plan->periods ? LF_OK : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < texts->count; i++) {
        status = lf_axis_parse_span(ctx, &data->axes[0], texts->item[i], &plan->periods[i]);
    }
    plan->shape.periods = plan->periods;
    plan->shape.period_count = (int)texts->count;
    if (!status) {
        note_periods(ctx, &plan->shape, data);
    }
    return status;
}

/* The number of forces of many outputs, by the errors of principal components, and one that may do as well. */
static void count_forces(lf_context *ctx, const lf_problem *problem, lf_fit_plan *plan)
{
    const lf_component_count *c = &problem->summary->components;
    int most = lf_default_forces(problem->summary->output_count, problem->summary->input_dim);
    char compared[160] = "";
    for (int k = 0; k < c->count; k++) {
        size_t used = strlen(compared);
        snprintf(compared + used, sizeof compared - used, "%s%d (%.3g)", used ? ", " : "", c->numbers[k], c->errors[k]);
    }
    /* where the largest number compared is best, more may be better still */
    int enough = c->chosen < c->count - 1,
        forces = enough && c->numbers[c->chosen] < most ? c->numbers[c->chosen] : most;
    plan->shape.forces = forces;
    plan->fewer_forces = enough && forces > c->numbers[0] ? c->numbers[0] : 0;
    snprintf(plan->components, sizeof plan->components,
             "the squared error of outputs predicted from the others in blocks of time left out, with %s components",
             compared);
    lf_note(ctx, "%d forces: chosen by %s (--forces Q sets the number)", forces, plan->components);
}

static unsigned find_open(const lf_options *options, const lf_problem *problem, const lf_fit_plan *plan)
{
    const lf_engine_options *e = &plan->engine;
    const lf_shape_options *s = &options->shape;
    int named = e->engine && !is(e->engine, "auto"), approximate = e->nodes || e->features || e->inducing;
    unsigned open = !named && !approximate ? LF_OPEN_ENGINE : 0;
    open |= !s->forces && !s->kernels && !options->select_forces ? LF_OPEN_FORCES : 0;
    open |= !s->force_kernel && !s->private_kernel && !s->kernels && !options->select_kernel ? LF_OPEN_KERNEL : 0;
    if (problem->summary->input_dim == 1 && !e->inducing && !options->no_periods && !options->periods.count) {
        open |= LF_OPEN_CYCLES;
    }
    return problem->given ? 0 : open;
}

static lf_fit_plan default_plan(void)
{
    static const lf_option_list none;
    return (lf_fit_plan){.engine = {.size = sizeof(lf_engine_options)},
                         .gradient = lf_threshold.gradient,
                         .stores_posterior = 1,
                         .checkpoint_seconds = lf_threshold.checkpoint_seconds,
                         .inputs = &none,
                         .likelihoods = &none,
                         .fixed = &none,
                         .freed = &none,
                         .command = &none};
}

static void take_options(const lf_options *o, const lf_problem *problem, lf_fit_plan *plan)
{
    plan->shape = o->shape;
    plan->shape.origin = &problem->origin;
    plan->engine = o->engine;
    plan->engine.size = sizeof plan->engine;
    plan->compared = (o->select_operator ? LF_OPEN_OPERATOR : 0) | (o->select_kernel ? LF_OPEN_KERNEL : 0) |
                     (o->select_forces ? LF_OPEN_FORCES : 0);
    plan->prior = o->prior;
    plan->restarts = o->restarts;
    plan->iterations = o->max_iterations;
    plan->relative_gain = o->relative_decrease;
    plan->gradient = o->gradient > 0 ? o->gradient : plan->gradient;
    plan->errors = choice_of(o->errors);
    plan->calibrate = problem->sampled ? LF_CHOICE_NO : choice_of(o->calibrate);
    plan->stores_posterior = !o->no_posterior;
    plan->learns_inducing = o->learn_inducing;
    plan->inducing_noise = o->inducing_noise;
    plan->checkpoint = o->checkpoint;
    plan->checkpoint_seconds = o->checkpoint_seconds > 0 ? o->checkpoint_seconds : plan->checkpoint_seconds;
    plan->resume = o->resume;
    plan->inputs = &o->inputs;
    plan->likelihoods = &o->likelihoods;
    plan->fixed = &o->fixed;
    plan->freed = &o->freed;
    plan->command = &o->command;
}

lf_status lf_fit_plan_resolve(lf_context *ctx, const lf_options *options, const lf_problem *problem, lf_fit_plan *plan)
{
    *plan = default_plan();
    take_options(options, problem, plan);
    choose_features(ctx, problem, plan);
    lf_status status = read_periods(ctx, &options->periods, problem->observed, plan);
    plan->open = find_open(options, problem, plan);
    if (!status && problem->summary->components.count && (plan->open & LF_OPEN_FORCES)) {
        count_forces(ctx, problem, plan);
    }
    return status;
}

/* A limit of time would make the model depend on the machine. */
int lf_finds_errors(const lf_fit_plan *plan, size_t free_count)
{
    return plan->errors == LF_CHOICE_YES ||
           (plan->errors == LF_CHOICE_AUTO && (double)free_count <= lf_threshold.most_errors);
}

void lf_fit_plan_clear(lf_fit_plan *plan)
{
    free(plan->periods);
    *plan = (lf_fit_plan){0};
}
