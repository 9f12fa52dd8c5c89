/* Contexts are independent: several of them read, fit, save, predict and sample in threads at once, each with threads of its own and
 * with callbacks, and get the bits they get alone; the callback of one may use another; the threads of one do not reach the other.
 * Built a second time under ThreadSanitizer. */
#include "support.h"

#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static const char *const truth_text =
    "{\"format\": \"latentforce-model\", \"version\": 1, \"forces\": [{\"kernel\": \"eq\", \"lengthscale\": 1.5}],"
    " \"outputs\": ["
    "{\"name\": \"a\", \"operator\": {\"type\": \"ode1\", \"decay\": 0.5}, \"sensitivity\": [1], \"noise_variance\": "
    "0.002},"
    "{\"name\": \"b\", \"operator\": {\"type\": \"ode1\", \"decay\": 2}, \"sensitivity\": [-2], \"noise_variance\": "
    "0.002}]}";

enum { ROWS = 15, SAMPLES = 3 };

typedef struct job {
    uint64_t seed;
    const char *engine;
    lf_progress_function progress;
    void *user;
    int cancelled;
    double theta[64];
    size_t count;
    double mean[2], variance[2], samples[2 * SAMPLES];
    int steps, notes; /* calls of the callbacks; no atomic: only one thread at a time may call */
} job;

static int count_step(void *user, const lf_progress *progress)
{
    (void)progress;
    ((job *)user)->steps++;
    return 0;
}

static void count_note(void *user, lf_level level, const char *note)
{
    (void)level;
    (void)note;
    ((job *)user)->notes++;
}

static lf_options *make_options(lf_context *ctx, const job *j)
{
    const char *const settings[][2] = {{"engine", j->engine},   {"forces", "1"},        {"restarts", "2"},
                                       {"max-iterations", "6"}, {"force-kernel", "eq"}, {"errors", "yes"}};
    lf_options *options;
    assert_ok(ctx, lf_options_create(ctx, "fit", &options));
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        assert_ok(ctx, lf_options_set(ctx, options, settings[i][0], settings[i][1]));
    }
    if (strcmp(j->engine, "variational") == 0) {
        assert_ok(ctx, lf_options_set(ctx, options, "inducing", "8"));
    }
    lf_context_set_progress(ctx, j->progress, j->user);
    return options;
}

/* Writes and reads back what a session keeps in files. */
static void through_files(lf_context *ctx, const char *path, lf_data **data, lf_model **model)
{
    if (data) {
        assert_ok(ctx, lf_data_write(ctx, *data, path));
        lf_data_free(*data);
        assert_ok(ctx, lf_data_read(ctx, path, NULL, data));
    } else {
        assert_ok(ctx, lf_model_write(ctx, *model, path));
        lf_model_free(*model);
        assert_ok(ctx, lf_model_read(ctx, path, model));
    }
    assert_int_equal(remove(path), 0);
}

/* Simulates, writes, reads, fits, saves, predicts and samples in a context of its own. */
static void *work(void *user)
{
    job *j = user;
    char path[] = "/tmp/test_contexts-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0 && close(file) == 0);
    lf_context *ctx = lf_context_create();
    lf_context_set_log(ctx, count_note, j);
    lf_data *data = simulate_readings(ctx, truth_text, ROWS, 1, 1);
    through_files(ctx, path, &data, NULL);
    lf_context_set_seed(ctx, j->seed);
    lf_context_set_threads(ctx, 2);
    lf_options *options = make_options(ctx, j);
    lf_model *model;
    lf_fit_result *result;
    lf_posterior *posterior;
    assert_ok(ctx, lf_fit(ctx, data, options, &model, &result));
    j->cancelled = result->cancelled;
    j->count = lf_parameter_count(model);
    assert_true(j->count <= sizeof j->theta / sizeof *j->theta);
    through_files(ctx, path, NULL, &model);
    lf_model_theta(model, j->theta);
    const int target[2] = {0, 1};
    const double x[2] = {3, 9.5};
    lf_point_list points = {.n = 2, .target = target, .x = x};
    lf_context_set_threads(ctx, 1); /* OpenMP's own synchronisation is invisible to ThreadSanitizer */
    assert_ok(ctx, lf_posterior_restore(ctx, model, &posterior));
    assert_ok(ctx, lf_predict_list(posterior, &points, j->mean, j->variance, NULL));
    assert_ok(ctx, lf_draw_list(posterior, &points, SAMPLES, j->samples));
    lf_posterior_free(posterior);
    lf_fit_result_free(result);
    lf_options_free(options);
    lf_model_free(model);
    lf_data_free(data);
    lf_context_free(ctx);
    return NULL;
}

static void assert_same(const job *a, const job *b)
{
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->theta, b->theta, a->count * sizeof *a->theta);
    assert_memory_equal(a->mean, b->mean, sizeof a->mean);
    assert_memory_equal(a->variance, b->variance, sizeof a->variance);
    assert_memory_equal(a->samples, b->samples, sizeof a->samples);
    assert_int_equal(a->notes, b->notes);
}

