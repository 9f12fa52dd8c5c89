/* Several processes that make the same calls in the same order, each with its share of the rows. Functions here are called by all of
 * them, from one thread; with one process they do nothing. They are called for tables that the processes share, not for tables that each of
 * them has whole: what is done with those needs no other process, and may run in several threads. The exception are matrices
 * that are spread over the processes (block_cyclic.h), which are made of whole tables: a context that runs beside others has no processes.
 *
 * A failure of one process is that of all: what may fail on one of them alone ends with lf_agree, or with a sum, which agrees first. A
 * process that has failed may leave out sums that come before: the others fail there. What all know to have failed is not told
 * again, so that a function may end with lf_agree whether its parts did or not. */
#ifndef LF_BASE_PROCESSES_H
#define LF_BASE_PROCESSES_H

#include "latentforce.h"

/* How the rows of a table are shared: not, every process has all of them; any rows anywhere; all rows of an output, or of a replicate, on
 * one process. */
typedef enum lf_distribution { LF_WHOLE, LF_BY_ROWS, LF_BY_OUTPUTS, LF_BY_REPLICATES } lf_distribution;

/* The context is left without other processes. */
void lf_release_processes(lf_context *ctx);
/* Another context gets the processes of one that outlives it. */
void lf_lend_processes(const lf_context *ctx, lf_context *other);
int lf_process_count(const lf_context *ctx);
/* From 0. */
int lf_process_rank(const lf_context *ctx);

/* The status of the first process that failed, with its message, on all. */
lf_status lf_agree(lf_context *ctx, lf_status status);
/* A failure in a context that was lent the processes becomes one of `ctx`: its message, and whether all processes know of it. Returns status. */
lf_status lf_take_failure(lf_context *ctx, const lf_context *from, lf_status status);
/* lf_agree, and then x (n) becomes its sum over the processes, the same bits on all. */
lf_status lf_sum(lf_context *ctx, lf_status status, size_t n, double *x);
/* lf_agree, and then x (n) becomes the largest over the processes. */
lf_status lf_largest(lf_context *ctx, lf_status status, size_t n, double *x);
/* The bytes of one process are copied to all. */
lf_status lf_broadcast(lf_context *ctx, int root, size_t bytes, void *x);
/* all (count, bytes): the bytes of each process, in the order of their ranks. */
lf_status lf_gather(lf_context *ctx, size_t bytes, const void *mine, void *all);

#endif
