/* What state_gradient.c and state_strip.c share: the derivatives of L on their way from the covariances to the parameters. */
#ifndef LF_EXACT_STATE_ADJOINT_H
#define LF_EXACT_STATE_ADJOINT_H

#include "exact/state_march.h"

typedef struct lf_state_weights {
    const double *G;
    size_t ld;
    double *gradient;
} lf_state_weights;

typedef struct lf_state_adjoint {
    lf_state_march *march;
    const lf_state_weights *in;
    size_t size;         /* of a matrix */
    double *P;           /* (steps, n, stride) covariance of the states; stationary: (1, n, stride) */
    double *by_A, *by_Q; /* (gaps + 1, n, stride) the last: gaps before the origin, cleared after use */
    double *by_F, *by_W; /* (n, stride) */
    double *by_P;        /* (n, stride) */
    double *by_F_before; /* (n, stride) of F before the origin */
    double *start;       /* (points, stride) Y_kj of each column at its start */
    double *X, *Y;       /* strips: (steps of the strip, n, width), (n, width) */
} lf_state_adjoint;

/* The covariance of the states at a step. */
const double *lf_state_adjoint_covariance(const lf_state_adjoint *a, size_t step);
/* Adds dL/dc of a point: only the row of a rate depends on the parameters, it is a row of F. */
void lf_state_adjoint_row(const lf_state_adjoint *a, size_t i, size_t state, double value);
/* Adds by_A of a gap before the origin to the derivative by F before the origin. */
void lf_state_adjoint_before_origin(const lf_state_adjoint *a, size_t step, double *by_A, double *by_Q);

/* The columns `from` … `from + width - 1` at all steps from k0 on: a->X; then their derivatives. */
void lf_state_strip_forward(const lf_state_adjoint *a, size_t from, size_t width, size_t k0);
void lf_state_strip_backward(const lf_state_adjoint *a, size_t from, size_t width, size_t k0);

#endif
