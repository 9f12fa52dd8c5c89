/* The two passes of the low-rank engine over the rows of one replicate. */
#ifndef LF_LOWRANK_LOWRANK_H
#define LF_LOWRANK_LOWRANK_H

#include "engine/engine.h"
#include "features/weights.h"

extern const lf_engine_class lf_engine_lowrank;

/* The weights given the rows: fills `weights` (made by lf_replicate_weights_create) and adds log p(y) to *value. */
lf_status lf_lowrank_solve(lf_context *ctx, const lf_features *features, const lf_replicate *replicate,
                           lf_replicate_weights *weights, double *value);

/* gradient[i] += d log p(y) / d(natural value of parameter i), from the weights just solved for; the factors in
 * `weights` are overwritten by inverses. */
lf_status lf_lowrank_gradient(lf_context *ctx, const lf_features *features, const lf_replicate *replicate,
                              lf_replicate_weights *weights, double *gradient);

/* Rows that are held as columns at a time. */
enum { LF_LOWRANK_TILE = 1024 };

/* Room for the rows of one tile and the scaled values of a replicate. */
typedef struct lf_lowrank_work {
    size_t tile;                    /* rows */
    double *shared, *private;       /* (tile, M), (tile, widest m_d) */
    double *by_shared, *by_private; /* the same shapes; NULL unless asked for */
    double *row;                    /* (tile, 2) two numbers a row */
    double *y, *noise;              /* (n) */
} lf_lowrank_work;

/* After a failure the work must still be cleared. */
lf_status lf_lowrank_work_create(lf_context *ctx, const lf_features *features, const lf_replicate *replicate,
                                 int with_gradient, lf_lowrank_work *work);
void lf_lowrank_work_clear(lf_lowrank_work *work);

#endif
