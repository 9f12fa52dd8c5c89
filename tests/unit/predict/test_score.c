/* Scores of predicted rows. */
#include "support.h"

#include "predict/score.h"

static void test_scores(void **state)
{
    (void)state;
    const double y[] = {1, 2, 3, 4}, mean[] = {1.5, 2, 2, 4}, s2[] = {1, 0.25, 0.04, 1};
    lf_score_summary score = lf_score_rows(4, y, mean, s2);
    assert_near(score.nmse, (0.25 + 1) / 5, 3e-16);
    assert_near(score.rmse, sqrt(1.25 / 4), 1e-15);
    assert_near(score.coverage95, 0.75, 0);
    double nlpd = 0.5 * (0.25 + 1 / 0.04 + log(0.25) + log(0.04)) / 4 + 0.5 * log(2 * 3.14159265358979323846);
    assert_near(score.nlpd, nlpd, 5e-15);
    const double same[] = {2, 2};
    assert_true(isnan(lf_score_rows(2, same, mean, s2).nmse));
    assert_int_equal(lf_score_rows(0, y, mean, s2).n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scores)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
