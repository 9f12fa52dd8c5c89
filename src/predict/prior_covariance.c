/* The prior: covariances at any points, in the units of the data. */
#include "predict/prior_covariance.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/parallel.h"
#include "engine/engine.h"
#include "model/model.h"
#include "predict/predict.h"

/* Columns of a quadrature, for an estimate of the work. */
#define MEAN_COLUMNS 100.0

static double unit_of(const lf_model *model, int target)
{
    int output = lf_target_output(model, target);
    return output >= 0 ? model->outputs[output].scale : 1;
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

/* K (n, n) in the order and the units of the caller, from `sorted` in the order of the set. place: row of the points -> position in the list. */
static lf_status arrange(lf_context *ctx, const lf_model *model, const lf_point_list *points, const lf_point_set *set,
                         const size_t *place, const double *sorted, double *K)
{
    size_t n = set->n;
    double largest = 0;
    for (size_t j = 0; j < n; j++) {
        largest = fmax(largest, sorted[j * n + j]);
    }
    for (size_t j = 0; j < n; j++) {
        int tj = points->target[set->order[j]];
        double x = points->x[set->order[j] * (size_t)set->input_dim], cj = unit_of(model, tj), sum = 0;
        if (model->system && sorted[j * n + j] < -LOST * largest) {
            return negative(ctx, model, tj, x, sorted[j * n + j]);
        }
        for (size_t i = 0; i < n; i++) {
            double ci = unit_of(model, points->target[set->order[i]]);
            sum += fabs(K[place[set->order[j]] * n + place[set->order[i]]] = ci * cj * sorted[j * n + i]);
        }
        if (!isfinite(sum)) {
            return not_finite(ctx, model, tj, x);
        }
    }
    return LF_OK;
}

lf_status lf_prior_covariance(lf_context *ctx, const lf_model *model, const lf_point_list *points,
                              const lf_engine_options *options, size_t count, const size_t *rows, double *K)
{
    lf_point_set set = {0};
    const lf_engine_class *class;
    lf_status status = lf_engine_of_prior(ctx, model, options, &class);
    /* the matrix of the caller included; covariances of equations by frequencies hold six more */
    double matrices = !status && model->system && !lf_engine_is_able(class, LF_HAS_STATES) ? 8 : 2;
    LF_TRY(status, lf_check_memory(ctx, sizeof(double) * matrices * (double)count * (double)count, "take fewer points",
                                   "the joint covariance of %zu points", count));
    if (status) {
        return status;
    }
    double *sorted = lf_doubles(count, count);
    size_t *place = calloc(points->n + 1, sizeof *place);
    status = sorted && place ? lf_point_set_create(ctx, model, points, count, rows, &set) : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < count; i++) {
        place[rows ? rows[i] : i] = i;
    }
    if (!status) {
        lf_point_set_shorten(model, points, -(double)INFINITY, &set);
    }
    if (!status && set.width && !model->system) {
        status =
            lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                    "prior covariances of averages over an interval are computed for models given by equations only");
    }
    LF_TRY(status, class->prior_covariance(ctx, model, options, &set, sorted));
    if (!status) {
        lf_mirror(count, sorted, count);
        status = arrange(ctx, model, points, &set, place, sorted, K);
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
