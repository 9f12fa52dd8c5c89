/* The transitions of many different gaps, without a product of matrices for each. Gaps fall into cells h = h_j + x w, 0 <= x < 1, of a width w
 * for which the Taylor series of transition.c converge fast. Over a cell A and Q are polynomials in x,
 *
 *   A(h) = sum_k x^k A_j T_k,             T_k = (w F)^k / k!
 *   Q(h) = Q_j + sum_k x^(k+1) A_j C_k A_j',   C_0 = w W,  C_k = w / (k+1) (F C_(k-1) + C_(k-1) F')
 *
 * with A_j and Q_j the transition of h_j: Q is Q_j plus what the rest of the gap adds, so that nothing cancels. w is a power of 2, so that
 * x has no rounding error. In reverse mode the derivatives by the coefficients are summed over all gaps; the products are differentiated once
 * for each cell. */
#ifndef LF_DYNAMICS_TRANSITION_TABLE_H
#define LF_DYNAMICS_TRANSITION_TABLE_H

#include "dynamics/transition.h"

/* Matrices (n, stride) that the backward pass needs at its end. */
enum { LF_TABLE_MATRICES = 2 * (LF_A_TERMS + 1 + LF_Q_TERMS + 1) + 8 };

/* Entries of A or of the lower triangle of Q that may differ from 0, in lanes. */
typedef struct lf_packing {
    size_t count, lanes;
    size_t *place, *mirror; /* (count) where an entry stands in (n, stride), and in Q its mirror image */
} lf_packing;

typedef struct lf_transition_table {
    const lf_state_space *space;
    double width;
    size_t cells, slots; /* cells up to the longest gap; those with coefficients */
    int *slot;           /* (cells) -1: without, because it has few gaps */
    size_t *cell;        /* (slots) */
    lf_packing A, Q;
    size_t numbers;       /* for each slot: (lanes of A, terms, LF_LANE), then those of Q */
    double *coefficients; /* (slots, numbers) */
    double *by;           /* (slots, numbers) derivatives by them; NULL until lf_transition_table_add */
} lf_transition_table;

/* For these gaps after the start, all different. A table may be empty. After a failure it must still be cleared. */
lf_status lf_transition_table_create(lf_context *ctx, const lf_state_space *space, size_t count, const double *gaps,
                                     lf_transition_work *work, lf_transition_table *table);
void lf_transition_table_clear(lf_transition_table *table);
/* What it would be: cells with coefficients, the numbers of each, and how many of the gaps they have. Without memory all are 0. */
typedef struct lf_transition_table_size {
    double slots, numbers, gaps;
} lf_transition_table_size;
lf_transition_table_size lf_transition_table_measure(const lf_state_space *space, size_t count, const double *gaps);

/* A and Q (n, stride) of a gap; entries that are 0 for every gap are left alone. Returns 0 where the table does not have it. */
int lf_transition_table_get(const lf_transition_table *table, double gap, double *A, double *Q);

/* For derivatives: allocates the sums. */
lf_status lf_transition_table_begin_backward(lf_context *ctx, lf_transition_table *table);
/* Adds by_A and by_Q (symmetric), of which entries that are 0 for every gap are not read. Returns 0 where the table does not have the gap. */
int lf_transition_table_add(lf_transition_table *table, double gap, const double *by_A, const double *by_Q);
/* Adds what all gaps add to by_F and by_W. */
lf_status lf_transition_table_end_backward(lf_context *ctx, const lf_transition_table *table, lf_transition_work *work,
                                           double *by_F, double *by_W);

#endif
