/* How many threads loops and BLAS use, and tasks that run side by side.
 *
 * OpenMP loops and an OpenMP BLAS use as many threads as the calling thread has set. A public function that computes sets them
 * for its own duration: `int before = lf_threads_begin(n); … lf_threads_end(before);`. Loops and BLAS split among several
 * threads round differently, so what must not depend on their number runs with n = 1. */
#ifndef LF_BASE_PARALLEL_H
#define LF_BASE_PARALLEL_H

#include "base/monitor.h"

/* The threads of a context. */
int lf_threads(const lf_context *ctx);
/* The threads worth starting for an amount of work: one where starting and joining more would cost more than it saves. */
int lf_threads_for(const lf_context *ctx, double operations);

/* Sets the threads of the calling thread; what it returns lets lf_threads_end restore its settings of OpenMP. */
int lf_threads_begin(int threads);
void lf_threads_end(int before);

/* Calls work(user, i) for i < count on up to `threads` threads, the calling one included, which takes the first task; loops and
 * BLAS inside a task run on one thread. The calling thread is the home of the monitor, whose callback it calls for tasks on other threads. */
void lf_parallel_tasks(lf_monitor *monitor, int threads, size_t count, void (*work)(void *user, size_t i), void *user);

/* The failure of a parallel loop: that of the lowest index, so that the message does not depend on the threads. Iterations
 * have contexts of their own. */
typedef struct lf_loop_failure lf_loop_failure;

lf_loop_failure *lf_loop_begin(lf_context *ctx);
void lf_loop_fail(lf_loop_failure *loop, size_t index, lf_status status, const char *message);
/* The status of the loop, with its message in the context; frees it. */
lf_status lf_loop_end(lf_context *ctx, lf_loop_failure *loop);

#endif
