/* How well a model describes its training rows: what verdicts and reports say of them. */
#ifndef LF_REPORT_DIAGNOSIS_H
#define LF_REPORT_DIAGNOSIS_H

#include "latentforce.h"

/* How well a model describes one output, judged by its training rows. Shares are of the variance of the rows, which are the sum
 * of their parts. They are not negative and add up to 1: shares of uncorrelated parts are their variances, and what correlated
 * parts have in common is divided by the symmetric root of their covariance (docs/mathematics.md, "Shares of variance"). NaN: not
 * known, because there are too few rows or because they do not vary.
 *
 * A residual is z = (y - mean) / sqrt(noise - variance of f). This is also the error of the prediction of y from all other
 * rows, divided by the standard deviation of that prediction: a row that is left out. */
typedef struct lf_output_diagnosis {
    size_t rows;             /* training rows */
    double shared;           /* share of the shared forces */
    double private_force;    /* share of the private force */
    double start;            /* share of the initial state; with known inputs also of their level */
    double noise;            /* the rest */
    double *forces;          /* (forces) share of each; their sum is `shared` */
    double *force_variances; /* (forces) variance of the part of each, relative to that of the rows */
    double residual_mean;    /* average of z; 0 is expected */
    double residual_rms;     /* root of the mean square of z; 1 is expected */
    /* rows whose error, predicted from earlier rows, was computed: all of them by the kalman engine, a stretch of them by others */
    size_t innovations;
    size_t lag_count;        /* lags that were computed, in rows; 0 with several inputs */
    double *autocorrelation; /* (lag_count) of these errors at the lags 1, 2, …; 0 is expected */
    double
        autocorrelation_p; /* probability of autocorrelations as large as these, if the model is right (Ljung and Box) */
    double skewness;       /* of z; 0 is expected */
    double excess_kurtosis; /* of z; 0 is expected */
    double normality_p;     /* probability of a skewness and a kurtosis as far from these (D'Agostino and Pearson) */
    double coverage95;      /* share of the rows within their 95 % interval when each is left out */
    double coverage_p;      /* probability of a coverage as low as this, if the model is right */
    int autocorrelated;     /* the test fails, and an autocorrelation is at least 0.2 */
    int not_normal;         /* the test fails, and skewness is beyond 1 or excess kurtosis beyond 2 */
    int too_narrow;         /* the test of the coverage fails, and it is below 0.9 */
    double known;           /* share of the variation of the known inputs; NaN: there are none, or it is not known */
    double *inputs;         /* (known inputs) share of each; their sum is `known` */
    double process;         /* share of white forces; NaN: there are none, or it is not known */
    /* largest distance of the cumulative periodogram of the one-step errors from a straight line */
    double periodogram;
    double periodogram_p;     /* probability of one as large, if the model is right (Bartlett) */
    double periodogram_bound; /* the distance that it exceeds with a probability of 5 %, if the model is right */
    int not_white;            /* the test fails, and the distance is at least 0.15 */
    /* where the one-step errors have more variance than white noise: 0 around a period, 1 at longer periods, -1 at shorter ones */
    int peak_side;
    double peak_period;      /* that period, in rows */
    double peak_share;       /* share of their variance there, around it: within a factor 1.3; NaN: nowhere */
    double peak_expected;    /* the same share of white noise */
    double spacing;          /* step of the input from row to row, if at least nine of ten are equal; else NaN */
    double largest_residual; /* the z that is farthest from 0 */
    double largest_at;       /* the first input of its row */
    /* not normal: the known input, linear between readings, that jumps where |z| > 4; -1: none does */
    int jump_input;
    /* (innovations) the one-step errors, divided by their standard deviations; NULL after lf_diagnosis_restore() */
    double *errors;
    double *error_inputs; /* (innovations) the inputs of their rows; NULL as above */
    /* (innovations) their replicates in the posterior, in which they are consecutive; NULL as above */
    int *error_replicates;
    size_t frequency_count; /* of the periodogram; 0 after lf_diagnosis_restore() */
    double frequency_step;  /* in cycles per row: the frequencies are 1, 2, … times this */
    double *cumulative;     /* (frequency_count) share of the power up to each frequency; NULL as above */
    /* (rows) z, by replicate and then by the first input: y - mean divided by its standard deviation under the model, which
     * calibration has not widened; NULL after lf_diagnosis_restore() and where a row has no noise */
    double *residuals;
    int *residual_replicates; /* (rows) their replicates in the posterior; NULL as above */
    /* sum of the variances of the parts, relative to that of the rows: 1 where they are uncorrelated, more where they cancel each
     * other; NaN: not known */
    double cancellation;
    /* the noise is next to nothing beside the error of a prediction from the other rows, so that the mean passes through the rows and
     * residuals are not judged: 1 or 0 */
    int interpolated;
    int constant; /* the rows do not vary: 1 or 0 */
    double
        scatter_p; /* probability of scatter as unequal along the input, if the model is right (Kruskal and Wallis) */
    double scatter_ratio;    /* largest over smallest median |z| of ten blocks of rows, fewer with less than 200 rows */
    double scatter_least_at; /* the middle input of the block with the smallest */
    double scatter_most_at;  /* the middle input of the block with the largest */
    int uneven_scatter;      /* the test fails, and the ratio is at least 3 */
} lf_output_diagnosis;

/* How well a model describes its training rows. The library allocates it, so that fields can be added. */
typedef struct lf_diagnosis {
    int output_count;             /* as in the model */
    int force_count;              /* as in the model */
    lf_output_diagnosis *outputs; /* (output_count) */
    /* (force_count) with several outputs: the force explains less than 1 % of the variance of every output, and less than the noise:
     * 1 or 0 */
    int *idle;
    int from_prior; /* the shares are of prior variances, because the engine does not separate the parts of its means */
    int input_count; /* known inputs of the model */
} lf_diagnosis;

/* Judges a posterior by the rows it was conditioned on; rows marked "test" are left out. It takes about as long as a few
 * likelihoods. */
lf_status lf_diagnose(lf_posterior *posterior, const lf_data *data, lf_diagnosis **diagnosis);
/* The same without shares and idle forces, in less time. */
lf_status lf_diagnose_residuals(lf_posterior *posterior, const lf_data *data, lf_diagnosis **diagnosis);
/* Releases a diagnosis; NULL is fine. */
void lf_diagnosis_free(lf_diagnosis *diagnosis);
/* Stores a diagnosis in the provenance of a model, rounded to four digits. lf_fit() does this. */
lf_status lf_diagnosis_store(lf_context *ctx, const lf_diagnosis *diagnosis, lf_model *model);
/* Whether the stored diagnosis calls a force idle: 1 or 0; 0 when there is none. */
int lf_model_force_is_idle(const lf_model *model, int force);
/* The diagnosis stored in a model; NULL when there is none. */
lf_status lf_diagnosis_restore(lf_context *ctx, const lf_model *model, lf_diagnosis **diagnosis);

enum { LF_MOST_LAGS = 10 };

/* With nothing known: NaN, and no lags although there is room for LF_MOST_LAGS. NULL: no memory. */
lf_diagnosis *lf_diagnosis_allocate(int output_count, int force_count, int input_count);

#endif
