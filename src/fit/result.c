/* What a fit reports at its end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/table.h"
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

static lf_status candidates_table(lf_context *ctx, const lf_fit_result *result, lf_table **table)
{
    static const lf_table_heading headings[] = {{"operator", LF_WORDS},       {"force_kernel", LF_WORDS},
                                                {"private_kernel", LF_WORDS}, {"forces", LF_NUMBERS},
                                                {"chosen", LF_NUMBERS},       {"parameters", LF_NUMBERS},
                                                {"iterations", LF_NUMBERS},   {"log_likelihood", LF_NUMBERS},
                                                {"log_prior", LF_NUMBERS},    {"score", LF_NUMBERS}};
    lf_status status = lf_table_create(ctx, sizeof headings / sizeof *headings, headings, table);
    for (size_t i = 0; !status && i < result->candidate_count; i++) {
        const lf_candidate *c = &result->candidates[i];
        lf_table_add_word(*table, c->operator_type);
        lf_table_add_word(*table, c->force_kernel);
        lf_table_add_word(*table, c->private_kernel);
        lf_table_add_number(*table, c->forces);
        lf_table_add_number(*table, c->chosen);
        lf_table_add_number(*table, (double)c->parameters);
        lf_table_add_number(*table, (double)c->iterations);
        lf_table_add_number(*table, c->log_likelihood);
        lf_table_add_number(*table, c->log_prior);
        lf_table_add_number(*table, c->score);
    }
    return status;
}

static lf_status names_table(lf_context *ctx, const lf_fit_result *result, size_t count, const size_t *index,
                             lf_table **table)
{
    static const lf_table_heading headings[] = {{"parameter", LF_WORDS}};
    lf_status status = lf_table_create(ctx, 1, headings, table);
    for (size_t i = 0; !status && i < count; i++) {
        lf_table_add_word(*table, result->model->parameters[index[i]].name);
    }
    return status;
}

static lf_status trace_table(lf_context *ctx, const lf_fit_result *result, lf_table **table)
{
    static const lf_table_heading headings[] = {{"iteration", LF_NUMBERS}, {"objective", LF_NUMBERS}};
    lf_status status = lf_table_create(ctx, 2, headings, table);
    for (size_t i = 0; !status && result->trace && i < result->iterations; i++) {
        lf_table_add_number(*table, (double)i + 1);
        lf_table_add_number(*table, result->trace[i]);
    }
    return status;
}

lf_status lf_fit_result_table(lf_context *ctx, const lf_fit_result *result, const char *what, lf_table **table)
{
    const char *name = what ? what : "";
    *table = NULL;
    if (!result) {
        return lf_missing(ctx, "result");
    }
    lf_status status = LF_OK;
    if (strcmp(name, "stages") == 0) {
        status = lf_stages_table(ctx, result->stages, table);
    } else if (strcmp(name, "candidates") == 0) {
        status = candidates_table(ctx, result, table);
    } else if (strcmp(name, "bounds") == 0) {
        status = names_table(ctx, result, result->bound_count, result->bound, table);
    } else if (strcmp(name, "undetermined") == 0) {
        status = names_table(ctx, result, result->undetermined_count, result->undetermined, table);
    } else if (strcmp(name, "trace") == 0) {
        status = trace_table(ctx, result, table);
    } else {
        return lf_fail(
            ctx, LF_ERROR_ARGUMENT,
            "the result of a fit has no table '%s'; expected stages, candidates, bounds, undetermined or trace", name);
    }
    LF_TRY(status, lf_table_check(ctx, *table));
    if (status) {
        lf_table_free(*table);
        *table = NULL;
    }
    return status;
}

void lf_fit_result_free(lf_fit_result *result)
{
    if (result) {
        lf_fit_result_clear(result);
    }
    free(result);
}
