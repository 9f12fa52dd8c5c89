/* Feature rows from response columns: the columns of a force are factor * sqrt(w_s) * [Re v, Im v]; the factor is the
 * sensitivity of the output, the amplitude of a private force, or 1 for the force itself. Forces on one grid share the
 * response columns. */
#include "features/features.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "features/response.h"

enum { FEW_COLUMNS = 1800 }; /* a few seconds and 26 MB, however few rows there are */

lf_status lf_features_create(lf_context *ctx, const lf_model *model, lf_grid_spec spec, lf_features *features)
{
    *features = (lf_features){.model = model};
    if (spec.rule == LF_RULE_UNIFORM && model->input_dim > 1) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED, "uniform frequencies are for one input, this model has %d; use qmc",
                       model->input_dim);
    }
    lf_status status = lf_check_features(ctx, model, spec.rule);
    if (status) {
        return status;
    }
    features->start = calloc((size_t)model->force_count + 1, sizeof *features->start);
    status = features->start ? lf_grids_create(ctx, model, spec, &features->grids) : lf_no_memory(ctx);
    if (status) {
        lf_features_clear(features);
        return status;
    }
    for (int q = 0; q < model->force_count; q++) {
        int grid = features->grids.sources[q].grid;
        features->start[q + 1] = features->start[q] + 2 * features->grids.grids[grid].count;
    }
    features->shared = features->start[model->force_count];
    return LF_OK;
}

void lf_features_clear(lf_features *features)
{
    lf_grids_clear(&features->grids);
    free(features->start);
    *features = (lf_features){0};
}

/* The private force of a target, or NULL. */
static const lf_source *private_source(const lf_features *features, int target)
{
    int output = lf_target_output(features->model, target);
    for (int i = features->model->force_count; output >= 0 && i < features->grids.source_count; i++) {
        if (features->grids.sources[i].output == output) {
            return &features->grids.sources[i];
        }
    }
    return NULL;
}

/* The number of columns of the private force: 2 S. */
static size_t private_wave_columns(const lf_features *features, int target)
{
    const lf_source *source = private_source(features, target);
    return source ? 2 * features->grids.grids[source->grid].count : 0;
}

/* The number of columns of the initial state, P for a free start. */
static size_t initial_state_columns(const lf_model *model, int target)
{
    int output = lf_target_output(model, target);
    int has = output >= 0 && lf_has_initial_state(model, output);
    return has ? (size_t)model->outputs[output].order : 0;
}

size_t lf_features_private(const lf_features *features, int target)
{
    return private_wave_columns(features, target) + initial_state_columns(features->model, target);
}

double *lf_features_source_columns(const lf_features *features, int target, const lf_source *source, size_t ld,
                                   double *shared, double *private)
{
    if (source->index >= 0) {
        return shared + features->start[source->index] * ld;
    }
    return source->output == lf_target_output(features->model, target) ? private : NULL;
}

/* to (n, 2 S) = factor * sqrt(w) * V; to may be V. */
static void scale_columns(size_t n, size_t S, double factor, const double *w, const double *V, double *to)
{
#pragma omp parallel for schedule(static) if (n * S > 10000)
    for (size_t column = 0; column < 2 * S; column++) {
        double scale = factor * sqrt(w[column < S ? column : column - S]);
        for (size_t i = 0; i < n; i++) {
            to[column * n + i] = scale * V[column * n + i];
        }
    }
}

/* The columns of all sources of one grid. The response columns are computed in the columns of the first source that
 * drives the target; these are scaled last. */
static lf_status fill_grid_columns(lf_context *ctx, const lf_features *features, int target, int grid,
                                   const lf_response *response, double *shared, double *private)
{
    const lf_nodes *nodes = &features->grids.grids[grid];
    size_t n = response->n, S = nodes->count;
    double *V = NULL;
    const lf_source *first = NULL;
    lf_status status = LF_OK;
    for (int i = 0; !status && i < features->grids.source_count; i++) {
        const lf_source *source = &features->grids.sources[i];
        double *columns = lf_features_source_columns(features, target, source, n, shared, private);
        double factor = lf_source_sensitivity(features->model, target, source);
        if (source->grid != grid || !columns) {
            continue;
        }
        if (factor == 0) {
            memset(columns, 0, n * 2 * S * sizeof *columns);
        } else if (V) {
            scale_columns(n, S, factor, source->w, V, columns);
        } else {
            first = source;
            V = columns;
            status = lf_response_columns(ctx, response, lf_all_nodes(nodes), V);
        }
    }
    if (!status && first) {
        scale_columns(n, S, lf_source_sensitivity(features->model, target, first), first->w, V, V);
    }
    return status;
}

