/* The table of engines, and the choice among them by what each would cost. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "dense/dense.h"
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

/* The cheapest class without inducing values. */
static lf_status choose_cheapest(lf_context *ctx, const lf_model *model, const lf_rows *rows,
                                 const lf_engine_options *options, lf_engine_choice *choice)
{
    size_t size = sizeof choice->reason;
    int used = snprintf(choice->reason, size, "cheapest by estimate:");
    choice->class = NULL;
    for (size_t i = 0; i < ENGINES; i++) {
        if (engines[i]->has_inducing) {
            continue;
        }
        /* covariances of equations are for checks: the filter is faster from a few rows on */
        int slow = model->system && engines[i] != &lf_engine_kalman;
        double cost = allows(engines[i], model, rows) && !slow ? engines[i]->cost(ctx, model, rows, options) : INFINITY;
        if (cost < 0) {
            return lf_no_memory(ctx);
        }
        if (isfinite(cost) && (!choice->class || cost < choice->cost)) {
            choice->class = engines[i];
            choice->cost = cost;
        }
        char estimate[48];
        snprintf(estimate, sizeof estimate, isfinite(cost) ? "%.3g Gflop" : "does not apply", 1e-9 * cost);
        if (used > 0 && (size_t)used < size) {
            used += snprintf(choice->reason + used, size - (size_t)used, "%s %s %s", i ? "," : "", engines[i]->name,
                             estimate);
        }
    }
    if (!choice->class) { /* the engine that the options point to reports what is wrong with them */
        choice->class = model->system || model->known_count || rows->averages     ? &lf_engine_kalman
                        : lf_rule_is_sampled(options->nodes) || options->features ? &lf_engine_lowrank
                                                                                  : &lf_engine_dense;
        choice->cost = INFINITY;
    }
    return LF_OK;
}

lf_status lf_engine_choose(lf_context *ctx, const lf_model *model, const lf_rows *rows,
                           const lf_engine_options *options, lf_engine_choice *choice)
{
    if (!options->engine || strcmp(options->engine, "auto") == 0) {
        return choose_cheapest(ctx, model, rows, options, choice);
    }
    choice->class = lf_engine_find(options->engine);
    if (!choice->class) {
        return unknown_engine(ctx, options->engine);
    }
    if (!allows_forces(choice->class, model)) {
        const lf_force *force = most_demanding(model);
        int lines = choice->class->composed == LF_COMPOSED_DENSITY && support_for(force) == LF_COMPOSED_SPECTRAL;
        return lf_fail(
            ctx, LF_ERROR_UNSUPPORTED, "the %s engine does not support forces with the kernel %s%s; use %skalman",
            choice->class->name, lf_force_kernel_text(force),
            lines ? ", whose spectrum has lines between its uniform frequencies" : "", lines ? "lowrank or " : "");
    }
    if (!allows(choice->class, model, rows)) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED, "the %s engine does not support %s; use kalman", choice->class->name,
                       model->system && !choice->class->allows_equations ? "models given by equations"
                       : model->known_count && !choice->class->allows_mean
                           ? "known inputs"
                           : "readings that are means over an interval (width)");
    }
    snprintf(choice->reason, sizeof choice->reason, "asked for");
    choice->cost = choice->class->cost(ctx, model, rows, options);
    return choice->cost < 0 ? lf_no_memory(ctx) : LF_OK;
}
