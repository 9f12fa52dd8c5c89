/* The response of an output's operator, from rest, to each mean force with sensitivity 1.
 *
 * Between nodes a mean force is linear in time, so that the response is exact there. */
#ifndef LF_PREDICT_FORCED_RESPONSE_H
#define LF_PREDICT_FORCED_RESPONSE_H

#include "engine/scaled_posterior.h"

/* The means of all forces of one replicate along time. */
typedef struct lf_force_path {
    int force_count;
    size_t count;
    double *time;  /* (count) ascending */
    double *value; /* (count, Q) */
} lf_force_path;

/* From where the motion starts to `reach` or the last of the rows, with nodes at the rows and between them. After a failure
 * it must still be cleared. */
lf_status lf_force_path_create(lf_context *ctx, const lf_scaled_posterior *posterior, int replicate,
                               const lf_point_set *rows, double reach, lf_force_path *path);
void lf_force_path_clear(lf_force_path *path);

/* states (count, P, Q): the responses and their derivatives at the nodes of the path. */
void lf_forced_response_states(const lf_output *output, const lf_force_path *path, double *states);
/* The responses (Q), or their rates, at a time up to the end of the path. */
void lf_forced_response_at(const lf_output *output, const lf_force_path *path, const double *states, double time,
                           int rate, double *response);

#endif