lf_status lf_features_rows(lf_context *ctx, const lf_features *features, int target, size_t n, const double *x,
                           double *shared, double *private)
{
    lf_response response;
    lf_status status = lf_response_create(ctx, features->model, target, n, x, 0, &response);
    if (status) {
        return status;
    }
    for (int g = 0; !status && g < features->grids.grid_count; g++) {
        status = fill_grid_columns(ctx, features, target, g, &response, shared, private);
    }
    size_t waves = private_wave_columns(features, target), states = initial_state_columns(features->model, target);
    for (size_t k = 0; !status && k < states; k++) {
        const lf_output *output = &features->model->outputs[lf_target_output(features->model, target)];
        double scale = sqrt(output->initial_variance[k]);
        for (size_t i = 0; i < n; i++) {
            private[(waves + k) * n + i] = scale * response.h[k * n + i];
        }
    }
    lf_response_clear(&response);
    return status;
}

/* ---- backward ---- */

/* x[s] = sum over rows and over Re and Im of adjoint * V at node s. Then the adjoint times factor * sqrt(w), which is
 * the adjoint of V, is stored in place if `to` is the adjoint, or added to `to`, the columns of an earlier source. */
static void backward_columns(size_t n, size_t S, double factor, const double *w, const double *V, double *adjoint,
                             double *to, double *x)
{
#pragma omp parallel for schedule(static) if (n * S > 10000)
    for (size_t s = 0; s < S; s++) {
        double scale = factor * sqrt(w[s]), sum = 0;
        for (size_t column = s; column < 2 * S; column += S) {
            const double *v = V + column * n;
            double *a = adjoint + column * n, *b = to + column * n;
            sum += cblas_ddot((int)n, a, 1, v, 1);
            if (a == b) {
                cblas_dscal((int)n, scale, a, 1);
            } else {
                cblas_daxpy((int)n, scale, a, 1, b, 1);
            }
        }
        x[s] = sum;
    }
}

/* The index of the first parameter of the kernel of a source. */
static int first_kernel_parameter(const lf_model *model, const lf_source *source)
{
    return source->index >= 0 ? lf_index_kernel(model, source->index) : lf_index_private_kernel(model, source->output);
}

void lf_source_backward(const lf_model *model, int output, const lf_source *source, size_t S, const double *x,
                        double *gradient)
{
    double factor = lf_source_sensitivity(model, output, source);
    double by_factor = 0, *by_kernel = gradient + first_kernel_parameter(model, source);
    int parameters = source->force->term_count ? lf_force_parameter_count(source->force) : 1;
    for (size_t s = 0; s < S; s++) {
        by_factor += sqrt(source->w[s]) * x[s];
    }
    for (int k = 0; k < parameters; k++) {
        const double *dw = source->dw + (size_t)k * S;
        double by_parameter = 0;
        for (size_t s = 0; s < S; s++) {
            double root = sqrt(source->w[s]);
            by_parameter += root > 0 ? factor * x[s] * dw[s] / (2 * root) : 0;
        }
        by_kernel[k] += by_parameter;
    }
    gradient[source->index >= 0 ? lf_index_sensitivity(model, output) + source->index
                                : lf_index_private_amplitude(model, output)] += by_factor;
}

void lf_source_backward_frequencies(const lf_model *model, const lf_source *source, const lf_nodes *nodes,
                                    const double *by_lambda, double *gradient)
{
    size_t p = (size_t)nodes->input_dim;
    int first = first_kernel_parameter(model, source);
    if (nodes->lines) {
        lf_nodes_lines_backward(source->force, by_lambda + nodes->count - nodes->lines, gradient + first);
        return;
    }
    for (size_t i = 0; i < nodes->count * p; i++) {
        size_t k = source->force->lengthscale_count > 1 ? i % p : 0;
        gradient[(size_t)first + k] -= by_lambda[i] * nodes->lambda[i] / source->force->lengthscale[k];
    }
}

/* Whether a force on the grid drives the output. */
static int grid_drives(const lf_features *features, int output, int grid)
{
    for (int i = 0; i < features->grids.source_count; i++) {
        const lf_source *source = &features->grids.sources[i];
        if (source->grid == grid && (source->index >= 0 || source->output == output)) {
            return 1;
        }
    }
    return 0;
}

