/* Started by mpirun (test_scalapack.sh): the dense engine with its matrix spread by ScaLAPACK against the ordinary one, in every process;
 * rows that span several blocks; twice the same bits; covariances that are not positive definite. Status 77: there is no ScaLAPACK. */
#include "dense_cases.h"

#include "base/block_cyclic.h"
#include "base/context.h"
#include "latentforce_mpi.h"

#ifdef LF_HAVE_SCALAPACK
static const int have_scalapack = 1;
#else
static const int have_scalapack = 0;
#endif

static int count; /* of processes */

/* More rows than a block has, so that every process has some. */
static dense_case enlarged(const dense_case *c)
{
    dense_case larger = *c;
    larger.each = c->each * 6;
    return larger;
}

static lf_context *join(void)
{
    lf_context *ctx = lf_context_create();
    assert_ok(ctx, lf_context_set_communicator(ctx, MPI_COMM_WORLD));
    lf_context_set_threads(ctx, 1);
    return ctx;
}

/* Other processes go on after a failure here, which the exit status tells: assertions stand where no process waits for another. */
static void results_are_those_of_one_process(void **state)
{
    (void)state;
    lf_context *ctx = join(), *alone = lf_context_create();
    lf_context_set_threads(alone, 1); /* beside the other processes */
    static dense_results expected[DENSE_CASES], found[DENSE_CASES], again[DENSE_CASES];
    for (int i = 0; i < DENSE_CASES; i += ONE_OF(4)) {
        dense_case c = enlarged(&dense_cases[i]);
        dense_compute(ctx, &c, 0, NULL, &found[i]);
        dense_compute(ctx, &c, 0, NULL, &again[i]);
        dense_compute(alone, &c, 0, NULL, &expected[i]);
    }
    for (int i = 0; i < DENSE_CASES; i += ONE_OF(4)) {
        compare_results(&found[i], &expected[i]);
        assert_memory_equal(&found[i], &again[i], sizeof found[i]);
    }
    lf_context_free(alone);
    lf_context_free(ctx);
}

static void matrices_are_spread(void **state)
{
    (void)state;
    lf_context *ctx = join();
    assert_int_equal(lf_is_spread(ctx, 1000), count > 1);
    lf_context_free(ctx);
}

static void a_singular_covariance_is_named(void **state)
{
    (void)state;
    static const dense_case singular = {
        "singular",
        HEAD "\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":1}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":"
             "\"ode1\",\"decay\":1},\"sensitivity\":[1],\"noise_variance\":1e-30}]}",
        "closed-form",
        1,
        1,
        400};
    static dense_results found;
    lf_context *ctx = join();
    dense_compute(ctx, &singular, 0, NULL, &found);
    assert_int_equal(found.status, LF_ERROR_NUMERIC);
    assert_non_null(strstr(found.message, "is not positive definite at output 'a'"));
    lf_context_free(ctx);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_are_spread),
        cmocka_unit_test(results_are_those_of_one_process),
        cmocka_unit_test(a_singular_covariance_is_named),
    };
    int failed = have_scalapack ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return failed;
}
