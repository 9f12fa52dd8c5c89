/* A pass over the frequencies: the response columns of two point sets, grid by grid and strip by strip, so that memory
 * stays at rows * LF_STRIP whatever the number of frequencies. Shared by the values and the gradient of the quadrature. */
#ifndef LF_EXACT_NODE_PASS_H
#define LF_EXACT_NODE_PASS_H

#include "features/grids.h"
#include "features/response.h"
#include "points/points.h"

enum { LF_STRIP = 512 };

/* The response columns of all the groups of a point set. */
typedef struct lf_column_side {
    const lf_point_set *set;
    lf_response *responses; /* (groups) */
    double *V;              /* (n, 2 count): the block of a group starts at start * 2 count */
    double *adjoint;        /* the same shape, for gradients */
} lf_column_side;

typedef struct lf_node_pass {
    const lf_model *model;
    lf_grids grids;
    lf_column_side a, b; /* b is empty when the two sets are one */
    int symmetric;
    double *c;    /* (strip) */
    double *work; /* (largest group, 2 strip) */
    /* where it stands */
    int grid;
    size_t strip, first, count; /* nodes first … first + count - 1 of the grid */
} lf_node_pass;

/* After a failure the pass must still be cleared. */
lf_status lf_node_pass_create(lf_context *ctx, const lf_model *model, double tolerance, const lf_point_set *A,
                              const lf_point_set *B, int with_gradient, lf_node_pass *pass);
void lf_node_pass_clear(lf_node_pass *pass);

/* Moves on to the next strip and computes its columns; *more is 0 after the last. */
lf_status lf_node_pass_next(lf_context *ctx, lf_node_pass *pass, int *more);

/* c_ab[s] = sum_q S_aq S_bq w_q[s] (+ amplitude^2 w_private[s] when a = b) of the strip into pass->c; 0 when it
 * vanishes. */
int lf_node_pass_couple(lf_node_pass *pass, int a, int b);

#endif
