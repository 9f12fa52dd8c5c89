/* Every kernel of the table in four forms: covariance, density, states and features. The covariance is compared with a formula, the others
 * with the covariance. And its parameters, as the public interface has them. */
#include "engine/engine.h"
#include "kernel_table.h"
#include "points/points.h"

enum { N = 12, FORCE = 2 };
static const double lags[] = {0.3, 0.55, 1.3, 2.9};
enum { LAGS = sizeof lags / sizeof *lags };

/* Times from before the origin on; their covariances are those of the shared force of composed_model(). */
static void make_points(int *target, double *x)
{
    for (int i = 0; i < N; i++) {
        target[i] = FORCE;
        x[i] = -1 + 0.03 * i * i + 0.02 * sin(i);
    }
}

static void test_covariance(void **state)
{
    for (int k = 0; k < KERNEL_CASES; k += ONE_OF(4)) {
        lf_model *model = composed_model(*state, &kernel_cases[k], "zero");
        const lf_force *force = &model->forces[0];
        int target[N];
        double x[N];
        make_points(target, x);
        for (int i = 0; i < N * N; i++) {
            double t = x[i / N], s = x[i % N];
            if (is_white(&kernel_cases[k])) { /* it has an intensity only, which test_density checks */
                assert_true(lf_force_covariance(force, t, s) == (i / N == i % N ? (double)INFINITY : 0));
            } else {
                assert_near(lf_force_covariance(force, t, s), formula_covariance(&kernel_cases[k], t, s), 1e-13);
            }
        }
        lf_model_free(model);
    }
}

/* The Fourier transform of the density, by the trapezoid rule, and the lines. */
static void transform(const lf_force *force, double *sums)
{
    lf_atom atoms[LF_MAX_ATOMS];
    double step = 0.02;
    lf_force_atoms(force, atoms);
    for (int i = 0; i < lf_force_atom_count(force); i++) {
        for (int k = 0; !atoms[i].envelope && k < LAGS; k++) {
            sums[k] += atoms[i].variance * cos(atoms[i].frequency * lags[k]);
        }
        double limit = atoms[i].frequency + (atoms[i].envelope && atoms[i].envelope->tail_power > 0 ? 1000 : 40);
        for (int s = 0; atoms[i].envelope && s * step < limit; s++) {
            double mass = (s ? 2 : 1) * step * lf_atom_density(&atoms[i], s * step, NULL, NULL);
            for (int k = 0; k < LAGS; k++) {
                sums[k] += mass * cos(s * step * lags[k]);
            }
        }
    }
}

static void test_density(void **state)
{
    for (int k = 0; k < KERNEL_CASES; k += ONE_OF(4)) {
        lf_model *model = composed_model(*state, &kernel_cases[k], "zero");
        const lf_force *force = &model->forces[0];
        double sums[LAGS] = {0};
        if (is_white(&kernel_cases[k])) { /* the same at all frequencies: there is nothing to integrate */
            lf_atom atom;
            lf_force_atoms(force, &atom);
            assert_near(lf_atom_density(&atom, 0.1, NULL, NULL), 1 / (2 * acos(-1)), 1e-15);
            assert_near(lf_atom_density(&atom, 1e6, NULL, NULL), 1 / (2 * acos(-1)), 1e-15);
        } else if (has_spectrum(
                       &kernel_cases[k])) { /* a linear force has none: its covariance is no function of the lag */
            transform(force, sums);
            for (int i = 0; i < LAGS; i++) {
                assert_near(lf_force_covariance(force, 2 + lags[i], 2), sums[i],
                            is_rough(&kernel_cases[k]) ? 5e-6 : 1e-13);
            }
        }
        lf_model_free(model);
    }
}

/* c' exp(F r) P c of the states of a force, before and after the origin. */
static void test_states(void **state)
{
    int target[N];
    double x[N], K[N * N];
    make_points(target, x);
    for (int k = 0; k < KERNEL_CASES; k += ONE_OF(4)) {
        if (is_white(&kernel_cases[k])) {
            continue; /* it has no states: it is noise of the outputs, which test_composed_forces.c compares */
        }
        for (int s = 0; s < (is_approximate(&kernel_cases[k]) ? 1 : 3); s += 2) { /* zero and stationary */
            lf_model *model = composed_model(*state, &kernel_cases[k], start_names[s]);
            lf_point_set set;
            lf_point_list points = {.n = N, .target = target, .x = x};
            assert_ok(*state, lf_point_set_create(*state, model, &points, N, NULL, &set));
            assert_ok(*state,
                      lf_engine_find("kalman")->prior_covariance(*state, model, &(lf_engine_options){0}, &set, K));
            for (int i = 0; i < N; i++) {
                for (int j = 0; j <= i; j++) {
                    assert_near(K[j * N + i],
                                lf_force_covariance(&model->forces[0], set.x[i] - ORIGIN, set.x[j] - ORIGIN),
                                is_approximate(&kernel_cases[k]) ? 1e-9 : 1e-12);
                }
            }
            lf_point_set_clear(&set);
            lf_model_free(model);
        }
    }
}

