/* What is asked at points: the public functions, which add noise and compute quantiles. */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/normal_quantile.h"
#include "base/numbers.h"
#include "model/model.h"
#include "points/asked_points.h"
#include "predict/posterior.h"
#include "predict/predict.h"
#include "predict/readings.h"

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

/* A target without a likelihood has no noise, an output that of its own. */
static void answer_gaussian(const lf_prediction *wanted, size_t i, double mean, double f, double noise, double level)
{
    double y = f + noise, reach = lf_normal_quantile(0.5 + level / 2) * sqrt(wanted->noise_free ? f : y);
    if (wanted->variance) {
        wanted->variance[i] = f;
    }
    if (wanted->variance_new) {
        wanted->variance_new[i] = y;
    }
    if (wanted->lower) {
        wanted->lower[i] = mean - reach;
    }
    if (wanted->upper) {
        wanted->upper[i] = mean + reach;
    }
    if (wanted->log_density) {
        double error = wanted->y[i] - mean;
        wanted->log_density[i] = -0.5 * (log(2 * LF_PI * y) + error * error / y);
    }
}

static void answer_by_likelihood(const lf_prediction *wanted, size_t i, const lf_output *output, lf_latent f,
                                 double noise, double level)
{
    const lf_likelihood *likelihood = output->likelihood;
    lf_reading reading = lf_reading_of(output, wanted->y ? wanted->y[i] : 0, wanted->sd ? wanted->sd[i] : 0);
    lf_moments moments = likelihood->moments(&reading, f.mean, f.variance);
    double lower, upper;
    if (wanted->mean) {
        wanted->mean[i] = moments.mean;
    }
    if (wanted->variance) {
        wanted->variance[i] = moments.variance;
    }
    if (wanted->variance_new) {
        wanted->variance_new[i] = lf_likelihood_is_direct(likelihood) ? f.variance + noise : moments.variance_new;
    }
    if (wanted->lower || wanted->upper) {
        lf_reading_interval(likelihood, &reading, f, level, wanted->noise_free, &lower, &upper);
        *(wanted->lower ? &wanted->lower[i] : &lower) = lower;
        *(wanted->upper ? &wanted->upper[i] : &upper) = upper;
    }
    if (wanted->log_density) {
        wanted->log_density[i] = likelihood->allows(reading.y)
                                     ? likelihood->log_predictive(&reading, f.mean, f.variance)
                                     : -(double)INFINITY;
    }
}

/* Variances with noise, quantiles and densities, from mean and variance (n) of f. */
static void add_noise(const lf_model *model, const lf_point_list *list, const lf_prediction *wanted, const double *mean,
                      const double *variance)
{
    double level = wanted->level > 0 ? wanted->level : USUAL_LEVEL;
    for (size_t i = 0; i < list->n; i++) {
        int target = list->target[i], is_output = target < model->output_count;
        double f = fmax(variance[i], 0), noise = is_output ? lf_model_noise_variance(model, target) : 0;
        noise += is_output && wanted->sd ? wanted->sd[i] * wanted->sd[i] : 0;
        if (is_output && model->outputs[target].likelihood) {
            answer_by_likelihood(wanted, i, &model->outputs[target], (lf_latent){mean[i], f}, noise, level);
        } else {
            answer_gaussian(wanted, i, mean[i], f, noise, level);
        }
    }
}

/* Links are not linear: the mean of a reading depends on the variance of f, and a covariance of f is none of means. */
static lf_status check_wanted(lf_context *ctx, const lf_model *model, const lf_point_list *list,
                              const lf_prediction *wanted, int *links)
{
    *links = 0;
    if (wanted->log_density && !wanted->y) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "log densities need observations: set y");
    }
    for (size_t i = 0; i < list->n; i++) {
        if (lf_target_has_link(model, list->target[i]) && wanted->covariance) {
            const lf_output *output = &model->outputs[list->target[i]];
            return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                           "predictions of output '%s' have no joint covariance, because its likelihood is %s; ask for "
                           "samples",
                           output->name, output->likelihood->name);
        }
        *links = *links || lf_target_has_link(model, list->target[i]);
    }
    return LF_OK;
}

lf_status lf_predict_noisy(lf_posterior *posterior, const lf_point_list *list, const lf_prediction *wanted)
{
    const lf_model *model = posterior->scaled.model;
    int links = 0;
    lf_status status = check_wanted(posterior->ctx, model, list, wanted, &links);
    if (status) {
        return status;
    }
    int spread =
        links || wanted->variance || wanted->variance_new || wanted->lower || wanted->upper || wanted->log_density;
    double *mean = wanted->mean ? wanted->mean : lf_doubles(list->n, 1);
    double *variance = !spread ? NULL : wanted->variance ? wanted->variance : lf_doubles(list->n, 1);
    status = mean && (variance || !spread) ? LF_OK : lf_no_memory(posterior->ctx);
    LF_TRY(status, lf_predict_list(posterior, list, mean, variance, wanted->covariance));
    if (!status && spread) {
        add_noise(model, list, wanted, mean, variance);
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
