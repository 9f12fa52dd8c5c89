/* Predictions: points by replicate in, means and (co)variances in the units of the data out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/parallel.h"
#include "base/processes.h"
#include "predict/gaussian_draw.h"
#include "predict/posterior.h"
#include "predict/predict.h"
#include "predict/readings.h"

/* By how much calibration widens the variance of a target: that of an output or of its rate. */
static double inflation_of(const lf_model *model, int target)
{
    int output = lf_target_output(model, target);
    return output >= 0 && model->outputs[output].variance_inflation > 0 ? model->outputs[output].variance_inflation : 1;
}

/* Factor and shift from the scaled model to the units of the data. */
static void units(const lf_model *model, int target, double *scale, double *offset)
{
    int output = lf_target_output(model, target);
    *scale = output >= 0 ? model->outputs[output].scale : 1;
    *offset = output >= 0 && !lf_target_is_rate(model, target) ? model->outputs[output].offset : 0;
}

static lf_status not_finite(lf_context *ctx, const lf_model *model, int target, double x)
{
    int output = lf_target_output(model, target);
    return lf_fail(ctx, LF_ERROR_NUMERIC,
                   "the prediction of %s%s%s at input %.10g is not a finite number: an equation is unstable over this "
                   "span, a parameter is out of range, or the posterior is damaged",
                   output >= 0 ? "output '" : "a force", output >= 0 ? model->outputs[output].name : "",
                   output >= 0 ? "'" : "", x);
}

/* Adds the response to the known inputs to the means m of a replicate at sorted points. */
static lf_status add_response(const lf_posterior *p, int replicate, const lf_point_set *set, double *m)
{
    lf_known_response response = {0};
    double *mean = lf_doubles(set->n, 1);
    lf_status status = mean ? LF_OK : lf_no_memory(p->ctx);
    LF_TRY(status, lf_known_response_create(p->ctx, p->scaled.model, &p->known[replicate], set, &response));
    LF_TRY(status, lf_known_response_evaluate(p->ctx, &response, mean));
    for (size_t i = 0; !status && i < set->n; i++) {
        m[i] += mean[i];
    }
    lf_known_response_clear(&response);
    free(mean);
    return status;
}

/* Refuses points that memory does not suffice for. copies: matrices of all points, beside what the engine needs. */
static lf_status check_memory(const lf_posterior *p, int replicate, size_t count, int copies)
{
    double n = (double)count, numbers = lf_scaled_posterior_describe(&p->scaled, replicate, count, copies > 0).numbers;
    return lf_check_memory(p->ctx, sizeof(double) * (numbers + 8 * n + copies * n * n),
                           "ask for fewer points at a time", "%s of %zu points from a posterior of the %s engine",
                           copies ? "the joint distribution" : "predictions", count, p->scaled.class->name);
}

/* Predicts the points of one replicate, in the order of `rows`, and puts them in place in the caller's arrays. */
static lf_status predict_replicate(lf_posterior *p, const lf_point_list *points, int replicate, size_t count,
                                   const size_t *rows, double *mean, double *variance, double *covariance)
{
    lf_context *ctx = p->ctx;
    lf_point_set set;
    lf_status status = check_memory(p, replicate, count, covariance ? 1 : 0);
    LF_TRY(status, lf_point_set_create(ctx, p->scaled.model, points, count, rows, &set));
    if (status) {
        return status;
    }
    if (set.width && !lf_engine_is_able(p->scaled.class, LF_ALLOWS_AVERAGES)) {
        lf_point_set_clear(&set);
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                       "the %s engine does not predict means over an interval (width); use kalman",
                       p->scaled.class->name);
    }
    lf_point_set_shorten(p->scaled.model, points, lf_scaled_posterior_describe(&p->scaled, replicate, 0, 0).from, &set);
    double *m = lf_doubles(count, 1), *v = lf_doubles(count, 1);
    double *c = covariance ? lf_doubles(count, count) : NULL;
    status = m && v && (c || !covariance) ? LF_OK : lf_no_memory(ctx);
    if (!status) {
        status =
            lf_scaled_posterior_predict(ctx, &p->scaled, p->scaled.model, replicate, &set, m, variance ? v : NULL, c);
    }
    if (!status && p->known) {
        status = add_response(p, replicate, &set, m);
    }
    if (!status && p->rows && (variance || covariance)) {
        status = p->uncertainty ? LF_OK
                                : lf_sensitivity_uncertainty_create(ctx, &p->scaled, p->replicates.count, p->rows,
                                                                    &p->uncertainty);
        LF_TRY(status, lf_sensitivity_uncertainty_add(ctx, p->uncertainty, replicate, &set, variance ? v : NULL, c));
    }
    for (size_t i = 0; !status && i < count; i++) {
        double scale, offset;
        units(p->scaled.model, points->target[set.order[i]], &scale, &offset);
        double inflation = inflation_of(p->scaled.model, points->target[set.order[i]]);
        double value = offset + scale * m[i], spread = variance ? inflation * scale * scale * v[i] : 0, sum = 0;
        mean[set.order[i]] = value;
        if (variance) {
            variance[set.order[i]] = spread;
        }
        for (size_t j = 0; covariance && j < count; j++) {
            double other, unused;
            units(p->scaled.model, points->target[set.order[j]], &other, &unused);
            other *= sqrt(inflation * inflation_of(p->scaled.model, points->target[set.order[j]]));
            sum += fabs(covariance[set.order[i] * points->n + set.order[j]] = scale * other * c[i * count + j]);
        }
        if (!isfinite(value) || !isfinite(sum) || !(spread >= 0 && isfinite(spread))) {
            status = not_finite(ctx, p->scaled.model, points->target[set.order[i]],
                                points->x[set.order[i] * (size_t)set.input_dim]);
        }
    }
    free(m);
    free(v);
    free(c);
    lf_point_set_clear(&set);
    return status;
}

