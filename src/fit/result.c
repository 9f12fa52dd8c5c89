/* What a fit reports at its end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "fit/pipeline.h"

/* The value of a parameter at theta. */
static double value_of(const lf_model *model, size_t i, double theta)
{
    return model->parameters[i].transform == LF_TRANSFORM_LOG ? exp(theta) : theta;
}

/* Lists the parameters that ended on a bound, and the range in which each was searched. */
static void list_bounds(const lf_optimum *found, const lf_prior *prior, lf_fit_result *result)
{
    const lf_model *model = found->model;
    for (size_t i = 0; i < model->parameter_count; i++) {
        result->searched_lower[i] = result->searched_upper[i] = (double)NAN;
    }
    for (size_t k = 0; k < found->free_count; k++) {
        size_t i = found->index[k];
        lf_coordinate coordinate = lf_prior_coordinate(prior, i);
        double low = lf_coordinate_x(&coordinate, prior->lower[i]),
               high = lf_coordinate_x(&coordinate, prior->upper[i]);
        double x = found->x[k], near = 1e-9 * (1 + fabs(x));
        result->searched_lower[i] = value_of(model, i, prior->lower[i]);
        result->searched_upper[i] = value_of(model, i, prior->upper[i]);
        if (x - low <= near || high - x <= near) {
            result->bound[result->bound_count++] = i;
        }
    }
}

lf_status lf_fit_result_fill(lf_context *ctx, const lf_optimum *found, const lf_prior *prior, lf_fit_result *result)
{
    result->cancelled = found->cancelled;
    result->converged = found->converged;
    result->reason = found->reason;
    result->restart = found->restart;
    result->iterations = found->iterations;
    result->evaluations = found->evaluations;
    result->objective = found->objective;
    result->log_likelihood = found->log_likelihood;
    result->log_prior = found->log_prior;
    result->seconds = found->seconds;
    result->free_count = found->free_count;
    result->first_rows = found->first_rows;
    if (!found->x) {
        return LF_OK; /* it was stopped before an optimum of all rows was known */
    }
    size_t count = found->model->parameter_count;
    result->bound = calloc(found->free_count + 1, sizeof *result->bound);
    result->trace = lf_doubles(found->iterations + 1, 1);
    result->searched_lower = lf_doubles(count, 1);
    result->searched_upper = lf_doubles(count, 1);
    if (!result->bound || !result->trace || !result->searched_lower || !result->searched_upper) {
        return lf_no_memory(ctx);
    }
    for (size_t i = 0; i < found->iterations; i++) {
        result->trace[i] = found->trace[i];
    }
    list_bounds(found, prior, result);
    return LF_OK;
}

void lf_fit_result_clear(lf_fit_result *result)
{
    free(result->bound);
    free(result->trace);
    free(result->searched_lower);
    free(result->searched_upper);
    free(result->candidates);
    free(result->undetermined);
    free(result->combinations);
    if (result->stages) {
        lf_reports_clear(result->stages);
    }
    free(result->stages);
    lf_model_free(result->model);
    *result = (lf_fit_result){.reason = result->reason};
}

lf_status lf_fit_result_table(lf_context *ctx, const lf_fit_result *result, const char *what, lf_table **table)
{
    *table = NULL;
    return what && strcmp(what, "stages") == 0
               ? lf_report_table(ctx, result->stages, table)
               : lf_fail(ctx, LF_ERROR_ARGUMENT, "the result of a fit has no table '%s'; expected stages",
                         what ? what : "");
}

void lf_fit_result_free(lf_fit_result *result)
{
    if (result) {
        lf_fit_result_clear(result);
    }
    free(result);
}
