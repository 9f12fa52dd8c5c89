/* Grid specs: creation from the options of a feature engine, freezing, copying. */
#include "features/grid_spec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "features/grids.h"

/* With more inputs than this, orthogonal frequencies are more accurate than Sobol points (docs/performance.md). */
enum { MAX_QMC_INPUTS = 6 };

int lf_rule_find(const char *name, lf_rule *rule)
{
    *rule = LF_RULE_UNIFORM;
    if (!name || strcmp(name, "auto") == 0) {
        return 1;
    }
    for (int i = 0; i < LF_RULE_COUNT; i++) {
        if (strcmp(name, lf_rule_names[i]) == 0) {
            *rule = (lf_rule)i;
            return 1;
        }
    }
    return 0;
}

int lf_rule_is_sampled(const char *name)
{
    lf_rule rule;
    return lf_rule_find(name, &rule) && rule != LF_RULE_UNIFORM;
}

int lf_grid_spec_resolves_lengthscales(const lf_model *model, const lf_engine_options *options)
{
    return model->input_dim == 1 && !lf_rule_is_sampled(options->nodes) && !options->features;
}

static lf_status check_force(lf_context *ctx, const lf_force *force, lf_rule rule)
{
    int linear = lf_force_has_envelope(force, &lf_force_kernel_linear);
    if (linear || lf_force_has_envelope(force, &lf_force_kernel_white)) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED, "a force with the kernel %s has no features, because %s",
                       lf_force_kernel_text(force),
                       linear ? "the variance of a linear trend changes with time"
                              : "the spectrum of white noise has no highest frequency");
    }
    return rule == LF_RULE_UNIFORM || !lf_force_is_composed(force)
               ? LF_OK
               : lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                         "%s nodes are drawn for forces with the kernels %s, found %s; use uniform nodes",
                         lf_rule_names[rule], lf_force_kernel_names(), lf_force_kernel_text(force));
}

lf_status lf_check_features(lf_context *ctx, const lf_model *model, lf_rule rule)
{
    lf_status status = LF_OK;
    for (int q = 0; !status && q < model->force_count; q++) {
        status = check_force(ctx, &model->forces[q], rule);
    }
    for (int d = 0; !status && d < model->output_count; d++) {
        status = model->outputs[d].has_private ? check_force(ctx, &model->outputs[d].private_force, rule) : LF_OK;
    }
    return status;
}

lf_status lf_grid_spec_create(lf_context *ctx, const lf_model *model, const lf_rows *rows,
                              const lf_engine_options *options, lf_grid_spec *spec)
{
    *spec = (lf_grid_spec){.earliest = rows->earliest,
                           .latest = rows->latest,
                           .with_forces = 1,
                           .tolerance = options->tolerance,
                           .sharing = LF_SHARE_NONE,
                           .features = options->features,
                           .regrid_factor = options->regrid_factor,
                           .seed = ctx->seed};
    if (!lf_rule_find(options->nodes, &spec->rule)) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                       "unknown nodes '%s'; the feature engines have auto, uniform, mc, qmc and orthogonal",
                       options->nodes);
    }
    if (model->input_dim > 1 && (!options->nodes || strcmp(options->nodes, "auto") == 0)) {
        spec->rule = model->input_dim > MAX_QMC_INPUTS ? LF_RULE_ORTHOGONAL : LF_RULE_QMC;
    }
    if (spec->rule != LF_RULE_UNIFORM && spec->features == 0) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "%s nodes need a number of frequencies: set features (--features S)",
                       lf_rule_names[spec->rule]);
    }
    if (spec->rule == LF_RULE_UNIFORM && model->input_dim > 1) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                       "uniform nodes are for one input; use qmc or orthogonal nodes for %d inputs", model->input_dim);
    }
    lf_status status = lf_check_features(ctx, model, spec->rule);
    if (status) {
        return status;
    }
    if (!(spec->tolerance >= 0 && spec->tolerance < 1)) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "tolerance must be between 0 and 1, found %g", spec->tolerance);
    }
    if (!(options->ahead >= 0 && options->behind >= 0 && isfinite(options->ahead + options->behind))) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "ahead and behind must be at least 0, found %g and %g", options->ahead,
                       options->behind);
    }
    if (!(options->regrid_factor == 0 || (options->regrid_factor >= 1 && isfinite(options->regrid_factor)))) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "regrid_factor must be 0 or at least 1, found %g",
                       options->regrid_factor);
    }
    spec->earliest -= options->behind;
    spec->latest += options->ahead;
    if (spec->tolerance == 0) { /* EQ: high accuracy costs few columns; Matern: limited by the slow tail */
        spec->tolerance = lf_model_has_rough_force(model) ? 1e-5 : 1e-10;
    }
    return LF_OK;
}

