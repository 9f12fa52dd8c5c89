/* A full device: every failure to write is reported. Needs /dev/full; exit status 77 without. */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/output_file.h"

static void test_file(void **state)
{
    for (int lines = 1; lines < 200000; lines += 100000) { /* inside the stream's buffer, and far beyond it */
        lf_output_file file;
        assert_ok(*state, lf_file_create(*state, "/dev/full", &file));
        assert_null(file.temporary);
        for (int i = 0; i < lines; i++) {
            fputs("0123456789\n", file.stream);
        }
        assert_int_equal(lf_file_commit(*state, &file), LF_ERROR_IO);
        char expected[128];
        snprintf(expected, sizeof expected, "/dev/full: cannot be written: %s", strerror(ENOSPC));
        assert_string_equal(lf_context_message(*state), expected);
    }
}

/* One block that is larger than the buffer of the stream, which is empty after the failure. */
static void test_block(void **state)
{
    lf_output_file file;
    char *block = calloc(1, 1 << 20), expected[128];
    assert_non_null(block);
    assert_ok(*state, lf_file_create(*state, "/dev/full", &file));
    assert_true(fwrite(block, 1, 1 << 20, file.stream) < 1 << 20);
    assert_int_equal(lf_file_commit(*state, &file), LF_ERROR_IO);
    snprintf(expected, sizeof expected, "/dev/full: cannot be written: %s", strerror(ENOSPC));
    assert_string_equal(lf_context_message(*state), expected);
    free(block);
}

static void test_standard_output(void **state)
{
    lf_output_file file;
    fflush(stdout);
    int saved = dup(STDOUT_FILENO), full = open("/dev/full", O_WRONLY);
    assert_true(saved >= 0 && full >= 0);
    dup2(full, STDOUT_FILENO);
    close(full);
    lf_status created = lf_file_create(*state, "-", &file), status = LF_OK;
    if (!created) {
        fputs("text", file.stream);
        status = lf_file_commit(*state, &file);
    }
    clearerr(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    assert_int_equal(created, LF_OK);
    assert_int_equal(status, LF_ERROR_IO);
    assert_non_null(strstr(lf_context_message(*state), "<stdout>: cannot be written: "));
}

static void test_data(void **state)
{
    lf_data *data;
    const double x = 1;
    assert_ok(*state, lf_data_create(*state, 1, &data));
    assert_ok(*state, lf_data_add(*state, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = &x, .y = 2}));
    assert_int_equal(lf_data_write(*state, data, "/dev/full"), LF_ERROR_IO);
    lf_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_block),
        cmocka_unit_test(test_standard_output),
        cmocka_unit_test(test_data),
    };
    if (access("/dev/full", W_OK) != 0) {
        printf("skipped: there is no /dev/full\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, make_context, free_context);
}
