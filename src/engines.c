/* The table of engines, and the choice among them by what each would cost. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/memory_limit.h"
#include "base/plural.h"
#include "dense/dense.h"
#include "device/device.h"
#include "engine/engine.h"
#include "features/grid_spec.h"
#include "fourier/fourier.h"
#include "inducing/inducing.h"
#include "kalman/kalman.h"
#include "lowrank/lowrank.h"

static const lf_engine_class *const engines[] = {&lf_engine_dense,  &lf_engine_lowrank, &lf_engine_fourier,
                                                 &lf_engine_kalman, &lf_engine_dtc,     &lf_engine_variational,
                                                 &lf_engine_fitc,   &lf_engine_pitc};
enum { ENGINES = sizeof engines / sizeof *engines };

static const char *name_of(const char *engine) { return strcmp(engine, "features") == 0 ? "lowrank" : engine; }

const lf_engine_class *lf_engine_find(const char *name)
{
    for (size_t i = 0; i < ENGINES; i++) {
        if (strcmp(engines[i]->name, name_of(name)) == 0) {
            return engines[i];
        }
    }
    return NULL;
}

const lf_engine_class *lf_engine_with(unsigned ability)
{
    size_t i = 0;
    while (i + 1 < ENGINES && !lf_engine_is_able(engines[i], ability)) {
        i++;
    }
    return engines[i];
}

static lf_status unknown_engine(lf_context *ctx, const char *name)
{
    char known[128] = "auto";
    for (size_t i = 0; i < ENGINES; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, ", %s", engines[i]->name);
    }
    return lf_fail(ctx, LF_ERROR_UNSUPPORTED, "unknown engine '%s'; the engines are %s", name, known);
}

static int has_prior_of(const lf_engine_class *class, const lf_model *model)
{
    return class->prior_covariance && lf_engine_is_able(class, LF_ALLOWS_EQUATIONS) >= (model->system != NULL) &&
           (model->system || !lf_engine_is_able(class, LF_HAS_STATES));
}

lf_status lf_engine_of_prior(lf_context *ctx, const lf_model *model, const lf_engine_options *options,
                             const lf_engine_class **class)
{
    char able[128] = "";
    *class = NULL;
    for (size_t i = 0; i < ENGINES; i++) {
        size_t used = strlen(able);
        int has = has_prior_of(engines[i], model),
            preferred = !model->system || lf_engine_is_able(engines[i], LF_HAS_STATES);
        snprintf(able + used, sizeof able - used, "%s%s", has && used ? ", " : "", has ? engines[i]->name : "");
        *class = has && preferred && !*class ? engines[i] : *class;
    }
    if (options->engine && strcmp(options->engine, "auto") != 0) {
        *class = lf_engine_find(options->engine);
        if (!*class) {
            return unknown_engine(ctx, options->engine);
        }
        if (!has_prior_of(*class, model)) {
            return lf_fail(ctx, LF_ERROR_UNSUPPORTED, "engine '%s': covariances of this model are those of %s",
                           options->engine, able);
        }
    }
    return LF_OK;
}

/* What an engine must support for the kernel of a force. */
static lf_composed_support support_for(const lf_force *force)
{
    return !lf_force_is_composed(force)         ? LF_COMPOSED_NONE
           : !lf_force_has_spectrum(force)      ? LF_COMPOSED_ALL
           : lf_force_has_envelope(force, NULL) ? LF_COMPOSED_SPECTRAL
                                                : LF_COMPOSED_DENSITY;
}

/* The force that needs most of an engine, or NULL. */
static const lf_force *most_demanding(const lf_model *model)
{
    const lf_force *most = NULL;
    for (int q = 0; q < model->force_count; q++) {
        most = !most || support_for(&model->forces[q]) > support_for(most) ? &model->forces[q] : most;
    }
    for (int d = 0; d < model->output_count; d++) {
        const lf_output *output = &model->outputs[d];
        int more = output->has_private && (!most || support_for(&output->private_force) > support_for(most));
        most = more ? &output->private_force : most;
    }
    return most;
}

