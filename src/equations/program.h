/* The compiled form of equations. With z = (x, v, u, 1) the statements say
 *
 *     M s + K z = 0,      y = H s + G z,
 *
 * where s are the highest derivatives of the variables. So s = X z with X = -M⁻¹ K, the rows of which are rows of (A B L c), and
 * (C D E d) = G + H X. Each entry of M, K, H and G is a sum of registers of a tape. */
#ifndef LF_EQUATIONS_PROGRAM_H
#define LF_EQUATIONS_PROGRAM_H

#include "equations/tape.h"

typedef enum lf_eq_part { PART_M, PART_K, PART_H, PART_G, PART_MEAN, PART_SD, PART_COUNT } lf_eq_part;

/* Adds a register to an entry. Rows are equations, outputs or states; columns are variables or entries of z. */
typedef struct lf_eq_term {
    int row, column, reg;
    uint32_t start, end; /* of the symbol, or of the constant, in the text */
} lf_eq_term;

typedef struct lf_eq_program {
    lf_eq_source source;
    char **names;
    int name_count;
    int variables, states, width; /* width: of z */
    uint32_t *equation_start;     /* (variables) where each stands */
    lf_eq_list terms[PART_COUNT]; /* lf_eq_term */
    lf_eq_tape tape;              /* of the system */
    lf_eq_tape quantity_tape;
    int *quantity_register; /* (quantities) */
} lf_eq_program;

/* Factors of M (n, n), row-major, in place. pivot (n) receives the rows; scale (2 n) is work. Returns n, or the column in which no pivot is
 * left: the matrix is singular to rounding. */
int lf_eq_lu_factor(int n, double *M, int *pivot, double *scale);
/* B (n, columns) becomes M⁻¹ B, or M⁻ᵀ B. */
void lf_eq_lu_solve(int n, const double *LU, const int *pivot, int columns, double *B);
void lf_eq_lu_solve_transposed(int n, const double *LU, const int *pivot, int columns, double *B);

#endif
