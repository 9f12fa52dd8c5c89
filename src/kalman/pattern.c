/* Products that skip the structural zeros. Rows are worked on in lanes of 8 numbers, which compilers keep in vector
 * registers; a call of BLAS costs as much as a whole product of this size. */
#include "kalman/pattern.h"

#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/widest.h"

size_t lf_pattern_size(const lf_pattern *pattern) { return (size_t)pattern->n * (size_t)pattern->stride; }

/* The lists of one direction; `step` and `jump` walk `reads` along and across it. */
static int list(int n, const char *reads, size_t step, size_t jump, int **start, int **entries)
{
    size_t all = 0;
    int count = 0;
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++) {
        all += reads[i] != 0;
    }
    *start = calloc((size_t)n + 1, sizeof **start);
    *entries = calloc(all + 1, sizeof **entries);
    if (!*start || !*entries) {
        return 0;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            if (reads[(size_t)i * jump + (size_t)j * step]) {
                (*entries)[count++] = j;
            }
        }
        (*start)[i + 1] = count;
    }
    return 1;
}

lf_status lf_pattern_create(lf_context *ctx, int n, const char *reads, lf_pattern *pattern)
{
    size_t side = (size_t)n;
    *pattern = (lf_pattern){.n = n, .stride = (n + LF_LANE - 1) / LF_LANE * LF_LANE};
    int done = list(n, reads, 1, side, &pattern->row_start, &pattern->columns);
    done = done && list(n, reads, side, 1, &pattern->column_start, &pattern->rows);
    return done ? LF_OK : lf_no_memory(ctx);
}

void lf_pattern_clear(lf_pattern *pattern)
{
    free(pattern->row_start);
    free(pattern->columns);
    free(pattern->column_start);
    free(pattern->rows);
    *pattern = (lf_pattern){0};
}

WIDEST static void apply(const lf_pattern *pattern, const double *A, const double *B, double *C)
{
    int s = pattern->stride;
    for (int i = 0; i < pattern->n; i++) {
        const double *a = A + (size_t)i * (size_t)s;
        for (int lane = 0; lane < s; lane += LF_LANE) {
            double sum[LF_LANE] = {0};
            for (int e = pattern->row_start[i]; e < pattern->row_start[i + 1]; e++) {
                int k = pattern->columns[e];
                const double *b = B + (size_t)k * (size_t)s + lane;
                for (int j = 0; j < LF_LANE; j++) {
                    sum[j] += a[k] * b[j];
                }
            }
            memcpy(C + (size_t)i * (size_t)s + lane, sum, sizeof sum);
        }
    }
}

void lf_pattern_apply(const lf_pattern *pattern, const double *A, const double *B, double *C)
{
    apply(pattern, A, B, C);
}

WIDEST static void apply_transposed(const lf_pattern *pattern, const double *A, const double *B, double *C)
{
    int s = pattern->stride;
    for (int i = 0; i < pattern->n; i++) {
        for (int lane = 0; lane < s; lane += LF_LANE) {
            double sum[LF_LANE] = {0};
            for (int e = pattern->column_start[i]; e < pattern->column_start[i + 1]; e++) {
                size_t k = (size_t)pattern->rows[e] * (size_t)s;
                const double *b = B + k + lane;
                for (int j = 0; j < LF_LANE; j++) {
                    sum[j] += A[k + (size_t)i] * b[j];
                }
            }
            memcpy(C + (size_t)i * (size_t)s + lane, sum, sizeof sum);
        }
    }
}

void lf_pattern_apply_transposed(const lf_pattern *pattern, const double *A, const double *B, double *C)
{
    apply_transposed(pattern, A, B, C);
}

