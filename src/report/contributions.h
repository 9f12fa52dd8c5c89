/* The posterior mean of an output at training rows, split into the parts that each force, the private force and the initial state
 * contribute. */
#ifndef LF_REPORT_CONTRIBUTIONS_H
#define LF_REPORT_CONTRIBUTIONS_H

#include "engine/scaled_posterior.h"

/* How the parts of a posterior can be found. */
typedef enum lf_parts_route {
    LF_PARTS_SUBMODELS, /* the engine predicts with parts of the model */
    LF_PARTS_RESPONSES, /* one input, ODE: as responses to the mean forces */
    LF_PARTS_PRIOR      /* not at all: variances of the prior stand for them */
} lf_parts_route;

lf_parts_route lf_contributions_route(const lf_scaled_posterior *posterior);

/* parts (Q + 2, n) of the scaled rows of one replicate, whose mean is `mean` (n): one for each force, the private force, the initial
 * state. With LF_PARTS_PRIOR they are variances, with the other routes means, which add up to `mean`. */
lf_status lf_contributions(lf_context *ctx, const lf_scaled_posterior *posterior, int replicate,
                           const lf_point_set *rows, const double *mean, double *parts);

#endif
