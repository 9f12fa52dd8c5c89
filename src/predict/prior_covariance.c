/* The prior: covariances at any points, in the units of the data. */
#include "predict/prior_covariance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/parallel.h"
#include "engine/engine.h"
#include "exact/exact_covariance.h"
#include "features/feature_covariance.h"
#include "features/grid_spec.h"
#include "model/model.h"
#include "predict/predict.h"

/* Columns of a quadrature, for an estimate of the work. */
#define MEAN_COLUMNS 100.0

static double unit_of(const lf_model *model, int target)
{
    int output = lf_target_output(model, target);
    return output >= 0 ? model->outputs[output].scale : 1;
}

/* The covariance that the features of these options have. */
static lf_status feature_matrix(lf_context *ctx, const lf_model *model, const lf_engine_options *options,
                                double earliest, double latest, const lf_point_set *set, double *K)
{
    const lf_rows range = {.earliest = earliest, .latest = latest};
    lf_grid_spec spec;
    lf_features features;
    lf_status status = lf_grid_spec_create(ctx, model, &range, options, &spec);
    LF_TRY(status, lf_features_create(ctx, model, spec, &features));
    if (!status) {
        status = lf_feature_covariance(ctx, &features, set, K);
        lf_features_clear(&features);
    }
    return status;
}

static lf_status not_finite(lf_context *ctx, const lf_model *model, int target, double x)
{
    int output = lf_target_output(model, target);
    return lf_fail(ctx, LF_ERROR_NUMERIC,
                   "the covariance of %s%s%s at input %.10g is not a finite number: an equation is unstable over this "
                   "span, or a parameter is out of range",
                   output >= 0 ? "output '" : "a force", output >= 0 ? model->outputs[output].name : "",
                   output >= 0 ? "'" : "", x);
}

#define LOST 1e-9 /* of the largest variance: a negative one beyond it is no rounding of 0 */

/* Of equations with modes that differ much in speed, or whose highest derivatives are nearly dependent, nothing may be left. */
static lf_status negative(lf_context *ctx, const lf_model *model, int target, double x, double variance)
{
    int output = lf_target_output(model, target);
    return lf_fail(ctx, LF_ERROR_NUMERIC,
                   "the variance of %s%s%s at input %.10g comes out as %.3g: its digits are lost to rounding; modes "
                   "differ too much in speed, or a parameter is out of range",
                   output >= 0 ? "output '" : "a force", output >= 0 ? model->outputs[output].name : "",
                   output >= 0 ? "'" : "", x, variance);
}

lf_status lf_prior_covariance(lf_context *ctx, const lf_model *model, const lf_point_list *points,
                              const lf_engine_options *options, size_t count, const size_t *rows, double *K)
{
    lf_point_set set;
    lf_exact_covariance kernel;
    double lags = model->system && options->engine && strcmp(options->engine, "dense") == 0 ? 6 : 0;
    double numbers = (2 + lags) * (double)count * (double)count; /* the matrix of the caller included */
    lf_status beyond = lf_check_memory(ctx, sizeof(double) * numbers, "take fewer points",
                                       "the joint covariance of %zu points", count);
    if (beyond) {
        return beyond;
    }
    double *sorted = lf_doubles(count, count);
    size_t *place = calloc(points->n + 1, sizeof *place); /* row of the points -> position in the list */
    lf_status status = sorted && place ? LF_OK : lf_no_memory(ctx);
    LF_TRY(status, lf_point_set_create(ctx, model, points, count, rows, &set));
    if (status) {
        free(sorted);
        free(place);
        return status;
    }
    lf_point_set_shorten(model, points, -(double)INFINITY, &set);
    double earliest = 0, latest = 0;
    for (size_t i = 0; i < count; i++) {
        double x = set.x[i * (size_t)set.input_dim];
        earliest = i == 0 || x < earliest ? x : earliest;
        latest = i == 0 || x > latest ? x : latest;
        place[rows ? rows[i] : i] = i;
    }
    const char *engine = options->engine ? options->engine : "auto";
    if (set.width && !model->system) {
        status =
            lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                    "prior covariances of averages over an interval are computed for models given by equations only");
    } else if (model->system && strcmp(engine, "auto") != 0 && strcmp(engine, "dense") != 0) {
        status =
            lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                    "engine '%s': covariances of a model given by equations are exact; leave the option out", engine);
    } else if (strcmp(engine, "lowrank") == 0 || strcmp(engine, "features") == 0) {
        status = feature_matrix(ctx, model, options, earliest, latest, &set, sorted);
    } else if (model->system && strcmp(engine, "auto") == 0) {
        status = lf_engine_with(LF_HAS_STATES)->prior_covariance(ctx, model, &set, sorted);
    } else if (strcmp(engine, "auto") != 0 && strcmp(engine, "dense") != 0) {
        status = lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                         "engine '%s': covariances are those of dense (exact) or of lowrank (features)", engine);
    } else {
        status = lf_exact_covariance_choose(ctx, model, options, earliest, latest, &kernel);
        LF_TRY(status, lf_exact_covariance_matrix(ctx, model, kernel, &set, &set, sorted, count));
    }
    if (!status) {
        lf_mirror(count, sorted, count);
    }
    double largest = 0;
    for (size_t j = 0; j < count; j++) {
        largest = fmax(largest, sorted[j * count + j]);
    }
    for (size_t j = 0; !status && j < count; j++) {
        if (model->system && sorted[j * count + j] < -LOST * largest) {
            status = negative(ctx, model, points->target[set.order[j]], points->x[set.order[j] * (size_t)set.input_dim],
                              sorted[j * count + j]);
            break;
        }
        int tj = points->target[set.order[j]];
        double cj = unit_of(model, tj), sum = 0;
        for (size_t i = 0; i < count; i++) {
            int ti = points->target[set.order[i]];
            double ci = unit_of(model, ti);
            sum += fabs(K[place[set.order[j]] * count + place[set.order[i]]] = ci * cj * sorted[j * count + i]);
        }
        if (!isfinite(sum)) {
            status = not_finite(ctx, model, tj, points->x[set.order[j] * (size_t)set.input_dim]);
        }
    }
    lf_point_set_clear(&set);
    free(sorted);
    free(place);
    return status;
}

lf_status lf_covariance_list(lf_context *ctx, const lf_model *model, const lf_point_list *points,
                             const lf_engine_options *options, double *K)
{
    lf_engine_options taken;
    lf_work_begin(ctx);
    lf_status status = lf_take_options(ctx, "lf_engine_options", options, sizeof taken, &taken);
    int before = lf_threads_begin(lf_threads_for(ctx, MEAN_COLUMNS * (double)points->n * (double)points->n));
    LF_TRY(status, lf_prior_covariance(ctx, model, points, &taken, points->n, NULL, K));
    lf_threads_end(before);
    return status;
}