static int allows_forces(const lf_engine_class *class, const lf_model *model)
{
    const lf_force *force = most_demanding(model);
    return !force || class->composed >= support_for(force);
}

/* Whether an engine can evaluate a model and rows of this kind. */
static int allows(const lf_engine_class *class, const lf_model *model, const lf_rows *rows)
{
    return (lf_engine_is_able(class, LF_ALLOWS_MEAN) || model->known_count == 0) &&
           (lf_engine_is_able(class, LF_ALLOWS_EQUATIONS) || !model->system) &&
           (lf_engine_is_able(class, LF_ALLOWS_AVERAGES) || !rows->averages) && allows_forces(class, model);
}

/* A candidate of the automatic choice. */
typedef struct candidate {
    double cost; /* infinite: it is not chosen */
    lf_demand demand;
    int beyond; /* its memory was estimated, and is beyond the limit */
} candidate;

static int is_inducing(const lf_engine_class *class) { return lf_engine_is_able(class, LF_HAS_INDUCING); }

/* Estimates a candidate with its memory; 0: no memory to do so. One that cannot be made costs an infinity. */
static int estimate(lf_context *ctx, const lf_engine_class *class, const lf_model *model, const lf_rows *rows,
                    const lf_engine_options *options, candidate *c)
{
    lf_status status = class->estimate(ctx, model, rows, options, 1, &c->demand);
    c->beyond = c->demand.applies && lf_engine_bytes(ctx, rows, &c->demand.memory) > lf_memory_limit(ctx);
    c->cost = c->demand.applies ? c->cost : (double)INFINITY;
    return status == LF_OK;
}

/* Whether an engine may be chosen for a model and rows: for equations only the filter, which is faster than covariances from a few rows
 * on; those are for checks. */
static int is_eligible(const lf_engine_class *class, const lf_model *model, const lf_rows *rows,
                       const lf_engine_options *options)
{
    return allows(class, model, rows) && (lf_engine_is_able(class, LF_HAS_STATES) || !model->system) &&
           (lf_engine_is_able(class, LF_ALLOWS_DEVICE) || !lf_device_is_named(options->device));
}

static void take(const lf_engine_class *class, const lf_demand *demand, lf_engine_choice *choice)
{
    choice->class = class;
    choice->cost = demand->cost;
    choice->memory = demand->memory;
    choice->distribution = demand->distribution;
    choice->resolves_lengthscales = demand->resolves_lengthscales;
}

/* The cheapest class without inducing values and, if `within`, within the limit of memory; -1: none, -2: no memory. */
static int find_cheapest(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                         int within, candidate *candidates)
{
    for (;;) {
        int best = -1;
        for (int i = 0; i < ENGINES; i++) {
            int able = isfinite(candidates[i].cost) && !(within && candidates[i].beyond);
            best = able && (best < 0 || candidates[i].cost < candidates[best].cost) ? i : best;
        }
        if (best < 0 || candidates[best].demand.applies) {
            return best;
        }
        if (!estimate(ctx, engines[best], model, rows, options, &candidates[best])) {
            return -2;
        }
    }
}

/* "cheapest by estimate: dense 2.1 Gflop, kalman 1.2 Gflop needs 3 GB" */
static void explain(const lf_context *ctx, const lf_rows *rows, const candidate *candidates, size_t size, char *reason)
{
    int used = snprintf(reason, size, "cheapest by estimate:");
    for (size_t i = 0; i < ENGINES; i++) {
        char flops[48], needs[LF_SIZE_TEXT], memory[48] = "";
        const candidate *c = &candidates[i];
        snprintf(flops, sizeof flops, isfinite(c->cost) ? "%.3g Gflop" : "does not apply", 1e-9 * c->cost);
        if (c->beyond) {
            snprintf(memory, sizeof memory, " needs %s",
                     lf_size_text(lf_engine_bytes(ctx, rows, &c->demand.memory), needs));
        }
        if (!is_inducing(engines[i]) && used > 0 && (size_t)used < size) {
            used += snprintf(reason + used, size - (size_t)used, "%s %s %s%s", i ? "," : "", engines[i]->name, flops,
                             memory);
        }
    }
}

