/* What the backward pass of the gradient holds (gradient.c, stretch_gradient.c). */
#ifndef LF_KALMAN_ADJOINT_H
#define LF_KALMAN_ADJOINT_H

#include "kalman/filter.h"

/* Sums over the steps of a stretch. */
typedef struct lf_stretch_sums {
    double *work;             /* all arrays; NULL: no stretch so far */
    double *X_end;            /* (n, stride) X at its last step */
    double *M, *S;            /* (n, stride) see stretch_gradient.c */
    double *Phi, *square;     /* (n, stride) */
    double *product, *scaled; /* (n, stride) */
    double *w_Lg;             /* (max_rows, stride) sum of w_i L'g */
    double *of_mean, *w_g;    /* (max_rows, stride) sums of (w_i - K'g_i) m and of w_i g */
    double *w_w;              /* (max_rows, max_rows) sum of w w' */
} lf_stretch_sums;

typedef struct lf_adjoint {
    double *g, *X;                /* (stride), (n, stride) */
    double *by_A, *by_Q;          /* (cached + 1, n, stride); the last slot is for gaps that are not cached */
    double *by_F, *by_W;          /* (n, stride) */
    double *U, *C;                /* (max_rows, stride), (max_rows, max_rows) */
    double *Kt_g;                 /* (max_rows) */
    double *scratch;              /* (2, n, stride) */
    double *by_H;                 /* (entries of the measurements) */
    double *reset_mean, *reset_P; /* (stride), (n, stride) of a step, with integrators at 0 */
    double *by_y, *by_noise;      /* (rows); by_noise NULL: not wanted, otherwise there are no stretches */
    double *gradient;             /* (parameters) */
    lf_stretch_sums sums;
} lf_adjoint;

/* The measurement update of X, where g is L'g already, and U and C are K'X and K'X K, which are overwritten. */
void lf_adjoint_update(const lf_filter *filter, size_t step, const lf_filter_record *record, lf_adjoint *adjoint);
/* The time update of g from a mean, and what it adds to by_A. */
void lf_adjoint_move_mean(const lf_filter *filter, const double *A, const double *mean, lf_adjoint *adjoint,
                          double *by_A);
/* The step of a stretch; `previous` as in lf_backward_step. */
lf_status lf_stretch_backward(lf_adjoint *adjoint, lf_filter *filter, size_t step, const lf_filter_record *record,
                              const lf_filter_record *previous);

#endif
