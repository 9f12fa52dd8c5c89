/* Matrix products that skip structural zeros. Rows are processed in lanes of 8 doubles, which compilers keep in vector
 * registers. The overhead of one BLAS call is as large as a whole product of this size. */
#include "dynamics/sparsity.h"

#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/widest.h"

size_t lf_sparsity_size(const lf_sparsity *sparsity) { return (size_t)sparsity->n * (size_t)sparsity->stride; }

/* Compressed index lists of the rows (column_step 1, row_step n) or columns (column_step n, row_step 1) of the pattern;
 * 0: no memory. */
static int compress(int n, const char *depends, size_t column_step, size_t row_step, int **start, int **entries)
{
    size_t entry_count = 0;
    int count = 0;
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++) {
        entry_count += depends[i] != 0;
    }
    *start = calloc((size_t)n + 1, sizeof **start);
    *entries = calloc(entry_count + 1, sizeof **entries);
    if (!*start || !*entries) {
        return 0;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            if (depends[(size_t)i * row_step + (size_t)j * column_step]) {
                (*entries)[count++] = j;
            }
        }
        (*start)[i + 1] = count;
    }
    return 1;
}

lf_status lf_sparsity_create(lf_context *ctx, int n, const char *depends, lf_sparsity *sparsity)
{
    size_t side = (size_t)n;
    *sparsity = (lf_sparsity){.n = n, .stride = (n + LF_LANE - 1) / LF_LANE * LF_LANE};
    int done = compress(n, depends, 1, side, &sparsity->row_start, &sparsity->columns);
    done = done && compress(n, depends, side, 1, &sparsity->column_start, &sparsity->rows);
    return done ? LF_OK : lf_no_memory(ctx);
}

void lf_sparsity_clear(lf_sparsity *sparsity)
{
    free(sparsity->row_start);
    free(sparsity->columns);
    free(sparsity->column_start);
    free(sparsity->rows);
    *sparsity = (lf_sparsity){0};
}

WIDEST static void multiply(const lf_sparsity *sparsity, const double *A, const double *B, double *C)
{
    int s = sparsity->stride;
    for (int i = 0; i < sparsity->n; i++) {
        const double *a = A + (size_t)i * (size_t)s;
        for (int lane = 0; lane < s; lane += LF_LANE) {
            double sum[LF_LANE] = {0};
            for (int e = sparsity->row_start[i]; e < sparsity->row_start[i + 1]; e++) {
                int k = sparsity->columns[e];
                const double *b = B + (size_t)k * (size_t)s + lane;
                for (int j = 0; j < LF_LANE; j++) {
                    sum[j] += a[k] * b[j];
                }
            }
            memcpy(C + (size_t)i * (size_t)s + lane, sum, sizeof sum);
        }
    }
}

void lf_sparse_multiply(const lf_sparsity *sparsity, const double *A, const double *B, double *C)
{
    multiply(sparsity, A, B, C);
}

WIDEST static void multiply_transposed(const lf_sparsity *sparsity, const double *A, const double *B, double *C)
{
    int s = sparsity->stride;
    for (int i = 0; i < sparsity->n; i++) {
        for (int lane = 0; lane < s; lane += LF_LANE) {
            double sum[LF_LANE] = {0};
            for (int e = sparsity->column_start[i]; e < sparsity->column_start[i + 1]; e++) {
                size_t k = (size_t)sparsity->rows[e] * (size_t)s;
                const double *b = B + k + lane;
                for (int j = 0; j < LF_LANE; j++) {
                    sum[j] += A[k + (size_t)i] * b[j];
                }
            }
            memcpy(C + (size_t)i * (size_t)s + lane, sum, sizeof sum);
        }
    }
}

void lf_sparse_multiply_transposed(const lf_sparsity *sparsity, const double *A, const double *B, double *C)
{
    multiply_transposed(sparsity, A, B, C);
}

void lf_sparse_multiply_vector(const lf_sparsity *sparsity, const double *A, const double *x, double *y)
{
    for (int i = 0; i < sparsity->n; i++) {
        const double *a = A + (size_t)i * (size_t)sparsity->stride;
        double sum = 0;
        for (int e = sparsity->row_start[i]; e < sparsity->row_start[i + 1]; e++) {
            sum += a[sparsity->columns[e]] * x[sparsity->columns[e]];
        }
        y[i] = sum;
    }
}

void lf_sparse_multiply_transposed_vector(const lf_sparsity *sparsity, const double *A, const double *x, double *y)
{
    for (int i = 0; i < sparsity->n; i++) {
        double sum = 0;
        for (int e = sparsity->column_start[i]; e < sparsity->column_start[i + 1]; e++) {
            sum += A[(size_t)sparsity->rows[e] * (size_t)sparsity->stride + (size_t)i] * x[sparsity->rows[e]];
        }
        y[i] = sum;
    }
}

WIDEST static void add_products(const lf_sparsity *sparsity, double factor, const double *X, const double *Y, double *G)
{
    int s = sparsity->stride;
    for (int i = 0; i < sparsity->n; i++) {
        const double *x = X + (size_t)i * (size_t)s;
        double *g = G + (size_t)i * (size_t)s;
        for (int e = sparsity->row_start[i]; e < sparsity->row_start[i + 1]; e++) {
            const double *y = Y + (size_t)sparsity->columns[e] * (size_t)s;
            double sum[LF_LANE] = {0};
            for (int lane = 0; lane < s; lane += LF_LANE) {
                for (int j = 0; j < LF_LANE; j++) {
                    sum[j] += x[lane + j] * y[lane + j];
                }
            }
            g[sparsity->columns[e]] +=
                factor * (((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7])));
        }
    }
}

void lf_sparse_add_products(const lf_sparsity *sparsity, double factor, const double *X, const double *Y, double *G)
{
    add_products(sparsity, factor, X, Y, G);
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

void lf_sparse_sandwich(const lf_sparsity *sparsity, const double *A, const double *P, double *scratch, double *C)
{
    double *product = scratch, *transposed = scratch + lf_sparsity_size(sparsity);
    lf_sparse_multiply(sparsity, A, P, product);
    memset(transposed, 0, lf_sparsity_size(sparsity) * sizeof *transposed);
    lf_transpose(sparsity->n, sparsity->stride, product, transposed); /* P A' */
    lf_sparse_multiply(sparsity, A, transposed, C);
    lf_symmetrise(sparsity->n, sparsity->stride, C);
}

void lf_sparse_sandwich_backward(const lf_sparsity *sparsity, const double *A, const double *P, const double *by_C,
                                 double *scratch, double *by_P, double *by_A)
{
    double *product = scratch, *transposed = scratch + lf_sparsity_size(sparsity);
    lf_sparse_multiply_transposed(sparsity, A, by_C, product);
    memset(transposed, 0, lf_sparsity_size(sparsity) * sizeof *transposed);
    lf_transpose(sparsity->n, sparsity->stride, product, transposed); /* by_C A */
    if (by_A) {
        lf_sparse_add_products(sparsity, 2, transposed, P, by_A);
    }
    lf_sparse_multiply_transposed(sparsity, A, transposed, by_P);
    lf_symmetrise(sparsity->n, sparsity->stride, by_P);
}
