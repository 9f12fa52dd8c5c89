/* The low-rank engine on a device: the two passes of lowrank.h with all matrices there. */
#ifndef LF_LOWRANK_LOWRANK_DEVICE_H
#define LF_LOWRANK_LOWRANK_DEVICE_H

#include "device/device.h"
#include "features/device_rows.h"
#include "lowrank/lowrank.h"

/* The private columns of one output, as in lf_private_weights. */
typedef struct lf_device_private {
    size_t m;
    double *mean, *F, *L;
} lf_device_private;

/* Work space for one replicate. Arrays of numbers are on the device. */
typedef struct lf_device_work {
    lf_device *device;
    int across_processes;       /* the rows are those of one of several processes */
    lf_device_rows rows;        /* of a tile */
    size_t M, m;                /* shared columns, most private columns of an output */
    double *mean, *L;           /* (M), (M, M) as in lf_replicate_weights */
    lf_device_private *outputs; /* (D) */
    int output_count;
    double *shared, *private;       /* (tile, M or more), (tile, m) */
    double *by_shared, *by_private; /* the same shapes: derivatives; NULL without gradient */
    double *row_values;             /* (n, 3) numbers for each row of the replicate */
} lf_device_work;

/* With tiles as large as memory of the device permits. After a failure it must still be cleared. */
lf_status lf_device_work_create(lf_context *ctx, lf_device *device, const lf_features *features, const lf_rows *rows,
                                int with_gradient, lf_device_work *work);
void lf_device_work_clear(lf_device_work *work);

/* lf_lowrank_solve and lf_lowrank_gradient with the weights on the device; across processes they do what those do. */
lf_status lf_device_solve(lf_context *ctx, lf_device_work *work, const lf_point_set *points, const lf_targets *targets,
                          double *value);
lf_status lf_device_gradient(lf_context *ctx, lf_device_work *work, const lf_point_set *points,
                             const lf_targets *targets, double *gradient);
/* Copies the weights from the device. */
lf_status lf_device_weights(lf_context *ctx, lf_device_work *work, lf_replicate_weights *weights);

/* The likelihood of all replicates and, unless NULL, its gradient. */
lf_status lf_lowrank_device_evaluate(lf_context *ctx, lf_device *device, const lf_features *features,
                                     const lf_rows *rows, const lf_targets *targets, double *value, double *gradient);
/* The posterior weights of all replicates. */
lf_status lf_lowrank_device_weights(lf_context *ctx, lf_device *device, const lf_features *features,
                                    const lf_rows *rows, const lf_targets *targets, lf_replicate_weights *weights);

#endif
