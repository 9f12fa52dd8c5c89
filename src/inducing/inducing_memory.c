/* What the inducing engines allocate. With M inducing values, n rows (compressed ones where rows are compressed) of which n_d of output d,
 * for each replicate:
 *
 *   state      3 n M + min(n, M)^2, with a device n M + M^2, and up to 3 n_d^2 of each output whose Lambda_d is not diagonal, n_d^2 where rows are compressed
 *   work       2 n_d^2 of each such output, 16 sums over outputs; one output at a time 2 n_d^2 and its covariances: from S nodes
 *              4 n_d 2S, through the state space as exact_memory.h says
 *   posterior  M^2, and n_d (n_d + M) of each output with a private part, and as text */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "device/device.h"
#include "exact/exact_memory.h"
#include "features/feature_cost.h"
#include "inducing/inducing.h"
#include "inducing/inducing_posterior.h"
#include "inducing/kernel_rows.h"

int lf_inducing_trial(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                      lf_inducing_kernel *kernel)
{
    lf_log_function log = ctx->log;
    char message[sizeof ctx->message];
    memcpy(message, ctx->message, sizeof message);
    ctx->log = NULL;
    lf_status status = lf_inducing_kernel_create(ctx, model, rows, options, kernel);
    ctx->log = log;
    memcpy(ctx->message, message, sizeof message);
    return status == LF_ERROR_MEMORY ? -1 : !status;
}

typedef struct numbers {
    double state, squares, posterior, work;
} numbers;

/* Of one output in a replicate; *n: its rows. */
static numbers output_numbers(const lf_inducing_kernel *k, lf_inducing_method method, const lf_replicate *replicate,
                              int group, int any_targets, double *n)
{
    int d = replicate->points.target[group], private = lf_output_has_private_part(k->model, d);
    const lf_features *features =
        k->source == LF_INDUCING_CLOSED_FORM || method == LF_METHOD_FITC || any_targets ? NULL : &k->features;
    double rows = (double)(replicate->points.start[group + 1] - replicate->points.start[group]), M = (double)k->u.n;
    *n = (double)lf_row_compression_size(k->model, features, replicate, group);
    int dense = private || method == LF_METHOD_PITC;
    double square = *n * *n, widest = 0;
    for (int g = 0; k->has_features && g < k->features.grids.grid_count; g++) {
        widest = lf_inducing_grid_drives(k, d, g) ? fmax(widest, 2 * (double)k->features.grids.grids[g].count) : widest;
    }
    numbers sum = {.state = dense ? square * (1 + (method != LF_METHOD_DTC) + private) : 0,
                   .squares = dense ? 2 * square : 0,
                   .posterior = private ? *n * (*n + M) : 0};
    sum.state += *n < rows ? square + 3 * *n : 2 * *n;
    sum.work = (dense ? 2 : 0) * square + rows * (*n < rows ? *n : 0);
    if (k->source == LF_INDUCING_CLOSED_FORM) {
        double together = (double)lf_inducing_chunk(k, (size_t)*n) + M;
        double most = fmax(*n, together), times = fmin(most, *n + M / fmax(k->model->force_count, 1));
        sum.work = fmax(sum.work, lf_exact_block_numbers(k->model, k->exact, most, (lf_time_count){times, times}));
    }
    sum.work = fmax(sum.work, 5 * *n * widest);
    return sum;
}

/* As lf_inducing_made_there, of n rows of an output. */
static int made_there(const lf_inducing_kernel *k, lf_inducing_method method, const lf_replicate *replicate, int group,
                      double n)
{
    size_t rows = replicate->points.start[group + 1] - replicate->points.start[group];
    return k->source != LF_INDUCING_CLOSED_FORM && method != LF_METHOD_PITC && n == (double)rows &&
           !lf_output_has_private_part(k->model, replicate->points.target[group]);
}

int lf_inducing_memory(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                       lf_inducing_method method, lf_memory_estimate *memory)
{
    enum { CHUNKS = 16 }; /* sums over outputs */
    lf_inducing_kernel kernel = {0};
    numbers all = {0};
    double bytes = sizeof(double);
    int on_device = lf_device_is_named(options->device);
    int applies = lf_inducing_trial(ctx, model, rows, options, &kernel);
    double M = applies > 0 ? (double)kernel.u.n : 0, squares = 0, largest_squares = 0;
    for (int r = 0; applies > 0 && r < rows->count; r++) {
        const lf_replicate *replicate = &rows->replicates[r];
        double n = 0, here = 0; /* rows whose K_fu is not made on the device */
        squares = 0;
        for (int g = 0; g < replicate->points.group_count; g++) {
            double of_output;
            numbers sum = output_numbers(&kernel, method, replicate, g, rows->any_targets, &of_output);
            n += of_output;
            here += on_device && made_there(&kernel, method, replicate, g, of_output) ? 0 : of_output;
            squares += sum.squares;
            all.state += sum.state;
            all.posterior += sum.posterior;
            all.work = fmax(all.work, sum.work);
        }
        double core = on_device ? M : fmin(n, M);
        all.state += (on_device ? 1 : 3) * here * M + core * core + 4 * n;
        all.posterior += M * M + (on_device && all.posterior > 0 ? n * M : 0);
        largest_squares = fmax(largest_squares, squares);
    }
    if (applies > 0) {
        double Y = (double)kernel.Y_size, features = kernel.has_features ? lf_features_numbers(&kernel.features) : 0;
        double sums = CHUNKS * ((double)model->parameter_count + Y);
        memory->state = bytes * (all.state + features + 2 * Y + M * M / fmax(model->force_count, 1));
        memory->work = bytes * (largest_squares + sums + Y + all.work);
        memory->thread = bytes * all.work;
        memory->diagnosis =
            bytes * (double)rows->n * (2 * M + (kernel.has_features ? (double)kernel.features.shared : 0));
        memory->posterior = bytes * (all.posterior * (1 + 4.0 / 3) + all.work + features + 2 * Y);
    }
    if (kernel.model) {
        lf_inducing_kernel_clear(&kernel);
    }
    return applies;
}

/* Rows of L^-1 u, covariances with the rows of private parts and, for a covariance, that of the private parts. */
double lf_inducing_predict_numbers(const void *posterior, int replicate, size_t points, int joint)
{
    const lf_inducing_posterior *p = posterior;
    const lf_inducing_weights *w = &p->replicates[replicate];
    double n = (double)points, widest = 0;
    for (size_t i = 0; i < w->count; i++) {
        widest = fmax(widest, (double)w->private[i].n);
    }
    return n * (2 * (double)p->kernel.u.n + widest + (double)p->kernel.features.shared) + (joint ? n * n : 0);
}
