/* The stationary covariance of x' = F x + noise of intensity W: against the Lyapunov equation solved as a linear system by
 * Kronecker products, its derivative against the adjoint equation and differences. */
#include "random_systems.h"

#include "base/matrix_exponential.h"

/* X of F X + X F' + C = 0, or of F' X + X F + C = 0. */
static void solve_lyapunov(const fixture *f, int transposed, const double *C, double *X)
{
    size_t n = f->n, all = n * n;
    double *K = calloc(all * all, sizeof *K), *x = malloc(all * sizeof *x);
    lapack_int *pivot = malloc(all * sizeof *pivot);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            x[i * n + j] = -C[i * f->s + j];
            for (size_t k = 0; k < n; k++) {
                K[(i * n + j) * all + k * n + j] += f->F[transposed ? k * f->s + i : i * f->s + k];
                K[(i * n + j) * all + i * n + k] += f->F[transposed ? k * f->s + j : j * f->s + k];
            }
        }
    }
    assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, (lapack_int)all, 1, K, (lapack_int)all, pivot, x, 1), 0);
    memset(X, 0, SIZE * sizeof *X);
    for (size_t i = 0; i < all; i++) {
        X[i / n * f->s + i % n] = x[i];
    }
    free(K);
    free(x);
    free(pivot);
}

/* The equation, its other solution, symmetry, no negative variance in any direction. */
static void check_covariance(const fixture *f, const double *P)
{
    double expected[SIZE], left[SIZE], zero[SIZE] = {0}, eigenvalues[MOST], copy[MOST * MOST];
    double size = largest(f, P);
    solve_lyapunov(f, 0, f->W, expected);
    check_equal(f, "P", P, expected, size, 4e-14);
    multiply(f, f->F, 0, P, left);
    for (size_t i = 0; i < f->n; i++) {
        for (size_t j = 0; j <= i; j++) {
            size_t here = i * f->s + j, mirror = j * f->s + i;
            assert_true(P[here] == P[mirror]);
            left[here] = left[mirror] = left[here] + left[mirror] + f->W[here];
        }
    }
    check_equal(f, "F P + P F' + W", left, zero, largest(f, f->F) * size, 6e-15);
    for (size_t i = 0; i < f->n * f->n; i++) {
        copy[i] = P[i / f->n * f->s + i % f->n];
    }
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', (int)f->n, copy, (int)f->n, eigenvalues), 0);
    assert_true(eigenvalues[0] >= -1e-14 * eigenvalues[f->n - 1]);
}

static void test_random_systems(void **state)
{
    lf_random random;
    lf_random_seed(&random, 8);
    for (int trial = 0; trial < 60; trial++) {
        fixture f;
        double P[SIZE];
        make_system(*state, &random, 1 + trial % MOST, trial % 3 ? 0.15 : 1, log_between(&random, 0.05, 2), &f);
        assert_ok(*state, lf_stationary_covariance(*state, &f.space, P));
        check_covariance(&f, P);
        lf_sparsity_clear(&f.space.sparsity);
    }
}

/* x' = -a x + noise of intensity w: P = w / 2a, over many units of time. */
static void test_one_state(void **state)
{
    lf_random random;
    lf_random_seed(&random, 2);
    for (double a = 1e-6; a < 2e6; a *= 10) {
        fixture f;
        double P[SIZE];
        make_system(*state, &random, 1, 1, a, &f);
        assert_ok(*state, lf_stationary_covariance(*state, &f.space, P));
        assert_near(P[0], -f.W[0] / (2 * f.F[0]), 3e-15 * P[0]);
        f.space.decay_time = 1e70 / a; /* out of range */
        assert_int_equal(lf_stationary_covariance(*state, &f.space, P), LF_ERROR_NUMERIC);
        assert_non_null(strstr(lf_context_message(*state), "gap"));
        assert_int_equal(lf_stationary_backward(*state, &f.space, P, P, P), LF_ERROR_NUMERIC);
        lf_sparsity_clear(&f.space.sparsity);
    }
}

