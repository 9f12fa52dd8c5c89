/* Transitions from a table: against series and doublings for each gap, against sums in extended precision, and their derivatives against those of
 * the gaps one by one. */
#include "random_systems.h"

#include "dynamics/transition_table.h"

enum { GAPS = 60 };

/* A and Q in extended precision: Taylor series on gap / 2^20, doubled. */
static void reference_transition(const fixture *f, double gap, long double *A, long double *Q)
{
    enum { DOUBLINGS = 20, TERMS = 12 };
    size_t n = f->n;
    long double h = ldexpl(gap, -DOUBLINGS), E[MOST * MOST] = {0}, T[MOST * MOST], C[MOST * MOST], next[MOST * MOST],
                half[MOST * MOST], factor = h;
    memset(Q, 0, MOST * MOST * sizeof *Q);
    for (size_t i = 0; i < n * n; i++) {
        T[i] = i % (n + 1) == 0;
        C[i] = f->W[i / n * f->s + i % n];
    }
    for (int k = 1; k <= TERMS; k++) {
        for (size_t i = 0; i < n * n; i++) {
            long double sum = 0, both = 0;
            for (size_t l = 0; l < n; l++) {
                long double left = f->F[i / n * f->s + l], right = f->F[i % n * f->s + l];
                sum += left * T[l * n + i % n];
                both += left * C[l * n + i % n] + right * C[i / n * n + l];
            }
            next[i] = sum * h / k;
            half[i] = both;
        }
        for (size_t i = 0; i < n * n; i++) {
            E[i] += T[i] = next[i];
            Q[i] += factor * C[i];
            C[i] = half[i];
        }
        factor *= h / (k + 1);
    }
    for (int doubling = 0; doubling < DOUBLINGS; doubling++) { /* Q += A Q A', E = 2 E + E E */
        for (size_t i = 0; i < n * n; i++) {
            half[i] = Q[i];
            next[i] = 2 * E[i];
            for (size_t l = 0; l < n; l++) {
                half[i] += E[i / n * n + l] * Q[l * n + i % n];
                next[i] += E[i / n * n + l] * E[l * n + i % n];
            }
        }
        for (size_t i = 0; i < n * n; i++) {
            long double sum = half[i];
            for (size_t l = 0; l < n; l++) {
                sum += half[i / n * n + l] * E[i % n * n + l];
            }
            T[i] = sum;
        }
        for (size_t i = 0; i < n * n; i++) {
            Q[i] += T[i];
            E[i] = next[i];
        }
    }
    for (size_t i = 0; i < n * n; i++) {
        A[i] = E[i] + (i % (n + 1) == 0);
    }
}

/* Gaps over some cells, all different; with `few` also some that are alone in their cells. */
static void make_gaps(lf_random *random, const fixture *f, double cells, int few, double *gaps)
{
    double width = 0.25 / lf_infinity_norm(&f->space.sparsity, f->F);
    for (int g = 0; g < GAPS; g++) {
        gaps[g] = width * (few && g % 10 == 0 ? 40 + 5 * g : cells * lf_random_uniform(random) + 1e-4);
    }
}

/* Relative to the deviations in Q, however small they are. */
static void test_values(void **state)
{
    lf_random random;
    lf_random_seed(&random, 5);
    for (int trial = 0; trial < 36; trial++) {
        fixture f;
        double gaps[GAPS], A[SIZE] = {0}, Q[SIZE] = {0}, one_A[SIZE], one_Q[SIZE];
        int found = 0;
        make_system(*state, &random, 1 + trial % MOST, trial % 3 ? 0.15 : 1, 0.2, &f);
        make_gaps(&random, &f, 1 + trial % 12, trial % 2, gaps);
        lf_transition_work work;
        lf_transition_table table;
        assert_ok(*state, lf_transition_work_create(*state, &f.space, gaps[GAPS - 1] + gaps[50] + gaps[0], &work));
        assert_ok(*state, lf_transition_table_create(*state, &f.space, GAPS, gaps, &work, &table));
        for (int g = 0; g < GAPS; g++) {
            long double exact_A[MOST * MOST], exact_Q[MOST * MOST];
            if (!lf_transition_table_get(&table, gaps[g], A, Q)) {
                continue;
            }
            found++;
            lf_transition(&f.space, f.F, gaps[g], &work, one_A, one_Q);
            reference_transition(&f, gaps[g], exact_A, exact_Q);
            check_equal(&f, "A", A, one_A, largest(&f, one_A), 5e-15);
            for (size_t i = 0; i < f.n * f.n; i++) {
                size_t row = i / f.n, column = i % f.n, here = row * f.s + column;
                double unit = (double)sqrtl(exact_Q[row * (f.n + 1)] * exact_Q[column * (f.n + 1)]);
                assert_near(A[here], (double)exact_A[i], 3e-15 * largest(&f, A));
                assert_near(Q[here], (double)exact_Q[i], 2e-14 * unit);
                assert_true(Q[here] == Q[column * f.s + row]);
            }
        }
        assert_true(found >= GAPS / 2);
        lf_transition_table_size shared = lf_transition_table_measure(&f.space, GAPS, gaps);
        assert_true(shared.gaps == found && shared.slots == (double)table.slots);
        assert_true(!(trial % 2) || found < GAPS);
        lf_transition_table_clear(&table);
        lf_transition_work_clear(&work);
        lf_sparsity_clear(&f.space.sparsity);
    }
}

