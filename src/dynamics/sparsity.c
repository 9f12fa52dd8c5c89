/* Matrix products that skip structural zeros. Rows are processed in lanes of 8 doubles, which compilers keep in vector
 * registers. The overhead of one BLAS call is as large as a whole product of this size. */
#include "dynamics/sparsity.h"

#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/widest.h"

enum { MOST_LANES = 4 }; /* summed at the same time */

/* A function that is not inlined would not be compiled for the widest instructions. */
#define INLINE __attribute__((always_inline))

typedef double vector __attribute__((vector_size(LF_LANE * sizeof(double)), aligned(sizeof(double)), may_alias));

typedef double quad __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double)), may_alias));

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define SHUFFLE(X, Y, A, B, C, D) __builtin_shufflevector(X, Y, A, B, C, D)
#endif
#endif
#ifndef SHUFFLE
typedef long quad_index __attribute__((vector_size(4 * sizeof(long))));
#define SHUFFLE(X, Y, A, B, C, D) __builtin_shuffle(X, Y, (quad_index){A, B, C, D})
#endif

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

/* c (lanes) = d + the sum of rows of B, each weighted by a[row * step]. The sums of the lanes do not wait for each other. d NULL: 0. */
INLINE static inline void combine_rows(size_t lanes, int count, const int *rows, const double *a, size_t step,
                                       size_t stride, const double *B, const double *d, double *c)
{
    vector sum[MOST_LANES] = {{0}};
    for (size_t l = 0; d && l < lanes; l++) {
        sum[l] = ((const vector *)d)[l];
    }
    for (int e = 0; e < count; e++) {
        double weight = a[(size_t)rows[e] * step];
        const vector *b = (const vector *)(B + (size_t)rows[e] * stride);
        for (size_t l = 0; l < lanes; l++) {
            sum[l] += weight * b[l];
        }
    }
    for (size_t l = 0; l < lanes; l++) {
        ((vector *)c)[l] = sum[l];
    }
}

/* The left factor of a product: row i has the entries rows[start[i]] … rows[start[i + 1] - 1], with values A[i * across + row * along]. */
typedef struct left_factor {
    const int *start, *rows;
    const double *A;
    size_t across, along;
} left_factor;

/* C = D + the product, whose rows are sums of the rows of B that the left factor names. Columns of B are taken some lanes at a time, so that they
 * stay in the cache. With `lower`, lanes right of the diagonal are left out. D NULL: 0. */
INLINE static inline void combine(const lf_sparsity *sparsity, left_factor f, const double *B, int lower,
                                  const double *D, double *C)
{
    size_t s = (size_t)sparsity->stride, n = (size_t)sparsity->n, all = s / LF_LANE;
    size_t groups = (all + MOST_LANES - 1) / MOST_LANES, width = groups ? (all + groups - 1) / groups : 0;
    for (size_t first = 0; first < all; first += width) {
        size_t from = first * LF_LANE, lanes = all - first < width ? all - first : width;
        for (size_t i = lower ? from : 0; i < n; i++) {
            int count = f.start[i + 1] - f.start[i];
            const int *rows = f.rows + f.start[i];
            const double *a = f.A + i * f.across, *b = B + from, *d = D ? D + i * s + from : NULL;
            double *c = C + i * s + from;
            size_t needed = lower && i / LF_LANE - first < lanes ? i / LF_LANE - first + 1 : lanes;
            switch (needed) {
            case 1:
                combine_rows(1, count, rows, a, f.along, s, b, d, c);
                break;
            case 2:
                combine_rows(2, count, rows, a, f.along, s, b, d, c);
                break;
            case 3:
                combine_rows(3, count, rows, a, f.along, s, b, d, c);
                break;
            default:
                combine_rows(MOST_LANES, count, rows, a, f.along, s, b, d, c);
            }
        }
    }
}

INLINE static inline void multiply(const lf_sparsity *sparsity, const double *A, const double *B, int lower,
                                   const double *D, double *C)
{
    left_factor rows = {sparsity->row_start, sparsity->columns, A, (size_t)sparsity->stride, 1};
    combine(sparsity, rows, B, lower, D, C);
}

WIDEST static void multiply_full(const lf_sparsity *sparsity, const double *A, const double *B, double *C)
{
    multiply(sparsity, A, B, 0, NULL, C);
}

void lf_sparse_multiply(const lf_sparsity *sparsity, const double *A, const double *B, double *C)
{
    multiply_full(sparsity, A, B, C);
}

