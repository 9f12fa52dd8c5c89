/* Feature rows (features.h) on a device, and their derivatives; where its memory is that of the program, lf_features_rows makes them.
 *
 * The columns of a source are made there from its frequencies and transfer function, the inputs and the free motions. Derivatives are
 * reduced there to sums over the rows for each node, which are added up over the tiles of an output; the rest is done here, once for each
 * output. The few entries for which lf_wave_responses is needed are computed here too. */
#ifndef LF_FEATURES_DEVICE_ROWS_H
#define LF_FEATURES_DEVICE_ROWS_H

#include "device/device.h"
#include "features/features.h"
#include "features/response.h"
#include "features/transfer.h"

/* Work space for tiles of up to `rows` rows. Columns of a tile lie ld apart. */
typedef struct lf_device_rows {
    lf_device *device;
    const lf_features *features;
    size_t rows, ld; /* ld: rows or, where the device is here, those of the present tile */
    double *inputs;  /* (rows, 1 + p) ones, then the inputs */
    double *motion;  /* (rows, largest P (2 + constants)): h and, with derivatives, t h and dh */
    double *nodes;   /* (p + 2, largest S) frequencies, then transfer functions */
    double *sums;    /* (sum_count) sums over the rows, one source after the other; NULL without gradient */
    size_t sum_count;

    /* ---- the present tile: n rows of one output ---- */
    int output;
    size_t n;
    const double *points; /* (n, p) here */
    lf_response response; /* its inputs and free motions here, unless the device is */
    size_t *early;        /* (rows) its rows in the order of time, if some have entries by lf_wave_responses */
    double *early_times;  /* (rows) their times */
    size_t early_count;   /* 0: no entry of this tile needs them */

    /* ---- derivatives that are not in the sums ---- */
    double *x;         /* (S of all sources) adjoint * v */
    double *by_lambda; /* (S p of all sources) */
    double *gradient;  /* (parameters) of the caller */
} lf_device_rows;

/* Numbers on the device for each row of a tile, and besides. */
void lf_device_rows_numbers(const lf_features *features, int with_gradient, double *each_row, double *fixed);

/* After a failure it must still be cleared. */
lf_status lf_device_rows_create(lf_context *ctx, lf_device *device, const lf_features *features, size_t rows,
                                int with_gradient, lf_device_rows *r);
void lf_device_rows_clear(lf_device_rows *r);

/* Begins the rows of an output: from here to lf_device_rows_finish, gradient[i] += dL/d(natural value of parameter i). */
lf_status lf_device_rows_begin(lf_context *ctx, lf_device_rows *r, double *gradient);
/* The tile of n points of an output with inputs x (n, p), here. with_derivative: lf_device_rows_backward will be called. */
lf_status lf_device_rows_load(lf_context *ctx, lf_device_rows *r, int output, size_t n, const double *x,
                              int with_derivative);

/* The rows of the tile, shared (rows, M) and private (rows, m_d). Each is multiplied by its scale (n), which is given here and on the
 * device; NULL: 1. */
lf_status lf_device_rows_fill(lf_context *ctx, lf_device_rows *r, const double *scale_here, const double *scale,
                              double *shared, double *private);

/* Given the derivatives of L by the rows of the tile, which are overwritten, adds to the sums. V (rows, largest 2 S) is work space. */
lf_status lf_device_rows_backward(lf_context *ctx, lf_device_rows *r, double *shared_adjoint, double *private_adjoint,
                                  double *V);
/* Adds what follows from the sums over all tiles of the output. */
lf_status lf_device_rows_finish(lf_context *ctx, lf_device_rows *r, int output);

/* ---- parts of these ---- */

/* V (rows, 2 S): the response columns of the tile on the device, each times its scale (S) and each row times row_scale (n) unless these are
 * NULL, but for the entries that cancelled_entries.h puts in. The transfer functions must be cleared, also after a failure. */
lf_status lf_device_rows_waves(lf_context *ctx, lf_device_rows *r, const lf_nodes *nodes, const double *scale,
                               const double *row_scale, double *V, lf_transfers *f);
/* scale (S): sensitivity * sqrt(w), by which columns of a source are multiplied. */
void lf_source_scale(const lf_model *model, int output, const lf_source *source, size_t S, double *scale);

#endif