/* Too few gaps, gaps far apart, and systems that stand still have no table. */
static void test_empty(void **state)
{
    static const double few[] = {0.1, 0.2}, far[] = {1e3, 1e6, 1e9, 1e12}, near[] = {0.1, 0.11, 0.12};
    lf_random random;
    fixture f;
    lf_transition_work work;
    lf_transition_table table;
    double A[SIZE], Q[SIZE];
    lf_random_seed(&random, 1);
    make_system(*state, &random, 3, 1, 1, &f);
    assert_ok(*state, lf_transition_work_create(*state, &f.space, 1e12, &work));
    assert_ok(*state, lf_transition_table_create(*state, &f.space, 2, few, &work, &table));
    assert_int_equal(lf_transition_table_get(&table, few[0], A, Q), 0);
    assert_ok(*state, lf_transition_table_end_backward(*state, &table, &work, A, Q));
    lf_transition_table_clear(&table);
    assert_ok(*state, lf_transition_table_create(*state, &f.space, 4, far, &work, &table));
    assert_int_equal(lf_transition_table_get(&table, far[3], A, Q), 0);
    assert_true(lf_transition_table_measure(&f.space, 4, far).slots == 0);
    lf_transition_table_clear(&table);
    memset(f.F, 0, sizeof f.F);
    assert_ok(*state, lf_transition_table_create(*state, &f.space, 3, near, &work, &table));
    assert_int_equal(lf_transition_table_get(&table, near[0], A, Q), 0);
    lf_transition_table_clear(&table);
    lf_transition_work_clear(&work);
    lf_sparsity_clear(&f.space.sparsity);
}

/* Sums of the derivatives over random gaps, from a table and gap by gap, into by (2, 2, n, stride): by_F and by_W of each. Gaps that the
 * table does not have are left out. */
static int sum_derivatives(lf_context *ctx, const lf_state_space *space, lf_random *random, const double *gaps,
                           double longest, double *by)
{
    size_t size = lf_sparsity_size(&space->sparsity), n = (size_t)space->n, s = (size_t)space->sparsity.stride;
    double *by_A = malloc(2 * size * sizeof *by_A), *by_Q = by_A + size;
    lf_transition_work work;
    lf_transition_table table;
    int found = 0;
    assert_ok(ctx, lf_transition_work_create(ctx, space, longest, &work));
    assert_ok(ctx, lf_transition_table_create(ctx, space, GAPS, gaps, &work, &table));
    assert_ok(ctx, lf_transition_table_begin_backward(ctx, &table));
    memset(by, 0, 4 * size * sizeof *by);
    for (int g = 0; g < GAPS; g++) {
        memset(by_A, 0, 2 * size * sizeof *by_A);
        for (size_t i = 0; i < n; i++) {
            for (int e = space->sparsity.row_start[i]; e < space->sparsity.row_start[i + 1]; e++) {
                by_A[i * s + (size_t)space->sparsity.columns[e]] = lf_random_normal(random);
            }
            for (size_t j = 0; j <= i; j++) {
                by_Q[i * s + j] = by_Q[j * s + i] = lf_random_normal(random);
            }
        }
        if (lf_transition_table_add(&table, gaps[g], by_A, by_Q)) {
            lf_transition_backward(space, space->F, gaps[g], by_A, by_Q, &work, by + 2 * size, by + 3 * size);
            found++;
        }
    }
    assert_ok(ctx, lf_transition_table_end_backward(ctx, &table, &work, by, by + size));
    lf_transition_table_clear(&table);
    lf_transition_work_clear(&work);
    free(by_A);
    return found;
}

