/* The state space for one run of the filter along a time axis: that of the posterior or, where points are averages, one with the integrators
 * that the time axis needs. Stored states of the filter have no integrators. */
#ifndef LF_KALMAN_RUN_SPACE_H
#define LF_KALMAN_RUN_SPACE_H

#include "dynamics/timeline.h"
#include "kalman/kalman.h"

typedef struct lf_run_space {
    const lf_state_space *space;
    lf_state_space own; /* with integrators */
    double *mean, *P;   /* the start, in the layout of `space`; NULL: the prior */
    int copied;         /* mean and P belong to it */
} lf_run_space;

/* base: the space of the posterior, of the given tolerance; its state `start`. After a failure it must still be cleared. */
lf_status lf_run_space_create(lf_context *ctx, const lf_state_space *base, double tolerance,
                              const lf_timeline *timeline, const lf_filter_state *start, lf_run_space *run);
void lf_run_space_clear(lf_run_space *run);

/* Copies the part of mean (stride) and P (n, stride) that two layouts have in common. */
void lf_copy_states(const lf_state_space *from, const double *mean, const double *P, const lf_state_space *to,
                    double *to_mean, double *to_P);

#endif
