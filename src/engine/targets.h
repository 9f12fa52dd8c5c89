/* What an engine takes for readings: Gaussian targets y of the scaled model, each with the variance of its noise.
 *
 * For Gaussian readings they follow from the rows and the model (lf_rows_scaled). Otherwise they are those of its caller, who may change
 * them at every evaluation: log N(y | 0, K + diag(noise)) is then what an engine computes or approximates. */
#ifndef LF_ENGINE_TARGETS_H
#define LF_ENGINE_TARGETS_H

#include <stddef.h>

/* Of the rows of this process, one replicate after the other. */
typedef struct lf_targets {
    const double *y, *noise; /* (rows) less the prior mean; above 0 but for engines of exact covariances */
    double *by_y,
        *by_noise; /* (rows) set to the derivatives of the value where there is a gradient; NULL: not wanted */
    int of_rows;   /* they follow from rows and model, so that what was computed once from the rows holds for them */
} lf_targets;

/* Those that follow the first n. */
static inline lf_targets lf_targets_after(lf_targets targets, size_t n)
{
    return (lf_targets){.y = targets.y + n,
                        .noise = targets.noise + n,
                        .by_y = targets.by_y ? targets.by_y + n : NULL,
                        .by_noise = targets.by_noise ? targets.by_noise + n : NULL,
                        .of_rows = targets.of_rows};
}

#endif
