/* The transfer function of a target at a range of nodes, and the times from which the transfer-function form of v
 * (response.h) is accurate. */
#ifndef LF_FEATURES_TRANSFER_H
#define LF_FEATURES_TRANSFER_H

#include "features/response.h"

typedef struct lf_transfers {
    double complex *G; /* (count) G(j lambda); infinite exactly on a root */
    double *safe;      /* (count) at earlier times the bracket of v cancels and lf_wave_responses is used */
} lf_transfers;

lf_status lf_transfers_create(lf_context *ctx, const lf_response *response, lf_node_range range,
                              lf_transfers *transfers);
void lf_transfers_clear(lf_transfers *transfers);

#endif
