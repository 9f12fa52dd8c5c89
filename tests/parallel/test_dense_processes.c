/* The dense engine with its matrix spread over several processes against the ordinary one: likelihoods, gradients, posteriors, predictions,
 * and failures. The processes are threads, the matrices those of block_cyclic.h. */
#include "block_cyclic.h"
#include "dense_cases.h"

#include "base/block_cyclic.h"
#include "base/context.h"
#include "dense/dense.h"

typedef struct grid_task {
    int rows, columns, block;
    const dense_case *task;
    dense_results results[MOST_PROCESSES];
} grid_task;

static const int grids[][2] = {{1, 1}, {1, 2}, {3, 1}, {2, 2}, {5, 1}, {2, 4}};
enum { GRIDS = sizeof grids / sizeof *grids };

static void compute(lf_context *ctx, int rank, void *user)
{
    grid_task *t = user;
    process_grid grid;
    lf_processes processes = ctx->processes;
    processes.size = sizeof processes;
    t->results[rank].status = spread_matrices(ctx, processes, t->rows, t->columns, t->block, &grid);
    if (!t->results[rank].status) {
        dense_compute(ctx, t->task, t->rows == 2 && t->columns == 2, NULL, &t->results[rank]);
    }
}

static void run_on_grid(int rows, int columns, const dense_case *task, grid_task *t)
{
    *t = (grid_task){.rows = rows, .columns = columns, .block = 4, .task = task};
    run_processes(rows * columns, compute, t);
}

static void a_spread_matrix_gives_the_same_results(void **state)
{
    grid_task t, again;
    for (int c = 0; c < DENSE_CASES; c += ONE_OF(3)) {
        dense_results expected = {0};
        dense_compute(*state, &dense_cases[c], 0, NULL, &expected);
        for (int g = 0; g < GRIDS; g++) {
            int count = grids[g][0] * grids[g][1];
            run_on_grid(grids[g][0], grids[g][1], &dense_cases[c], &t);
            compare_results(&t.results[0], &expected);
            for (int r = 1; r < count; r++) {
                assert_memory_equal(&t.results[r], &t.results[0], sizeof t.results[r]);
            }
        }
        run_on_grid(2, 4, &dense_cases[c], &again);
        assert_memory_equal(&again.results, &t.results, sizeof t.results);
    }
}

/* Rows and columns of the local parts together are those of the whole, once each. */
static void count_elements(lf_context *ctx, int rank, void *user)
{
    int *seen = user;
    process_grid grid;
    lf_processes processes = ctx->processes;
    processes.size = sizeof processes;
    (void)rank;
    if (spread_matrices(ctx, processes, 2, 3, 4, &grid)) {
        return;
    }
    for (size_t n = 1; n < 40; n++) {
        lf_dealt rows = lf_dealt_rows(ctx, n), columns = lf_dealt_columns(ctx, n);
        for (size_t j = 0; j < lf_dealt_count(columns); j++) {
            for (size_t i = 0; i < lf_dealt_count(rows); i++) {
                seen[(n * 40 + lf_dealt_index(rows, i)) * 40 + lf_dealt_index(columns, j)]++;
            }
        }
    }
}

static void every_element_is_dealt_once(void **state)
{
    (void)state;
    static int seen[40 * 40 * 40];
    run_processes(6, count_elements, seen);
    for (int n = 1; n < 40; n++) {
        for (int i = 0; i < 40; i++) {
            for (int j = 0; j < 40; j++) {
                assert_int_equal(seen[(n * 40 + i) * 40 + j], i < n && j < n);
            }
        }
    }
}

/* Repeated times without noise: the same message as that of the ordinary engine, on every process. */
static void a_singular_covariance_is_named_by_all(void **state)
{
    static const dense_case singular = {
        "singular",
        HEAD "\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":1}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":"
             "\"ode1\",\"decay\":1},\"sensitivity\":[1],\"noise_variance\":1e-30}]}",
        "closed-form",
        1,
        1,
        60};
    dense_results expected = {0};
    grid_task t;
    dense_compute(*state, &singular, 0, NULL, &expected);
    assert_int_equal(expected.status, LF_ERROR_NUMERIC);
    run_on_grid(2, 2, &singular, &t);
    for (int r = 0; r < 4; r++) {
        assert_int_equal(t.results[r].status, LF_ERROR_NUMERIC);
        assert_non_null(strstr(t.results[r].message, "is not positive definite at output 'a'"));
        assert_string_equal(t.results[r].message, t.results[0].message);
    }
}

/* The estimates are divided by the processes, and so is what a limit allows. */
static void memory_is_divided(void **state)
{
    static const dense_case many = {
        "many",
        HEAD "\"initial\":\"stationary\"," TWO_EQ "\"outputs\":[" ORDER_1 "," ORDER_2("eq") "]}",
        "closed-form",
        1,
        1,
        120};
    dense_results whole = {0};
    grid_task t;
    dense_compute(*state, &many, 0, NULL, &whole);
    run_on_grid(2, 4, &many, &t);
    assert_int_equal(whole.status, LF_OK);
    assert_int_equal(t.results[0].status, LF_OK);
    assert_true(t.results[0].bytes < whole.bytes / 3);
}

static void wrong_grids_are_refused(void **state)
{
    lf_context *ctx = *state;
    process_grid grid;
    lf_processes p = {.size = sizeof p, .rank = 0, .count = 4, .sum = process_sum, .broadcast = process_broadcast};
    assert_int_equal(spread_matrices(ctx, p, 2, 3, 4, &grid), LF_ERROR_ARGUMENT);
    assert_non_null(strstr(lf_context_message(ctx), "2 x 3 grid of 4 processes"));
    assert_int_equal(spread_matrices(ctx, p, 2, 2, 0, &grid), LF_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_is_dealt_once),
        cmocka_unit_test(a_spread_matrix_gives_the_same_results),
        cmocka_unit_test(a_singular_covariance_is_named_by_all),
        cmocka_unit_test(memory_is_divided),
        cmocka_unit_test(wrong_grids_are_refused),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
