/* A fit without windows of its rows, and how well it predicts them. Parameters that a fit has adapted to the rows of a window make it look
 * better than gaps are: only a refit shows that. */
#ifndef LF_FIT_REFIT_H
#define LF_FIT_REFIT_H

#include "fit/fit_model.h"

#define LF_WINDOW_SHARE 0.125 /* of the span, in windows where the data have no gaps */

/* A reading in a window, in the units of the data. */
typedef struct lf_held_row {
    double error;           /* of its prediction */
    double variance, noise; /* of the prediction without noise, of the noise */
} lf_held_row;

typedef struct lf_refit {
    lf_status status;
    char message[1024]; /* why it failed */
    size_t windows, count;
    lf_held_row *rows; /* (count) */
} lf_refit;

/* Fits the model, which has its starting values and stays as it is, to the rows outside windows of this length, and predicts those inside.
 * Refits with the same number have the same windows. Different ones may run in parallel, each on one thread. progress: told of every
 * iteration, which it may ask to be the last; NULL: the refit ends where the monitor of the training rows says so. */
void lf_refit_run(const lf_context *ctx, const lf_model *start, const lf_training *training,
                  const lf_fit_options *options, double length, size_t number, lf_progress_function progress,
                  void *user, lf_refit *refit);
void lf_refit_clear(lf_refit *refit);

/* The share of the rows that 95 % intervals cover with a factor of their variances. n > 0, here and below. */
double lf_held_out_coverage(size_t n, const lf_held_row *rows, double factor);
/* The smallest factor of the variances, at least 1, with which 95 % intervals cover a share of rows, at most 0.95 unless weight is 1: of these
 * rows, which have the given weight, and for the rest of rows that are as the model says. */
double lf_variance_factor(size_t n, const lf_held_row *rows, double weight, double share);
/* The mean logarithm of the density of the errors with that factor. */
double lf_held_out_density(size_t n, const lf_held_row *rows, double factor);

#endif
