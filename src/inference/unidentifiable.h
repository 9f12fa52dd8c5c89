/* Directions of theta along which the likelihood does not change, and what they leave determined. */
#ifndef LF_INFERENCE_UNIDENTIFIABLE_H
#define LF_INFERENCE_UNIDENTIFIABLE_H

#include "model/model.h"

typedef struct lf_flat_directions {
    size_t n, count;
    size_t *index; /* (n) parameters */
    double *N;     /* (count, n) directions of theta */
} lf_flat_directions;

/* Lists in the result the parameters that take part in flat directions and, where the directions are those of powers with small
 * exponents, the products that do not change along them. */
lf_status lf_name_unidentifiable(lf_context *ctx, const lf_flat_directions *flat, const lf_model *model,
                                 lf_fit_result *result);

/* Errors of the quantities of the equations by the delta method, sd = sqrt(g'C g) with g the gradient of the quantity by theta and C (n, n)
 * the covariance of the parameters flat->index. A quantity that changes along an flat direction has none, nor has one that
 * depends on no free parameter. */
lf_status lf_quantity_errors(lf_context *ctx, const lf_flat_directions *flat, const double *C, lf_model *model);

#endif
