/* Chooses the frequencies for a quadrature with tolerance epsilon.
 *
 * Aliasing: the trapezoid rule with step 2 pi / L repeats every covariance with period L, so L = span + the lag beyond
 * which the covariance of the force (and, for a stationary start, the slowest free motion) is negligible. Truncation:
 * EQ densities fall fast enough; a Matern density times |v|^2 falls like lambda^-(2 nu + 3), because the response from
 * rest to a high frequency is at most |v| <= |Green's function| / lambda.
 *
 * With a stationary start the integrand has peaks as narrow as the slowest decay rate. Panels graded towards the poles
 * replace the uniform step where they need fewer nodes. */
#include "features/grids.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "features/wave_response.h"

/* The least -Re(root) of all ODE outputs: the slowest decay rate of a stationary system. */
static double slowest_decay(const lf_model *model)
{
    double slowest = INFINITY;
    for (int d = 0; d < model->output_count; d++) {
        const lf_output *output = &model->outputs[d];
        double a[LF_MAX_ORDER + 1];
        double complex roots[LF_MAX_ORDER];
        if (!output->op->is_ode) {
            continue;
        }
        lf_ode_coefficients(output->op, output->constants, output->order, a);
        if (!lf_ode_roots(a, output->order, roots)) {
            for (int k = 0; k < output->order; k++) {
                slowest = fmin(slowest, -creal(roots[k]));
            }
        }
    }
    return slowest;
}

/* The frequency at which every gaussian operator is below rounding. */
static double smoothing_limit(const lf_model *model)
{
    double largest = 0;
    for (int d = 0; d < model->output_count; d++) {
        if (!model->outputs[d].op->is_ode) {
            largest = fmax(largest, model->outputs[d].constants[0]);
        }
    }
    return 9 * sqrt(largest); /* e^{-81/2} */
}

/* What gaussian operators add to the correlation length of a force: the covariance of two outputs is smoothed by two
 * operators, together by a Gaussian of variance 2 / precision. */
static double smoothing_reach(const lf_model *model, double epsilon)
{
    double widest = 0;
    for (int d = 0; d < model->output_count; d++) {
        if (!model->outputs[d].op->is_ode) {
            widest = fmax(widest, 2 / sqrt(model->outputs[d].constants[0]));
        }
    }
    return widest * lf_force_kernel_eq.reach(epsilon);
}

static int largest_order(const lf_model *model)
{
    int order = 1;
    for (int d = 0; d < model->output_count; d++) {
        order = model->outputs[d].order > order ? model->outputs[d].order : order;
    }
    return order;
}

/* The corner frequency of an output, above which |v| <= (corner / lambda) * static response: the largest value of the
 * Green's function over that of its integral, sampled over the span. */
static double corner_frequency(const lf_output *output, double span)
{
    if (!output->op->is_ode) {
        return sqrt(output->constants[0]);
    }
    int P = output->order;
    double a[LF_MAX_ORDER + 1], h[LF_MAX_ORDER], green = 0, steady = 0;
    lf_ode_coefficients(output->op, output->constants, P, a);
    for (double t = span; t > span * 1e-5; t /= 2) {
        output->op->motion(output->constants, P, t, h, NULL);
        green = fmax(green, fabs(h[P - 1] / a[0]));
        steady = fmax(steady, cabs(lf_wave_response(a, P, 0, t, NULL)));
    }
    return steady > 0 ? green / steady : 1 / span;
}

/* Matern: lambda * lengthscale at which the neglected tail is epsilon of the covariance, with p ~ c lambda^-q. */
static double algebraic_limit(const lf_force_kernel *kernel, double corner, double epsilon, int with_forces)
{
    double q = kernel->tail_power, far = 1e6, c = kernel->density(far) * pow(far, q), least = fmin(1, corner);
    double limit = pow(2 * c * corner * corner / ((q + 1) * epsilon * least), 1 / (q + 1));
    if (with_forces) {
        limit = fmax(limit, pow(2 * c * corner / (q * 10 * epsilon * least), 1 / q));
    }
    return fmax(limit, 30);
}

static double span_of(const lf_model *model, lf_grid_spec spec)
{
    double earliest = fmin(spec.earliest, model->origin), span = spec.latest - earliest;
    if (model->initial == LF_INITIAL_STATIONARY) {
        span = spec.latest - spec.earliest;
    }
    return span > 0 ? span : 1e-300;
}

