/* Where a fit with several threads calls its client: log and progress run on the thread that called lf_fit, in the order of each start. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "base/parallel.h"
#include "support.h"

static const char truth[] =
    "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"stationary\",\"forces\":[{\"kernel\":\"matern32\","
    "\"lengthscale\":1.5}],\"outputs\":["
    "{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":0.8},\"sensitivity\":[1],\"noise_variance\":0.01},"
    "{\"name\":\"b\",\"operator\":{\"type\":\"ode1\",\"decay\":1.6},\"sensitivity\":[-2],\"noise_variance\":0.02}]}";

enum { EACH = 40, MOST_ITEMS = 64, MOST_STEPS = 400 };

/* What the client is told of. */
typedef struct client {
    pthread_t caller;
    atomic_size_t reports;
    atomic_int elsewhere;                     /* calls on another thread */
    size_t notes, stop_after;                 /* reports until the fit is asked to stop; 0: it is not */
    const char *folder, *moved;               /* the folder gets another name after the first report; NULL: none does */
    int warned;                               /* of a checkpoint */
    size_t steps[3][MOST_ITEMS];              /* of the starts, candidates and errors */
    double objective[MOST_ITEMS][MOST_STEPS]; /* of the starts */
} client;

static int report(void *user, const lf_progress *at)
{
    client *c = user;
    size_t stage = strcmp(at->stage, "fit") == 0 ? 0 : strcmp(at->stage, "selection") == 0 ? 1 : 2;
    c->elsewhere += !pthread_equal(c->caller, pthread_self());
    c->reports++;
    if (stage == 0 && at->item < MOST_ITEMS && at->iteration <= MOST_STEPS) {
        c->objective[at->item][at->iteration - 1] = at->objective;
    }
    if (at->item < MOST_ITEMS) {
        c->steps[stage][at->item]++;
    }
    return c->stop_after > 0 && c->reports >= c->stop_after;
}

static void take_note(void *user, lf_level level, const char *text)
{
    (void)level;
    client *c = user;
    c->warned += strstr(text, "checkpoint") != NULL;
    c->elsewhere += !pthread_equal(c->caller, pthread_self());
    c->notes++;
}

/* options: name, value, …, NULL */
static void fit(const lf_data *data, const char *const *given, int threads, client *c, int *cancelled)
{
    lf_context *ctx = lf_context_create();
    lf_options *options;
    lf_model *model;
    lf_fit_result *result;
    c->caller = pthread_self();
    assert_ok(ctx, lf_options_create(ctx, "fit", &options));
    for (size_t i = 0; given[i]; i += 2) {
        assert_ok(ctx, lf_options_set(ctx, options, given[i], given[i + 1]));
    }
    lf_context_set_threads(ctx, (size_t)threads);
    lf_context_set_log(ctx, take_note, c);
    lf_context_set_progress(ctx, report, c);
    assert_ok(ctx, lf_fit(ctx, data, options, &model, &result));
    *cancelled = result->cancelled;
    lf_fit_result_free(result);
    lf_model_free(model);
    lf_options_free(options);
    lf_context_free(ctx);
}

/* The same calls with four threads as with one, on the calling thread. */
static void check(lf_context *ctx, const char *const *options)
{
    lf_data *data = simulate_readings(ctx, truth, EACH, 1, 1);
    client *one = calloc(1, sizeof *one), *four = calloc(1, sizeof *four);
    int cancelled;
    assert_true(one && four);
    fit(data, options, 1, one, &cancelled);
    fit(data, options, 4, four, &cancelled);
    assert_int_equal(four->elsewhere, 0);
    assert_int_equal(four->notes, one->notes);
    assert_true(one->reports > 0);
    assert_memory_equal(four->steps, one->steps, sizeof one->steps);
    assert_memory_equal(four->objective, one->objective, sizeof one->objective);
    free(one);
    free(four);
    lf_data_free(data);
}

static void starts_report_to_the_caller(void **state)
{
    static const char *const options[] = {"forces",    "1",      "period", "none",         "restarts",
                                          "4",         "errors", "yes",    "force-kernel", "matern32",
                                          "calibrate", "yes",    NULL};
    check(*state, options);
}

static void one_start_beside_refits_reports_to_the_caller(void **state)
{
    static const char *const options[] = {"forces", "1", "period", "none", "restarts", "1", "calibrate", "yes", NULL};
    check(*state, options);
}

static void candidates_report_to_the_caller(void **state)
{
    static const char *const options[] = {"force-kernel", "auto", "calibrate", "no", NULL};
    check(*state, options);
}

