/* Response columns: v_d(x, lambda), the response of one target to the wave e^{j lambda t}, at a set of inputs and for
 * the nodes of a grid, with derivatives.
 *
 *   output, zero or free start   v = G(j lambda) [ e^{j lambda t} - sum_k (j lambda)^k h_k(t) ]
 *   output, stationary           v = G(j lambda) e^{j lambda t}
 *   output, gaussian operator    v = exp(-sum_i lambda_i^2 / 2 precision_i) e^{j lambda'x}
 *   force                        v = e^{j lambda'x}
 *   rate of an output            dv/dt
 * Time t is relative to the origin. Several inputs: gaussian operators and forces only. transfer.h has G,
 * wave_response.h has the robust form of v that replaces the first one where the bracket cancels. */
#ifndef LF_FEATURES_RESPONSE_H
#define LF_FEATURES_RESPONSE_H

#include "features/nodes.h"
#include "model/model.h"

typedef struct lf_response {
    const lf_output *output; /* NULL for a force */
    int from_rest;           /* zero or free start: the free motions are subtracted */
    int rate;                /* dv/dt instead of v: j lambda e^{j lambda t} and h_k'; without derivatives */
    size_t n;
    int input_dim;              /* p */
    double *t;                  /* (n, p) column-major */
    double *h;                  /* (n, P) column-major: free motions; NULL unless from_rest */
    double *th;                 /* (n, P): t h; NULL unless with_derivative; follows h in memory */
    double *dh;                 /* (n, P, constants): dh/dconstant; follows th in memory */
    double a[LF_MAX_ORDER + 1]; /* coefficients of the ODE */
    double complex roots[LF_MAX_ORDER];
} lf_response;

/* The nodes first … first + count - 1 of a grid. */
typedef struct lf_node_range {
    const lf_nodes *nodes;
    size_t first, count;
} lf_node_range;

lf_node_range lf_all_nodes(const lf_nodes *nodes);

/* x (n, p) row-major, not before the origin for an output that starts there. The model must outlive the response. */
lf_status lf_response_create(lf_context *ctx, const lf_model *model, int target, size_t n, const double *x,
                             int with_derivative, lf_response *response);
void lf_response_clear(lf_response *response);

/* V (n, 2 count), column-major: Re v, then Im v. */
lf_status lf_response_columns(lf_context *ctx, const lf_response *response, lf_node_range range, double *V);

/* Given V and adjoint = dL/dV of the same shape (overwritten): gradient[i] += dL/dconstant_i and, unless NULL,
 * by_lambda (count, p), row-major, += dL/dlambda. */
lf_status lf_response_backward(lf_context *ctx, const lf_response *response, lf_node_range range, const double *V,
                               double *adjoint, double *gradient, double *by_lambda);

/* The same for all S nodes from sums over the rows, without the rows for which lf_wave_responses is used:
 *   Q (2 S, 1 + p): Re and Im of conj(adjoint) v, times 1 and times each input;
 *   Z (2 S, P (2 + constants)): adjoint' [h, t h, dh], from rest only. */
lf_status lf_response_backward_sums(lf_context *ctx, const lf_response *response, const lf_nodes *nodes,
                                    const double *Q, const double *Z, double *gradient, double *by_lambda);

#endif
