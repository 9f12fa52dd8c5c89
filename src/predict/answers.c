/* What is asked at points: the public functions, which add noise and compute quantiles. */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/normal_quantile.h"
#include "model/model.h"
#include "points/asked_points.h"
#include "predict/posterior.h"
#include "predict/predict.h"

#define USUAL_LEVEL 0.95

lf_status lf_question_create(lf_context *ctx, const lf_posterior *posterior, const lf_points *points,
                             lf_question *asked)
{
    *asked = (lf_question){0};
    lf_status status = lf_points_list(ctx, points, posterior->scaled.model, &asked->list);
    if (status || points->labels.count == 0) {
        return status;
    }
    asked->replicate = calloc(points->n + 1, sizeof *asked->replicate);
    status = asked->replicate ? LF_OK : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < points->n; i++) {
        const char *name = points->labels.name[points->replicate[i]];
        asked->replicate[i] = lf_posterior_find_replicate(posterior, name);
        if (asked->replicate[i] < 0) {
            status = lf_fail(ctx, LF_ERROR_DATA, "the replicate '%s' is not one of the posterior", name);
        }
    }
    asked->list.replicate = asked->replicate;
    return status;
}

void lf_question_clear(lf_question *asked) { free(asked->replicate); }

/* Variances with noise, and quantiles, from mean and variance (n). */
static void add_noise(const lf_model *model, const lf_point_list *list, const lf_prediction *wanted, const double *mean,
                      const double *variance)
{
    double level = wanted->level > 0 ? wanted->level : USUAL_LEVEL, z = lf_normal_quantile(0.5 + level / 2);
    for (size_t i = 0; i < list->n; i++) {
        int target = list->target[i];
        double f = fmax(variance[i], 0),
               y = f + (target < model->output_count ? lf_model_noise_variance(model, target) : 0),
               reach = z * sqrt(wanted->noise_free ? f : y);
        if (wanted->variance) {
            wanted->variance[i] = f;
        }
        if (wanted->variance_new) {
            wanted->variance_new[i] = y;
        }
        if (wanted->lower) {
            wanted->lower[i] = mean[i] - reach;
        }
        if (wanted->upper) {
            wanted->upper[i] = mean[i] + reach;
        }
    }
}

lf_status lf_predict_noisy(lf_posterior *posterior, const lf_point_list *list, const lf_prediction *wanted)
{
    int spread = wanted->variance || wanted->variance_new || wanted->lower || wanted->upper;
    double *mean = wanted->mean ? wanted->mean : lf_doubles(list->n, 1);
    double *variance = !spread ? NULL : wanted->variance ? wanted->variance : lf_doubles(list->n, 1);
    lf_status status = mean && (variance || !spread) ? LF_OK : lf_no_memory(posterior->ctx);
    LF_TRY(status, lf_predict_list(posterior, list, mean, variance, wanted->covariance));
    if (!status && spread) {
        add_noise(posterior->scaled.model, list, wanted, mean, variance);
    }
    free(wanted->mean ? NULL : mean);
    free(wanted->variance ? NULL : variance);
    return status;
}

lf_status lf_check_level(lf_context *ctx, double level)
{
    return level >= 0 && level < 1
               ? LF_OK
               : lf_fail(ctx, LF_ERROR_ARGUMENT, "level %g: expected a probability between 0 and 1", level);
}

lf_status lf_predict(lf_context *ctx, lf_posterior *posterior, const lf_points *points, const lf_prediction *prediction)
{
    if (!posterior || !points) {
        return lf_missing(ctx, posterior ? "points" : "posterior");
    }
    lf_prediction wanted;
    lf_question asked = {0};
    lf_context *own = posterior->ctx;
    lf_status status = lf_take_options(ctx, "lf_prediction", prediction, sizeof wanted, &wanted);
    LF_TRY(status, lf_check_level(ctx, wanted.level));
    LF_TRY(status, lf_question_create(ctx, posterior, points, &asked));
    posterior->ctx = ctx; /* which gives threads and memory, and takes the message */
    LF_TRY(status, lf_predict_noisy(posterior, &asked.list, &wanted));
    posterior->ctx = own;
    lf_question_clear(&asked);
    return status;
}

lf_status lf_draw(lf_context *ctx, lf_posterior *posterior, const lf_points *points, size_t count, double *samples)
{
    if (!posterior || !points) {
        return lf_missing(ctx, posterior ? "points" : "posterior");
    }
    lf_question asked = {0};
    lf_context *own = posterior->ctx;
    lf_status status = lf_question_create(ctx, posterior, points, &asked);
    posterior->ctx = ctx;
    LF_TRY(status, lf_draw_list(posterior, &asked.list, count, samples));
    posterior->ctx = own;
    lf_question_clear(&asked);
    return status;
}

lf_status lf_covariance(lf_context *ctx, const lf_model *model, const lf_points *points,
                        const lf_engine_options *options, double *K)
{
    lf_point_list list;
    lf_status status = lf_points_list(ctx, points, model, &list);
    return status ? status : lf_covariance_list(ctx, model, &list, options, K);
}

lf_status lf_simulate(lf_context *ctx, const lf_model *model, const lf_points *points, double *f)
{
    return lf_simulate_driven(ctx, model, points, NULL, f);
}

lf_status lf_simulate_driven(lf_context *ctx, const lf_model *model, const lf_points *points, const lf_data *inputs,
                             double *f)
{
    lf_point_list list;
    lf_status status = lf_points_list(ctx, points, model, &list);
    return status ? status : lf_simulate_list(ctx, model, &list, inputs, f);
}