INLINE static inline void multiply_transposed(const lf_sparsity *sparsity, const double *A, const double *B, int lower,
                                              double *C)
{
    left_factor columns = {sparsity->column_start, sparsity->rows, A, 1, (size_t)sparsity->stride};
    combine(sparsity, columns, B, lower, NULL, C);
}

WIDEST static void multiply_transposed_full(const lf_sparsity *sparsity, const double *A, const double *B, double *C)
{
    multiply_transposed(sparsity, A, B, 0, C);
}

void lf_sparse_multiply_transposed(const lf_sparsity *sparsity, const double *A, const double *B, double *C)
{
    multiply_transposed_full(sparsity, A, B, C);
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

/* By its address: how a vector is passed depends on the instructions that the caller is compiled for. */
static inline double sum_lane(const vector *lane)
{
    const double *sum = (const double *)lane;
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

/* sum (4) = factor times the sums of four lanes. */
INLINE static inline void sum_lanes(double factor, const vector *lane, double *sum)
{
    const quad *x = (const quad *)lane;
    quad x0 = x[0] + x[1], x1 = x[2] + x[3], x2 = x[4] + x[5], x3 = x[6] + x[7];
    quad pairs01 = SHUFFLE(x0, x1, 0, 4, 2, 6) + SHUFFLE(x0, x1, 1, 5, 3, 7);
    quad pairs23 = SHUFFLE(x2, x3, 0, 4, 2, 6) + SHUFFLE(x2, x3, 1, 5, 3, 7);
    *(quad *)sum = factor * (SHUFFLE(pairs01, pairs23, 0, 1, 4, 5) + SHUFFLE(pairs01, pairs23, 2, 3, 6, 7));
}

INLINE static inline void add_products(const lf_sparsity *sparsity, double factor, const double *X, const double *Y,
                                       double *G)
{
    size_t s = (size_t)sparsity->stride, lanes = s / LF_LANE;
    for (size_t i = 0; i < (size_t)sparsity->n; i++) {
        const vector *x = (const vector *)(X + i * s);
        double *g = G + i * s;
        int e = sparsity->row_start[i], end = sparsity->row_start[i + 1];
        for (; e + 4 <= end; e += 4) { /* four sums that do not wait for each other */
            const int *columns = sparsity->columns + e;
            const vector *y0 = (const vector *)(Y + (size_t)columns[0] * s),
                         *y1 = (const vector *)(Y + (size_t)columns[1] * s),
                         *y2 = (const vector *)(Y + (size_t)columns[2] * s),
                         *y3 = (const vector *)(Y + (size_t)columns[3] * s);
            vector sum[4] = {{0}};
            for (size_t l = 0; l < lanes; l++) {
                sum[0] += x[l] * y0[l];
                sum[1] += x[l] * y1[l];
                sum[2] += x[l] * y2[l];
                sum[3] += x[l] * y3[l];
            }
            double total[4];
            sum_lanes(factor, sum, total);
            for (size_t k = 0; k < 4; k++) {
                g[columns[k]] += total[k];
            }
        }
        for (; e < end; e++) {
            const vector *y = (const vector *)(Y + (size_t)sparsity->columns[e] * s);
            vector sum = {0};
            for (size_t l = 0; l < lanes; l++) {
                sum += x[l] * y[l];
            }
            g[sparsity->columns[e]] += factor * sum_lane(&sum);
        }
    }
}

WIDEST static void add_all_products(const lf_sparsity *sparsity, double factor, const double *X, const double *Y,
                                    double *G)
{
    add_products(sparsity, factor, X, Y, G);
}

void lf_sparse_add_products(const lf_sparsity *sparsity, double factor, const double *X, const double *Y, double *G)
{
    add_all_products(sparsity, factor, X, Y, G);
}

/* Four rows of Y = four columns of X; X and Y are different places. */
INLINE static inline void transpose_quad(size_t stride, const double *X, double *Y)
{
    quad x0 = *(const quad *)X, x1 = *(const quad *)(X + stride), x2 = *(const quad *)(X + 2 * stride),
         x3 = *(const quad *)(X + 3 * stride);
    quad even01 = SHUFFLE(x0, x1, 0, 4, 2, 6), odd01 = SHUFFLE(x0, x1, 1, 5, 3, 7);
    quad even23 = SHUFFLE(x2, x3, 0, 4, 2, 6), odd23 = SHUFFLE(x2, x3, 1, 5, 3, 7);
    *(quad *)Y = SHUFFLE(even01, even23, 0, 1, 4, 5);
    *(quad *)(Y + stride) = SHUFFLE(odd01, odd23, 0, 1, 4, 5);
    *(quad *)(Y + 2 * stride) = SHUFFLE(even01, even23, 2, 3, 6, 7);
    *(quad *)(Y + 3 * stride) = SHUFFLE(odd01, odd23, 2, 3, 6, 7);
}

INLINE static inline void transpose(size_t n, size_t s, const double *X, double *Y)
{
    size_t whole = n / 4 * 4; /* the rest does not fill four rows */
    for (size_t i = 0; i < whole; i += 4) {
        for (size_t j = 0; j < whole; j += 4) {
            transpose_quad(s, X + j * s + i, Y + i * s + j);
        }
    }
    for (size_t i = whole; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            Y[i * s + j] = X[j * s + i];
            Y[j * s + i] = X[i * s + j];
        }
    }
}

WIDEST static void transpose_all(size_t n, size_t s, const double *X, double *Y) { transpose(n, s, X, Y); }

void lf_transpose(int n, int stride, const double *X, double *Y) { transpose_all((size_t)n, (size_t)stride, X, Y); }

/* By squares of a lane, so that a column stays in the cache until its square is done. */
void lf_symmetrise(int n, int stride, double *X)
{
    size_t s = (size_t)stride, side = (size_t)n;
    for (size_t row = 0; row < side; row += LF_LANE) {
        for (size_t column = 0; column <= row; column += LF_LANE) {
            for (size_t i = row; i < row + LF_LANE && i < side; i++) {
                for (size_t j = column; j < column + LF_LANE && j < i; j++) {
                    X[i * s + j] = X[j * s + i] = 0.5 * (X[i * s + j] + X[j * s + i]);
                }
            }
        }
    }
}

INLINE static inline void copy_lower(size_t n, size_t s, double *X)
{
    size_t whole = n / 4 * 4;
    for (size_t i = 0; i < whole; i += 4) {
        for (size_t j = 0; j < i; j += 4) {
            transpose_quad(s, X + i * s + j, X + j * s + i);
        }
        for (size_t j = i; j < i + 4; j++) {
            for (size_t k = i; k < j; k++) {
                X[k * s + j] = X[j * s + k];
            }
        }
    }
    for (size_t i = whole; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            X[j * s + i] = X[i * s + j];
        }
    }
}

