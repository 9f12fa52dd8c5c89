/* Points sorted by target, so that covariances can be computed block by block. A target is an output, a force or the
 * rate of change of an output (model/model.h). */
#ifndef LF_POINTS_POINTS_H
#define LF_POINTS_POINTS_H

#include "latentforce.h"

/* Points in any order, borrowed from the caller. */
typedef struct lf_point_list {
    size_t n;
    const int *target;    /* (n) as numbered in model.h */
    const int *replicate; /* (n) which replicate of the training data; NULL: all 0 */
    const double *x;      /* (n, p) */
    const double *
        width; /* (n) the mean of the output over this time before x; 0: as the equations say, else the value at x. NULL: all 0 */
    int shorten; /* nonzero: means as the equations say that would begin before the start of the model, or of an updated posterior, begin
                             there. Else they are an error. */
} lf_point_list;

typedef struct lf_point_set {
    size_t n;
    int input_dim;
    double *x;     /* (n, p) in sorted order, as (x - offset) / scale (lf_input_seen) */
    double *width; /* (n) the point is the mean of its output over this time before x; 0: the value at x. NULL: all 0 */
    size_t *order; /* (n) point i of the set is row order[i] of the source */
    int group_count; /* number of distinct targets */
    int *target;     /* (group_count) ascending */
    size_t *start;   /* (group_count + 1) group g holds the points start[g] … start[g + 1] - 1 */
    const struct lf_point_set
        *whole; /* the set that this one is a part of, whose span decides on frequencies; NULL: none */
} lf_point_set;

/* The points of one target: x (n, p). */
typedef struct lf_point_group {
    int target;
    size_t n;
    const double *x;
} lf_point_group;

lf_point_group lf_point_set_group(const lf_point_set *set, int g);
/* The least and the largest first input; 0 where there are no points. */
void lf_point_set_range(const lf_point_set *set, double *earliest, double *latest);

/* Sorts the `count` rows of `points` listed in `rows` (NULL: all) by target; the sort is stable. Fails for a target
 * that the model does not have, an input that is not finite, and a time before the origin for an output that starts
 * there. */
lf_status lf_point_set_create(lf_context *ctx, const lf_model *model, const lf_point_list *points, size_t count,
                              const size_t *rows, lf_point_set *set);
/* The same for points whose inputs already are (x - offset) / scale. */
lf_status lf_point_set_sort(lf_context *ctx, const lf_model *model, const lf_point_list *points, size_t count,
                            const size_t *rows, lf_point_set *set);
/* If the points ask for it: averages over the width of their output that would begin before the start of the model, or before `from`,
 * begin there. */
void lf_point_set_shorten(const lf_model *model, const lf_point_list *points, double from, lf_point_set *set);
/* The points `which` (count), ascending, of a set, which outlives the part; order[i] is which[i]. */
lf_status lf_point_set_part(lf_context *ctx, const lf_point_set *set, size_t count, const size_t *which,
                            lf_point_set *part);
void lf_point_set_clear(lf_point_set *set);

#endif
