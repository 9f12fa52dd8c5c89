/* Progress and cancellation. */
#include "base/monitor.h"

#include "base/context.h"
#include "base/processes.h"

lf_status lf_monitor_create(lf_context *ctx, lf_progress_function progress, void *user, lf_monitor *monitor)
{
    *monitor = (lf_monitor){.progress = progress, .user = user};
    return pthread_mutex_init(&monitor->lock, NULL) == 0 ? LF_OK : lf_no_memory(ctx);
}

void lf_monitor_clear(lf_monitor *monitor) { pthread_mutex_destroy(&monitor->lock); }

void lf_monitor_lock(lf_monitor *monitor) { pthread_mutex_lock(&monitor->lock); }

void lf_monitor_unlock(lf_monitor *monitor) { pthread_mutex_unlock(&monitor->lock); }

void lf_monitor_report(lf_monitor *monitor, const lf_progress *progress)
{
    if (monitor->progress && monitor->progress(monitor->user, progress)) {
        monitor->asked = 1;
        monitor->stop = !monitor->together;
    }
}

lf_status lf_monitor_agree(lf_context *ctx, lf_monitor *monitor)
{
    double asked = monitor->asked;
    lf_status status = lf_largest(ctx, LF_OK, 1, &asked);
    monitor->stop = asked > 0;
    return status;
}

int lf_monitor_pass_on(lf_monitor *monitor, const lf_progress *progress)
{
    lf_monitor_lock(monitor);
    lf_monitor_report(monitor, progress);
    int stop = monitor->stop;
    lf_monitor_unlock(monitor);
    return stop;
}

int lf_monitor_stopped(lf_monitor *monitor)
{
    lf_monitor_lock(monitor);
    int stop = monitor->stop;
    lf_monitor_unlock(monitor);
    return stop;
}