WIDEST static void copy_all(size_t n, size_t s, double *X) { copy_lower(n, s, X); }

void lf_copy_lower(int n, int stride, double *X) { copy_all((size_t)n, (size_t)stride, X); }

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

/* The transposed of X with zeros in the padding. */
INLINE static inline void transpose_padded(size_t n, size_t s, const double *X, double *Y)
{
    transpose(n, s, X, Y);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = n; j < s; j++) {
            Y[i * s + j] = 0;
        }
    }
}

WIDEST static void sandwich(const lf_sparsity *sparsity, const double *A, const double *P, const double *D,
                            double *scratch, double *C)
{
    size_t n = (size_t)sparsity->n, s = (size_t)sparsity->stride;
    double *product = scratch, *transposed = scratch + n * s;
    multiply(sparsity, A, P, 0, NULL, product);
    transpose_padded(n, s, product, transposed); /* P A' */
    multiply(sparsity, A, transposed, 1, D, C);
    copy_lower(n, s, C);
}

void lf_sparse_sandwich(const lf_sparsity *sparsity, const double *A, const double *P, const double *D, double *scratch,
                        double *C)
{
    sandwich(sparsity, A, P, D, scratch, C);
}

WIDEST static void sandwich_backward(const lf_sparsity *sparsity, const double *A, const double *P, const double *by_C,
                                     double *scratch, double *by_P, double *by_A)
{
    size_t n = (size_t)sparsity->n, s = (size_t)sparsity->stride;
    double *product = scratch, *transposed = scratch + n * s;
    multiply_transposed(sparsity, A, by_C, 0, product);
    transpose_padded(n, s, product, transposed); /* by_C A */
    if (by_A) {
        add_products(sparsity, 2, transposed, P, by_A);
    }
    multiply_transposed(sparsity, A, transposed, 1, by_P);
    copy_lower(n, s, by_P);
}

void lf_sparse_sandwich_backward(const lf_sparsity *sparsity, const double *A, const double *P, const double *by_C,
                                 double *scratch, double *by_P, double *by_A)
{
    sandwich_backward(sparsity, A, P, by_C, scratch, by_P, by_A);
}