/* The cheapest class without inducing values, within the limit of memory if there is one that is. */
static lf_status choose_cheapest(lf_context *ctx, const lf_model *model, const lf_rows *rows,
                                 const lf_engine_options *options, lf_engine_choice *choice)
{
    candidate candidates[ENGINES] = {{0}};
    for (size_t i = 0; i < ENGINES; i++) {
        candidate *c = &candidates[i];
        c->cost = INFINITY;
        if (!is_inducing(engines[i]) && is_eligible(engines[i], model, rows, options)) {
            if (engines[i]->estimate(ctx, model, rows, options, 0, &c->demand)) {
                return lf_no_memory(ctx);
            }
            c->cost = c->demand.cost;
        }
    }
    int best = find_cheapest(ctx, model, rows, options, 1, candidates);
    best = best == -1 ? find_cheapest(ctx, model, rows, options, 0, candidates) : best;
    if (best == -2) {
        return lf_no_memory(ctx);
    }
    explain(ctx, rows, candidates, sizeof choice->reason, choice->reason);
    if (best >= 0) {
        take(engines[best], &candidates[best].demand, choice);
        return LF_OK;
    }
    /* the engine that the options point to reports what is wrong with them */
    const lf_engine_class *class = model->system || model->known_count || rows->averages     ? &lf_engine_kalman
                                   : lf_rule_is_sampled(options->nodes) || options->features ? &lf_engine_lowrank
                                                                                             : &lf_engine_dense;
    lf_demand demand = {0};
    lf_status status = class->estimate(ctx, model, rows, options, 1, &demand);
    demand.cost = INFINITY;
    take(class, &demand, choice);
    return status ? lf_no_memory(ctx) : LF_OK;
}

/* Whether an engine with these options can be made for the model and the rows, within the limit of memory. */
static int can_be_made(lf_context *ctx, const lf_engine_class *class, const lf_model *model, const lf_rows *rows,
                       const lf_engine_options *options)
{
    candidate c = {0};
    return is_eligible(class, model, rows, options) && estimate(ctx, class, model, rows, options, &c) &&
           isfinite(c.demand.cost) && c.demand.applies && !c.beyond;
}

void lf_engine_advise(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                      const char *refused)
{
    lf_engine_options other = *options;
    const char *names[ENGINES];
    char message[sizeof ctx->message];
    size_t count = 0;
    memcpy(message, ctx->message, sizeof message);
    for (size_t i = 0; i < ENGINES; i++) {
        other.engine = engines[i]->name;
        if (!is_inducing(engines[i]) && strcmp(engines[i]->name, name_of(refused)) != 0 &&
            can_be_made(ctx, engines[i], model, rows, &other)) {
            names[count++] = engines[i]->name;
        }
    }
    memcpy(ctx->message, message, sizeof message);
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(ctx->message);
        snprintf(ctx->message + used, sizeof ctx->message - used, "%s%s",
                 i == 0          ? "; use "
                 : i + 1 < count ? ", "
                                 : " or ",
                 names[i]);
    }
}

