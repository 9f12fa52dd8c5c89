/* Covariances in closed form, for EQ forces, ODEs of order 1 and 2, and the gaussian operator (docs/mathematics.md,
 * "Covariances in closed form").
 *
 * A target is an output (0 … D-1) or a force (D … D+Q-1). Covariances are those of the scaled model: no offset, no
 * scale, no noise, and no initial-state terms, which are the same for all methods and are added by kernel.c. */
#ifndef LF_EXACT_CLOSED_FORM_H
#define LF_EXACT_CLOSED_FORM_H

#include "points/points.h"

/* NULL if closed forms exist for this model, otherwise the reason why not, for messages. */
const char *lf_closed_form_obstacle(const lf_model *model);

/* K (na, nb), column-major with leading dimension ld: covariance of the points a with the points b. If both have the same
 * target and the same x (same pointer) the block is exactly symmetric. */
lf_status lf_closed_form_block(lf_context *ctx, const lf_model *model, lf_point_group a, lf_point_group b, double *K,
                               size_t ld);

/* gradient[i] += sum_mn G[m,n] dK[m,n] / d(natural value of parameter i), G (na, nb) column-major. */
lf_status lf_closed_form_gradient(lf_context *ctx, const lf_model *model, lf_point_group a, lf_point_group b,
                                  const double *G, size_t ld, double *gradient);

#endif
