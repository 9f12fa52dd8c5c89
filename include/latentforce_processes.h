/** @file
 * The extension points of latentforce: several processes that compute together. liblatentforce_mpi uses them; programs need them only
 * with another means of communication. */
#ifndef LATENTFORCE_PROCESSES_H
#define LATENTFORCE_PROCESSES_H

#include "latentforce.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Matrices that are spread over the processes in blocks, as ScaLAPACK has them. The processes form a grid; element (i, j) is in the process
 * at row (i / block) % rows and column (j / block) % columns of it. What a process has of a matrix, its local part, is column-major, and its
 * leading dimension is its number of rows, or 1 where it has none. Every function is called by all processes and returns 0, or something
 * else where it failed. */
typedef struct lf_block_cyclic {
    size_t size; /**< sizeof(lf_block_cyclic) */
    int rows;    /**< of the grid */
    int columns; /**< of the grid; rows * columns is the number of processes */
    int row;     /**< of this process in the grid, from 0 */
    int column;  /**< of this process in the grid, from 0 */
    int block;   /**< rows and columns of a block */
    void *user;  /**< first argument of the functions */
    /** The lower triangle of A (n, n) becomes its Cholesky factor; the upper one is not used. *minor: 0, or the order of the first leading
     * minor that is not positive, the same on all. */
    int (*cholesky)(void *user, size_t n, double *A, size_t *minor);
    /** The lower triangle of L (n, n) becomes that of (L L')^-1. */
    int (*inverse)(void *user, size_t n, double *L);
    /** B (n, m), spread in the same way, becomes L^-1 B or, transposed, L'^-1 B. */
    int (*solve)(void *user, size_t n, const double *L, int transposed, size_t m, double *B);
} lf_block_cyclic;

/** Processes that hold the rows of a table together, each its share. A library such as liblatentforce_mpi fills it. All processes make the
 * same calls of the library in the same order; every function here is called by all of them and returns 0, or something else where it failed. */
typedef struct lf_processes {
    size_t size; /**< sizeof(lf_processes) */
    int rank;    /**< of this process, from 0 */
    int count;   /**< of processes */
    void *user;  /**< first argument of the functions */
    /** x (n) becomes its sum over all processes, the same bits on all. */
    int (*sum)(void *user, size_t n, double *x);
    /** The bytes of process `root` are copied to all. */
    int (*broadcast)(void *user, int root, size_t bytes, void *x);
    /** Releases `user` when the context is freed or gets other processes; NULL: there is nothing to release. */
    void (*release)(void *user);
    /** The matrices of exact models are spread over the processes; it must outlive the context. NULL: every process has them whole. */
    const lf_block_cyclic *matrices;
    int on_machine; /**< processes on the machine of this one: unless lf_context_set_memory() was called, each may take its part of the memory; 0: one */
} lf_processes;
/** The context belongs to one of several processes. NULL: it is the only one, as at first. After a failure it is the only one too, and
 * `user` has not been released. */
LF_API lf_status lf_context_set_processes(lf_context *ctx, const lf_processes *processes);
/** Sets what lf_context_message() returns, and returns the status: for libraries that extend this one. */
LF_API lf_status lf_context_fail(lf_context *ctx, lf_status status, const char *message);

/** Declares the rows that each process of the context has added to its table to be the shares of one table. Called by all processes. Names of
 * outputs and replicates become the same on all: those of process 0 come first. What inputs measure, and units, must have been set alike
 * on all. Functions that take a shared table work with the rows of all processes; lf_data_count() and the rows remain those of this one. */
LF_API lf_status lf_data_share(lf_context *ctx, lf_data *data);

#ifdef __cplusplus
}
#endif

#endif
