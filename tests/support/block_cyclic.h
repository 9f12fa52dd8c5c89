/* Matrices that are spread over the processes of processes.h, plainly: every function collects the whole matrix, computes with LAPACK, and
 * keeps its own part of the result. */
#ifndef LF_TESTS_BLOCK_CYCLIC_H
#define LF_TESTS_BLOCK_CYCLIC_H

#include <cblas.h>
#include <lapacke.h>

#include "processes.h"

typedef struct process_grid {
    process *process;
    lf_block_cyclic matrices;
} process_grid;

/* keep: `part` is taken from `whole` (n, m), otherwise `whole` collects the parts. */
static int grid_exchange(const process_grid *grid, size_t n, size_t m, double *whole, double *part, int keep)
{
    const lf_block_cyclic *g = &grid->matrices;
    size_t b = (size_t)g->block, rows = (size_t)g->rows, columns = (size_t)g->columns, ld = 0;
    for (size_t k = 0; k < n; k++) {
        ld += k / b % rows == (size_t)g->row;
    }
    for (size_t j = 0; j < m; j++) {
        for (size_t i = 0; i < n; i++) {
            int here = i / b % rows == (size_t)g->row && j / b % columns == (size_t)g->column;
            size_t at = (j / b / columns * b + j % b) * ld + i / b / rows * b + i % b; /* where it is here */
            if (here && keep) {
                part[at] = whole[j * n + i];
            } else if (!keep) {
                whole[j * n + i] = here ? part[at] : 0;
            }
        }
    }
    return keep ? 0 : process_sum(grid->process, n * m, whole);
}

static int grid_cholesky(void *user, size_t n, double *A, size_t *minor)
{
    double *whole = malloc(n * n * sizeof *whole);
    int failed = grid_exchange(user, n, n, whole, A, 0);
    int info = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (int)n, whole, (int)n);
    *minor = info > 0 ? (size_t)info : 0;
    grid_exchange(user, n, n, whole, A, 1);
    free(whole);
    return failed || info < 0;
}

static int grid_inverse(void *user, size_t n, double *L)
{
    double *whole = malloc(n * n * sizeof *whole);
    int failed = grid_exchange(user, n, n, whole, L, 0);
    int info = LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', (int)n, whole, (int)n);
    grid_exchange(user, n, n, whole, L, 1);
    free(whole);
    return failed || info;
}

static int grid_solve(void *user, size_t n, const double *L, int transposed, size_t m, double *B)
{
    double *whole = malloc(n * n * sizeof *whole), *right = malloc(n * m * sizeof *right);
    int failed = grid_exchange(user, n, n, whole, (double *)L, 0) || grid_exchange(user, n, m, right, B, 0);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, transposed ? CblasTrans : CblasNoTrans, CblasNonUnit, (int)n,
                (int)m, 1, whole, (int)n, right, (int)n);
    grid_exchange(user, n, m, right, B, 1);
    free(whole);
    free(right);
    return failed;
}

/* The context of a process spreads its matrices over a grid of rows x columns, which lives as long. */
static UNUSED lf_status spread_matrices(lf_context *ctx, lf_processes processes, int rows, int columns, int block,
                                        process_grid *grid)
{
    *grid = (process_grid){.process = processes.user,
                           .matrices = {.size = sizeof grid->matrices,
                                        .rows = rows,
                                        .columns = columns,
                                        .row = processes.rank / columns,
                                        .column = processes.rank % columns,
                                        .block = block,
                                        .user = grid,
                                        .cholesky = grid_cholesky,
                                        .inverse = grid_inverse,
                                        .solve = grid_solve}};
    processes.matrices = &grid->matrices;
    return lf_context_set_processes(ctx, &processes);
}

#endif
