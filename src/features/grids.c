/* Chooses the frequencies for a quadrature with tolerance epsilon (bands.h), and which forces share them. The lines in the
 * spectrum of a force are nodes too; its grid is its own then, because they move with its periods.
 *
 * With a stationary start the integrand has peaks as narrow as the slowest decay rate. Panels graded towards the poles
 * replace the uniform step where they need fewer nodes. */
#include "features/grids.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "features/bands.h"

/* Whether a grid is that of a force with lines, among the first `count` sources. */
static int has_lines(const lf_source *sources, int count, int grid)
{
    for (int i = 0; i < count; i++) {
        if (sources[i].grid == grid && sources[i].lines) {
            return 1;
        }
    }
    return 0;
}

/* Assigns every source to a grid. Returns the number of grids and stores their bands in `bands` (room for one per
 * source). */
static int assign_grids(lf_source *sources, int count, lf_sharing sharing, lf_band *bands)
{
    int grids = 0;
    for (int i = 0; i < count; i++) {
        int best = -1;
        double best_cost = sharing == LF_SHARE_ALL ? INFINITY : lf_band_count(sources[i].band);
        int alone = sharing == LF_SHARE_NONE || (sharing == LF_SHARE_WHEN_CHEAPER && sources[i].lines);
        for (int g = 0; !alone && g < grids; g++) {
            if (sharing == LF_SHARE_WHEN_CHEAPER && has_lines(sources, i, g)) {
                continue;
            }
            double cost = lf_band_count(lf_band_union(bands[g], sources[i].band)) - lf_band_count(bands[g]);
            if (cost <= best_cost) {
                best = g;
                best_cost = cost;
            }
        }
        if (best < 0) {
            best = grids++;
            bands[best] = sources[i].band;
        }
        bands[best] = lf_band_union(bands[best], sources[i].band);
        sources[i].grid = best;
    }
    return grids;
}

static int has_nodes(const lf_force *force, lf_grid_spec spec)
{
    return lf_force_is_composed(force) ? spec.rough == LF_ROUGH_ALL
                                       : spec.rough != LF_ROUGH_NONE || force->kernel->tail_power == 0;
}

/* Lists the sources with their bands. Returns their number, or -1 when there is no memory. */
static int list_sources(const lf_model *model, lf_grid_spec spec, lf_source **sources)
{
    int count = 0, room = model->force_count + model->output_count;
    lf_model_traits t = lf_model_traits_of(model, spec);
    *sources = calloc((size_t)room + 1, sizeof **sources);
    if (!*sources) {
        return -1;
    }
    for (int q = 0; q < model->force_count; q++) {
        if (has_nodes(&model->forces[q], spec)) {
            (*sources)[count++] = (lf_source){.force = &model->forces[q], .index = q, .output = -1};
        }
    }
    for (int d = 0; d < model->output_count; d++) {
        if (model->outputs[d].has_private && has_nodes(&model->outputs[d].private_force, spec)) {
            (*sources)[count++] = (lf_source){.force = &model->outputs[d].private_force, .index = -1, .output = d};
        }
    }
    for (int i = 0; i < count; i++) {
        (*sources)[i].lines = lf_force_lines((*sources)[i].force);
    }
    for (int i = 0; spec.rule == LF_RULE_UNIFORM && i < count; i++) {
        (*sources)[i].band = lf_band_of(model, (*sources)[i].force, spec, &t);
    }
    return count;
}

/* Poles of the integrands in lambda: j lambda = root, and the singularities of the spectral densities. */
static size_t list_poles(const lf_model *model, const lf_source *sources, int count, int grid, double complex *poles)
{
    size_t n = 0;
    for (int d = 0; d < model->output_count; d++) {
        const lf_output *output = &model->outputs[d];
        double a[LF_MAX_ORDER + 1];
        double complex roots[LF_MAX_ORDER];
        if (output->op->is_ode) {
            lf_ode_coefficients(output->op, output->constants, output->order, a);
            if (!lf_ode_roots(a, output->order, roots)) {
                for (int k = 0; k < output->order; k++) {
                    poles[n++] = cimag(roots[k]) - creal(roots[k]) * I;
                }
            }
        }
    }
    for (int i = 0; i < count; i++) {
        lf_atom atoms[LF_MAX_ATOMS];
        int atom_count = sources[i].grid == grid ? lf_force_atom_count(sources[i].force) : 0;
        if (atom_count) {
            lf_force_atoms(sources[i].force, atoms);
        }
        for (int k = 0; k < atom_count; k++) {
            if (atoms[k].envelope && atoms[k].envelope->pole > 0) {
                poles[n++] = atoms[k].frequency + atoms[k].envelope->pole / atoms[k].lengthscale * I;
            }
        }
    }
    return n;
}

