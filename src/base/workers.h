/* Fits side by side, each in a context of its own. */
#ifndef LF_BASE_WORKERS_H
#define LF_BASE_WORKERS_H

#include "base/monitor.h"

/* worker: it has the seed and the memory limit of the caller's context, one thread and no log. */
typedef void (*lf_worker_task)(void *user, lf_context *worker, size_t i);

/* Runs the tasks first … end - 1, each of which takes so many bytes, on as many threads as the context has and its memory suffices for. The
 * first task runs on the calling thread, the home of the monitor. LF_ERROR_MEMORY: there was none for a context, and its task has not run. */
lf_status lf_workers_run(lf_context *ctx, lf_monitor *monitor, double bytes, size_t first, size_t end,
                         lf_worker_task task, void *user);

#endif