/* Two contexts with the same engine and one with each of the others. */
static void test_threads_at_once(void **state)
{
    (void)state;
    enum { JOBS = 5 };
    static const char *const engines[JOBS] = {"dense", "kalman", "kalman", "fourier", "variational"};
    job alone[JOBS] = {{0}}, together[JOBS] = {{0}};
    pthread_t thread[JOBS];
    for (size_t i = 0; i < JOBS; i++) {
        alone[i] = together[i] = (job){.seed = 1 + 6 * i, .engine = engines[i], .progress = count_step};
        alone[i].user = &alone[i];
        together[i].user = &together[i];
        work(&alone[i]);
    }
    for (size_t i = 0; i < JOBS; i++) {
        assert_int_equal(pthread_create(&thread[i], NULL, work, &together[i]), 0);
    }
    for (size_t i = 0; i < JOBS; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    }
    for (size_t i = 0; i < JOBS; i++) {
        assert_same(&alone[i], &together[i]);
        assert_true(alone[i].steps > 0);
        assert_int_equal(alone[i].steps, together[i].steps);
    }
}

/* A callback that fits in another context while its own fit waits. */
static int fit_inside(void *user, const lf_progress *progress)
{
    job *inner = user;
    if (inner->count == 0 && strcmp(progress->stage, "fit") == 0 && progress->iteration == 2) {
        work(inner);
    }
    return 0;
}

static void test_fit_in_a_callback(void **state)
{
    (void)state;
    job plain = {.seed = 1, .engine = "kalman"}, inner = plain, outer = plain;
    outer.progress = fit_inside;
    outer.user = &inner;
    work(&plain);
    work(&outer);
    assert_same(&plain, &inner);
    assert_same(&plain, &outer);
}

/* A callback that waits until the fit of another context has ended: no lock may keep that one from ending. */
static atomic_int ended;

static void *work_and_end(void *user)
{
    work(user);
    atomic_store(&ended, 1);
    return NULL;
}

static int wait_for_the_other(void *user, const lf_progress *progress)
{
    int *patience = user;
    (void)progress;
    while (!atomic_load(&ended) && --*patience > 0) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    return 0;
}

static void test_slow_callback(void **state)
{
    (void)state;
    int patience = 6000; /* a minute */
    job slow = {.seed = 1, .engine = "kalman", .progress = wait_for_the_other, .user = &patience};
    job quick = {.seed = 7, .engine = "kalman"};
    pthread_t other;
    atomic_store(&ended, 0);
    assert_int_equal(pthread_create(&other, NULL, work_and_end, &quick), 0);
    work(&slow);
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_true(patience > 0);
}

/* ---- progress and cancellation of every stage ---- */

typedef struct stages {
    const char *stop_at; /* NULL: nowhere */
    int selection, fit, errors;
} stages;

static int count_stage(void *user, const lf_progress *progress)
{
    stages *s = user;
    s->selection += strcmp(progress->stage, "selection") == 0;
    s->fit += strcmp(progress->stage, "fit") == 0;
    s->errors += strcmp(progress->stage, "errors") == 0;
    return s->stop_at && strcmp(progress->stage, s->stop_at) == 0;
}

static void run_stages(lf_context *ctx, const lf_data *data, stages *s, lf_model **model, lf_fit_result **result)
{
    const job j = {.engine = "auto", .progress = count_stage, .user = s};
    lf_options *options = make_options(ctx, &j);
    assert_ok(ctx, lf_options_set(ctx, options, "operator", "auto"));
    assert_ok(ctx, lf_fit(ctx, data, options, model, result));
    lf_options_free(options);
}

static void test_stages(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = simulate_readings(ctx, truth_text, ROWS, 1, 1);
    static const char *const stops[] = {NULL, "selection", "fit", "errors"};
    for (size_t k = 0; k < sizeof stops / sizeof *stops; k++) {
        stages s = {.stop_at = stops[k]};
        lf_model *model;
        lf_fit_result *result;
        run_stages(ctx, data, &s, &model, &result);
        assert_int_equal(lf_model_has_posterior(model), 1); /* whatever was cancelled, the model predicts */
        assert_true(s.selection > 0);
        assert_int_equal(s.fit > 0, k != 1);
        assert_int_equal(s.errors > 0, k == 0 || k == 3);
        assert_int_equal(result->cancelled, k == 1 || k == 2);
        assert_int_equal(result->candidate_count, 2);
        int with_error = 0;
        for (size_t i = 0; i < lf_parameter_count(model); i++) {
            with_error += isfinite(lf_parameter_get(model, i).standard_error);
        }
        assert_int_equal(with_error > 0, k == 0);
        lf_fit_result_free(result);
        lf_model_free(model);
    }
    lf_data_free(data);
}

/* The number of threads of a context is its own, and OpenMP's setting of the caller stays. */
static void test_thread_counts(void **state)
{
    (void)state;
    lf_context *one = lf_context_create(), *two = lf_context_create();
    omp_set_num_threads(3);
    lf_context_set_threads(one, 1);
    lf_context_set_threads(two, 2);
    assert_int_equal(omp_get_max_threads(), 3);
    lf_data *data = simulate_readings(two, truth_text, ROWS, 1, 1);
    lf_model *model = parse_model(one, truth_text);
    lf_posterior_free(make_posterior(one, model, data, NULL));
    assert_int_equal(omp_get_max_threads(), 3);
    lf_model_free(model);
    lf_data_free(data);
    lf_context_free(one);
    lf_context_free(two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_at_once), cmocka_unit_test(test_fit_in_a_callback),
        cmocka_unit_test(test_slow_callback),   cmocka_unit_test(test_stages),
        cmocka_unit_test(test_thread_counts),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