static double longest_lengthscale(const lf_force *force)
{
    double longest = force->term_count ? 0 : force->lengthscale[0];
    for (int i = 0; i < force->term_count; i++) {
        longest = fmax(longest, force->terms[i].envelope ? force->terms[i].lengthscale : 0);
    }
    return longest;
}

/* Uniform nodes for the sources of a grid. */
static lf_status uniform_nodes(lf_context *ctx, const lf_source *sources, int count, int grid, lf_band band,
                               lf_grid_spec spec, lf_nodes *nodes)
{
    for (int i = 0; i < count; i++) {
        if (sources[i].grid == grid && spec.sharing == LF_SHARE_NONE && lf_force_is_composed(sources[i].force)) {
            lf_run runs[LF_MAX_ATOMS];
            return lf_nodes_runs(ctx, band.period, lf_band_runs(sources[i].force, spec, band, runs), runs, nodes);
        }
    }
    return lf_nodes_uniform(ctx, band, nodes);
}

/* Uniform nodes by tolerance, or panels where these are fewer. */
static lf_status nodes_by_tolerance(lf_context *ctx, const lf_model *model, const lf_source *sources, int count,
                                    int grid, lf_band band, lf_grid_spec spec, lf_nodes *nodes)
{
    enum { FEW = 2048 }; /* up to this number uniform nodes are cheap enough */
    if (!spec.graded || model->initial != LF_INITIAL_STATIONARY || lf_band_count(band) <= FEW) {
        return uniform_nodes(ctx, sources, count, grid, band, spec, nodes);
    }
    double widest = 0;
    size_t most_poles = (size_t)model->output_count * LF_MAX_ORDER + 1;
    for (int i = 0; i < count; i++) {
        if (sources[i].grid == grid) {
            widest = fmax(widest, longest_lengthscale(sources[i].force));
            most_poles += (size_t)lf_force_atom_count(sources[i].force);
        }
    }
    double complex *poles = malloc(most_poles * sizeof *poles);
    if (!poles) {
        return lf_no_memory(ctx);
    }
    size_t pole_count = list_poles(model, sources, count, grid, poles);
    lf_nodes panels;
    lf_status status =
        lf_nodes_panels(ctx, band.limit, lf_span_of(model, spec) + 4 * widest + lf_smoothing_reach(model, 1e-4),
                        pole_count, poles, &panels);
    free(poles);
    if (status || (double)panels.count <= lf_band_count(band)) {
        *nodes = panels;
        return status;
    }
    lf_nodes_clear(&panels);
    return lf_nodes_uniform(ctx, band, nodes);
}

/* The band that the sources of a grid need at a tolerance. */
static lf_band grid_band(const lf_model *model, const lf_source *sources, int count, int grid, lf_grid_spec spec,
                         const lf_model_traits *t, double tolerance)
{
    lf_band band = {0};
    spec.tolerance = tolerance;
    for (int i = 0; i < count; i++) {
        if (sources[i].grid == grid) {
            band = lf_band_union(band, lf_band_of(model, sources[i].force, spec, t));
        }
    }
    return band;
}

/* Uniform nodes by number: bisection finds the tolerance at which the sources of the grid need this number. */
static lf_status nodes_by_number(lf_context *ctx, const lf_model *model, const lf_source *sources, int count, int grid,
                                 lf_grid_spec spec, lf_nodes *nodes)
{
    double low = log(1e-30), high = log(0.9), useful = 1e-2;
    lf_model_traits t = lf_model_traits_of(model, spec); /* it costs more than all the rest */
    double needed = lf_band_count(grid_band(model, sources, count, grid, spec, &t, useful));
    if (needed > (double)spec.features) {
        lf_note(ctx, "%zu frequencies cannot resolve these inputs to %g of the covariance; %.0f would", spec.features,
                useful, needed);
    }
    for (int step = 0; step < 60; step++) {
        double middle = 0.5 * (low + high);
        lf_band band = grid_band(model, sources, count, grid, spec, &t, exp(middle));
        *(lf_band_count(band) <= (double)spec.features ? &high : &low) = middle;
    }
    return lf_nodes_uniform_count(ctx, grid_band(model, sources, count, grid, spec, &t, exp(high)).period,
                                  spec.features, nodes);
}

