/* Fits find the truth: a few simulated systems of each kind. `make bench` does the same with a hundred. */
#include "support.h"

#include "recovery.h"

enum { SYSTEMS = 8 };

static void check_recovery(lf_context *ctx, int order)
{
    recovery found[SYSTEMS];
    for (int s = 0; s < SYSTEMS; s++) {
        assert_ok(ctx, recover(ctx, order, s, &found[s]));
        /* The top of the likelihood is above the truth; a fit that ends below has missed it. */
        assert_true(found[s].gain > 0);
        for (int q = 0; q < found[s].forces; q++) {
            assert_true(!found[s].well_driven || found[s].correlation[q] > 0.95);
        }
    }
    assert_true(share_within(found, SYSTEMS, 0, MOTION_KINDS, 3) >= 0.9);
    assert_true(share_within(found, SYSTEMS, 0, PARAMETER_KINDS, 3) >= 0.9);
    /* Errors that are far too large would pass so far. */
    assert_true(share_within(found, SYSTEMS, 0, MOTION_KINDS, 1) <= 0.9);
}

static void test_ode1(void **state) { check_recovery(*state, 1); }

static void test_ode2(void **state) { check_recovery(*state, 2); }

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ode1), cmocka_unit_test(test_ode2)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
