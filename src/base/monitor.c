/* Progress and cancellation. */
#include "base/monitor.h"

#include <omp.h>

#include "base/context.h"
#include "base/processes.h"

lf_status lf_monitor_create(lf_context *ctx, lf_progress_function progress, void *user, lf_monitor *monitor)
{
    *monitor = (lf_monitor){.home = pthread_self(), .progress = progress, .user = user};
    if (pthread_mutex_init(&monitor->lock, NULL) != 0) {
        return lf_no_memory(ctx);
    }
    if (pthread_cond_init(&monitor->changed, NULL) != 0) {
        pthread_mutex_destroy(&monitor->lock);
        return lf_no_memory(ctx);
    }
    return LF_OK;
}

void lf_monitor_clear(lf_monitor *monitor)
{
    pthread_cond_destroy(&monitor->changed);
    pthread_mutex_destroy(&monitor->lock);
}

void lf_monitor_lock(lf_monitor *monitor) { pthread_mutex_lock(&monitor->lock); }

void lf_monitor_unlock(lf_monitor *monitor) { pthread_mutex_unlock(&monitor->lock); }

int lf_monitor_is_home(const lf_monitor *monitor) { return pthread_equal(monitor->home, pthread_self()); }

static void call(lf_monitor *monitor, const lf_progress *progress)
{
    if (monitor->progress(monitor->user, progress)) {
        monitor->asked = 1;
        monitor->stop = !monitor->together;
    }
}

static void deliver(lf_monitor *monitor)
{
    while (monitor->count) {
        lf_progress progress = monitor->queue[monitor->first];
        monitor->first = (monitor->first + 1) % LF_MOST_QUEUED;
        monitor->count--;
        pthread_cond_broadcast(&monitor->changed);
        call(monitor, &progress);
    }
}

static void enqueue(lf_monitor *monitor, const lf_progress *progress)
{
    while (monitor->count == LF_MOST_QUEUED) {
        pthread_cond_wait(&monitor->changed, &monitor->lock);
    }
    monitor->queue[(monitor->first + monitor->count++) % LF_MOST_QUEUED] = *progress;
    pthread_cond_broadcast(&monitor->changed);
}

void lf_monitor_report(lf_monitor *monitor, const lf_progress *progress)
{
    if (!monitor->progress) {
        return;
    }
    if (lf_monitor_is_home(monitor)) {
        deliver(monitor);
        call(monitor, progress);
    } else {
        enqueue(monitor, progress);
    }
}

void lf_monitor_wait(lf_monitor *monitor, const size_t *busy)
{
    lf_monitor_lock(monitor);
    deliver(monitor);
    while (*busy) {
        pthread_cond_wait(&monitor->changed, &monitor->lock);
        deliver(monitor);
    }
    lf_monitor_unlock(monitor);
}

void lf_monitor_leave(lf_monitor *monitor, size_t *busy)
{
    lf_monitor_lock(monitor);
    --*busy;
    pthread_cond_broadcast(&monitor->changed);
    lf_monitor_unlock(monitor);
}

static int is_over(const lf_monitor *monitor) { return monitor->deadline > 0 && omp_get_wtime() > monitor->deadline; }

int lf_monitor_ends(const lf_monitor *monitor)
{
    return monitor->stop || (monitor->together ? monitor->late : is_over(monitor));
}

lf_status lf_monitor_agree(lf_context *ctx, lf_monitor *monitor)
{
    double either[2] = {monitor->asked, is_over(monitor)};
    lf_status status = lf_largest(ctx, LF_OK, 2, either);
    monitor->stop = either[0] > 0;
    monitor->late = either[1] > 0;
    return status;
}

int lf_monitor_pass_on(lf_monitor *monitor, const lf_progress *progress)
{
    lf_monitor_lock(monitor);
    lf_monitor_report(monitor, progress);
    int stop = lf_monitor_ends(monitor);
    lf_monitor_unlock(monitor);
    return stop;
}

int lf_monitor_stopped(lf_monitor *monitor)
{
    lf_monitor_lock(monitor);
    int stop = lf_monitor_ends(monitor);
    lf_monitor_unlock(monitor);
    return stop;
}

int lf_monitor_asked(lf_monitor *monitor)
{
    lf_monitor_lock(monitor);
    int asked = monitor->stop;
    lf_monitor_unlock(monitor);
    return asked;
}
