/* The low-rank engine: declarations shared by its files. All matrices are on a device (device/device.h); that may be the processor. */
#ifndef LF_LOWRANK_LOWRANK_H
#define LF_LOWRANK_LOWRANK_H

#include "engine/engine.h"
#include "features/device_rows.h"
#include "features/weights.h"

extern const lf_engine_class lf_engine_lowrank;

enum { LF_LOWRANK_TILE = 1024 }; /* rows of a tile on the processor */

/* Work space for one replicate. Arrays of numbers are on the device. */
typedef struct lf_lowrank_work {
    lf_device *device;
    int across_processes;         /* the rows are those of one of several processes */
    lf_device_rows rows;          /* of a tile */
    size_t M, m;                  /* shared columns, most private columns of an output */
    lf_replicate_weights weights; /* sums over the rows; their posterior; with gradient, inverses instead of factors */
    int output_count;
    double *shared, *private;       /* (tile, M or more), (tile, m) */
    double *by_shared, *by_private; /* the same shapes: derivatives; NULL without gradient */
    double *row_values;             /* (n, 3) numbers for each row of the replicate */
} lf_lowrank_work;

/* With tiles as large as memory of the device permits. After a failure it must still be cleared. */
lf_status lf_lowrank_work_create(lf_context *ctx, lf_device *device, const lf_features *features, const lf_rows *rows,
                                 int with_gradient, lf_lowrank_work *work);
void lf_lowrank_work_clear(lf_lowrank_work *work);
/* Copies weights from the device or, with up, to it. */
lf_status lf_lowrank_copy(lf_context *ctx, const lf_lowrank_work *work, int up, lf_replicate_weights *here);

/* First pass over the rows of a replicate: computes the posterior of the weights and adds log p(y) to *value. Processes that share the rows
 * exchange their sums: all get the same weights, and process 0 adds log p(y). */
lf_status lf_lowrank_solve(lf_context *ctx, lf_lowrank_work *work, const lf_point_set *points,
                           const lf_targets *targets, double *value);
/* Second pass: gradient[i] += d log p(y) / d(natural value of parameter i), given the weights. Sets by_y and by_noise of the targets. */
lf_status lf_lowrank_gradient(lf_context *ctx, lf_lowrank_work *work, const lf_point_set *points,
                              const lf_targets *targets, double *gradient);

/* In lowrank_sum.c: the sums over the rows of this process become those of all: A, alpha and those of the private columns in the weights,
 * and totals (count). */
lf_status lf_lowrank_sum(lf_context *ctx, const lf_features *features, lf_replicate_weights *weights, size_t count,
                         double *totals);

/* The posterior weights of all replicates. */
lf_status lf_lowrank_weights(lf_context *ctx, lf_device *device, const lf_features *features, const lf_rows *rows,
                             const lf_targets *targets, lf_replicate_weights *weights);

#endif