void lf_pattern_apply_vector(const lf_pattern *pattern, const double *A, const double *x, double *y)
{
    for (int i = 0; i < pattern->n; i++) {
        const double *a = A + (size_t)i * (size_t)pattern->stride;
        double sum = 0;
        for (int e = pattern->row_start[i]; e < pattern->row_start[i + 1]; e++) {
            sum += a[pattern->columns[e]] * x[pattern->columns[e]];
        }
        y[i] = sum;
    }
}

void lf_pattern_apply_transposed_vector(const lf_pattern *pattern, const double *A, const double *x, double *y)
{
    for (int i = 0; i < pattern->n; i++) {
        double sum = 0;
        for (int e = pattern->column_start[i]; e < pattern->column_start[i + 1]; e++) {
            sum += A[(size_t)pattern->rows[e] * (size_t)pattern->stride + (size_t)i] * x[pattern->rows[e]];
        }
        y[i] = sum;
    }
}

WIDEST static void add_products(const lf_pattern *pattern, double factor, const double *X, const double *Y, double *G)
{
    int s = pattern->stride;
    for (int i = 0; i < pattern->n; i++) {
        const double *x = X + (size_t)i * (size_t)s;
        double *g = G + (size_t)i * (size_t)s;
        for (int e = pattern->row_start[i]; e < pattern->row_start[i + 1]; e++) {
            const double *y = Y + (size_t)pattern->columns[e] * (size_t)s;
            double sum[LF_LANE] = {0};
            for (int lane = 0; lane < s; lane += LF_LANE) {
                for (int j = 0; j < LF_LANE; j++) {
                    sum[j] += x[lane + j] * y[lane + j];
                }
            }
            g[pattern->columns[e]] +=
                factor * (((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7])));
        }
    }
}

void lf_pattern_add_products(const lf_pattern *pattern, double factor, const double *X, const double *Y, double *G)
{
    add_products(pattern, factor, X, Y, G);
}

void lf_transpose(int n, int stride, const double *X, double *Y)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            Y[(size_t)i * (size_t)stride + (size_t)j] = X[(size_t)j * (size_t)stride + (size_t)i];
        }
    }
}

void lf_symmetrise(int n, int stride, double *X)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            double *lower = X + (size_t)i * (size_t)stride + j, *upper = X + (size_t)j * (size_t)stride + i;
            *lower = *upper = 0.5 * (*lower + *upper);
        }
    }
}

WIDEST static double row_product(int stride, const double *x, const double *y)
{
    double sum[LF_LANE] = {0};
    for (int lane = 0; lane < stride; lane += LF_LANE) {
        for (int j = 0; j < LF_LANE; j++) {
            sum[j] += x[lane + j] * y[lane + j];
        }
    }
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

double lf_row_product(int stride, const double *x, const double *y) { return row_product(stride, x, y); }

void lf_pattern_sandwich(const lf_pattern *pattern, const double *A, const double *P, double *spare, double *C)
{
    double *half = spare, *turned = spare + lf_pattern_size(pattern);
    lf_pattern_apply(pattern, A, P, half);
    memset(turned, 0, lf_pattern_size(pattern) * sizeof *turned);
    lf_transpose(pattern->n, pattern->stride, half, turned); /* P A' */
    lf_pattern_apply(pattern, A, turned, C);
    lf_symmetrise(pattern->n, pattern->stride, C);
}

void lf_pattern_sandwich_backward(const lf_pattern *pattern, const double *A, const double *P, const double *by_C,
                                  double *spare, double *by_P, double *by_A)
{
    double *half = spare, *turned = spare + lf_pattern_size(pattern);
    lf_pattern_apply_transposed(pattern, A, by_C, half);
    memset(turned, 0, lf_pattern_size(pattern) * sizeof *turned);
    lf_transpose(pattern->n, pattern->stride, half, turned); /* by_C A */
    if (by_A) {
        lf_pattern_add_products(pattern, 2, turned, P, by_A);
    }
    lf_pattern_apply_transposed(pattern, A, turned, by_P);
    lf_symmetrise(pattern->n, pattern->stride, by_P);
}
