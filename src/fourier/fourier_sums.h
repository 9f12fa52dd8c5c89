/* The rows of a model as the fourier engine sees them: one series for each output of each replicate, and the sums over
 * its rows that everything else is made of.
 *
 * With uniform frequencies lambda_s = s h, weights omega_n (1 where the noise is the same for all rows, so that it can be
 * multiplied in later; 1 / sigma_n^2 where rows have error bars of their own) and y scaled:
 *   E(m)   = sum_n omega e^{j m h t}            m < 2S - 1       F_k(s) = sum_n omega h_k(t) e^{j lambda_s t}
 *   Y(s)   = sum_n omega y e^{j lambda_s t}     yy = sum omega y^2
 *   H_kl   = sum_n omega h_k h_l                Yh_k = sum_n omega y h_k
 * E, Y and yy are computed once when omega is 1; F, H and Yh follow the constants of the operator. */
#ifndef LF_FOURIER_FOURIER_SUMS_H
#define LF_FOURIER_FOURIER_SUMS_H

#include <complex.h>

#include "points/rows.h"

/* A set of times, shared by all series observed at them. */
typedef struct lf_time_grid {
    size_t n;
    double *t;         /* (n) relative to the origin */
    double *waves;     /* (n, 2S) cos and sin of lambda_s t, column-major; NULL: too many to keep */
    double complex *E; /* (2S - 1) with omega = 1 */
} lf_time_grid;

typedef struct lf_series_sums {
    double complex *E; /* (2S - 1) */
    double complex *Y; /* (S) */
    double complex *F; /* (P, S) row by row */
    double H[LF_MAX_ORDER * LF_MAX_ORDER], Yh[LF_MAX_ORDER];
    double yy;
} lf_series_sums;

typedef struct lf_series {
    int replicate, output, time_grid;
    size_t n;
    const double *y;        /* (n) raw */
    const double *variance; /* (n) known error variances, raw; NULL: none */
    int weighted;           /* the sums carry 1 / sigma_n^2, because of error bars */
    int owns_E;             /* sums.E is its own and not the clock's */
    double complex *raw;    /* (S) sum of raw y e^{j lambda t}; without error bars */
    double raw_yy;
    double *h, *dh; /* (n, P), (n, P, constants) at the parameters of the last sums; NULL: not from rest */
    double *omega;  /* (n) with error bars, else NULL */
    double *scaled; /* (n) y with error bars, else NULL */
    lf_series_sums sums;
} lf_series;

typedef struct lf_fourier_sums {
    size_t S;
    double step; /* h */
    int time_grid_count, series_count;
    lf_time_grid *time_grids;
    lf_series *series; /* by replicate, then output */
} lf_fourier_sums;

/* Finds the clocks and computes what does not depend on parameters. The rows outlive the chart. */
lf_status lf_fourier_sums_create(lf_context *ctx, const lf_model *model, const lf_rows *rows, size_t S, double step,
                                 lf_fourier_sums *fourier_sums);
void lf_fourier_sums_clear(lf_fourier_sums *fourier_sums);

/* Room for the sums of a series of one output, to be filled from elsewhere. */
lf_status lf_series_allocate(lf_context *ctx, const lf_model *model, const lf_fourier_sums *fourier_sums, int output,
                             lf_series *series);

/* The sums of a series at the model's parameters; with_gradient also keeps d h_k / d constant. */
lf_status lf_series_update(lf_context *ctx, const lf_model *model, const lf_fourier_sums *fourier_sums,
                           lf_series *series, int with_gradient);

/* Given the derivatives of L by the sums, adds to the gradient of the operator's constants and the offset; the
 * derivative by the noise variance through omega too (series with error bars; *by_noise). `by` uses the same layout, with
 * dL = Re(conj(by) d) for complex entries; by->E is read only with error bars. */
lf_status lf_series_backward(lf_context *ctx, const lf_model *model, const lf_fourier_sums *fourier_sums,
                             const lf_series *series, const lf_series_sums *by, double *gradient, double *by_noise);

#endif
