/* lf_block_cyclic by ScaLAPACK. Its numbers are of type int, also those of the elements of a local part; the library checks this. */
#include "block_cyclic.h"

#include <limits.h>
#include <stdlib.h>

/* ScaLAPACK has no header. */
extern int Csys2blacs_handle(MPI_Comm comm);
extern void Cfree_blacs_system_handle(int handle);
extern void Cblacs_gridinit(int *grid, const char *order, int rows, int columns);
extern void Cblacs_gridinfo(int grid, int *rows, int *columns, int *row, int *column);
extern void Cblacs_gridexit(int grid);
extern void Cblacs_set(int grid, int what, const int *value);
extern void descinit_(int *d, const int *m, const int *n, const int *mb, const int *nb, const int *row,
                      const int *column, const int *grid, const int *ld, int *info);
extern void pdpotrf_(const char *uplo, const int *n, double *A, const int *i, const int *j, const int *d, int *info);
extern void pdpotri_(const char *uplo, const int *n, double *A, const int *i, const int *j, const int *d, int *info);
extern void pdtrsm_(const char *side, const char *uplo, const char *transpose, const char *diagonal, const int *m,
                    const int *n, const double *alpha, const double *A, const int *ia, const int *ja, const int *da,
                    double *B, const int *ib, const int *jb, const int *db);

enum { BLOCK = 64, DESCRIPTION = 9 };

typedef struct scalapack {
    lf_block_cyclic matrices; /* first: it is what the library has */
    int system, grid;         /* handles of BLACS */
} scalapack;

static const int one = 1, zero = 0;

/* Describes an (n, m) matrix. Returns 0, or something else where it has too many rows or columns. */
static int describe(const scalapack *s, size_t n, size_t m, int *d)
{
    const lf_block_cyclic *g = &s->matrices;
    int rows = (int)n, columns = (int)m, block = BLOCK, info = 0;
    if (n > INT_MAX || m > INT_MAX) {
        return 1;
    }
    int blocks = rows / BLOCK, left = rows % BLOCK, extra = blocks % g->rows;
    int ld = (blocks / g->rows + (g->row < extra)) * BLOCK + (g->row == extra ? left : 0);
    ld = ld > 1 ? ld : 1;
    descinit_(d, &rows, &columns, &block, &block, &zero, &zero, &s->grid, &ld, &info);
    return info;
}

static int cholesky(void *user, size_t n, double *A, size_t *minor)
{
    int d[DESCRIPTION], order = (int)n, info = describe(user, n, n, d);
    if (!info) {
        pdpotrf_("L", &order, A, &one, &one, d, &info);
    }
    *minor = info > 0 ? (size_t)info : 0;
    return info < 0;
}

static int inverse(void *user, size_t n, double *L)
{
    int d[DESCRIPTION], order = (int)n, info = describe(user, n, n, d);
    if (!info) {
        pdpotri_("L", &order, L, &one, &one, d, &info);
    }
    return info;
}

static int solve(void *user, size_t n, const double *L, int transposed, size_t m, double *B)
{
    int d[DESCRIPTION], of_B[DESCRIPTION], rows = (int)n, columns = (int)m;
    int failed = describe(user, n, n, d) || describe(user, n, m, of_B);
    double factor = 1;
    if (!failed) {
        pdtrsm_("L", "L", transposed ? "T" : "N", "N", &rows, &columns, &factor, L, &one, &one, d, B, &one, &one, of_B);
    }
    return failed;
}

/* The most nearly square grid of all processes, with no more rows than columns. */
static void shape_grid(int count, int *rows, int *columns)
{
    *rows = 1;
    for (int r = 2; r <= count / r; r++) {
        *rows = count % r == 0 ? r : *rows;
    }
    *columns = count / *rows;
}

/* Sums of BLACS are made in the same order every time, and have the same bits on all processes. */
static void make_repeatable(int grid)
{
    enum { REPEATABLE = 15, COHERENT = 16 };
    Cblacs_set(grid, REPEATABLE, &one);
    Cblacs_set(grid, COHERENT, &one);
}

lf_block_cyclic *mpi_block_cyclic_create(MPI_Comm comm)
{
    int count = 1, lacks, any_lacks = 1;
    if (MPI_Comm_size(comm, &count) || count == 1) {
        return NULL;
    }
    scalapack *s = calloc(1, sizeof *s);
    lacks = !s;
    if (MPI_Allreduce(&lacks, &any_lacks, 1, MPI_INT, MPI_MAX, comm) || any_lacks || !s) {
        free(s);
        return NULL;
    }
    lf_block_cyclic *g = &s->matrices;
    *g = (lf_block_cyclic){
        .size = sizeof *g, .block = BLOCK, .user = s, .cholesky = cholesky, .inverse = inverse, .solve = solve};
    shape_grid(count, &g->rows, &g->columns);
    s->grid = s->system = Csys2blacs_handle(comm);
    Cblacs_gridinit(&s->grid, "Row", g->rows, g->columns);
    Cblacs_gridinfo(s->grid, &g->rows, &g->columns, &g->row, &g->column);
    make_repeatable(s->grid);
    return g;
}

void mpi_block_cyclic_free(lf_block_cyclic *matrices)
{
    scalapack *s = (scalapack *)matrices;
    int finalized = 1;
    MPI_Finalized(&finalized);
    if (s && !finalized) {
        Cblacs_gridexit(s->grid);
        Cfree_blacs_system_handle(s->system);
    }
    free(s);
}