static void test_derivatives(void **state)
{
    lf_random random;
    lf_random_seed(&random, 23);
    for (int trial = 0; trial < 24; trial++) {
        fixture f;
        double gaps[GAPS], by[4 * SIZE];
        make_system(*state, &random, 1 + trial % MOST, trial % 3 ? 0.15 : 1, 0.2, &f);
        make_gaps(&random, &f, 1 + trial % 12, trial % 2, gaps);
        size_t size = f.n * f.s;
        int found = sum_derivatives(*state, &f.space, &random, gaps, gaps[GAPS - 1] + gaps[50] + gaps[0], by);
        assert_true(found >= GAPS / 2);
        check_equal(&f, "by_F", by, by + 2 * size, largest(&f, by + 2 * size), 5e-14);
        check_equal(&f, "by_W", by + size, by + 3 * size, largest(&f, by + 3 * size), 5e-14);
        lf_sparsity_clear(&f.space.sparsity);
    }
}

/* Models whose Q has entries that are always 0: shared and private forces of all kinds, averages, a white force, gains of 0. The derivatives by
 * the parameters are those of the gaps one by one. */
static void test_models(void **state)
{
    static const char *const forces[] = {
        "{\"kernel\":\"matern32\",\"lengthscale\":2},{\"kernel\":\"white\"}",
        "{\"kernel\":\"periodic*matern12\",\"lengthscale\":9,\"period\":3,\"period_lengthscale\":1},{\"kernel\":"
        "\"linear\",\"lengthscale\":5}",
        "{\"kernel\":\"cosine\",\"period\":2},{\"kernel\":\"matern52\",\"lengthscale\":0.5}",
        "{\"kernel\":\"white\"},{\"kernel\":\"white\"}",
    };
    static const int slots[] = {1, 2};
    lf_random random;
    lf_random_seed(&random, 3);
    for (int k = 0; k < 8; k++) {
        char text[2048];
        snprintf(
            text, sizeof text,
            "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[%s],\"outputs\":[{\"name\":\"a\",\"operator\":"
            "{"
            "\"type\":\"ode1\",\"decay\":0.7},\"sensitivity\":[1.3,0],\"noise_variance\":0.1,\"private\":{\"kernel\":"
            "\"matern12\",\"lengthscale\":1,\"amplitude\":0.5}},{\"name\":\"b\",\"operator\":{\"type\":\"ode2\","
            "\"mass\":2,\"damper\":0.3,\"spring\":1.5},\"sensitivity\":[0,1],\"noise_variance\":0.1}]}",
            forces[k % 4]);
        lf_model *model = parse_model(*state, text);
        lf_state_space space;
        double gaps[GAPS], gradient[2][64] = {{0}}, unit = 0;
        assert_ok(*state, lf_state_space_create_averaging(*state, model, 0, k < 4 ? NULL : slots, &space));
        assert_ok(*state, lf_state_space_update(*state, &space));
        size_t size = lf_sparsity_size(&space.sparsity), parameters = lf_parameter_count(model);
        assert_true(parameters <= 64);
        for (int g = 0; g < GAPS; g++) {
            gaps[g] = 0.001 + 0.1 * lf_random_uniform(&random);
        }
        double *by = malloc(5 * size * sizeof *by);
        assert_true(sum_derivatives(*state, &space, &random, gaps, 0.101, by) >= GAPS / 2);
        memset(by + 4 * size, 0, size * sizeof *by);
        for (int one = 0; one < 2; one++) {
            double *by_F = by + 2 * (size_t)one * size;
            assert_ok(*state,
                      lf_state_space_backward(*state, &space, by_F, by_F + size, by + 4 * size, NULL, gradient[one]));
        }
        for (size_t i = 0; i < parameters; i++) {
            unit = fmax(unit, fabs(gradient[1][i]));
        }
        for (size_t i = 0; i < parameters; i++) {
            assert_near(gradient[0][i], gradient[1][i], 1e-13 * unit);
        }
        free(by);
        lf_state_space_clear(&space);
        lf_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_models),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
