/* Entries of feature rows on a device for which lf_wave_responses is used (transfer.h): they are computed here and copied there. */
#ifndef LF_FEATURES_CANCELLED_ENTRIES_H
#define LF_FEATURES_CANCELLED_ENTRIES_H

#include "features/device_rows.h"

/* Puts the entries into the columns V (rows, 2 S); row_scale (n): here, or NULL. */
lf_status lf_cancelled_put(lf_context *ctx, lf_device_rows *r, const lf_nodes *nodes, const double *safe,
                           const double *scale, const double *row_scale, double *V);

/* The columns V (rows, 2 S) of a source and the adjoint of the scaled columns, both on the device, and the sums by node. */
typedef struct lf_cancelled_adjoint {
    const lf_nodes *nodes;
    const double *safe, *scale; /* (S) */
    double *V, *adjoint;
    double *x;         /* (S) sums of adjoint * v */
    double *by_lambda; /* (S) or NULL */
} lf_cancelled_adjoint;

/* Takes the entries out of the adjoint: they are 0 there and in V from then on. Adds what they contribute to x, by_lambda and the gradient
 * by the constants of the operator. */
lf_status lf_cancelled_backward(lf_context *ctx, lf_device_rows *r, const lf_cancelled_adjoint *a, double *gradient);

#endif
