/* Contexts of tasks that run side by side. */
#include "base/workers.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory_limit.h"
#include "base/parallel.h"

typedef struct workers {
    lf_worker_task task;
    void *user;
    size_t first;
    lf_context **context; /* one for each task: what one leaves in its context must not reach another */
} workers;

static void work(void *user, size_t i)
{
    workers *w = user;
    w->task(w->user, w->context[i], w->first + i);
}

/* As many as may each take so many bytes, at least one. */
static int count_threads(lf_context *ctx, double bytes)
{
    int threads = lf_threads(ctx);
    double most = lf_memory_limit(ctx) / fmax(bytes, 1);
    return most < 1 ? 1 : most < threads ? (int)most : threads;
}

lf_status lf_workers_run(lf_context *ctx, lf_monitor *monitor, double bytes, size_t first, size_t end,
                         lf_worker_task task, void *user)
{
    size_t count = end > first ? end - first : 0;
    workers w = {.task = task, .user = user, .first = first, .context = calloc(count + 1, sizeof(lf_context *))};
    lf_status status = w.context ? LF_OK : lf_no_memory(ctx);
    int threads = count_threads(ctx, bytes);
    for (size_t i = 0; !status && i < count; i++) {
        w.context[i] = lf_context_create();
        if (!w.context[i]) {
            status = lf_no_memory(ctx);
            break;
        }
        lf_context_set_seed(w.context[i], ctx->seed);
        w.context[i]->threads = 1;
        w.context[i]->memory = ctx->memory;
    }
    if (!status) {
        lf_parallel_tasks(monitor, threads, count, work, &w);
    }
    for (size_t i = 0; w.context && i < count; i++) {
        lf_context_free(w.context[i]);
    }
    free(w.context);
    return status;
}
