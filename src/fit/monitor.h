/* Progress and cancellation: one monitor for all stages and threads of a fit.
 *
 * Of several processes none may stop alone: the others would wait for it. So a wish to stop is only noted where a process works for
 * itself, and all stop where they agree (lf_monitor_agree), between iterations that they make together. */
#ifndef LF_FIT_MONITOR_H
#define LF_FIT_MONITOR_H

#include <pthread.h>

#include "latentforce.h"

typedef struct lf_monitor {
    pthread_mutex_t lock; /* the callback runs while this fit holds it, and no other lock */
    lf_progress_function progress;
    void *user;
    int alone; /* there are no other processes */
    int asked; /* the callback asked to stop */
    int stop;  /* so the fit stops */
} lf_monitor;

lf_status lf_monitor_create(lf_context *ctx, lf_progress_function progress, void *user, lf_monitor *monitor);
void lf_monitor_clear(lf_monitor *monitor);

void lf_monitor_lock(lf_monitor *monitor);
void lf_monitor_unlock(lf_monitor *monitor);
/* Reports; the lock must be held. */
void lf_monitor_report(lf_monitor *monitor, const lf_progress *progress);
/* Reports on behalf of a part that has a monitor of its own; returns whether the part must stop. */
int lf_monitor_pass_on(lf_monitor *monitor, const lf_progress *progress);
/* The fit stops where the callback of one process asked to; the lock must not be held. All processes call it. */
lf_status lf_monitor_agree(lf_context *ctx, lf_monitor *monitor);
/* Whether the fit stops. */
int lf_monitor_stopped(lf_monitor *monitor);

#endif
