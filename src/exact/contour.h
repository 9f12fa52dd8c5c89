/* The path of frequencies on which covariances of a model given by equations are integrated, for one force:
 *
 *   0 ─────► corner            along the real axis
 *   corner ───► infinity       along a ray at 30 degrees, where waves e^{j lambda r}, r >= 0, decay
 *
 * The corner lies beyond all lightly damped modes, so that neither a mode nor a pole of the density lies between the ray and the real
 * axis. On the ray algebraic tails cost a few nodes per decade, whatever the lag. Gauss-Legendre panels are short near poles. */
#ifndef LF_EXACT_CONTOUR_H
#define LF_EXACT_CONTOUR_H

#include "exact/system_response.h"

typedef struct lf_contour {
    size_t count;            /* nodes up to the corner */
    double *lambda, *weight; /* (count) integral over -corner … corner ~ sum weight Re F */
    int has_ray;
    /* what the panels of the ray need */
    double corner, longest, shortest; /* lengths of panels: no longer than needed nor shorter than waves require */
    size_t pole_count;
    double complex *poles;   /* (pole_count), in the first quadrant; the others hold their images */
    double complex at, step; /* the end of the last panel, the direction */
} lf_contour;

/* For times over `span`. It must be cleared, also after a failure. */
lf_status lf_contour_create(lf_context *ctx, const lf_system_response *response, int force, double span,
                            lf_contour *contour);
void lf_contour_clear(lf_contour *contour);

/* The next panel of the ray (LF_GAUSS_POINTS): the integral over both sides beyond the corner ~ sum over panels of Re weight F. */
void lf_contour_panel(lf_contour *contour, double complex *lambda, double complex *weight);

#endif
