/* Predictions, draws and covariances of a list of points, whose targets are numbered as in model.h. The public functions take points of targets by
 * code. */
#ifndef LF_PREDICT_PREDICT_H
#define LF_PREDICT_PREDICT_H

#include "latentforce.h"
#include "points/points.h"

/* Points as a list, with the replicates that a posterior has under the names of the points. */
typedef struct lf_question {
    lf_point_list list;
    int *replicate; /* (n) NULL: they are numbers of the posterior already */
} lf_question;

/* It is valid until points are added, and to be cleared, also after a failure. */
lf_status lf_question_create(lf_context *ctx, const lf_posterior *posterior, const lf_points *points,
                             lf_question *asked);
void lf_question_clear(lf_question *asked);

/* Mean (n) and, unless NULL, variance (n) and joint covariance (n, n) of f and forces at the points; noise excluded. */
lf_status lf_predict_list(lf_posterior *posterior, const lf_point_list *points, double *mean, double *variance,
                          double *covariance);
/* What is wanted of them, with noise and quantiles. */
lf_status lf_predict_noisy(lf_posterior *posterior, const lf_point_list *points, const lf_prediction *wanted);
/* Refuses a level that is no probability; 0 is the usual one. */
lf_status lf_check_level(lf_context *ctx, double level);
/* `count` joint draws: samples (count, n), on one thread. */
lf_status lf_draw_list(lf_posterior *posterior, const lf_point_list *points, size_t count, double *samples);

/* Prior covariance of f (no noise) and of the forces at the points, in the units of the data: K (n, n). The engines auto and dense: exact;
 * lowrank: that of the features with these nodes. */
lf_status lf_covariance_list(lf_context *ctx, const lf_model *model, const lf_point_list *points,
                             const lf_engine_options *options, double *K);

/* A joint draw of outputs (without noise) and forces from the prior, f (n): points that share a replicate are drawn together, replicates
 * independently. inputs: readings of the known inputs, under their names, whose replicates have the numbers of those of the points; rows without a
 * replicate count for all. NULL: there are none. On one thread. */
lf_status lf_simulate_list(lf_context *ctx, const lf_model *model, const lf_point_list *points, const lf_data *inputs,
                           double *f);

#endif
