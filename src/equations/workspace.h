/* What an evaluation leaves for the derivatives. */
#ifndef LF_EQUATIONS_WORKSPACE_H
#define LF_EQUATIONS_WORKSPACE_H

#include "equations/program.h"

typedef struct lf_eq_workspace {
    double *registers; /* (registers) of the tape; the other arrays follow it in memory */
    double *by;        /* (registers) */
    double *M;         /* (variables, variables) its factors */
    double *X;         /* (variables, width) */
    double *by_X;      /* (variables, width) */
    double *H;         /* (outputs, variables) */
    double *scale;     /* (2 variables) */
    int *pivot;        /* (variables) */
} lf_eq_workspace;

/* Where row `row` of (A B L c), or of (C D E d), has its entry for column `column` of z. */
double *lf_eq_entry(const lf_system_matrices *m, int output, int row, int column);

#endif
