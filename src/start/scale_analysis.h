/* Starting values for the constants of equations by scale analysis: in x' = A x + B v + L u every term of an equation is about as large as
 * x' itself, which changes by its own size in a time T. With sizes s of states, inputs and outputs,
 *
 *   |A_ij| s_j ~ s_i / T,   |B_ik| s_k ~ s_i / T,   |L_if| ~ s_i / T,   |C_dj| s_j ~ s_d,   |D_dk| s_k ~ s_d
 *
 * for every term of a coefficient: of (k1 + k2)/m both k1/m and k2/m. Logarithms of terms are nearly linear in the logarithms of the constants;
 * they are met in the sense of least squares. */
#ifndef LF_START_SCALE_ANALYSIS_H
#define LF_START_SCALE_ANALYSIS_H

#include "equations/equations.h"

typedef struct lf_sizes {
    double time;            /* T */
    double *variable;       /* (variables); a derivative of order k is smaller by T^k */
    double *input, *output; /* (inputs), (outputs) */
    double *amplitude;      /* (forces); NaN: not known */
} lf_sizes;

/* Sets the constants (parameters of the equations) and the sizes of variables that are NaN; a constant of either sign becomes 0. */
lf_status lf_scale_analysis(lf_context *ctx, const lf_equations *equations, lf_sizes *sizes, double *constants);

#endif
