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

static lf_status unknown_engine(lf_context *ctx, const char *name)
{
    char known[128] = "auto";
    for (size_t i = 0; i < ENGINES; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, ", %s", engines[i]->name);
    }
    return lf_fail(ctx, LF_ERROR_UNSUPPORTED, "unknown engine '%s'; the engines are %s", name, known);
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
    return (class->allows_mean || model->known_count == 0) && (class->allows_equations || !model->system) &&
           (class->allows_averages || !rows->averages) && allows_forces(class, model);
}

/* A candidate of the automatic choice. */
typedef struct candidate {
    double cost;
    lf_memory_estimate memory;
    int estimated, beyond; /* its memory was estimated; it is beyond the limit */
} candidate;

/* Estimates the memory of a candidate; 0: no memory to do so. One that cannot be made costs an infinity. */
static int estimate(lf_context *ctx, const lf_engine_class *class, const lf_model *model, const lf_rows *rows,
                    const lf_engine_options *options, candidate *c)
{
    int applies = class->memory(ctx, model, rows, options, &c->memory);
    c->estimated = applies > 0;
    c->beyond = applies > 0 && lf_engine_bytes(ctx, rows, &c->memory) > lf_memory_limit(ctx);
    c->cost = applies == 0 ? (double)INFINITY : c->cost;
    return applies >= 0;
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
        if (best < 0 || candidates[best].estimated) {
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
            snprintf(memory, sizeof memory, " needs %s", lf_size_text(lf_engine_bytes(ctx, rows, &c->memory), needs));
        }
        if (!engines[i]->has_inducing && used > 0 && (size_t)used < size) {
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
        /* covariances of equations are for checks: the filter is faster from a few rows on */
        int slow = model->system && engines[i] != &lf_engine_kalman;
        int able = !engines[i]->has_inducing && allows(engines[i], model, rows) && !slow &&
                   (engines[i]->allows_device || !lf_device_is_named(options->device));
        candidates[i].cost = able ? engines[i]->cost(ctx, model, rows, options) : (double)INFINITY;
        if (candidates[i].cost < 0) {
            return lf_no_memory(ctx);
        }
    }
    int best = find_cheapest(ctx, model, rows, options, 1, candidates);
    best = best == -1 ? find_cheapest(ctx, model, rows, options, 0, candidates) : best;
    if (best == -2) {
        return lf_no_memory(ctx);
    }
    explain(ctx, rows, candidates, sizeof choice->reason, choice->reason);
    if (best >= 0) {
        choice->class = engines[best];
        choice->cost = candidates[best].cost;
        choice->memory = candidates[best].memory;
        return LF_OK;
    }
    /* the engine that the options point to reports what is wrong with them */
    choice->class = model->system || model->known_count || rows->averages     ? &lf_engine_kalman
                    : lf_rule_is_sampled(options->nodes) || options->features ? &lf_engine_lowrank
                                                                              : &lf_engine_dense;
    choice->cost = INFINITY;
    choice->memory = (lf_memory_estimate){0};
    return choice->class->memory(ctx, model, rows, options, &choice->memory) < 0 ? lf_no_memory(ctx) : LF_OK;
}

/* Whether an engine with these options can be made for the model and the rows, within the limit of memory. */
static int can_be_made(lf_context *ctx, const lf_engine_class *class, const lf_model *model, const lf_rows *rows,
                       const lf_engine_options *options)
{
    candidate c = {0};
    int slow = model->system && class != &lf_engine_kalman; /* as in the automatic choice */
    int able = !slow && allows(class, model, rows) && (class->allows_device || !lf_device_is_named(options->device));
    double cost = able ? class->cost(ctx, model, rows, options) : (double)INFINITY;
    return isfinite(cost) && cost >= 0 && estimate(ctx, class, model, rows, options, &c) && c.estimated && !c.beyond;
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
        if (!engines[i]->has_inducing && strcmp(engines[i]->name, name_of(refused)) != 0 &&
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
                       model->system && !choice->class->allows_equations ? "models given by equations"
                       : model->known_count && !choice->class->allows_mean
                           ? "known inputs"
                           : "readings that are means over an interval (width)");
    }
    if (lf_device_is_named(options->device) && !choice->class->allows_device) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED, "the %s engine computes on the processor only; leave out device %s",
                       choice->class->name, options->device);
    }
    snprintf(choice->reason, sizeof choice->reason, "asked for");
    choice->memory = (lf_memory_estimate){0};
    choice->cost = choice->class->cost(ctx, model, rows, options);
    int failed = choice->cost < 0 || choice->class->memory(ctx, model, rows, options, &choice->memory) < 0;
    return failed ? lf_no_memory(ctx) : LF_OK;
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
            !engines[i]->has_inducing || engines[i] == &lf_engine_pitc; /* of those with inducing values, the best */
        if (engines[i] == chosen || !listed || !allows(engines[i], model, rows) ||
            !estimate(ctx, engines[i], model, rows, &other, &c) || !c.estimated || c.beyond) {
            continue;
        }
        char needs[LF_SIZE_TEXT];
        used += snprintf(text + used, size - (size_t)used, "%s--engine %s%s (%s)", used ? ", " : "", engines[i]->name,
                         engines[i]->has_inducing ? " --inducing 40" : "",
                         lf_size_text(lf_engine_bytes(ctx, rows, &c.memory), needs));
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
