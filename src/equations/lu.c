/* LU factors with partial pivoting for the small matrices of highest derivatives. Rows and columns are compared as if their largest
 * entries were 1: equations may be in any units. Zeros are skipped, because most of these matrices are nearly diagonal. */
#include <float.h>
#include <math.h>

#include "equations/program.h"

/* The largest entries of columns, then of rows so scaled. */
static void find_scales(int n, const double *M, double *row, double *column)
{
    for (int j = 0; j < n; j++) {
        column[j] = 0;
        for (int i = 0; i < n; i++) {
            column[j] = fmax(column[j], fabs(M[i * n + j]));
        }
    }
    for (int i = 0; i < n; i++) {
        row[i] = 0;
        for (int j = 0; j < n; j++) {
            row[i] = M[i * n + j] != 0 ? fmax(row[i], fabs(M[i * n + j]) / column[j]) : row[i];
        }
    }
}

static void swap_rows(int columns, double *B, int i, int j)
{
    for (int c = 0; c < columns && i != j; c++) {
        double kept = B[i * columns + c];
        B[i * columns + c] = B[j * columns + c];
        B[j * columns + c] = kept;
    }
}

int lf_eq_lu_factor(int n, double *M, int *pivot, double *scale)
{
    double *row = scale, *column = scale + n;
    find_scales(n, M, row, column);
    for (int k = 0; k < n; k++) {
        double best = 0;
        pivot[k] = k;
        for (int i = k; i < n; i++) {
            double size = M[i * n + k] != 0 ? fabs(M[i * n + k]) / column[k] / row[i] : 0;
            if (size > best) {
                best = size;
                pivot[k] = i;
            }
        }
        if (!(best > 4 * n * DBL_EPSILON)) {
            return k;
        }
        swap_rows(n, M, k, pivot[k]);
        double kept = row[k];
        row[k] = row[pivot[k]];
        row[pivot[k]] = kept;
        for (int i = k + 1; i < n; i++) {
            double factor = M[i * n + k] / M[k * n + k];
            M[i * n + k] = factor;
            for (int j = k + 1; j < n && factor != 0; j++) {
                M[i * n + j] -= factor * M[k * n + j];
            }
        }
    }
    return n;
}

/* B[to] -= factor * B[from] */
static void subtract(int columns, double *B, int to, double factor, int from)
{
    for (int c = 0; c < columns && factor != 0; c++) {
        B[to * columns + c] -= factor * B[from * columns + c];
    }
}

static void divide(int columns, double *B, int row, double by)
{
    for (int c = 0; c < columns; c++) {
        B[row * columns + c] /= by;
    }
}

void lf_eq_lu_solve(int n, const double *LU, const int *pivot, int columns, double *B)
{
    for (int k = 0; k < n; k++) {
        swap_rows(columns, B, k, pivot[k]);
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            subtract(columns, B, i, LU[i * n + k], k);
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) {
            subtract(columns, B, i, LU[i * n + k], k);
        }
        divide(columns, B, i, LU[i * n + i]);
    }
}

void lf_eq_lu_solve_transposed(int n, const double *LU, const int *pivot, int columns, double *B)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            subtract(columns, B, i, LU[k * n + i], k);
        }
        divide(columns, B, i, LU[i * n + i]);
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) {
            subtract(columns, B, i, LU[k * n + i], k);
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        swap_rows(columns, B, k, pivot[k]);
    }
}
