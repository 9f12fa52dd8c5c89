/* The kalman engine: declarations shared by its files. */
#ifndef LF_KALMAN_KALMAN_H
#define LF_KALMAN_KALMAN_H

#include <jansson.h>

#include "dynamics/state_space.h"
#include "engine/engine.h"

extern const lf_engine_class lf_engine_kalman;

/* Mean and covariance of the filter at a time. */
typedef struct lf_filter_state {
    double time;
    double *mean, *P; /* (stride), (n, stride); NULL: the prior */
} lf_filter_state;

/* One replicate: its rows, and the filter states before the first and after the last of them. */
typedef struct lf_replicate_state {
    lf_filter_state start, end;
    lf_replicate rows;
    double *y, *noise; /* their targets */
} lf_replicate_state;

typedef struct lf_kalman_posterior {
    lf_model *model;
    double tolerance;
    lf_state_space space;
    int count;                      /* replicates */
    lf_replicate_state *replicates; /* (count) */
} lf_kalman_posterior;

/* A posterior without rows, with a copy of the model. After a failure it must still be freed. */
lf_status lf_kalman_posterior_create(lf_context *ctx, const lf_model *model, double tolerance, int count,
                                     lf_kalman_posterior **posterior);
void lf_replicate_state_clear(lf_replicate_state *replicate);

/* Gives a replicate its targets y and noise (rows): these or, for NULL, those that follow from its rows and the model. */
lf_status lf_replicate_state_target(lf_context *ctx, const lf_model *model, const lf_targets *targets,
                                    lf_replicate_state *replicate);
/* Computes replicate->end from the start and the rows. */
lf_status lf_replicate_state_filter(lf_context *ctx, const lf_kalman_posterior *posterior,
                                    lf_replicate_state *replicate);

/* The posterior at points, of which averages may be many: `predict` in passes that have few integrators each. */
lf_status lf_kalman_predict_averages(lf_context *ctx, const lf_kalman_posterior *posterior, int replicate,
                                     const lf_point_set *points, double *mean, double *variance);
/* One pass. */
lf_status lf_kalman_predict_once(lf_context *ctx, const lf_kalman_posterior *posterior, int replicate,
                                 const lf_point_set *points, double *mean, double *variance, double *covariance);

extern const lf_posterior_class lf_kalman_posterior_class;
/* Functions of lf_posterior_class. */
json_t *lf_kalman_posterior_save(const void *posterior);
lf_status lf_kalman_posterior_load(lf_context *ctx, const lf_model *model, const json_t *state, int replicates,
                                   void **posterior);
lf_status lf_kalman_posterior_update(lf_context *ctx, void *posterior, const lf_rows *rows, const int *replicate);
lf_status lf_kalman_innovations(lf_context *ctx, const void *posterior, int replicate, const lf_replicate *rows,
                                double *z);
/* About how many numbers a prediction allocates. */
double lf_kalman_predict_numbers(const lf_kalman_posterior *posterior, int replicate, size_t points, int joint);

/* Of a model given by equations: covariance (n, n) of the scaled model. */
lf_status lf_kalman_prior_covariance(lf_context *ctx, const lf_model *model, const lf_engine_options *options,
                                     const lf_point_set *points, double *covariance);
/* values (n): a draw of the same. */
lf_status lf_kalman_prior_draw(lf_context *ctx, const lf_model *model, const lf_point_set *points,
                               lf_normal_source normals, void *data, double *values);

/* An estimate of the error of the prior covariances of the outputs, relative to the largest; 0 without EQ forces. */
lf_status lf_kalman_error(lf_context *ctx, const lf_model *model, double tolerance, double earliest, double latest,
                          lf_error_bounds *bounds);

/* What lf_engine_class.estimate says; negative: no memory. */
double lf_kalman_cost(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options);
int lf_kalman_memory(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                     lf_memory_estimate *memory);

#endif