/* The class that the options name. */
static lf_status choose_named(lf_context *ctx, const lf_model *model, const lf_rows *rows,
                              const lf_engine_options *options, lf_engine_choice *choice)
{
    choice->class = lf_engine_find(options->engine);
    if (!choice->class) {
        return unknown_engine(ctx, options->engine);
    }
    if (!allows_forces(choice->class, model)) {
        const lf_force *force = most_demanding(model);
        int lines = choice->class->composed == LF_COMPOSED_DENSITY && support_for(force) == LF_COMPOSED_SPECTRAL;
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED, "the %s engine does not support forces with the kernel %s%s",
                       choice->class->name, lf_force_kernel_text(force),
                       lines ? ", whose spectrum has lines between its uniform frequencies" : "");
    }
    if (!allows(choice->class, model, rows)) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED, "the %s engine does not support %s", choice->class->name,
                       model->system && !lf_engine_is_able(choice->class, LF_ALLOWS_EQUATIONS)
                           ? "models given by equations"
                       : model->known_count && !lf_engine_is_able(choice->class, LF_ALLOWS_MEAN)
                           ? "known inputs"
                           : "readings that are means over an interval (width)");
    }
    if (lf_device_is_named(options->device) && !lf_engine_is_able(choice->class, LF_ALLOWS_DEVICE)) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED, "the %s engine computes on the processor only; leave out device %s",
                       choice->class->name, options->device);
    }
    snprintf(choice->reason, sizeof choice->reason, "asked for");
    lf_demand demand = {0};
    lf_status status = choice->class->estimate(ctx, model, rows, options, 1, &demand);
    take(choice->class, &demand, choice);
    return status ? lf_no_memory(ctx) : LF_OK;
}

lf_status lf_engine_estimate(lf_context *ctx, const lf_model *model, const lf_rows *rows,
                             const lf_engine_options *options, lf_engine_choice *choice, double *bytes)
{
    int automatic = !options->engine || strcmp(options->engine, "auto") == 0;
    lf_status status = (automatic ? choose_cheapest : choose_named)(ctx, model, rows, options, choice);
    if (status == LF_ERROR_UNSUPPORTED && !automatic && lf_engine_find(options->engine)) {
        lf_engine_advise(ctx, model, rows, options, options->engine);
    }
    *bytes = status ? (double)INFINITY : lf_engine_bytes(ctx, rows, &choice->memory);
    return status;
}

/* Other engines that are within the limit, with their estimates; "" where there are none. */
static void list_others(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                        const lf_engine_class *chosen, size_t size, char *text)
{
    int used = 0;
    *text = '\0';
    for (size_t i = 0; i < ENGINES && used >= 0 && (size_t)used < size; i++) {
        lf_engine_options other = {.size = sizeof other, .tolerance = options->tolerance, .inducing = 40};
        candidate c = {0};
        int listed =
            !is_inducing(engines[i]) || lf_engine_is_able(engines[i], LF_EXACT_IN_OUTPUTS); /* of these, the best */
        if (engines[i] == chosen || !listed || !allows(engines[i], model, rows) ||
            !estimate(ctx, engines[i], model, rows, &other, &c) || !c.demand.applies || c.beyond) {
            continue;
        }
        char needs[LF_SIZE_TEXT];
        used += snprintf(text + used, size - (size_t)used, "%s--engine %s%s (%s)", used ? ", " : "", engines[i]->name,
                         is_inducing(engines[i]) ? " --inducing 40" : "",
                         lf_size_text(lf_engine_bytes(ctx, rows, &c.demand.memory), needs));
    }
}

lf_status lf_engine_choose(lf_context *ctx, const lf_model *model, const lf_rows *rows,
                           const lf_engine_options *options, lf_engine_choice *choice)
{
    double bytes;
    lf_status status = lf_engine_estimate(ctx, model, rows, options, choice, &bytes);
    if (status || bytes <= lf_memory_limit(ctx)) {
        return status;
    }
    char others[512], remedy[600];
    list_others(ctx, model, rows, options, choice->class, sizeof others, others);
    snprintf(remedy, sizeof remedy, "%s%s", *others ? "what fits: " : "take fewer rows or a smaller model", others);
    return lf_check_memory(ctx, bytes, remedy, "%zu rows of %d output%s with %d force%s: the %s engine", rows->n,
                           model->output_count, lf_plural((size_t)model->output_count), model->force_count,
                           lf_plural((size_t)model->force_count), choice->class->name);
}
