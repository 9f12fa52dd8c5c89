/* Readings of the known inputs of a model, for one replicate. */
#ifndef LF_POINTS_KNOWN_SERIES_H
#define LF_POINTS_KNOWN_SERIES_H

#include "model/model.h"

/* The readings of one input, sorted by time. */
typedef struct lf_known_series {
    size_t n, room;
    double *t, *v; /* (room) */
} lf_known_series;

/* The readings of all inputs, in the order of the model. */
typedef struct lf_known_set {
    int count;
    lf_known_series *series; /* (count) */
    int begun;               /* the readings begin early enough: a posterior was computed with them */
} lf_known_set;

/* Empty series. */
lf_status lf_known_set_create(lf_context *ctx, int count, lf_known_set *set);
void lf_known_set_clear(lf_known_set *set);

/* Appends a reading. */
lf_status lf_known_series_add(lf_context *ctx, lf_known_series *series, double t, double v);
/* Sorts by time; of several readings at one time the last is kept. Unless the model is NULL, readings of this input at one time must be
 * equal. */
lf_status lf_known_series_sort(lf_context *ctx, const lf_model *model, int input, lf_known_series *series);

/* Adds the readings in the rows of one replicate of a table, by its number; -1: the rows of no replicate. At a time where there is one
 * already, the new one counts. */
lf_status lf_known_set_read(lf_context *ctx, const lf_model *model, const lf_data *data, int replicate,
                            lf_known_set *set);

/* The first time not after `end` at which a set differs from the older one that it was made of; NaN: none. *input: whose reading it is. */
double lf_known_set_difference(const lf_model *model, const lf_known_set *older, const lf_known_set *set, double end,
                               int *input);

/* Adds the readings of `from` to those of `to`, both of the same model; at a time where both have one, that of `from` counts. */
lf_status lf_known_set_merge(lf_context *ctx, const lf_known_set *from, lf_known_set *to);

#endif
