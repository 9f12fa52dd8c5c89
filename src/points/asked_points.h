/* The points behind lf_points: a list that owns its arrays, for a model of one shape. */
#ifndef LF_POINTS_ASKED_POINTS_H
#define LF_POINTS_ASKED_POINTS_H

#include "data/names.h"
#include "points/points.h"

struct lf_points {
    int outputs, forces, states, input_dim; /* of the model */
    size_t n, room;
    int *target;    /* (n) as numbered in model.h */
    int *replicate; /* (n) of the labels */
    double *x;      /* (n, p) */
    double *width;  /* (n) */
    size_t *
        row; /* (n) of the inputs from which the points were made; of points that were added one after the other their number */
    int shorten;                        /* as of lf_point_list */
    lf_names labels;                    /* names of the replicates; none: they are those of the posterior by number */
    size_t inputs, targets, replicates; /* how many of each, where all of them are combined; else 0 */
};

/* Room for n points more. */
lf_status lf_points_reserve(lf_context *ctx, lf_points *points, size_t n);
/* Appends a point, for which there is room; width NaN as of lf_points_add(). */
void lf_points_append(lf_points *points, int target, int replicate, const double *x, double width, size_t row);
/* The points as a list, which is valid until points are added. They must be for a model of this shape. */
lf_status lf_points_list(lf_context *ctx, const lf_points *points, const lf_model *model, lf_point_list *list);

#endif