static void *move_folder(void *user)
{
    client *c = user;
    while (!c->reports) {
        sched_yield();
    }
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    rename(c->folder, c->moved);
    return NULL;
}

/* Whichever thread finds that a checkpoint cannot be written. */
static void a_lost_folder_is_noted_to_the_caller(void **state)
{
    lf_data *data = simulate_readings(*state, truth, EACH, 1, 1);
    for (int i = 0; i < 8; i++) {
        char folder[] = "/tmp/latentforce-test-XXXXXX", path[96], moved[64];
        client *c = calloc(1, sizeof *c);
        pthread_t mover;
        int cancelled;
        assert_non_null(c);
        c->folder = mkdtemp(folder);
        c->moved = moved;
        snprintf(moved, sizeof moved, "%s-moved", folder);
        snprintf(path, sizeof path, "%s/checkpoint", folder);
        const char *const options[] = {"forces",     "1",  "period",           "none", "restarts",  "4",
                                       "checkpoint", path, "checkpoint-every", "1e-6", "calibrate", "no",
                                       NULL};
        assert_int_equal(pthread_create(&mover, NULL, move_folder, c), 0);
        fit(data, options, 4, c, &cancelled);
        pthread_join(mover, NULL);
        assert_int_equal(c->elsewhere, 0);
        assert_int_equal(c->warned, 1);
        snprintf(path, sizeof path, "%s/checkpoint", moved);
        unlink(path);
        snprintf(path, sizeof path, "%s/.latentforce-0", moved); /* of a checkpoint that was being written */
        unlink(path);
        assert_int_equal(rmdir(moved), 0);
        free(c);
    }
    lf_data_free(data);
}

/* Tasks that report more than the queue holds while the home thread is busy. */
enum { TASKS = 4, REPORTS = 1000 };

typedef struct reporters {
    lf_monitor monitor;
    pthread_t caller;
    size_t next[TASKS]; /* of the reports of a task */
    int wrong;          /* reports on another thread, or out of order */
} reporters;

static int take_report(void *user, const lf_progress *at)
{
    reporters *r = user;
    r->wrong += !pthread_equal(r->caller, pthread_self()) || at->iteration != r->next[at->item]++;
    return at->item == 1 && at->iteration == REPORTS / 2;
}

static void send_reports(void *user, size_t i)
{
    reporters *r = user;
    if (i == 0) {
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    for (size_t k = 0; k < REPORTS; k++) {
        lf_monitor_lock(&r->monitor);
        lf_monitor_report(&r->monitor, &(lf_progress){.item = i, .iteration = k});
        lf_monitor_unlock(&r->monitor);
    }
}

static void no_report_is_lost(void **state)
{
    reporters r = {.caller = pthread_self()};
    assert_ok(*state, lf_monitor_create(*state, take_report, &r, &r.monitor));
    lf_parallel_tasks(&r.monitor, TASKS, TASKS, send_reports, &r);
    assert_int_equal(r.wrong, 0);
    for (int i = 0; i < TASKS; i++) {
        assert_int_equal(r.next[i], REPORTS);
    }
    assert_true(lf_monitor_stopped(&r.monitor));
    lf_monitor_clear(&r.monitor);
}

static void a_request_to_stop_reaches_all_threads(void **state)
{
    static const char *const options[] = {"forces", "1", "period", "none", "restarts", "8", "calibrate", "no", NULL};
    lf_data *data = simulate_readings(*state, truth, EACH, 1, 1);
    for (int threads = 1; threads <= 4; threads += 3) {
        client *c = calloc(1, sizeof *c);
        int cancelled = 0;
        assert_non_null(c);
        c->stop_after = 5;
        fit(data, options, threads, c, &cancelled);
        assert_true(cancelled);
        assert_int_equal(c->elsewhere, 0);
        free(c);
    }
    lf_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(starts_report_to_the_caller, make_context, free_context),
        cmocka_unit_test_setup_teardown(one_start_beside_refits_reports_to_the_caller, make_context, free_context),
        cmocka_unit_test_setup_teardown(candidates_report_to_the_caller, make_context, free_context),
        cmocka_unit_test_setup_teardown(no_report_is_lost, make_context, free_context),
        cmocka_unit_test_setup_teardown(a_lost_folder_is_noted_to_the_caller, make_context, free_context),
        cmocka_unit_test_setup_teardown(a_request_to_stop_reaches_all_threads, make_context, free_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
