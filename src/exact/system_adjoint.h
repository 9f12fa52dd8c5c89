/* The backward pass through the covariances of a model given by equations (system_covariance_gradient.c, system_ray_gradient.c). */
#ifndef LF_EXACT_SYSTEM_ADJOINT_H
#define LF_EXACT_SYSTEM_ADJOINT_H

#include <math.h>

#include "exact/lag_list.h"
#include "exact/system_pass.h"

typedef struct lf_system_adjoint {
    lf_system_response response;
    lf_system_side side;
    const double *G; /* (N, N) symmetric */
    size_t ld;
    double *GD;             /* (N, n) G D */
    double *DGD;            /* (n, n) D'G D */
    lf_system_matrices by;  /* A, L, C, E; L and E by the entries times the amplitude */
    double *by_D;           /* (N, n) */
    double *by_lengthscale; /* (forces) */
    double complex *q;      /* (n) scratch */
    size_t sets;
    lf_lag *lags; /* (sets) pairs of points */
} lf_system_adjoint;

/* e^{j lambda t} */
static inline double complex lf_wave(double complex lambda, double t)
{
    double phase = creal(lambda) * t;
    return exp(-cimag(lambda) * t) * (cos(phase) + I * sin(phase));
}

/* Adds Re(q'dR) of a response R at a frequency; q is overwritten. */
lf_status lf_states_backward(lf_context *ctx, lf_system_adjoint *b, int force, double complex lambda,
                             const double complex *R, double complex *q);
/* Adds Re(s dh) of an output; q += s c. */
void lf_target_backward(lf_system_adjoint *b, int force, int d, double complex s, const double complex *R,
                        double complex *q);
/* by_D += what P and X of the ray, or a start with covariance X and P NULL, add to it. */
void lf_motions_backward(lf_system_adjoint *b, const double *P, const double *X);

/* The pairs of points with dF/dPhi of each, those of the same targets and lag together. */
lf_status lf_adjoint_find_lags(lf_context *ctx, lf_system_adjoint *b, double span);
/* What the ray of a force contributes. */
lf_status lf_ray_backward(lf_context *ctx, lf_system_adjoint *b, int force, const lf_ray *ray);

#endif
