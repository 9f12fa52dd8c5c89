/* Standard errors: sd of theta from the Laplace approximation, and of a derived quantity r(theta), whose variance is r' C r with C the covariance of
 * theta. Directions that the data do not determine are kept: unidentifiable.c names what they leave. */
#include "inference/standard_errors.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "inference/laplace.h"
#include "inference/unidentifiable.h"

/* The three readings of an output whose constant i has the logarithm or value `theta`. */
static void read_output(lf_model *model, int d, int i, double theta, double reading[3])
{
    lf_output *output = &model->outputs[d];
    double kept = output->constants[i];
    output->constants[i] = output->op->positive ? exp(theta) : theta;
    lf_output_info info = lf_model_output(model, d);
    output->constants[i] = kept;
    reading[0] = info.time_constant;
    reading[1] = info.natural_frequency;
    reading[2] = info.damping_ratio;
}

/* Errors of the readings of an output. position[i]: where parameter i stands in the covariance C (n, n); -1: it is
 * fixed; -2: it is not determined. */
static void set_reading_errors(lf_model *model, int d, const int *position, size_t n, const double *C)
{
    lf_output *output = &model->outputs[d];
    double slope[3][LF_MAX_ORDER + 1] = {{0}}, up[3], down[3];
    int index = lf_index_constants(model, d), open = 0, free_constants = 0;
    for (int i = 0; output->op->is_ode && i < output->constant_count; i++) {
        double theta = output->op->positive ? log(output->constants[i]) : output->constants[i];
        double step = 1e-5 * fmax(1, fabs(theta));
        open = open || position[index + i] == -2;
        if (position[index + i] >= 0) {
            free_constants++;
            read_output(model, d, i, theta + step, up);
            read_output(model, d, i, theta - step, down);
            for (int k = 0; k < 3; k++) {
                slope[k][i] = (up[k] - down[k]) / (2 * step);
            }
        }
    }
    for (int k = 0; k < 3 && free_constants && !open; k++) {
        double variance = 0;
        for (int i = 0; i < output->constant_count; i++) {
            for (int j = 0; j < output->constant_count; j++) {
                int row = position[index + i], column = position[index + j];
                if (row >= 0 && column >= 0) {
                    variance += slope[k][i] * slope[k][j] * C[(size_t)column * n + (size_t)row];
                }
            }
        }
        output->reading_error[k] = variance >= 0 ? sqrt(variance) : (double)NAN;
    }
}

static void set_errors(lf_model *model, const int *position, size_t n, const double *C)
{
    lf_model_drop_errors(model);
    for (size_t i = 0; i < model->parameter_count; i++) {
        lf_parameter_entry *entry = &model->parameters[i];
        size_t leader = entry->tied_to < 0 ? i : (size_t)entry->tied_to;
        if (position[leader] >= 0) {
            double sd = sqrt(C[(size_t)position[leader] * (n + 1)]);
            entry->standard_error = entry->transform == LF_TRANSFORM_LOG ? sd * *entry->value : sd;
        }
    }
    for (int d = 0; d < model->output_count; d++) {
        set_reading_errors(model, d, position, n, C);
    }
}

/* From the covariance and flat directions of x to those of theta. */
static void scale_back(const lf_log_posterior *p, const double *x, lf_laplace *l)
{
    for (size_t j = 0; j < l->count; j++) {
        const lf_coordinate *c = &p->coordinate[l->row[j]];
        double slope = lf_coordinate_slope(c, lf_coordinate_theta(c, x[l->row[j]]));
        for (size_t i = 0; i < l->count; i++) {
            l->covariance[j * l->count + i] *= slope;
            l->covariance[i * l->count + j] *= slope;
        }
        for (size_t k = 0; k < l->flat_count; k++) {
            l->flat[k * l->count + j] *= slope;
        }
    }
}

/* The model gets its errors, the result the names of what the data do not determine. */
static lf_status take_errors(lf_context *ctx, const lf_log_posterior *p, const lf_laplace *l, lf_model *model,
                             lf_fit_result *result)
{
    int *position = calloc(model->parameter_count + 1, sizeof *position);
    lf_flat_directions flat = {
        .n = l->count, .count = l->flat_count, .index = calloc(l->count + 1, sizeof *flat.index), .N = l->flat};
    lf_status status = position && flat.index ? LF_OK : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < model->parameter_count; i++) {
        position[i] = -1;
    }
    for (size_t k = 0; !status && k < l->count; k++) {
        flat.index[k] = p->index[l->row[k]];
        position[flat.index[k]] = l->identified[k] ? (int)k : -2;
    }
    if (!status) {
        set_errors(model, position, l->count, l->covariance);
        status = model->system ? lf_quantity_errors(ctx, &flat, l->covariance, model) : LF_OK;
    }
    status = status || !result ? status : lf_name_unidentifiable(ctx, &flat, model, result);
    free(position);
    free(flat.index);
    return status;
}

lf_status lf_standard_errors(lf_context *ctx, const lf_problem *problem, const lf_structure *s, const lf_prior *prior,
                             lf_monitor *monitor, lf_model *model, lf_fit_result *result, size_t *evaluations)
{
    lf_log_posterior *p = NULL;
    lf_laplace laplace = {0};
    lf_status status = lf_log_posterior_make(ctx, problem, s, model, prior, &p);
    double *x = status ? NULL : lf_doubles(p->count, 1);
    status = status || x ? status : lf_no_memory(ctx);
    if (!status && p->count) {
        lf_log_posterior_point(p, x);
        status = lf_laplace_find(ctx, p, x, 0, monitor, &laplace);
        *evaluations += laplace.evaluations;
        if (!status) {
            scale_back(p, x, &laplace);
            status = take_errors(ctx, p, &laplace, model, result);
        }
    }
    lf_laplace_clear(&laplace);
    lf_log_posterior_destroy(p);
    free(x);
    return status;
}