static lf_status frozen_nodes(lf_context *ctx, int grid, lf_grid_spec spec, lf_nodes *nodes)
{
    double period = 2 * LF_PI / spec.frozen[grid].step;
    size_t first = 0, end = 0;
    for (size_t i = 0; i < spec.run_count; i++) { /* they are in the order of the grids */
        first += spec.runs[i].grid < grid;
        end += spec.runs[i].grid <= grid;
    }
    if (first == end) {
        return lf_nodes_uniform_count(ctx, period, (size_t)spec.frozen[grid].count, nodes);
    }
    lf_run *runs = calloc(end - first, sizeof *runs);
    for (size_t i = first; runs && i < end; i++) {
        runs[i - first] = spec.runs[i].run;
    }
    lf_status status = runs ? lf_nodes_runs(ctx, period, (int)(end - first), runs, nodes) : lf_no_memory(ctx);
    free(runs);
    return status;
}

/* The nodes of a grid that are no lines. */
static lf_status make_nodes(lf_context *ctx, const lf_model *model, const lf_source *sources, int count, int grid,
                            lf_band band, lf_grid_spec spec, lf_nodes *nodes)
{
    int frozen = (size_t)grid < spec.frozen_count;
    *nodes = (lf_nodes){.input_dim = model->input_dim};
    if (spec.rule == LF_RULE_UNIFORM && (frozen ? spec.frozen[grid].count : band.period) == 0) {
        return LF_OK; /* lines only */
    }
    if (frozen) {
        return frozen_nodes(ctx, grid, spec, nodes);
    }
    if (spec.rule != LF_RULE_UNIFORM) {
        if (spec.features == 0) {
            return lf_fail(ctx, LF_ERROR_ARGUMENT, "sampled frequencies need their number (features)");
        }
        return lf_nodes_sampled(ctx, sources[grid].force->kernel, model->input_dim, spec.features, spec.rule,
                                spec.seed + (spec.same_draws ? 0 : (uint64_t)grid), nodes);
    }
    return spec.features ? nodes_by_number(ctx, model, sources, count, grid, spec, nodes)
                         : nodes_by_tolerance(ctx, model, sources, count, grid, band, spec, nodes);
}

lf_status lf_grids_place(lf_context *ctx, const lf_model *model, lf_grid_spec spec, lf_grids *grids)
{
    *grids = (lf_grids){0};
    if (spec.rule != LF_RULE_UNIFORM) {
        spec.sharing = LF_SHARE_NONE; /* sampled frequencies depend on the lengthscale of their force */
    }
    int count = list_sources(model, spec, &grids->sources);
    lf_band *bands = count < 0 ? NULL : calloc((size_t)count + 1, sizeof *bands);
    grids->grids = count < 0 ? NULL : calloc((size_t)count + 1, sizeof *grids->grids);
    if (!bands || !grids->grids) {
        free(bands);
        lf_grids_clear(grids);
        return lf_no_memory(ctx);
    }
    grids->source_count = count;
    grids->grid_count = assign_grids(grids->sources, count, spec.sharing, bands);
    lf_status status = LF_OK;
    for (int i = 0; spec.sharing == LF_SHARE_ALL && i < count; i++) {
        if (grids->sources[i].lines) {
            status =
                lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                        "forces that share uniform frequencies have no lines in their spectrum, found the kernel %s",
                        lf_force_kernel_text(grids->sources[i].force));
        }
    }
    for (int g = 0; !status && g < grids->grid_count; g++) {
        status = make_nodes(ctx, model, grids->sources, count, g, bands[g], spec, &grids->grids[g]);
    }
    for (int i = 0; !status && i < count; i++) {
        size_t lines = grids->sources[i].lines;
        status = lines ? lf_nodes_append_lines(ctx, lines, &grids->grids[grids->sources[i].grid]) : LF_OK;
    }
    free(bands);
    if (status) {
        lf_grids_clear(grids);
    }
    return status;
}

lf_status lf_grids_weigh(lf_context *ctx, lf_grids *grids, int source)
{
    lf_source *s = &grids->sources[source];
    lf_nodes *nodes = &grids->grids[s->grid];
    int parameters = s->force->term_count ? lf_force_parameter_count(s->force) : 1;
    s->w = lf_doubles(nodes->count, 1);
    s->dw = lf_doubles(nodes->count, (size_t)parameters);
    if (!s->w || !s->dw) {
        return lf_no_memory(ctx);
    }
    lf_nodes_weigh(nodes, s->force, s->w, s->dw);
    return LF_OK;
}

lf_status lf_grids_create(lf_context *ctx, const lf_model *model, lf_grid_spec spec, lf_grids *grids)
{
    lf_status status = lf_grids_place(ctx, model, spec, grids);
    for (int i = 0; !status && i < grids->source_count; i++) {
        status = lf_grids_weigh(ctx, grids, i);
    }
    if (status) {
        lf_grids_clear(grids);
    }
    return status;
}

