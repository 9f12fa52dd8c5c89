/* Panels along the real axis and along the ray. */
#include "exact/contour.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/gauss_legendre.h"
#include "base/memory.h"
#include "base/numbers.h"

enum { PANEL = LF_GAUSS_POINTS };
#define MAX_NODES 2e6   /* more come from a lengthscale or a span in the wrong unit */
#define NEGLIGIBLE 14.0 /* e^{-z^2 / 4} beyond it: 5e-22 */

/* A pole in the first quadrant, as the modes and densities have them with all their images. */
static double complex fold(double complex pole) { return fabs(creal(pole)) + I * fabs(cimag(pole)); }

/* The distance of a segment in the first quadrant from a pole there; its images are farther away. */
static double distance(double complex from, double complex to, double complex pole)
{
    double complex along = to - from;
    double s = creal((pole - from) * conj(along)) / creal(along * conj(along));
    return cabs(pole - from - fmin(fmax(s, 0), 1) * along);
}

/* Every pole is farther away than two thirds of the length, and a Gaussian density changes little enough: then the 16-point rule is accurate
 * to rounding. */
static int is_short(const lf_contour *contour, double complex from, double complex to)
{
    int ok = cabs(to - from) <= contour->longest;
    for (size_t i = 0; ok && i < contour->pole_count; i++) {
        ok = distance(from, to, contour->poles[i]) >= cabs(to - from) / 1.5;
    }
    return ok;
}

/* Divides [from, to] by bisection after `done` earlier panels, so that waves over `span` turn by less than 16 radians along a panel.
 * Stores the nodes unless contour->lambda is NULL. Returns the panels so far. */
static size_t place(lf_contour *contour, double from, double to, double span, size_t done)
{
    double middle = 0.5 * (from + to), half = 0.5 * (to - from);
    int fits = (to - from) * span <= 16 && is_short(contour, from, to);
    if (!fits && middle > from && middle < to && (double)done * PANEL <= MAX_NODES) {
        return place(contour, middle, to, span, place(contour, from, middle, span, done));
    }
    for (size_t i = 0; contour->lambda && i < PANEL; i++) {
        size_t k = i < PANEL / 2 ? PANEL / 2 - 1 - i : i - PANEL / 2;
        contour->lambda[done * PANEL + i] = middle + (i < PANEL / 2 ? -half : half) * lf_gauss_x[k];
        contour->weight[done * PANEL + i] = 2 * half * lf_gauss_w[k];
    }
    return done + 1;
}

/* Whether a node is so close to an undamped mode that the response from rest, a difference of large numbers, loses digits. */
static int hits_mode(const lf_contour *contour, const lf_system_response *response, double span)
{
    const double close = span > 0 ? 1e-5 / span : 0;
    for (size_t m = 0; !response->steady && m < response->n; m++) {
        for (size_t k = 0; fabs(creal(response->modes[m])) < close && k < contour->count; k++) {
            if (fabs(contour->lambda[k] - fabs(cimag(response->modes[m]))) < close) {
                return 1;
            }
        }
    }
    return 0;
}

static lf_status place_low(lf_context *ctx, const lf_system_response *response, double corner, double span,
                           lf_contour *contour)
{
    int hit = 1;
    for (int attempt = 0; hit && attempt < 20; attempt++) {
        free(contour->lambda);
        free(contour->weight);
        contour->lambda = contour->weight = NULL;
        double to = corner * (1 + 0.03 * attempt);
        size_t panels = place(contour, 0, to, span, 0);
        contour->count = panels * PANEL;
        if ((double)contour->count > MAX_NODES) {
            return lf_fail(ctx, LF_ERROR_NUMERIC,
                           "the dense engine would need more than %.0g frequencies: the equations oscillate too fast "
                           "for the span of the times; use kalman",
                           MAX_NODES);
        }
        contour->lambda = lf_doubles(contour->count, 1);
        contour->weight = lf_doubles(contour->count, 1);
        if (!contour->lambda || !contour->weight) {
            return lf_no_memory(ctx);
        }
        place(contour, 0, to, span, 0);
        contour->at = contour->corner = to;
        hit = hits_mode(contour, response, span);
    }
    return LF_OK;
}

lf_status lf_contour_create(lf_context *ctx, const lf_system_response *response, int force, double span,
                            lf_contour *contour)
{
    const lf_model *model = response->model;
    int q = model->system->force[force];
    const lf_force *own = q < 0 ? NULL : &model->forces[q];
    double corner = span > 0 ? 4 / span : 0, rate = own ? 1 / own->lengthscale[0] : 0;
    *contour = (lf_contour){.has_ray = 1,
                            .longest = own && own->kernel->tail_power == 0 ? 4 / own->lengthscale[0] : (double)INFINITY,
                            .step = cos(LF_PI / 6) + I * sin(LF_PI / 6)};
    contour->poles = calloc(response->n + 2, sizeof *contour->poles);
    if (!contour->poles) {
        return lf_no_memory(ctx);
    }
    for (size_t m = 0; m < response->n; m++) {
        double complex mode = response->modes[m];
        rate = fmax(rate, cabs(mode));
        if (fabs(creal(mode)) < 2 * fabs(cimag(mode))) { /* within 63 degrees of the real axis */
            corner = fmax(corner, 2 * cabs(mode));
        }
    }
    corner = corner > 0 ? corner : rate > 0 ? rate : 1;
    if (own && own->kernel->tail_power == 0 && corner >= NEGLIGIBLE / own->lengthscale[0]) {
        corner = NEGLIGIBLE / own->lengthscale[0];
        contour->has_ray = 0;
    }
    if (own && own->kernel->pole > 0) {
        contour->poles[contour->pole_count++] = I * own->kernel->pole / own->lengthscale[0];
    }
    size_t of_density = contour->pole_count;
    for (size_t m = 0; m < response->n; m++) {
        contour->poles[contour->pole_count++] = fold(-I * response->modes[m]);
    }
    size_t all = contour->pole_count;
    /* the response from rest to a wave is an entire function of its frequency */
    contour->pole_count = response->steady ? all : of_density;
    contour->shortest = fmin(span > 0 ? 8 / span : (double)INFINITY, corner);
    lf_status status = place_low(ctx, response, corner, span, contour);
    contour->pole_count = all;
    return status;
}

void lf_contour_clear(lf_contour *contour)
{
    free(contour->lambda);
    free(contour->weight);
    free(contour->poles);
    *contour = (lf_contour){0};
}

void lf_contour_panel(lf_contour *contour, double complex *lambda, double complex *weight)
{
    /* a wave over a long lag has decayed before panels become too long for it */
    double length = fmax(cabs(contour->at - contour->corner) * 2 / 3, contour->shortest);
    while (!is_short(contour, contour->at, contour->at + length * contour->step) &&
           length > 1e-12 * cabs(contour->at)) {
        length /= 2;
    }
    double complex half = 0.5 * length * contour->step, middle = contour->at + half;
    for (size_t i = 0; i < PANEL; i++) {
        size_t k = i < PANEL / 2 ? PANEL / 2 - 1 - i : i - PANEL / 2;
        lambda[i] = middle + (i < PANEL / 2 ? -half : half) * lf_gauss_x[k];
        weight[i] = 2 * half * lf_gauss_w[k];
    }
    contour->at += length * contour->step;
}
