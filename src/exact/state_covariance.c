/* Values: the columns X_j of all points passed so far are read by each new point, K_ij = c_i'X_j. */
#include "exact/state_covariance.h"

#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "exact/state_march.h"

enum { KEEP = 256 }; /* transitions kept: evenly spaced times have a few distinct gaps */

typedef struct target_matrix {
    double *K;
    size_t ld;
    int slopes; /* derivatives by the times of the forces */
} target_matrix;

/* Where the covariance of two points (indices into march->points) belongs; NULL: nowhere. */
static double *entry(const lf_state_march *march, target_matrix matrix, size_t i, size_t j)
{
    size_t row = march->points.order[i], column = march->points.order[j];
    int i_in_a = i < march->side_a, j_in_a = j < march->side_a;
    if (!march->symmetric && i_in_a == j_in_a) {
        return NULL;
    }
    int straight = march->lower ? row > column : i_in_a;
    return matrix.K + (straight ? column * matrix.ld + row : row * matrix.ld + column);
}

/* Point i of the timeline reads the columns 0 … i. */
static void read_columns(const lf_state_march *march, target_matrix matrix, size_t i, const double *X, double *values)
{
    const lf_timeline *t = &march->timeline;
    const double *row = march->rows + i * (size_t)march->space.sparsity.stride;
    for (size_t j = 0; j <= i; j++) {
        values[j] = 0;
    }
    for (size_t k = 0; k < (size_t)march->space.n; k++) {
        for (size_t j = 0; row[k] != 0 && j <= i; j++) {
            values[j] += row[k] * X[k * march->n + j];
        }
    }
    int force = lf_target_is_force(march->space.model, t->target[i]);
    for (size_t j = 0; j <= i; j++) {
        int forces = force && lf_target_is_force(march->space.model, t->target[j]);
        double *K = forces && !march->whole ? NULL : entry(march, matrix, t->query[i], t->query[j]);
        if (K) {
            *K += values[j];
        }
    }
}

/* parts (n, stride) are added to P c; NULL: none. */
static void start_columns(const lf_state_march *march, size_t step, const double *parts, double *X)
{
    const lf_sparsity *sparsity = &march->space.sparsity;
    size_t s = (size_t)sparsity->stride;
    for (size_t j = march->timeline.first_query[step]; j < march->timeline.first_query[step + 1]; j++) {
        for (size_t k = 0; k < (size_t)sparsity->n; k++) {
            X[k * march->n + j] = lf_row_product(sparsity->stride, march->P + k * s, march->rows + j * s) +
                                  (parts ? parts[j * s + k] : 0);
        }
    }
}

/* Derivatives by the times of forces, d/dt Cov[x(s), u(t)]: of the later point c'F X, of the earlier one, from P' = F P + P F' + W,
 * X = (P F' + W) c. The rows of forces become F'c; their parts W c are returned, (n, stride), NULL: no memory. */
static double *rows_to_slopes(lf_state_march *march)
{
    size_t s = (size_t)march->space.sparsity.stride, n = (size_t)march->space.n;
    double *parts = lf_doubles(march->n, s);
    for (size_t j = 0; parts && j < march->n; j++) {
        double c[s], *row = march->rows + j * s;
        if (!lf_target_is_force(march->space.model, march->timeline.target[j])) {
            continue;
        }
        memcpy(c, row, sizeof c);
        for (size_t k = 0; k < n; k++) {
            row[k] = 0;
            for (size_t i = 0; i < n; i++) {
                row[k] += c[i] * march->space.F[i * s + k];
            }
            parts[j * s + k] = lf_row_product((int)s, march->space.W + k * s, c);
        }
    }
    return parts;
}

static lf_status add_block(lf_context *ctx, lf_state_march *march, void *user)
{
    const target_matrix *matrix = user;
    const lf_timeline *t = &march->timeline;
    double *X = lf_doubles((size_t)march->space.n, march->n), *values = lf_doubles(march->n, 1);
    double *parts = matrix->slopes ? rows_to_slopes(march) : NULL;
    lf_status status = X && values && (parts || !matrix->slopes) ? LF_OK : lf_no_memory(ctx);
    for (size_t k = 0; !status && k < t->step_count; k++) {
        const double *Q, *A = lf_state_march_transition(march, k, &Q);
        if (A) {
            lf_state_march_columns(&march->space.sparsity, A, 0, t->first_query[k], march->n, X);
            lf_state_march_advance(march, A, Q);
        }
        start_columns(march, k, parts, X);
        for (size_t i = t->first_query[k]; i < t->first_query[k + 1]; i++) {
            read_columns(march, *matrix, i, X, values);
        }
    }
    free(X);
    free(values);
    free(parts);
    return status;
}

lf_status lf_state_covariance_add(lf_context *ctx, const lf_model *model, const lf_point_set *A, const lf_point_set *B,
                                  double *K, size_t ld)
{
    return lf_state_blocks(ctx, model, A, B, KEEP, add_block, &(target_matrix){K, ld, 0});
}

lf_status lf_state_covariance_slopes(lf_context *ctx, const lf_model *model, const lf_point_set *A,
                                     const lf_point_set *U, double *slopes, size_t ld)
{
    return lf_state_blocks(ctx, model, A, U, KEEP, add_block, &(target_matrix){slopes, ld, 1});
}

static lf_status add_variances(lf_context *ctx, lf_state_march *march, void *user)
{
    double *k = user;
    const lf_timeline *t = &march->timeline;
    int n = march->space.n, stride = march->space.sparsity.stride;
    (void)ctx;
    for (size_t step = 0; step < t->step_count; step++) {
        const double *Q, *A = lf_state_march_transition(march, step, &Q);
        if (A) {
            lf_state_march_advance(march, A, Q);
        }
        for (size_t j = t->first_query[step]; j < t->first_query[step + 1]; j++) {
            const double *row = march->rows + j * (size_t)stride;
            double *sum = &k[march->points.order[t->query[j]]];
            for (int i = 0; i < n && (march->whole || !lf_target_is_force(march->space.model, t->target[j])); i++) {
                *sum += row[i] * lf_row_product(stride, march->P + (size_t)i * (size_t)stride, row);
            }
        }
    }
    return LF_OK;
}

lf_status lf_state_covariance_diagonal(lf_context *ctx, const lf_model *model, const lf_point_set *A, double *k)
{
    return lf_state_blocks(ctx, model, A, NULL, KEEP, add_variances, k);
}