static void test_features(void **state)
{
    int target[N];
    double x[N], K[N * N];
    make_points(target, x);
    for (int k = 0; k < KERNEL_CASES; k += ONE_OF(4)) {
        lf_model *model = composed_model(*state, &kernel_cases[k], "zero");
        lf_point_list points = {.n = N, .target = target, .x = x};
        lf_engine_options options = {.size = sizeof options, .engine = "features"};
        /* the variance of a rough force beyond the highest frequency is missing */
        double tolerance = !is_rough(&kernel_cases[k])                  ? 2e-10
                           : has_envelope(&kernel_cases[k], "matern12") ? 2e-2
                                                                        : 1e-4;
        if (!is_white(&kernel_cases[k])) { /* which has no value at an instant */
            lf_status status = lf_covariance_list(*state, model, &points, &options, K);
            /* features have a variance that is the same at all times */
            assert_int_equal(status, has_spectrum(&kernel_cases[k]) ? LF_OK : LF_ERROR_UNSUPPORTED);
        }
        for (int i = 0; has_spectrum(&kernel_cases[k]) && i < N * N; i++) {
            assert_near(K[i], lf_force_covariance(&model->forces[0], x[i / N], x[i % N]), tolerance);
        }
        lf_model_free(model);
    }
}

/* ---- the public view ---- */

static int ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), most = strlen(end);
    return length > most && strcmp(text + length - most, end) == 0 && text[length - most - 1] == '.';
}

/* The parameters are those of the parts, in their order, from number `first` on. */
static void check_parameters(const lf_model *model, const kernel_case *kernel, const char *owner, size_t first,
                             size_t count)
{
    size_t found = 0;
    for (int i = 0; i < part_count(kernel); i++) {
        const kernel_part *part = &kernel->parts[i];
        const struct {
            const char *name;
            double value;
        } members[] = {{"lengthscale", part->lengthscale},
                       {"period", part->period},
                       {"period_lengthscale", part->period_lengthscale},
                       {"weight", part_count(kernel) > 1 ? part->weight : 0}};
        for (size_t k = 0; k < 4; k++) {
            if (members[k].value > 0) {
                lf_parameter parameter = lf_parameter_get(model, first + found++);
                char term[32];
                snprintf(term, sizeof term, ".term%d.", i + 1);
                assert_true(ends_with(parameter.name, members[k].name));
                assert_int_equal(strncmp(parameter.name, owner, strlen(owner)), 0);
                assert_int_equal(strstr(parameter.name, term) != NULL, part_count(kernel) > 1);
                assert_near(parameter.value, members[k].value, 0);
            }
        }
    }
    assert_int_equal(count, found);
}

static void test_parameters(void **state)
{
    for (int k = 0; k < KERNEL_CASES; k += ONE_OF(4)) {
        const kernel_case *kernel = &kernel_cases[k];
        lf_model *model = composed_model(*state, kernel, "zero");
        check_parameters(model, kernel, "force1.", (size_t)lf_index_kernel(model, 0),
                         (size_t)lf_force_parameter_count(&model->forces[0]));
        check_parameters(model, kernel, "a.private.", (size_t)lf_index_private_kernel(model, 0),
                         (size_t)lf_force_parameter_count(&model->outputs[0].private_force));
        assert_int_equal(model->forces[0].lengthscale_count, is_plain(kernel));
        assert_int_equal(lf_model_force_is_white(model, 0), is_white(kernel));
        assert_int_equal(lf_model_force_is_white(model, 1), 0);
        assert_int_equal(lf_model_force_is_white(model, -1), 0);
        lf_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_covariance), cmocka_unit_test(test_density),
                                       cmocka_unit_test(test_states), cmocka_unit_test(test_features),
                                       cmocka_unit_test(test_parameters)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
