/* Response columns: v_d(t, lambda) of one target at a set of times, for any nodes, with the derivative beside it.
 *
 *   output, zero or free start   v = G(j lambda) [ e^{j lambda t} - sum_k (j lambda)^k h_k(t) ]
 *   output, stationary           v = G(j lambda) e^{j lambda t}
 *   output, gaussian operator    v = exp(-lambda^2 / 2 precision) e^{j lambda t}
 *   force                        v = e^{j lambda t}
 * Time t is relative to the origin. One input. */
#ifndef LF_COLUMNS_RESPONSE_H
#define LF_COLUMNS_RESPONSE_H

#include "columns/nodes.h"
#include "model/model.h"

typedef struct lf_response {
    const lf_output *output; /* NULL for a force */
    int from_rest;           /* the free motions are subtracted */
    size_t n;
    double *t;                  /* (n) */
    double *h;                  /* (n, P) column-major: free motions; NULL unless from_rest */
    double *dh;                 /* (n, P, constants): by constant; NULL unless asked for */
    double a[LF_MAX_ORDER + 1]; /* coefficients of the ODE */
    double complex roots[LF_MAX_ORDER];
} lf_response;

/* x (n), not before the origin for an output that starts there. The model must outlive it. */
lf_status lf_response_create(lf_context *ctx, const lf_model *model, int target, size_t n, const double *x,
                             int with_derivative, lf_response *response);
void lf_response_clear(lf_response *response);

/* V (n, 2 count), column-major: Re v and then Im v at the nodes first … first + count - 1. */
lf_status lf_response_columns(lf_context *ctx, const lf_response *response, const lf_nodes *nodes, size_t first,
                              size_t count, double *V);

/* Given V and adjoint = dL/dV of the same shape (its entries are overwritten), gradient[i] += dL/dconstant_i. */
lf_status lf_response_backward(lf_context *ctx, const lf_response *response, const lf_nodes *nodes, size_t first,
                               size_t count, const double *V, double *adjoint, double *gradient);

#endif
