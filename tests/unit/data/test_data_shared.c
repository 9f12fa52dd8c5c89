/* A large compressed file: one and a half million rows of 30 outputs. Needs the shared data; exit status 77 without. */
#include "support.h"

static char path[SHARED_PATH];

static void test_large_file(void **state)
{
    lf_data *data;
    assert_ok(*state, lf_data_read(*state, path, NULL, &data));
    assert_int_equal(lf_data_count(data, LF_KIND_ROW), 1541958);
    assert_int_equal((int)lf_data_count(data, LF_KIND_OUTPUT), 30);
    lf_observation row = lf_data_row(data, 0);
    assert_string_equal(lf_data_name(data, LF_KIND_OUTPUT, (size_t)row.output), "Bramblemet-WSPD");
    assert_true(row.x[0] == 0.003472222222222222 && row.y == 8.3);
    lf_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_large_file)};
    return shared_file("data/weather2020_long.csv.gz", path) ? cmocka_run_group_tests(tests, make_context, free_context)
                                                             : 77;
}
