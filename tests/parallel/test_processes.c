/* Agreement, sums and copies over several processes. */
#include "base/context.h"
#include "base/processes.h"
#include "processes.h"

typedef struct seen {
    lf_status status;
    char message[64];
    double sum[2], root;
    int all[MOST_PROCESSES];
} seen;

static void work(lf_context *ctx, int rank, void *user)
{
    seen *s = (seen *)user + rank;
    double x[2] = {rank + 1, 0.5};
    s->status = lf_sum(ctx, LF_OK, 2, x);
    memcpy(s->sum, x, sizeof x);
    s->root = rank;
    s->status = s->status ? s->status : lf_broadcast(ctx, lf_process_count(ctx) - 1, sizeof s->root, &s->root);
    s->status = s->status ? s->status : lf_gather(ctx, sizeof rank, &rank, s->all);
}

static void sums_and_copies_are_those_of_all(void **state)
{
    (void)state;
    const int counts[] = {1, 2, 3, 5, 8};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        seen s[MOST_PROCESSES] = {{0}};
        int n = counts[c];
        run_processes(n, work, s);
        for (int r = 0; r < n; r++) {
            assert_int_equal(s[r].status, LF_OK);
            assert_true(s[r].sum[0] == n * (n + 1) / 2 && s[r].sum[1] == 0.5 * n);
            assert_true(s[r].root == n - 1);
            for (int i = 0; i < n; i++) {
                assert_int_equal(s[r].all[i], i);
            }
        }
    }
}

static void fail_on_one(lf_context *ctx, int rank, void *user)
{
    seen *s = (seen *)user + rank;
    lf_status status = rank >= 1 ? lf_fail(ctx, LF_ERROR_DATA, "row %d is wrong", rank) : LF_OK;
    s->status = lf_sum(ctx, status, 1, s->sum);
    snprintf(s->message, sizeof s->message, "%.63s", lf_context_message(ctx));
}

static void a_failure_is_that_of_the_first_process_on_all(void **state)
{
    (void)state;
    seen s[3] = {{0}};
    run_processes(3, fail_on_one, s);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(s[r].status, LF_ERROR_DATA);
        assert_string_equal(s[r].message, "row 1 is wrong");
    }
}

static void wrong_ranks_are_refused(void **state)
{
    (void)state;
    lf_context *ctx = lf_context_create();
    lf_processes p = {.size = sizeof p, .rank = 2, .count = 2, .sum = process_sum, .broadcast = process_broadcast};
    assert_int_equal(lf_context_set_processes(ctx, &p), LF_ERROR_ARGUMENT);
    assert_non_null(strstr(lf_context_message(ctx), "process 2 of 2"));
    assert_int_equal(lf_process_count(ctx), 1);
    lf_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_copies_are_those_of_all),
        cmocka_unit_test(a_failure_is_that_of_the_first_process_on_all),
        cmocka_unit_test(wrong_ranks_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