/* The properties of a model, besides its forces, that determine the frequencies. */
typedef struct model_traits {
    double span;
    double decay;  /* slowest, of a stationary start; infinite otherwise */
    double corner; /* largest; 0 when all forces are EQ */
    int order;     /* largest */
} model_traits;

static model_traits model_traits_of(const lf_model *model, lf_grid_spec spec)
{
    model_traits t = {.span = span_of(model, spec), .decay = INFINITY, .order = largest_order(model)};
    int rough = lf_model_has_rough_force(model);
    if (model->initial == LF_INITIAL_STATIONARY) {
        t.decay = slowest_decay(model);
    }
    /* A stationary output has run for a long time, however short the span is. */
    double motion = isfinite(t.decay) && t.decay > 0 ? fmax(t.span, 20 / t.decay) : t.span;
    for (int d = 0; rough && d < model->output_count; d++) {
        t.corner = fmax(t.corner, corner_frequency(&model->outputs[d], motion));
    }
    return t;
}

static lf_band band_of(const lf_model *model, const lf_source *source, lf_grid_spec spec, const model_traits *t)
{
    const lf_force_kernel *kernel = source->force->kernel;
    double regrid_factor = fmax(spec.regrid_factor, 1), low = source->force->lengthscale[0] / regrid_factor,
           high = source->force->lengthscale[0] * regrid_factor;
    int cut = kernel->tail_power > 0 && spec.rough == LF_ROUGH_ALL;
    double tolerance = spec.tolerance > 0 ? fmax(spec.tolerance, 1e-40) /* logarithms of far less overflow */
                       : cut              ? 1e-7
                                          : 1e-13;
    /* Nodes by tolerance have a margin, because an output may amplify an error of k, above all in the tail if it is
     * lightly damped. Covariances used as exact (graded) have the largest margin. Nodes by number make both errors
     * equal. */
    double alias = tolerance, tail = tolerance;
    if (!spec.features) {
        alias *= spec.graded ? 1e-3 : 0.1;
        tail *= spec.graded ? 1e-9 : 1e-3;
    }
    double lag = high * kernel->reach(alias);
    if (isfinite(t->decay)) {
        /* A covariance convolved with |r|^{P-1} e^{-decay |r|} (roots may coincide): the slower of the two determines
         * the lag, and a quarter of the other is added. */
        double motion = (-log(alias) + (t->order - 1) * log(1 - log(alias))) * regrid_factor / t->decay;
        lag = fmax(lag, motion) + 0.25 * fmin(lag, motion);
    }
    lf_band band = {.period = t->span + lag + smoothing_reach(model, alias)};
    if (cut) {
        band.limit = algebraic_limit(kernel, low * t->corner, tolerance, spec.with_forces) / low;
    } else if (kernel->tail_power > 0) {
        band.limit = smoothing_limit(model);
    } else {
        band.limit = kernel->tail(tail) / low;
    }
    return band;
}

static lf_band band_union(lf_band a, lf_band b)
{
    return (lf_band){.limit = fmax(a.limit, b.limit), .period = fmax(a.period, b.period)};
}

/* Assigns every source to a grid. Returns the number of grids and stores their bands in `bands` (room for one per
 * source). */
static int assign_grids(lf_source *sources, int count, lf_sharing sharing, lf_band *bands)
{
    int grids = 0;
    for (int i = 0; i < count; i++) {
        int best = -1;
        double best_cost = sharing == LF_SHARE_ALL ? INFINITY : lf_band_count(sources[i].band);
        for (int g = 0; sharing != LF_SHARE_NONE && g < grids; g++) {
            double cost = lf_band_count(band_union(bands[g], sources[i].band)) - lf_band_count(bands[g]);
            if (cost <= best_cost) {
                best = g;
                best_cost = cost;
            }
        }
        if (best < 0) {
            best = grids++;
            bands[best] = sources[i].band;
        }
        bands[best] = band_union(bands[best], sources[i].band);
        sources[i].grid = best;
    }
    return grids;
}

static int has_nodes(const lf_force *force, lf_grid_spec spec)
{
    return spec.rough != LF_ROUGH_NONE || force->kernel->tail_power == 0;
}

