/* Points sorted by target, so that covariances can be computed block by block. */
#ifndef LF_POINTS_POINTS_H
#define LF_POINTS_POINTS_H

#include "latentforce.h"

typedef struct lf_point_set {
    size_t n;
    int input_dim;
    double *x;       /* (n, p) in sorted order, as the model sees it (lf_input_seen) */
    size_t *order;   /* (n) sorted row i is row order[i] of the source */
    int group_count; /* targets that occur */
    int *target;     /* (groups) ascending */
    size_t *start;   /* (groups + 1) */
} lf_point_set;

/* Sorts the `count` rows of the points listed in `rows` (NULL: all) by target, keeping their order otherwise. Fails on
 * a target the model does not have, an input that is not finite, and a time before the origin of an output that starts
 * there. */
lf_status lf_point_set_create(lf_context *ctx, const lf_model *model, const lf_points *points, size_t count,
                              const size_t *rows, lf_point_set *set);
/* The same for points whose inputs are as the model sees them already. */
lf_status lf_point_set_sort(lf_context *ctx, const lf_model *model, const lf_points *points, size_t count,
                            const size_t *rows, lf_point_set *set);
void lf_point_set_clear(lf_point_set *set);

#endif
