/* Response columns: v_d(x, lambda) of one target at a set of inputs, for any nodes, with the derivative beside it.
 *
 *   output, zero or free start   v = G(j lambda) [ e^{j lambda t} - sum_k (j lambda)^k h_k(t) ]
 *   output, stationary           v = G(j lambda) e^{j lambda t}
 *   output, gaussian operator    v = exp(-sum_i lambda_i^2 / 2 precision_i) e^{j lambda'x}
 *   force                        v = e^{j lambda'x}
 *   rate of an output            dv/dt
 * Time t is relative to the origin. Several inputs: gaussian operators and forces only. */
#ifndef LF_FEATURES_RESPONSE_H
#define LF_FEATURES_RESPONSE_H

#include "features/nodes.h"
#include "model/model.h"

typedef struct lf_response {
    const lf_output *output; /* NULL for a force */
    int from_rest;           /* the free motions are subtracted */
    int rate;                /* the rate of change of v: j lambda for the wave, h_k' for h_k; values only */
    size_t n;
    int input_dim;              /* p */
    double *t;                  /* (n, p) column-major */
    double *h;                  /* (n, P) column-major: free motions; NULL unless from_rest */
    double *th;                 /* (n, P): t h; NULL unless derivatives were asked for; follows h in memory */
    double *dh;                 /* (n, P, constants): h by constant; follows th */
    double a[LF_MAX_ORDER + 1]; /* coefficients of the ODE */
    double complex roots[LF_MAX_ORDER];
} lf_response;

/* x (n, p) row by row, not before the origin for an output that starts there. The model must outlive it. */
lf_status lf_response_create(lf_context *ctx, const lf_model *model, int target, size_t n, const double *x,
                             int with_derivative, lf_response *response);
void lf_response_clear(lf_response *response);

/* V (n, 2 count), column-major: Re v and then Im v at the nodes first … first + count - 1. */
lf_status lf_response_columns(lf_context *ctx, const lf_response *response, const lf_nodes *nodes, size_t first,
                              size_t count, double *V);

/* Given V and adjoint = dL/dV of the same shape (its entries are overwritten), gradient[i] += dL/dconstant_i and,
 * unless NULL, by_lambda (count, p) += dL/dlambda, row by row. */
lf_status lf_response_backward(lf_context *ctx, const lf_response *response, const lf_nodes *nodes, size_t first,
                               size_t count, const double *V, double *adjoint, double *gradient, double *by_lambda);

#endif
