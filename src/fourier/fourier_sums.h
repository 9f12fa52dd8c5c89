/* The sums over rows from which the fourier engine computes everything else, one set for each series, that is, for each
 * output of each replicate.
 *
 * With uniform frequencies lambda_s = s h, free motions h_k, scaled values y and weights omega_n,
 *
 *   E(m)   = sum_n omega e^{j m h t}            m < 2S - 1       F_k(s) = sum_n omega h_k(t) e^{j lambda_s t}
 *   Y(s)   = sum_n omega y e^{j lambda_s t}     yy = sum_n omega y^2
 *   H_kl   = sum_n omega h_k h_l                Yh_k = sum_n omega y h_k
 *
 * omega_n = 1 where all rows have the same noise variance, which is then multiplied in later (gram.h), and 1 /
 * sigma_n^2 where rows have known error variances, or any targets. With omega = 1, E and the sums of unscaled y are
 * computed once. F, H and Yh depend on the constants of the operator.
 *
 * Where several processes share the rows, all have the same series, also those of which they have no rows, and exchange the sums. */
#ifndef LF_FOURIER_FOURIER_SUMS_H
#define LF_FOURIER_FOURIER_SUMS_H

#include <complex.h>

#include "engine/targets.h"
#include "points/rows.h"

/* A set of times, shared by all series observed at them. */
typedef struct lf_time_grid {
    size_t n;
    double *t;         /* (n) relative to the origin */
    double *waves;     /* (n, 2S) cos and sin of lambda_s t, column-major; NULL: not stored */
    double complex *E; /* (2S - 1) with omega = 1 */
} lf_time_grid;

typedef struct lf_series_sums {
    double complex *E;                                       /* (2S - 1) */
    double complex *Y;                                       /* (S) */
    double complex *F;                                       /* (P, S) row-major */
    double H[LF_MAX_ORDER * LF_MAX_ORDER], Yh[LF_MAX_ORDER]; /* (P, P), (P) */
    double yy;
    double log_noise; /* -sum_n log omega, where weighted */
} lf_series_sums;

typedef struct lf_series {
    int replicate, output, time_grid;
    size_t first, n;       /* rows, those of this process; the first of them in the targets */
    size_t total;          /* rows of all processes */
    const double *y;       /* (n) in data units */
    int weighted;          /* omega_n = 1 / sigma_n^2, because the noise of rows differs */
    int owns_E;            /* sums.E belongs to the series and not to its time grid */
    double complex *Y_raw; /* (S) Y of y in data units; NULL where weighted */
    double yy_raw;         /* yy of y in data units */
    double *h, *dh;        /* (n, P), (n, P, constants) at the last lf_fourier_sums_update; NULL: no free motions */
    double *omega;         /* (n) where weighted, else NULL */
    lf_series_sums sums;   /* at the last lf_fourier_sums_update */
} lf_series;

typedef struct lf_fourier_sums {
    size_t S;
    double step;        /* h */
    int shared;         /* the rows are those of one of several processes */
    lf_targets targets; /* of the last lf_fourier_sums_update */
    int first;          /* it adds what all processes compute alike from the sums: process 0, or the only one */
    int time_grid_count, series_count;
    lf_time_grid *time_grids;
    lf_series *series; /* by replicate, then output */
} lf_fourier_sums;

/* Computes what does not depend on parameters. The rows must outlive the sums. */
lf_status lf_fourier_sums_create(lf_context *ctx, const lf_model *model, const lf_rows *rows, size_t S, double step,
                                 lf_fourier_sums *fourier_sums);
void lf_fourier_sums_clear(lf_fourier_sums *fourier_sums);

/* Allocates the sums of a series of one output. */
lf_status lf_series_allocate(lf_context *ctx, const lf_model *model, const lf_fourier_sums *fourier_sums, int output,
                             lf_series *series);

/* Computes the sums of all series at the current parameters and targets. with_gradient: also d h_k / d constant. Ends with lf_agree where the rows
 * are shared; status: of what came before. */
lf_status lf_fourier_sums_update(lf_context *ctx, lf_status status, const lf_model *model, const lf_targets *targets,
                                 lf_fourier_sums *fourier_sums, int with_gradient);

/* Given the derivatives `by` of L with respect to the sums, adds to the gradient with respect to the constants of the
 * operator and the offset and, where weighted, to *by_noise the derivative with respect to the noise variance through
 * omega, and sets by_y and by_noise of the targets to minus the derivatives through y and omega. Complex entries of `by` mean dL = Re(conj(by) d sum). by->E is read only where weighted. What follows from the sums alone is added
 * by the first process. */
lf_status lf_series_backward(lf_context *ctx, const lf_model *model, const lf_fourier_sums *fourier_sums,
                             const lf_series *series, const lf_series_sums *by, double *gradient, double *by_noise);

/* ---- in shared_sums.c ---- */

/* The sums over the rows of this process become those of all: once those that do not depend on parameters, or (updated) those that
 * do. Ends with lf_agree; status: of what came before. */
lf_status lf_fourier_sums_exchange(lf_context *ctx, lf_status status, const lf_model *model,
                                   lf_fourier_sums *fourier_sums, int updated);

#endif
