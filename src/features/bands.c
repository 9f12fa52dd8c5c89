/* What uniform frequencies must resolve for a quadrature with tolerance epsilon.
 *
 * Aliasing: the trapezoid rule with step 2 pi / L repeats every covariance with period L, so L = span + the lag beyond
 * which the covariance of the force (and, for a stationary start, the slowest free motion) is negligible. Truncation:
 * EQ densities fall fast enough; a Matern density times |v|^2 falls like lambda^-(2 nu + 3), because the response from
 * rest to a high frequency is at most |v| <= |Green's function| / lambda.
 *
 * The density of an atom v e(r / l) cos(omega r) (force_terms.h) lies about omega, and its tolerance is epsilon / v. */
#include "features/bands.h"

#include <math.h>
#include <stdlib.h>

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

double lf_smoothing_reach(const lf_model *model, double epsilon)
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

double lf_span_of(const lf_model *model, lf_grid_spec spec)
{
    double earliest = fmin(spec.earliest, model->origin), span = spec.latest - earliest;
    if (model->initial == LF_INITIAL_STATIONARY) {
        span = spec.latest - spec.earliest;
    }
    return span > 0 ? span : 1e-300;
}

lf_model_traits lf_model_traits_of(const lf_model *model, lf_grid_spec spec)
{
    lf_model_traits t = {.span = lf_span_of(model, spec), .decay = INFINITY, .order = largest_order(model)};
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

#define MOST 0.9 /* of the covariance: the largest error that has a meaning */

/* The errors of aliasing and of truncation that an atom may have. Nodes by tolerance have a margin, because an output may
 * amplify an error of k, above all in the tail if it is lightly damped. Covariances used as exact (graded) have the
 * largest margin. Nodes by number make both errors equal. */
typedef struct errors {
    int cut; /* the algebraic tail of a Matern density is cut off */
    double tolerance, alias, tail;
} errors;

static errors errors_of(const lf_atom *atom, lf_grid_spec spec)
{
    int cut = atom->envelope->tail_power > 0 && spec.rough == LF_ROUGH_ALL;
    double tolerance = spec.tolerance > 0 ? fmax(spec.tolerance, 1e-40) /* logarithms of far less overflow */
                       : cut              ? 1e-7
                                          : 1e-13;
    errors e = {.cut = cut, .tolerance = tolerance, .alias = tolerance, .tail = tolerance};
    if (!spec.features) {
        e.alias *= spec.graded ? 1e-3 : 0.1;
        e.tail *= spec.graded ? 1e-9 : 1e-3;
    }
    if (atom->variance < 1) { /* a part of the covariance, which need not have more than its share of the accuracy */
        e.tolerance = fmin(e.tolerance / atom->variance, MOST);
        e.alias = fmin(e.alias / atom->variance, MOST);
        e.tail = fmin(e.tail / atom->variance, MOST);
    }
    return e;
}

static double regrid_factor_of(lf_grid_spec spec) { return fmax(spec.regrid_factor, 1); }

static lf_band atom_band(const lf_model *model, const lf_atom *atom, lf_grid_spec spec, const lf_model_traits *t)
{
    const lf_force_kernel *kernel = atom->envelope;
    double regrid_factor = regrid_factor_of(spec), low = atom->lengthscale / regrid_factor,
           high = atom->lengthscale * regrid_factor;
    errors e = errors_of(atom, spec);
    double lag = high * kernel->reach(e.alias);
    if (isfinite(t->decay)) {
        /* A covariance convolved with |r|^{P-1} e^{-decay |r|} (roots may coincide): the slower of the two determines
         * the lag, and a quarter of the other is added. */
        double motion = (-log(e.alias) + (t->order - 1) * log(1 - log(e.alias))) * regrid_factor / t->decay;
        lag = fmax(lag, motion) + 0.25 * fmin(lag, motion);
    }
    lf_band band = {.period = t->span + lag + lf_smoothing_reach(model, e.alias)};
    if (e.cut) {
        band.limit = atom->frequency + algebraic_limit(kernel, low * t->corner, e.tolerance, spec.with_forces) / low;
    } else if (kernel->tail_power > 0) {
        band.limit = smoothing_limit(model);
    } else {
        band.limit = atom->frequency + kernel->tail(e.tail) / low;
    }
    return band;
}

/* The atoms with a density that is not negligible at all. Returns their number. */
static int list_atoms(const lf_force *force, lf_grid_spec spec, lf_atom *atoms)
{
    int count = lf_force_atom_count(force), kept = 0;
    lf_force_atoms(force, atoms);
    for (int i = 0; i < count; i++) {
        int has_density = atoms[i].envelope && atoms[i].envelope->density && atoms[i].variance > 0;
        if (has_density && (errors_of(&atoms[i], spec).tail < MOST || spec.features || !lf_force_is_composed(force))) {
            atoms[kept++] = atoms[i];
        }
    }
    return kept;
}

lf_band lf_band_union(lf_band a, lf_band b)
{
    return (lf_band){.limit = fmax(a.limit, b.limit), .period = fmax(a.period, b.period)};
}

lf_band lf_band_of(const lf_model *model, const lf_force *force, lf_grid_spec spec, const lf_model_traits *t)
{
    lf_atom atoms[LF_MAX_ATOMS];
    int count = list_atoms(force, spec, atoms);
    lf_band band = {0};
    for (int i = 0; i < count; i++) {
        band = lf_band_union(band, atom_band(model, &atoms[i], spec, t));
    }
    return band;
}

static int by_first(const void *a, const void *b)
{
    double x = ((const lf_run *)a)->first, y = ((const lf_run *)b)->first;
    return (x > y) - (x < y);
}

/* Below the frequency of an atom an output may respond far more strongly than at it. */
#define BELOW 1e-6

int lf_band_runs(const lf_force *force, lf_grid_spec spec, lf_band band, lf_run *runs)
{
    lf_atom atoms[LF_MAX_ATOMS];
    int count = list_atoms(force, spec, atoms), merged = 0;
    double step = 2 * LF_PI / band.period, last = lf_band_count(band) - 1;
    if (!lf_force_is_composed(force) || spec.features || spec.sharing != LF_SHARE_NONE) {
        runs[0] = (lf_run){0, last + 1};
        return last >= 0;
    }
    for (int i = 0; i < count; i++) {
        double width = atoms[i].envelope->tail_power > 0
                           ? (double)INFINITY
                           : atoms[i].envelope->tail(BELOW * errors_of(&atoms[i], spec).tail) * regrid_factor_of(spec) /
                                 atoms[i].lengthscale;
        double from = fmax(0, floor((atoms[i].frequency - width) / step));
        double to = fmin(last, ceil((atoms[i].frequency + width) / step));
        runs[i] = (lf_run){from, to - from + 1};
    }
    qsort(runs, (size_t)count, sizeof *runs, by_first);
    for (int i = 0; i < count; i++) {
        double end = runs[i].first + runs[i].count;
        lf_run *open = merged ? &runs[merged - 1] : NULL;
        if (open && runs[i].first <= open->first + open->count) {
            open->count = fmax(open->count, end - open->first);
        } else {
            runs[merged++] = runs[i];
        }
    }
    return merged;
}

double lf_runs_count(int count, const lf_run *runs)
{
    double nodes = 0;
    for (int i = 0; i < count; i++) {
        nodes += runs[i].count;
    }
    return nodes;
}