/* Lists the sources with their bands. Returns their number, or -1 when there is no memory. */
static int list_sources(const lf_model *model, lf_grid_spec spec, lf_source **sources)
{
    int count = 0, room = model->force_count + model->output_count;
    model_traits t = model_traits_of(model, spec);
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
    for (int i = 0; spec.rule == LF_RULE_UNIFORM && i < count; i++) {
        (*sources)[i].band = band_of(model, &(*sources)[i], spec, &t);
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
        if (sources[i].grid == grid && sources[i].force->kernel->pole > 0) {
            poles[n++] = sources[i].force->kernel->pole / sources[i].force->lengthscale[0] * I;
        }
    }
    return n;
}

/* Uniform nodes by tolerance, or panels where these are fewer. */
static lf_status nodes_by_tolerance(lf_context *ctx, const lf_model *model, const lf_source *sources, int count,
                                    int grid, lf_band band, lf_grid_spec spec, lf_nodes *nodes)
{
    enum { FEW = 2048 }; /* up to this number uniform nodes are cheap enough */
    if (!spec.graded || model->initial != LF_INITIAL_STATIONARY || lf_band_count(band) <= FEW) {
        return lf_nodes_uniform(ctx, band, nodes);
    }
    double widest = 0;
    for (int i = 0; i < count; i++) {
        if (sources[i].grid == grid) {
            widest = fmax(widest, sources[i].force->lengthscale[0]);
        }
    }
    double complex *poles = malloc(((size_t)model->output_count * LF_MAX_ORDER + (size_t)count + 1) * sizeof *poles);
    if (!poles) {
        return lf_no_memory(ctx);
    }
    size_t pole_count = list_poles(model, sources, count, grid, poles);
    lf_nodes panels;
    lf_status status = lf_nodes_panels(
        ctx, band.limit, span_of(model, spec) + 4 * widest + smoothing_reach(model, 1e-4), pole_count, poles, &panels);
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
                         const model_traits *t, double tolerance)
{
    lf_band band = {0};
    spec.tolerance = tolerance;
    for (int i = 0; i < count; i++) {
        if (sources[i].grid == grid) {
            band = band_union(band, band_of(model, &sources[i], spec, t));
        }
    }
    return band;
}

/* Uniform nodes by number: bisection finds the tolerance at which the sources of the grid need this number. */
static lf_status nodes_by_number(lf_context *ctx, const lf_model *model, const lf_source *sources, int count, int grid,
                                 lf_grid_spec spec, lf_nodes *nodes)
{
    double low = log(1e-30), high = log(0.9), useful = 1e-2;
    model_traits t = model_traits_of(model, spec); /* it costs more than all the rest */
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

static lf_status make_nodes(lf_context *ctx, const lf_model *model, const lf_source *sources, int count, int grid,
                            lf_band band, lf_grid_spec spec, lf_nodes *nodes)
{
    if ((size_t)grid < spec.frozen_count) {
        return lf_nodes_uniform_count(ctx, 2 * LF_PI / spec.frozen[grid].step, (size_t)spec.frozen[grid].count, nodes);
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

lf_status lf_grids_create(lf_context *ctx, const lf_model *model, lf_grid_spec spec, lf_grids *grids)
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
    for (int g = 0; !status && g < grids->grid_count; g++) {
        status = make_nodes(ctx, model, grids->sources, count, g, bands[g], spec, &grids->grids[g]);
    }
    for (int i = 0; !status && i < count; i++) {
        lf_source *source = &grids->sources[i];
        source->w = lf_doubles(grids->grids[source->grid].count, 1);
        source->dw = lf_doubles(grids->grids[source->grid].count, 1);
        status = source->w && source->dw ? LF_OK : lf_no_memory(ctx);
    }
    free(bands);
    if (status) {
        lf_grids_clear(grids);
        return status;
    }
    lf_grids_update(grids);
    return LF_OK;
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
    model_traits t = model_traits_of(model, spec);
    spec.regrid_factor = 1;
    for (int i = 0; i < grids->source_count; i++) {
        const lf_nodes *nodes = &grids->grids[grids->sources[i].grid];
        lf_band band = band_of(model, &grids->sources[i], spec, &t);
        double limit = (double)nodes->count * nodes->step, period = 2 * LF_PI / nodes->step;
        if (band.limit > 1.01 * limit || band.period > 1.01 * period) {
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