/* Whether nodes include the runs, but for a small part of each at its ends. */
static int include_runs(const lf_nodes *nodes, int run_count, const lf_run *runs)
{
    size_t s = 0, end = nodes->count - nodes->lines;
    for (int i = 0; i < run_count; i++) {
        double margin = ceil(0.02 * runs[i].count), length = runs[i].count - 2 * margin;
        double first = (runs[i].first + (runs[i].first > 0 ? margin : 0)) * nodes->step;
        length += runs[i].first > 0 ? 0 : margin;
        while (s < end && nodes->lambda[s] < first - 0.5 * nodes->step) {
            s++;
        }
        double last = first + (length - 1) * nodes->step;
        if (length >= 1 && (s + (size_t)length > end || nodes->lambda[s] > first + 0.5 * nodes->step ||
                            nodes->lambda[s + (size_t)length - 1] > last + 0.5 * nodes->step)) {
            return 0;
        }
    }
    return 1;
}

int lf_grids_need_regrid(const lf_model *model, lf_grid_spec spec, const lf_grids *grids)
{
    if (spec.rule != LF_RULE_UNIFORM || spec.features) {
        return 0;
    }
    double regrid_factor = spec.regrid_factor, current = 0;
    for (int g = 0; g < grids->grid_count; g++) {
        current += (double)grids->grids[g].count;
    }
    double wanted = regrid_factor > 1 ? lf_grids_count(model, spec) : current;
    if (wanted < 0.7 * current) {
        return wanted < 0 ? -1 : 1;
    }
    lf_model_traits t = lf_model_traits_of(model, spec);
    spec.regrid_factor = 1;
    for (int i = 0; i < grids->source_count; i++) {
        const lf_nodes *nodes = &grids->grids[grids->sources[i].grid];
        const lf_force *force = grids->sources[i].force;
        lf_band band = lf_band_of(model, force, spec, &t);
        size_t uniform = nodes->count - nodes->lines;
        if (uniform == 0 || band.period == 0) { /* lines only; a density may become negligible, and come back */
            if ((uniform == 0) != (band.period == 0)) {
                return 1;
            }
            continue;
        }
        double period = 2 * LF_PI / nodes->step, limit = nodes->lambda[uniform - 1] + nodes->step;
        limit = force->term_count ? limit : (double)nodes->count * nodes->step;
        if (band.limit > 1.01 * limit || band.period > 1.01 * period) {
            return 1;
        }
        lf_run runs[LF_MAX_ATOMS];
        if (force->term_count && spec.sharing == LF_SHARE_NONE &&
            !include_runs(nodes, lf_band_runs(force, spec, (lf_band){band.limit, period}, runs), runs)) {
            return 1;
        }
    }
    return 0;
}

void lf_grids_update(lf_grids *grids)
{
    for (int i = 0; i < grids->source_count; i++) {
        lf_source *source = &grids->sources[i];
        lf_nodes_weigh(&grids->grids[source->grid], source->force, source->w, source->dw);
    }
}

void lf_grids_clear(lf_grids *grids)
{
    for (int i = 0; i < grids->source_count; i++) {
        free(grids->sources[i].w);
        free(grids->sources[i].dw);
    }
    for (int g = 0; g < grids->grid_count; g++) {
        lf_nodes_clear(&grids->grids[g]);
    }
    free(grids->sources);
    free(grids->grids);
    *grids = (lf_grids){0};
}

double lf_grids_count(const lf_model *model, lf_grid_spec spec)
{
    lf_source *sources;
    double nodes = -1;
    int count = list_sources(model, spec, &sources);
    lf_band *bands = count < 0 ? NULL : calloc((size_t)count + 1, sizeof *bands);
    if (bands) {
        int grids = assign_grids(sources, count, spec.sharing, bands);
        nodes = 0;
        for (int g = 0; g < grids; g++) {
            nodes += lf_band_count(bands[g]);
        }
        for (int i = 0; i < count; i++) {
            lf_run runs[LF_MAX_ATOMS];
            if (spec.sharing == LF_SHARE_NONE && sources[i].force->term_count) {
                nodes -= lf_band_count(bands[sources[i].grid]);
                nodes += lf_runs_count(lf_band_runs(sources[i].force, spec, bands[sources[i].grid], runs), runs);
            }
            nodes += spec.rule == LF_RULE_UNIFORM ? (double)sources[i].lines : 0;
        }
    }
    free(bands);
    free(count < 0 ? NULL : sources);
    return nodes;
}

double lf_source_sensitivity(const lf_model *model, int target, const lf_source *source)
{
    int output = lf_target_output(model, target);
    if (output < 0) {
        return source->index == lf_target_force(model, target) ? 1 : 0;
    }
    if (source->index >= 0) {
        return model->outputs[output].sensitivity[source->index];
    }
    return source->output == output ? model->outputs[output].private_amplitude : 0;
}
