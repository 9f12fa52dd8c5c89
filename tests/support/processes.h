/* Processes for tests, without MPI: threads of this program, each with a context of its own. */
#ifndef LF_TESTS_PROCESSES_H
#define LF_TESTS_PROCESSES_H

#include <pthread.h>

#include "latentforce_processes.h"
#include "support.h"

enum { MOST_PROCESSES = 8 };

/* Numbers of processes that are compared with one: the first three, and all of them with LF_CHECK=all. */
static const int process_counts[] UNUSED = {1, 3, 8, 2, 5};

static UNUSED size_t process_count_number(void)
{
    const char *check = getenv("LF_CHECK");
    return check && strcmp(check, "all") == 0 ? sizeof process_counts / sizeof *process_counts : 3;
}

typedef struct process_group {
    int count;
    pthread_barrier_t barrier;
    void *x[MOST_PROCESSES]; /* what each has given to the present call */
} process_group;

typedef struct process {
    process_group *group;
    int rank;
    void (*work)(lf_context *ctx, int rank, void *user);
    void *user;
} process;

static int process_sum(void *user, size_t n, double *x)
{
    process *p = user;
    double *sum = calloc(n, sizeof *sum);
    p->group->x[p->rank] = x;
    pthread_barrier_wait(&p->group->barrier);
    for (int r = 0; sum && r < p->group->count; r++) {
        for (size_t i = 0; i < n; i++) {
            sum[i] += ((double *)p->group->x[r])[i];
        }
    }
    pthread_barrier_wait(&p->group->barrier);
    if (sum) {
        memcpy(x, sum, n * sizeof *sum);
    }
    free(sum);
    return !sum;
}

static int process_broadcast(void *user, int root, size_t bytes, void *x)
{
    process *p = user;
    p->group->x[p->rank] = x;
    pthread_barrier_wait(&p->group->barrier);
    if (p->rank != root) {
        memcpy(x, p->group->x[root], bytes);
    }
    pthread_barrier_wait(&p->group->barrier);
    return 0;
}

static void *process_run(void *user)
{
    process *p = user;
    lf_context *ctx = lf_context_create();
    lf_processes processes = {.size = sizeof processes,
                              .rank = p->rank,
                              .count = p->group->count,
                              .user = p,
                              .sum = process_sum,
                              .broadcast = process_broadcast};
    lf_context_set_threads(ctx, 1);
    if (!lf_context_set_processes(ctx, &processes)) {
        p->work(ctx, p->rank, p->user);
    }
    lf_context_free(ctx);
    return NULL;
}

/* Runs work(ctx, rank, user) on `count` processes. Assertions of cmocka belong after it, not in it: they leave a thread by longjmp. */
static UNUSED void run_processes(int count, void (*work)(lf_context *ctx, int rank, void *user), void *user)
{
    process_group group = {.count = count};
    process processes[MOST_PROCESSES];
    pthread_t threads[MOST_PROCESSES];
    assert_int_equal(pthread_barrier_init(&group.barrier, NULL, (unsigned)count), 0);
    for (int r = 0; r < count; r++) {
        processes[r] = (process){&group, r, work, user};
        assert_int_equal(pthread_create(&threads[r], NULL, process_run, &processes[r]), 0);
    }
    for (int r = 0; r < count; r++) {
        pthread_join(threads[r], NULL);
    }
    pthread_barrier_destroy(&group.barrier);
}

#endif
