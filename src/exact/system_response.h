/* The responses of a model given by equations to its forces at complex frequencies, and its free motion.
 *
 * A target is c'x + e'u + f'u', with x' = A x + L u. The response of x to the wave u = e^{j lambda t} is R e^{j lambda t} with
 *
 *   R(lambda) = (j lambda - A)^-1 L,   h(lambda) = c'R + e + j lambda f
 *
 * for the target. Amplitudes are parts of L, e and f. A white force is left out of e: it has no value at an instant. */
#ifndef LF_EXACT_SYSTEM_RESPONSE_H
#define LF_EXACT_SYSTEM_RESPONSE_H

#include <complex.h>

#include "model/model.h"

typedef struct lf_system_response {
    const lf_model *model;
    size_t n, forces, targets;
    int steady; /* it has run forever; else it starts at the origin */
    lf_system_matrices matrices;
    double complex *modes; /* (n) eigenvalues of A */
    double *c;             /* (targets, n) */
    double *e, *f;         /* (targets, forces) */
    char *wanted;          /* (targets) whether a point set contains it */
    double *start;         /* (n) variances at the start; steady: 0 */
    double complex *work;  /* (n, n) */
    int *pivots;           /* (n) */
} lf_system_response;

/* At the current parameters of the model. Fails for a steady start of a system that does not settle. It must be cleared, also after a
 * failure. */
lf_status lf_system_response_create(lf_context *ctx, const lf_model *model, lf_system_response *response);
void lf_system_response_clear(lf_system_response *response);

/* Whether a force drives anything. */
int lf_system_response_uses(const lf_system_response *response, int force);
/* R (n) of a force. Fails where j lambda is an eigenvalue of A. */
lf_status lf_system_response_states(lf_context *ctx, lf_system_response *response, int force, double complex lambda,
                                    double complex *R);
/* y (n) becomes (j lambda - A)'^-1 y, for derivatives: y'(dL + dA R) is the change of y'dR. */
lf_status lf_system_response_backward(lf_context *ctx, lf_system_response *response, double complex lambda,
                                      double complex *y);
double complex lf_system_response_target(const lf_system_response *response, int force, double complex lambda,
                                         const double complex *R, int target);
/* The spectral density of a force with amplitude 1 and, unless NULL, its logarithmic derivative by the lengthscale. */
double complex lf_system_density(const lf_model *model, int force, double complex lambda,
                                 double complex *by_lengthscale);

/* X (n, n) = e^{A t}, both row-major. work (2, n, n). */
void lf_system_motion(size_t n, const double *A, double t, double *X, double *work);

#endif