/* P = A P A' + Q for every gap, with A = exp(F h). */
static void test_transitions(void **state)
{
    lf_random random;
    lf_random_seed(&random, 31);
    for (int trial = 0; trial < 24; trial++) {
        fixture f;
        double P[SIZE], A[SIZE], Q[SIZE], expected[SIZE], half[SIZE], gap = log_between(&random, 1e-6, 1);
        double complex system[MOST * MOST], result[MOST * MOST];
        make_system(*state, &random, 1 + trial % MOST, 0.2, 0.5, &f);
        lf_transition_work work;
        assert_ok(*state, lf_stationary_covariance(*state, &f.space, P));
        assert_ok(*state, lf_transition_work_create(*state, &f.space, gap, &work));
        lf_transition(&f.space, f.F, gap, &work, A, Q);
        multiply(&f, A, 0, P, half);
        multiply(&f, half, 1, A, expected);
        for (size_t i = 0; i < f.n * f.s; i++) {
            expected[i] += Q[i];
        }
        check_equal(&f, "A P A' + Q", expected, P, largest(&f, P), 5e-15);
        for (size_t i = 0; i < f.n * f.n; i++) {
            system[i] = gap * f.F[i / f.n * f.s + i % f.n];
        }
        lf_matrix_exponential((int)f.n, system, result);
        memset(expected, 0, sizeof expected);
        for (size_t i = 0; i < f.n * f.n; i++) {
            expected[i / f.n * f.s + i % f.n] = creal(result[i]);
        }
        check_equal(&f, "exp(F h)", A, expected, largest(&f, expected), 8e-15);
        lf_transition_work_clear(&work);
        lf_sparsity_clear(&f.space.sparsity);
    }
}

/* ---- models ---- */

/* Operators of order 1 to 6, one with a root of multiplicity 4; forces have the covariance I by construction. */
static void test_models(void **state)
{
    static const char *const operators[] = {
        "{\"type\":\"ode1\",\"decay\":0.7}",
        "{\"type\":\"ode2\",\"mass\":2,\"damper\":0.3,\"spring\":1.5}",
        "{\"type\":\"ode\",\"coefficients\":[1,2,4,1.5]}",
        "{\"type\":\"ode\",\"coefficients\":[1,4,6,4,1]}",
        "{\"type\":\"ode\",\"coefficients\":[2,9,17,19,11,2.5]}",
        "{\"type\":\"ode\",\"coefficients\":[1,6.5,18,27,23,10.5,2]}",
    };
    static const char *const kernels[] = {"matern12", "matern32", "matern52"};
    for (int k = 0; k < 18; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"stationary\",\"forces\":[{\"kernel\":"
                 "\"%s\",\"lengthscale\":%g}],\"outputs\":[{\"name\":\"a\",\"operator\":%s,\"sensitivity\":[1.3],"
                 "\"noise_variance\":0.1}]}",
                 kernels[k / 6], 0.3 + 0.2 * k, operators[k % 6]);
        lf_model *model = parse_model(*state, text);
        fixture f = {0};
        assert_ok(*state, lf_state_space_create(*state, model, 0, &f.space));
        assert_ok(*state, lf_state_space_update(*state, &f.space));
        f.n = (size_t)f.space.n;
        f.s = (size_t)f.space.sparsity.stride;
        memcpy(f.F, f.space.F, f.n * f.s * sizeof *f.F);
        memcpy(f.W, f.space.W, f.n * f.s * sizeof *f.W);
        check_covariance(&f, f.space.P);
        for (size_t i = 0; i < (size_t)(f.space.force_states * f.space.force_states); i++) {
            size_t row = i / (size_t)f.space.force_states, column = i % (size_t)f.space.force_states;
            assert_near(f.space.P[row * f.s + column], row == column, 2e-14);
        }
        if (k == 0) { /* ode1 and matern12: S^2 / (decay (decay + 1 / lengthscale)) */
            double variance = 1.3 * 1.3 / (0.7 * (0.7 + 1 / 0.3)), *first = f.space.P + f.space.first[0] * (int)f.s;
            assert_near(first[f.space.first[0]], variance, 1e-15 * variance);
        }
        lf_state_space_clear(&f.space);
        lf_model_free(model);
    }
}