static lf_status backward_grid(lf_context *ctx, const lf_features *features, int output, int grid,
                               const lf_response *response, double *shared_adjoint, double *private_adjoint,
                               double *gradient)
{
    const lf_model *model = features->model;
    const lf_nodes *nodes = &features->grids.grids[grid];
    size_t n = response->n, S = nodes->count;
    double *V = lf_doubles(n, 2 * S), *x = lf_doubles(S, 1), *to = NULL;
    int moves = nodes->base || nodes->lines;
    double *by_lambda = moves ? lf_doubles(S, (size_t)nodes->input_dim) : NULL;
    const lf_source *last = NULL;
    lf_status status = V && x && (by_lambda || !moves) ? LF_OK : lf_no_memory(ctx);
    LF_TRY(status, lf_response_columns(ctx, response, lf_all_nodes(nodes), V));
    for (int i = 0; !status && i < features->grids.source_count; i++) {
        const lf_source *source = &features->grids.sources[i];
        double *adjoint = lf_features_source_columns(features, output, source, n, shared_adjoint, private_adjoint);
        if (source->grid == grid && adjoint) {
            double factor = lf_source_sensitivity(model, output, source);
            to = to ? to : adjoint;
            backward_columns(n, S, factor, source->w, V, adjoint, to, x);
            lf_source_backward(model, output, source, S, x, gradient);
            last = source;
        }
    }
    if (!status) {
        status = lf_response_backward(ctx, response, lf_all_nodes(nodes), V, to,
                                      gradient + lf_index_constants(model, output), by_lambda);
    }
    if (!status && by_lambda) { /* a grid whose frequencies move has one source */
        lf_source_backward_frequencies(model, last, nodes, by_lambda, gradient);
    }
    free(V);
    free(x);
    free(by_lambda);
    return status;
}

/* Columns sqrt(variance_k) h_k: derivatives by the variances and, through h, by the constants of the operator. */
static void backward_states(const lf_model *model, int output, const lf_response *response, const double *adjoint,
                            double *gradient)
{
    const lf_output *o = &model->outputs[output];
    size_t n = response->n, P = initial_state_columns(model, output);
    for (size_t k = 0; k < P; k++) {
        const double *a = adjoint + k * n, *h = response->h + k * n;
        double root = sqrt(o->initial_variance[k]), sum = 0;
        for (size_t i = 0; i < n; i++) {
            sum += a[i] * h[i];
        }
        gradient[(size_t)lf_index_initial_variance(model, output) + k] += root > 0 ? sum / (2 * root) : 0;
        for (size_t c = 0; c < (size_t)o->constant_count; c++) {
            const double *dh = response->dh + (c * P + k) * n;
            sum = 0;
            for (size_t i = 0; i < n; i++) {
                sum += a[i] * dh[i];
            }
            gradient[(size_t)lf_index_constants(model, output) + c] += root * sum;
        }
    }
}

lf_status lf_features_backward(lf_context *ctx, const lf_features *features, int output, size_t n, const double *x,
                               double *shared_adjoint, double *private_adjoint, double *gradient)
{
    lf_response response;
    lf_status status = lf_response_create(ctx, features->model, output, n, x, 1, &response);
    if (status) {
        return status;
    }
    for (int g = 0; !status && g < features->grids.grid_count; g++) {
        if (grid_drives(features, output, g)) {
            status = backward_grid(ctx, features, output, g, &response, shared_adjoint, private_adjoint, gradient);
        }
    }
    if (!status && initial_state_columns(features->model, output)) {
        backward_states(features->model, output, &response,
                        private_adjoint + private_wave_columns(features, output) * n, gradient);
    }
    lf_response_clear(&response);
    return status;
}

/* The columns of one matrix whose factor costs as much as those of all: of the shared columns, and of those of each output. */
static size_t all_columns(const lf_features *features)
{
    double shared = (double)features->shared, cubes = shared * shared * shared;
    for (int d = 0; d < features->model->output_count; d++) {
        double m = (double)lf_features_private(features, d);
        cubes += m * m * m;
    }
    return (size_t)ceil(cbrt(cubes) * (1 - 1e-12));
}

lf_status lf_features_create_bounded(lf_context *ctx, const lf_model *model, size_t rows, lf_grid_spec *spec,
                                     lf_features *features)
{
    /* Columns by tolerance far beyond the number of rows only cost time and memory; a number that was asked for is made. */
    size_t useful = 4 * rows > FEW_COLUMNS ? 4 * rows : FEW_COLUMNS;
    size_t most = rows && !spec->features && useful < LF_MAX_COLUMNS ? useful : LF_MAX_COLUMNS;
    char of[64] = "";
    lf_status status = lf_features_create(ctx, model, *spec, features);
    if (most < LF_MAX_COLUMNS) {
        snprintf(of, sizeof of, " for %zu rows", rows);
    }
    if (!status && all_columns(features) > most) {
        status =
            lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                    "%zu columns would be needed (at most %zu%s): a lengthscale is short for the span of the "
                    "inputs, or a stationary start decays slowly; raise the tolerance or fix the number of features",
                    all_columns(features), most, of);
    }
    return status ? status : lf_grid_spec_freeze(ctx, spec, &features->grids);
}
