/* Checkpoints: a run comes back to the last bit and goes on as if nothing had happened. */
#include "checkpoint_support.h"

/* ---- there and back ---- */

static void test_same_state(void **state)
{
    fixture *f = *state;
    lf_run runs[RUNS], again[RUNS];
    double seconds;
    int found;
    make_runs(f, runs);
    iterate(&runs[0], 4);
    iterate(&runs[1], 70); /* more than the history has room for at first, unless it ends before */
    assert_ok(f->ctx, write_runs(f, runs, 0x0123456789abcdefu, 17.25)); /* the third has not begun */
    make_runs(f, again);
    assert_ok(f->ctx, lf_checkpoint_read(f->ctx, f->path, 0x0123456789abcdefu, RUNS, again, &seconds, &found));
    assert_true(found && seconds == 17.25);
    for (int r = 0; r < RUNS; r++) {
        check_same(&runs[r], &again[r]);
        check_same_optimiser(&runs[r], &again[r]);
    }
    for (int r = 0; r < RUNS; r++) { /* and goes on in the same way */
        iterate(&runs[r], 200);
        iterate(&again[r], 200);
        check_same(&runs[r], &again[r]);
    }
    assert_true(runs[0].iterations > 6);
    clear_runs(again);
    clear_runs(runs);
}

/* A run that was cancelled or ran out of iterations may go on; one that has converged stays so. */
static void test_states(void **state)
{
    static const lf_run_state states[][2] = {{LF_RUN_ACTIVE, LF_RUN_ACTIVE},   {LF_RUN_CANCELLED, LF_RUN_ACTIVE},
                                             {LF_RUN_LIMIT, LF_RUN_ACTIVE},    {LF_RUN_CONVERGED, LF_RUN_CONVERGED},
                                             {LF_RUN_SETTLED, LF_RUN_SETTLED}, {LF_RUN_STUCK, LF_RUN_STUCK}};
    fixture *f = *state;
    lf_run runs[RUNS];
    double seconds;
    int found;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        make_runs(f, runs);
        iterate(&runs[0], 1);
        runs[0].state = states[i][0];
        assert_ok(f->ctx, write_runs(f, runs, 5, 0));
        assert_ok(f->ctx, lf_checkpoint_read(f->ctx, f->path, 5, RUNS, runs, &seconds, &found));
        assert_int_equal(runs[0].state, states[i][1]);
        clear_runs(runs);
    }
}

static void test_no_file(void **state)
{
    fixture *f = *state;
    lf_run runs[RUNS];
    double seconds;
    int found = 1;
    char below[64];
    unlink(f->path);
    make_runs(f, runs);
    assert_ok(f->ctx, lf_checkpoint_read(f->ctx, f->path, 5, RUNS, runs, &seconds, &found));
    assert_false(found);
    assert_ok(f->ctx, write_runs(f, runs, 5, 0));
    snprintf(below, sizeof below, "%s/below", f->path); /* a file is no folder */
    assert_int_equal(lf_checkpoint_read(f->ctx, below, 5, RUNS, runs, &seconds, &found), LF_ERROR_IO);
    assert_non_null(strstr(lf_context_message(f->ctx), below));
    lf_snapshot none[RUNS] = {{0}};
    assert_int_equal(lf_checkpoint_write(f->ctx, below, 5, 0, RUNS, runs, none), LF_ERROR_IO);
    assert_non_null(strstr(lf_context_message(f->ctx), below));
    clear_runs(runs);
}

/* ---- resuming ---- */

/* A fit in three pieces of few iterations gives the parameters of one that was not interrupted. */
static void test_resume(void **state)
{
    fixture *f = *state;
    double theta[2][64];
    size_t count = lf_parameter_count(f->model);
    assert_true(count <= 64);
    unlink(f->path);
    for (int cut = 0; cut < 2; cut++) {
        for (int piece = cut ? 0 : 2; piece < 3; piece++) {
            lf_model *model;
            lf_fit_result result;
            lf_options options = {.engine = {.size = sizeof(lf_engine_options), .engine = "lowrank"}};
            options.restarts = 2;
            options.max_iterations = piece == 2 ? 40 : 3 + 4 * (size_t)piece;
            options.checkpoint = cut ? f->path : NULL;
            options.resume = piece > 0;
            assert_ok(f->ctx, lf_model_copy(f->ctx, f->model, &model));
            assert_ok(f->ctx, fit_model(f->ctx, model, f->data, &options, &result));
            lf_model_theta(model, theta[cut]);
            lf_fit_result_clear(&result);
            lf_model_free(model);
        }
    }
    assert_memory_equal(theta[0], theta[1], count * sizeof(double));
}

/* A fit that could not begin fails in the same way when it is resumed. */
static void test_resume_of_a_failure(void **state)
{
    fixture *f = *state;
    double x = 1;
    char message[2][1024];
    unlink(f->path);
    lf_data *data;
    assert_ok(f->ctx, lf_data_create(f->ctx, 1, &data));
    for (int i = 0; i < 4; i++) { /* two readings at one time that no function without noise has */
        x = 1 + i / 2;
        assert_ok(f->ctx, lf_data_add(f->ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = &x, .y = i}));
        assert_ok(f->ctx, lf_data_add(f->ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "b", .x = &x, .y = i}));
    }
    for (int d = 0; d < 2; d++) {
        f->model->outputs[d].noise_variance = 0;
    }
    for (int again = 0; again < 2; again++) {
        lf_fit_result result;
        lf_options options = {
            .engine = {.size = sizeof(lf_engine_options), .engine = "kalman"}, .checkpoint = f->path, .resume = again};
        lf_status status = fit_model(f->ctx, f->model, data, &options, &result);
        assert_int_equal(status, LF_ERROR_NUMERIC);
        snprintf(message[again], sizeof message[again], "%s", lf_context_message(f->ctx));
        lf_fit_result_clear(&result);
    }
    assert_string_equal(message[0], message[1]);
    lf_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_same_state, make_fixture, free_fixture),
        cmocka_unit_test_setup_teardown(test_states, make_fixture, free_fixture),
        cmocka_unit_test_setup_teardown(test_no_file, make_fixture, free_fixture),
        cmocka_unit_test_setup_teardown(test_resume, make_fixture, free_fixture),
        cmocka_unit_test_setup_teardown(test_resume_of_a_failure, make_fixture, free_fixture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
