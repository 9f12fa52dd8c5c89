/* The public functions that take points as a plain struct. */
#include "predict/predict.h"

static lf_point_list list_of(const lf_points *points)
{
    return (lf_point_list){.n = points->n,
                           .target = points->target,
                           .replicate = points->replicate,
                           .x = points->x,
                           .width = points->width,
                           .shorten = points->shorten};
}

lf_status lf_predict(lf_posterior *posterior, const lf_points *points, double *mean, double *variance,
                     double *covariance)
{
    lf_point_list list = list_of(points);
    return lf_predict_list(posterior, &list, mean, variance, covariance);
}

lf_status lf_sample(lf_posterior *posterior, const lf_points *points, size_t count, double *samples)
{
    lf_point_list list = list_of(points);
    return lf_draw_list(posterior, &list, count, samples);
}

lf_status lf_covariance(lf_context *ctx, const lf_model *model, const lf_points *points,
                        const lf_engine_options *options, double *K)
{
    lf_point_list list = list_of(points);
    return lf_covariance_list(ctx, model, &list, options, K);
}

lf_status lf_simulate(lf_context *ctx, const lf_model *model, const lf_points *points, double *f)
{
    return lf_simulate_driven(ctx, model, points, NULL, f);
}

lf_status lf_simulate_driven(lf_context *ctx, const lf_model *model, const lf_points *points, const lf_data *inputs,
                             double *f)
{
    lf_point_list list = list_of(points);
    return lf_simulate_list(ctx, model, &list, inputs, f);
}
