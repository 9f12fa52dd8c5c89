/* Uniform nodes (trapezoid rule) and graded Gauss-Legendre panels. */
#include "features/nodes.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/gauss_legendre.h"
#include "base/memory.h"
#include "base/numbers.h"

const char *const lf_rule_names[LF_RULE_COUNT] = {"uniform", "mc", "qmc", "orthogonal"};

/* More nodes than this are refused: they come from a lengthscale or a span in the wrong unit. */
#define MAX_NODES 4e6

static lf_status allocate(lf_context *ctx, double count, int input_dim, int sampled, lf_nodes *nodes)
{
    *nodes = (lf_nodes){0}; /* for lf_nodes_clear, whatever happens */
    if (!(count >= 0 && count <= MAX_NODES)) {
        return lf_fail(
            ctx, LF_ERROR_NUMERIC,
            "%.3g frequencies would be needed (at most %.0g): a lengthscale is too short for the span of the "
            "inputs",
            count, MAX_NODES);
    }
    *nodes = (lf_nodes){.count = (size_t)count, .input_dim = input_dim};
    nodes->lambda = lf_doubles(nodes->count, (size_t)input_dim);
    nodes->weight = lf_doubles(nodes->count, 1);
    nodes->base = sampled ? lf_doubles(nodes->count, (size_t)input_dim) : NULL;
    if (!nodes->lambda || !nodes->weight || (sampled && !nodes->base)) {
        lf_nodes_clear(nodes);
        return lf_no_memory(ctx);
    }
    return LF_OK;
}

void lf_nodes_clear(lf_nodes *nodes)
{
    free(nodes->lambda);
    free(nodes->weight);
    free(nodes->base);
    *nodes = (lf_nodes){0};
}

double lf_band_count(lf_band band)
{
    return band.period > 0 ? ceil(band.limit * band.period / (2 * LF_PI)) + 1 : 0; /* 0: the force has no density */
}

static lf_status uniform(lf_context *ctx, double period, double count, lf_nodes *nodes)
{
    lf_status status = allocate(ctx, count, 1, 0, nodes);
    if (status) {
        return status;
    }
    nodes->step = 2 * LF_PI / period;
    for (size_t s = 0; s < nodes->count; s++) {
        nodes->lambda[s] = (double)s * nodes->step;
        nodes->weight[s] = (s ? 2 : 1) * nodes->step;
    }
    return LF_OK;
}

lf_status lf_nodes_uniform(lf_context *ctx, lf_band band, lf_nodes *nodes)
{
    return uniform(ctx, band.period, lf_band_count(band), nodes);
}

lf_status lf_nodes_uniform_count(lf_context *ctx, double period, size_t count, lf_nodes *nodes)
{
    return uniform(ctx, period, (double)count, nodes);
}

lf_status lf_nodes_runs(lf_context *ctx, double period, int run_count, const lf_run *runs, lf_nodes *nodes)
{
    double count = 0;
    for (int i = 0; i < run_count; i++) {
        count += runs[i].count;
    }
    lf_status status = uniform(ctx, period, count, nodes);
    size_t s = 0;
    for (int i = 0; !status && i < run_count; i++) {
        for (double k = 0; k < runs[i].count; k++, s++) {
            nodes->lambda[s] = (runs[i].first + k) * nodes->step;
            nodes->weight[s] = (nodes->lambda[s] > 0 ? 2 : 1) * nodes->step;
        }
    }
    return status;
}

lf_status lf_nodes_append_lines(lf_context *ctx, size_t lines, lf_nodes *nodes)
{
    size_t count = nodes->count + lines;
    double *lambda = lf_doubles(count, 1), *weight = lf_doubles(count, 1);
    if (!lambda || !weight) {
        free(lambda);
        free(weight);
        return lf_no_memory(ctx);
    }
    for (size_t s = 0; s < count; s++) {
        lambda[s] = s < nodes->count ? nodes->lambda[s] : 0;
        weight[s] = s < nodes->count ? nodes->weight[s] : 1;
    }
    free(nodes->lambda);
    free(nodes->weight);
    *nodes = (lf_nodes){count, 1, lambda, weight, NULL, nodes->step, lines};
    return LF_OK;
}

lf_status lf_nodes_from_base(lf_context *ctx, int input_dim, size_t count, const double *base, lf_nodes *nodes)
{
    lf_status status = allocate(ctx, (double)count, input_dim, 1, nodes);
    for (size_t s = 0; !status && s < count; s++) {
        nodes->weight[s] = 1 / (double)count;
        for (size_t k = 0; k < (size_t)input_dim; k++) {
            nodes->base[s * (size_t)input_dim + k] = base[s * (size_t)input_dim + k];
        }
    }
    return status;
}

enum { PANEL = LF_GAUSS_POINTS }; /* nodes of a panel */

/* A panel is short enough when the phase of waves over `span` changes by less than 16 radians along it and every pole
 * is farther away than two thirds of its length; then the 16-point rule is accurate to rounding. */
static int short_enough(double from, double to, double span, size_t pole_count, const double complex *poles)
{
    double length = to - from;
    if (length * span > 16) {
        return 0;
    }
    for (size_t i = 0; i < pole_count; i++) {
        double along = fabs(creal(poles[i])); /* each pole has a mirror image -conj(pole), and lambda >= 0 */
        double aside = cimag(poles[i]), gap = along < from ? from - along : along > to ? along - to : 0;
        if (hypot(gap, aside) < length / 1.5) {
            return 0;
        }
    }
    return 1;
}

/* Divides [from, to] into panels by bisection, after `done` earlier panels, and stores their nodes unless nodes->lambda
 * is NULL. Returns the number of panels so far. */
static size_t place_panels(double from, double to, double span, size_t pole_count, const double complex *poles,
                           lf_nodes *nodes, size_t done)
{
    double middle = 0.5 * (from + to);
    if (!short_enough(from, to, span, pole_count, poles) && middle > from && middle < to &&
        (double)done * PANEL < MAX_NODES) {
        done = place_panels(from, middle, span, pole_count, poles, nodes, done);
        return place_panels(middle, to, span, pole_count, poles, nodes, done);
    }
    if (nodes->lambda) {
        double half = 0.5 * (to - from);
        for (size_t i = 0; i < PANEL; i++) {
            size_t k = i < PANEL / 2 ? PANEL / 2 - 1 - i : i - PANEL / 2;
            nodes->lambda[done * PANEL + i] = middle + (i < PANEL / 2 ? -half : half) * lf_gauss_x[k];
            nodes->weight[done * PANEL + i] = 2 * half * lf_gauss_w[k];
        }
    }
    return done + 1;
}

lf_status lf_nodes_panels(lf_context *ctx, double limit, double span, size_t pole_count, const double complex *poles,
                          lf_nodes *nodes)
{
    lf_nodes empty = {0};
    size_t panels = place_panels(0, limit, span, pole_count, poles, &empty, 0);
    lf_status status = allocate(ctx, (double)panels * PANEL, 1, 0, nodes);
    if (!status) {
        place_panels(0, limit, span, pole_count, poles, nodes, 0);
    }
    return status;
}
