/* Progress and cancellation: one monitor for all stages and threads of a fit. Its callback runs on the thread that made the monitor, its home:
 * reports of other threads wait in a queue, which is emptied before the home thread reports itself and while it waits for the others. A thread
 * does not wait for its reports to be delivered, unless the queue is full; each asks before its next iteration whether to stop. */
#ifndef LF_BASE_MONITOR_H
#define LF_BASE_MONITOR_H

#include <pthread.h>

#include "latentforce.h"

enum { LF_MOST_QUEUED = 64 };

typedef struct lf_monitor {
    pthread_mutex_t lock;   /* the callback runs while this fit holds it, and no other lock */
    pthread_cond_t changed; /* the queue is longer or shorter, or a thread has ended */
    pthread_t home;
    lf_progress_function progress;
    void *user;
    int asked;    /* the callback asked to stop */
    int together; /* with other processes: a fit stops where all of them know that one was asked to (lf_monitor_agree) */
    int stop;     /* the fit must stop */
    double deadline; /* by the clock, of the present part of the fit, which then leaves what it has so far; 0: none */
    int late;        /* with other processes: the deadline of one of them is over */
    size_t first, count;               /* of the queue, a ring */
    lf_progress queue[LF_MOST_QUEUED]; /* reports of other threads, in their order */
} lf_monitor;

lf_status lf_monitor_create(lf_context *ctx, lf_progress_function progress, void *user, lf_monitor *monitor);
void lf_monitor_clear(lf_monitor *monitor);

void lf_monitor_lock(lf_monitor *monitor);
void lf_monitor_unlock(lf_monitor *monitor);
/* Reports; the lock must be held. It is released for a while where the queue is full. */
void lf_monitor_report(lf_monitor *monitor, const lf_progress *progress);
/* Reports on behalf of a part that has a monitor of its own; returns whether the part must stop. */
int lf_monitor_pass_on(lf_monitor *monitor, const lf_progress *progress);
/* Called by all processes: what one was asked holds for all. */
lf_status lf_monitor_agree(lf_context *ctx, lf_monitor *monitor);
/* Whether the fit, or the present part of it, must stop. */
int lf_monitor_stopped(lf_monitor *monitor);
/* The same; the lock must be held. */
int lf_monitor_ends(const lf_monitor *monitor);
/* Whether it was asked to, which ends all parts. */
int lf_monitor_asked(lf_monitor *monitor);
/* Whether this is the thread of the callback. */
int lf_monitor_is_home(const lf_monitor *monitor);

/* ---- threads that report (parallel.h) ---- */

/* On the home thread: delivers what others report until *busy of them, guarded by the lock, is 0. */
void lf_monitor_wait(lf_monitor *monitor, const size_t *busy);
/* One of the busy threads has ended. */
void lf_monitor_leave(lf_monitor *monitor, size_t *busy);

#endif