/* The rate of f is none of the mean of readings. */
static lf_status check_rates(const lf_posterior *p, const lf_point_list *points)
{
    const lf_model *model = p->scaled.model;
    for (size_t i = 0; i < points->n; i++) {
        int d = lf_target_output(model, points->target[i]);
        if (lf_target_is_rate(model, points->target[i]) && lf_target_has_link(model, d)) {
            return lf_fail(p->ctx, LF_ERROR_UNSUPPORTED,
                           "rates of change of output '%s' cannot be predicted, because its likelihood is %s; ask for "
                           "the outputs and take differences",
                           model->outputs[d].name, model->outputs[d].likelihood->name);
        }
    }
    return LF_OK;
}

static lf_status predict(lf_posterior *p, const lf_point_list *points, double *mean, double *variance,
                         double *covariance)
{
    size_t *rows = calloc(points->n + 1, sizeof *rows);
    lf_work_begin(p->ctx);
    if (!rows) {
        return lf_no_memory(p->ctx);
    }
    if (covariance) {
        memset(covariance, 0, points->n * points->n * sizeof *covariance);
    }
    lf_status status = check_rates(p, points);
    for (size_t i = 0; points->replicate && !status && i < points->n; i++) {
        if (points->replicate[i] < 0 || points->replicate[i] >= p->replicates.count) {
            status = lf_fail(p->ctx, LF_ERROR_ARGUMENT, "point %zu: replicate %d is not one of the %d in the data", i,
                             points->replicate[i], p->replicates.count);
        }
    }
    for (int r = 0; !status && r < p->replicates.count; r++) {
        size_t count = 0;
        for (size_t i = 0; i < points->n; i++) {
            if ((points->replicate ? points->replicate[i] : 0) == r) {
                rows[count++] = i;
            }
        }
        if (count) {
            status = predict_replicate(p, points, r, count, rows, mean, variance, covariance);
        }
    }
    free(rows);
    return status;
}

/* Each of several processes, which ask for the same points, predicts a part of them. */
static lf_status predict_part(lf_posterior *p, const lf_point_list *points, double *mean, double *variance)
{
    size_t n = points->n, count = (size_t)lf_process_count(p->ctx), dim = (size_t)p->scaled.model->input_dim;
    lf_status status = LF_OK;
    for (size_t r = 0; !status && r < count; r++) {
        size_t first = n * r / count;
        lf_point_list part = *points;
        part.n = n * (r + 1) / count - first;
        part.target += first;
        part.x += first * dim;
        part.replicate += points->replicate ? first : 0;
        part.width += points->width ? first : 0;
        if ((int)r == lf_process_rank(p->ctx)) {
            status = predict(p, &part, mean + first, variance ? variance + first : NULL, NULL);
        }
    }
    status = lf_agree(p->ctx, status);
    for (size_t r = 0; !status && r < count; r++) {
        size_t first = n * r / count, bytes = (n * (r + 1) / count - first) * sizeof *mean;
        status = lf_broadcast(p->ctx, (int)r, bytes, mean + first);
        status = status || !variance ? status : lf_broadcast(p->ctx, (int)r, bytes, variance + first);
    }
    return status;
}

/* Whether each process can predict without the others. */
static int predicts_alone(const lf_posterior *p)
{
    int alone = 1;
    for (int r = 0; r < p->replicates.count; r++) {
        alone = alone && !lf_scaled_posterior_describe(&p->scaled, r, 0, 0).together;
    }
    return alone;
}

lf_status lf_predict_list(lf_posterior *p, const lf_point_list *points, double *mean, double *variance,
                          double *covariance)
{
    enum { WORTH_IT = 64 }; /* points of each process */
    int before = lf_threads_begin(lf_threads(p->ctx)), count = lf_process_count(p->ctx);
    int parts = count > 1 && !covariance && points->n >= WORTH_IT * (size_t)count && predicts_alone(p);
    lf_status status = parts ? predict_part(p, points, mean, variance) : predict(p, points, mean, variance, covariance);
    lf_threads_end(before);
    return status;
}

/* Draws of f (count, n) become those of the means of readings. */
static void apply_links(const lf_model *model, const lf_point_list *points, size_t count, double *samples)
{
    for (size_t i = 0; i < points->n; i++) {
        for (size_t k = 0; lf_target_has_link(model, points->target[i]) && k < count; k++) {
            double *f = &samples[k * points->n + i];
            *f = model->outputs[points->target[i]].likelihood->inverse_link(*f);
        }
    }
}

lf_status lf_draw_list(lf_posterior *p, const lf_point_list *points, size_t count, double *samples)
{
    lf_status status = check_memory(p, 0, points->n, 2);
    if (status) {
        return status;
    }
    double *mean = lf_doubles(points->n, 1), *covariance = lf_doubles(points->n, points->n);
    int before = lf_threads_begin(1); /* the same seed gives the same samples, whatever the number of threads */
    status = mean && covariance ? predict(p, points, mean, NULL, covariance) : lf_no_memory(p->ctx);
    LF_TRY(status, lf_gaussian_draw(p->ctx, points->n, mean, covariance, count, samples));
    if (!status) {
        apply_links(p->scaled.model, points, count, samples);
    }
    lf_threads_end(before);
    free(mean);
    free(covariance);
    return status;
}