/* ---- the derivative ---- */

/* With G of F' G + G F + by_P = 0: by_W += G, by_F += 2 G P inside the pattern. The slope of <by_P, P> along random directions
 * by differences is the same. */
static void test_backward(void **state)
{
    lf_random random;
    lf_random_seed(&random, 17);
    for (int trial = 0; trial < 36; trial++) {
        fixture f, moved;
        double P[SIZE], by_P[SIZE] = {0}, by_F[SIZE] = {0}, by_W[SIZE] = {0}, G[SIZE], GP[SIZE], dF[SIZE] = {0},
                        dW[SIZE] = {0}, before = 3;
        make_system(*state, &random, 1 + trial % MOST, trial % 2 ? 0.15 : 1, log_between(&random, 0.1, 2), &f);
        for (size_t i = 0; i < f.n; i++) {
            for (size_t j = 0; j <= i; j++) {
                by_P[i * f.s + j] = by_P[j * f.s + i] = lf_random_normal(&random);
                dW[i * f.s + j] = dW[j * f.s + i] = 0.1 * lf_random_normal(&random);
            }
        }
        for (size_t i = 0; i < f.n * f.n; i++) {
            dF[i / f.n * f.s + i % f.n] = f.reads[i] ? 0.1 * lf_random_normal(&random) : 0;
        }
        by_F[0] = by_W[0] = before; /* added to */
        assert_ok(*state, lf_stationary_covariance(*state, &f.space, P));
        assert_ok(*state, lf_stationary_backward(*state, &f.space, by_P, by_F, by_W));
        by_F[0] -= before;
        by_W[0] -= before;
        solve_lyapunov(&f, 1, by_P, G);
        check_equal(&f, "by_W", by_W, G, largest(&f, G), 2e-14);
        multiply(&f, G, 0, P, GP);
        for (size_t i = 0; i < f.n * f.s; i++) {
            GP[i] = i % f.s < f.n && f.reads[i / f.s * f.n + i % f.s] ? 2 * GP[i] : 0;
        }
        check_equal(&f, "by_F", by_F, GP, largest(&f, GP), 1e-14);

        static const double steps[] = {-1e-3, 1e-3, -5e-4, 5e-4}, weights[] = {1, -1, -8, 8}; /* over 6e-3 */
        double numeric = 0, analytic = 0, unit = 0;
        moved = f;
        moved.space.F = moved.F;
        moved.space.W = moved.W;
        for (int k = 0; k < 4; k++) {
            for (size_t i = 0; i < SIZE; i++) {
                moved.F[i] = f.F[i] + steps[k] * dF[i];
                moved.W[i] = f.W[i] + steps[k] * dW[i];
            }
            assert_ok(*state, lf_stationary_covariance(*state, &moved.space, P));
            for (size_t i = 0; i < f.n * f.s; i++) {
                numeric += weights[k] / 6e-3 * by_P[i] * P[i];
            }
        }
        for (size_t i = 0; i < f.n * f.s; i++) {
            analytic += by_F[i] * dF[i] + by_W[i] * dW[i];
            unit += fabs(by_F[i] * dF[i]) + fabs(by_W[i] * dW[i]);
        }
        assert_near(analytic, numeric, 4e-11 * unit);
        lf_sparsity_clear(&f.space.sparsity);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_systems), cmocka_unit_test(test_one_state), cmocka_unit_test(test_transitions),
        cmocka_unit_test(test_models),         cmocka_unit_test(test_backward),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