/* The index of a uniform node. */
static double index_of(const lf_nodes *nodes, size_t s) { return round(nodes->lambda[s] / nodes->step); }

/* Node s of uniform ones is not the one after the node before it, or is the first and not 0. */
static int starts_run(const lf_nodes *nodes, size_t s)
{
    return index_of(nodes, s) != (s ? index_of(nodes, s - 1) + 1 : 0);
}

static size_t count_gaps(const lf_nodes *nodes)
{
    size_t gaps = 0;
    for (size_t s = 0; s < nodes->count - nodes->lines; s++) {
        gaps += (size_t)starts_run(nodes, s);
    }
    return gaps;
}

/* Appends the runs of the grid that is frozen at present, if it has gaps. */
static void freeze_runs(const lf_nodes *nodes, lf_grid_spec *spec)
{
    if (count_gaps(nodes) == 0) {
        return;
    }
    for (size_t s = 0; s < nodes->count - nodes->lines; s++) {
        if (s == 0 || starts_run(nodes, s)) {
            spec->runs[spec->run_count++] = (lf_frozen_run){(double)spec->frozen_count, {index_of(nodes, s), 0}};
        }
        spec->runs[spec->run_count - 1].run.count++;
    }
}

lf_status lf_grid_spec_freeze(lf_context *ctx, lf_grid_spec *spec, const lf_grids *grids)
{
    if (spec->rule != LF_RULE_UNIFORM) {
        return LF_OK; /* sampled frequencies depend on the seed alone */
    }
    free(spec->frozen);
    free(spec->runs);
    size_t most_runs = 0;
    for (int g = 0; g < grids->grid_count; g++) {
        most_runs += 1 + count_gaps(&grids->grids[g]);
    }
    spec->frozen_count = spec->run_count = 0;
    spec->frozen = calloc((size_t)grids->grid_count + 1, sizeof *spec->frozen);
    spec->runs = calloc(most_runs + 1, sizeof *spec->runs);
    if (!spec->frozen || !spec->runs) {
        return lf_no_memory(ctx);
    }
    for (; spec->frozen_count < (size_t)grids->grid_count; spec->frozen_count++) {
        const lf_nodes *nodes = &grids->grids[spec->frozen_count];
        spec->frozen[spec->frozen_count] = (lf_frozen_grid){(double)(nodes->count - nodes->lines), nodes->step};
        freeze_runs(nodes, spec);
    }
    return LF_OK;
}

lf_status lf_grid_spec_copy(lf_context *ctx, const lf_grid_spec *from, lf_grid_spec *to)
{
    *to = *from;
    to->frozen = calloc(from->frozen_count + 1, sizeof *to->frozen);
    for (size_t g = 0; to->frozen && g < from->frozen_count; g++) {
        to->frozen[g] = from->frozen[g];
    }
    to->runs = calloc(from->run_count + 1, sizeof *to->runs);
    for (size_t i = 0; to->runs && i < from->run_count; i++) {
        to->runs[i] = from->runs[i];
    }
    return to->frozen && to->runs ? LF_OK : lf_no_memory(ctx);
}

void lf_grid_spec_clear(lf_grid_spec *spec)
{
    free(spec->frozen);
    free(spec->runs);
    *spec = (lf_grid_spec){0};
}
