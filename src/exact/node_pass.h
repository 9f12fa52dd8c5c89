/* A pass over the frequencies: the response columns of two point sets, grid by grid and strip by strip, so that memory
 * is rows * LF_STRIP whatever the number of frequencies. Used for the values and for the gradient of the quadrature. */
#ifndef LF_EXACT_NODE_PASS_H
#define LF_EXACT_NODE_PASS_H

#include "exact/exact_covariance.h"
#include "features/grids.h"
#include "features/response.h"
#include "points/points.h"

enum { LF_STRIP = 512 };

/* The response columns of all groups of a point set on the current strip. */
typedef struct lf_column_side {
    const lf_point_set *set;
    lf_response *responses; /* (groups) */
    double *V;              /* (n, 2 count), one block per group, which starts at start * 2 count */
    double *adjoint;        /* the same shape, dL/dV; NULL without gradient */
} lf_column_side;

typedef struct lf_node_pass {
    const lf_model *model;
    lf_grids grids;
    lf_column_side a, b; /* b is empty if the two sets are the same */
    int symmetric;
    int rest;     /* what the state space covers is left out (quadrature.h) */
    double *c;    /* (strip) coupling c_ab */
    double *work; /* (largest group, 2 strip) */
    /* current position */
    int grid;
    size_t strip;        /* largest number of nodes of a strip */
    size_t first, count; /* nodes first … first + count - 1 of the grid */
} lf_node_pass;

/* The nodes of the current strip. */
lf_node_range lf_node_pass_range(const lf_node_pass *pass);

/* The caller clears the pass, also after a failure. */
lf_status lf_node_pass_create(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel, const lf_point_set *A,
                              const lf_point_set *B, int with_gradient, lf_node_pass *pass);
void lf_node_pass_clear(lf_node_pass *pass);

/* Advances to the next strip and computes its columns; *more is 0 after the last strip. */
lf_status lf_node_pass_next(lf_context *ctx, lf_node_pass *pass, int *more);

/* Whether the covariances of two targets due to a source are left out. */
int lf_node_pass_leaves_out(const lf_node_pass *pass, const lf_source *source, int a, int b);
/* Stores c_ab[s] = sum_q S_aq S_bq w_q[s] (+ amplitude^2 w_private[s] if a = b) of the strip in pass->c. Returns 0 if
 * it is zero. */
int lf_node_pass_couple(lf_node_pass *pass, int a, int b);

#endif
