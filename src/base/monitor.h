/* Progress and cancellation: one monitor for all stages and threads of a fit. */
#ifndef LF_BASE_MONITOR_H
#define LF_BASE_MONITOR_H

#include <pthread.h>

#include "latentforce.h"

typedef struct lf_monitor {
    pthread_mutex_t lock; /* the callback runs while this fit holds it, and no other lock */
    lf_progress_function progress;
    void *user;
    int asked;    /* the callback asked to stop */
    int together; /* with other processes: a fit stops where all of them know that one was asked to (lf_monitor_agree) */
    int stop;     /* the fit must stop */
} lf_monitor;

lf_status lf_monitor_create(lf_context *ctx, lf_progress_function progress, void *user, lf_monitor *monitor);
void lf_monitor_clear(lf_monitor *monitor);

void lf_monitor_lock(lf_monitor *monitor);
void lf_monitor_unlock(lf_monitor *monitor);
/* Reports; the lock must be held. */
void lf_monitor_report(lf_monitor *monitor, const lf_progress *progress);
/* Reports on behalf of a part that has a monitor of its own; returns whether the part must stop. */
int lf_monitor_pass_on(lf_monitor *monitor, const lf_progress *progress);
/* Called by all processes: what one was asked holds for all. */
lf_status lf_monitor_agree(lf_context *ctx, lf_monitor *monitor);
/* Whether the fit must stop. */
int lf_monitor_stopped(lf_monitor *monitor);

#endif
