/* The low-rank engine: declarations shared by its files. */
#ifndef LF_LOWRANK_LOWRANK_H
#define LF_LOWRANK_LOWRANK_H

#include "engine/engine.h"
#include "features/weights.h"

extern const lf_engine_class lf_engine_lowrank;

/* First pass over the rows of a replicate: computes the posterior of the weights (allocated by
 * lf_replicate_weights_create) and adds log p(y) to *value. shared: the rows are those of one of several processes; their sums are
 * exchanged, all get the same weights, and process 0 adds log p(y). */
lf_status lf_lowrank_solve(lf_context *ctx, const lf_features *features, const lf_point_set *points,
                           const lf_targets *targets, int shared, lf_replicate_weights *weights, double *value);

/* In lowrank_sum.c: the sums over the rows of this process become those of all: A, alpha and those of the private columns in the weights,
 * and totals (count). */
lf_status lf_lowrank_sum(lf_context *ctx, lf_status status, const lf_features *features, lf_replicate_weights *weights,
                         size_t count, double *totals);

/* Second pass: gradient[i] += d log p(y) / d(natural value of parameter i), given the weights from lf_lowrank_solve.
 * Sets by_y and by_noise of the targets. The Cholesky factors in `weights` are overwritten by inverses. */
lf_status lf_lowrank_gradient(lf_context *ctx, const lf_features *features, const lf_point_set *points,
                              const lf_targets *targets, lf_replicate_weights *weights, double *gradient);

/* Fails because a precision matrix is not positive definite: that of the private columns of the output `name`, or NULL. */
lf_status lf_lowrank_not_positive(lf_context *ctx, const char *name);

/* Feature rows are computed for this many data rows at a time. */
enum { LF_LOWRANK_TILE = 1024 };

/* Work space: the feature rows of one tile. */
typedef struct lf_lowrank_work {
    size_t tile;                    /* rows */
    double *shared, *private;       /* (tile, M), (tile, largest m_d) */
    double *by_shared, *by_private; /* the same shapes: derivatives; NULL without gradient */
    double *row_values;             /* (tile, 2) two numbers per row */
} lf_lowrank_work;

/* After a failure it must still be cleared. */
lf_status lf_lowrank_work_create(lf_context *ctx, const lf_features *features, const lf_point_set *points,
                                 int with_gradient, lf_lowrank_work *work);
void lf_lowrank_work_clear(lf_lowrank_work *work);

#endif
