/* Threads and tasks. Tasks run on POSIX threads: these end with the work, while idle threads of an OpenMP team spin. */
#include "base/parallel.h"

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/context.h"

/* Operations that take a few hundredths of a second on one core. */
#define LITTLE_WORK 2e8

int lf_threads(const lf_context *ctx) { return ctx->threads ? ctx->threads : omp_get_num_procs(); }

int lf_threads_for(const lf_context *ctx, double operations) { return operations < LITTLE_WORK ? 1 : lf_threads(ctx); }

/* With a dynamic number of threads an OpenMP BLAS can wait for threads that OpenMP does not start. */
int lf_threads_begin(int threads)
{
    int before = 2 * omp_get_max_threads() + (omp_get_dynamic() != 0);
    omp_set_dynamic(0);
    omp_set_num_threads(threads);
    return before;
}

void lf_threads_end(int before)
{
    omp_set_num_threads(before / 2);
    omp_set_dynamic(before % 2);
}

/* ---- tasks ---- */

typedef struct task_list {
    pthread_mutex_t lock;
    size_t next, count;
    void (*work)(void *user, size_t i);
    void *user;
    lf_monitor *monitor;
    size_t busy; /* other threads; the monitor's lock guards it */
} task_list;

static int take(task_list *tasks, size_t *i)
{
    pthread_mutex_lock(&tasks->lock);
    *i = tasks->next;
    tasks->next += *i < tasks->count;
    pthread_mutex_unlock(&tasks->lock);
    return *i < tasks->count;
}

static void run_tasks(task_list *tasks)
{
    int before = lf_threads_begin(1);
    for (size_t i; take(tasks, &i);) {
        tasks->work(tasks->user, i);
    }
    lf_threads_end(before);
}

static void *run_beside(void *list)
{
    task_list *tasks = list;
    run_tasks(tasks);
    lf_monitor_leave(tasks->monitor, &tasks->busy);
    return NULL;
}

/* Where no more threads can be had, those that run do all the work. */
static size_t start_threads(task_list *tasks, size_t wanted, pthread_t *others)
{
    size_t started = 0;
    int failed = 0;
    while (started < wanted && !failed) {
        lf_monitor_lock(tasks->monitor);
        failed = pthread_create(&others[started], NULL, run_beside, tasks);
        tasks->busy += !failed;
        started += !failed;
        lf_monitor_unlock(tasks->monitor);
    }
    return started;
}

void lf_parallel_tasks(lf_monitor *monitor, int threads, size_t count, void (*work)(void *user, size_t i), void *user)
{
    enum { MOST = 255 };
    pthread_t others[MOST];
    task_list tasks = {
        .lock = PTHREAD_MUTEX_INITIALIZER, .next = 1, .count = count, .work = work, .user = user, .monitor = monitor};
    size_t together = (size_t)threads < count ? (size_t)threads : count, wanted = together > 0 ? together - 1 : 0;
    size_t started = start_threads(&tasks, wanted > MOST ? MOST : wanted, others);
    int before = lf_threads_begin(1);
    if (count) {
        work(user, 0); /* on the thread of the caller, whose log it may call */
    }
    lf_threads_end(before);
    run_tasks(&tasks);
    lf_monitor_wait(monitor, &tasks.busy);
    for (size_t t = 0; t < started; t++) {
        pthread_join(others[t], NULL);
    }
    pthread_mutex_destroy(&tasks.lock);
}

/* ---- failures of loops ---- */

struct lf_loop_failure {
    pthread_mutex_t lock;
    lf_status status;
    size_t index;
    char message[sizeof((lf_context *)NULL)->message];
};

lf_loop_failure *lf_loop_begin(lf_context *ctx)
{
    lf_loop_failure *loop = calloc(1, sizeof *loop);
    if (!loop || pthread_mutex_init(&loop->lock, NULL) != 0) {
        free(loop);
        lf_no_memory(ctx);
        return NULL;
    }
    return loop;
}

void lf_loop_fail(lf_loop_failure *loop, size_t index, lf_status status, const char *message)
{
    pthread_mutex_lock(&loop->lock);
    if (!loop->status || index < loop->index) {
        loop->status = status;
        loop->index = index;
        snprintf(loop->message, sizeof loop->message, "%s", message);
    }
    pthread_mutex_unlock(&loop->lock);
}

lf_status lf_loop_end(lf_context *ctx, lf_loop_failure *loop)
{
    lf_status status = loop->status ? lf_fail(ctx, loop->status, "%s", loop->message) : LF_OK;
    pthread_mutex_destroy(&loop->lock);
    free(loop);
    return status;
}
