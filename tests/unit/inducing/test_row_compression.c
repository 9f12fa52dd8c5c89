/* Rows replaced by values at Chebyshev points: interpolation to rounding, the orthogonal factors, the same log density. */
#include "support.h"

#include <lapacke.h>

#include "base/numbers.h"
#include "base/parallel.h"
#include "inducing/row_compression.h"

enum { ROWS = 160 };

static const struct {
    const char *initial, *kernel, *operator_type, *nodes;
} cases[] = {
    {"zero", "eq", "{\"type\":\"ode1\",\"decay\":0.7}", "uniform"},
    {"free", "eq", "{\"type\":\"ode2\",\"mass\":1,\"damper\":0.4,\"spring\":9}", "uniform"},
    {"stationary", "eq", "{\"type\":\"ode2\",\"mass\":1,\"damper\":2,\"spring\":20}", "uniform"},
    {"free", "eq", "{\"type\":\"ode\",\"coefficients\":[1,3,6,2]}", "uniform"},
    {"zero", "eq", "{\"type\":\"ode\",\"coefficients\":[1,-0.4]}", "uniform"},
    {"zero", "matern52", "{\"type\":\"ode1\",\"decay\":3}", "uniform"},
    {"zero", "eq", "{\"type\":\"ode1\",\"decay\":40}", "uniform"},
    {"zero", "eq", "{\"type\":\"gaussian\",\"precision\":8}", "uniform"},
    {"free", "eq", "{\"type\":\"ode2\",\"mass\":1,\"damper\":3,\"spring\":2}", "qmc"},
    {"zero", "matern32", "{\"type\":\"ode1\",\"decay\":1.5}", "mc"},
};
enum { CASES = sizeof cases / sizeof *cases };

typedef struct fixture {
    lf_model *model;
    lf_data *data;
    lf_rows rows;
    lf_grid_spec spec;
    lf_features features;
    lf_row_compression r;
} fixture;

/* Output "a" with a private force; `bars` > 0: one row has an error bar. */
static void make_fixture(lf_context *ctx, int i, int rows, double span, int bars, fixture *f)
{
    char text[1024];
    lf_random random;
    lf_random_seed(&random, 100 + (uint64_t)i);
    snprintf(text, sizeof text,
             "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"%s\",\"forces\":[{\"kernel\":\"%s\","
             "\"lengthscale\":0.9},{\"kernel\":\"eq\",\"lengthscale\":2}],\"outputs\":[{\"name\":\"a\",\"operator\":%s,"
             "\"sensitivity\":[1.3,-0.6],\"noise_variance\":0.02,\"private\":{\"kernel\":\"eq\",\"lengthscale\":0.6,"
             "\"amplitude\":0.4}}]}",
             cases[i].initial, cases[i].kernel, cases[i].operator_type);
    *f = (fixture){.model = parse_model(ctx, text)};
    assert_ok(ctx, lf_data_create(ctx, 1, &f->data));
    for (int k = 0; k < rows; k++) {
        double x = k % 10 == 9 ? span / 2 : span * lf_random_uniform(&random); /* some at the same time */
        assert_ok(ctx, lf_data_add(ctx, f->data,
                                   &(lf_row){.size = sizeof(lf_row),
                                             .output = "a",
                                             .x = &x,
                                             .y = lf_random_normal(&random),
                                             .sd = k < bars ? 0.1 : 0}));
    }
    lf_engine_options options = {.size = sizeof options,
                                 .nodes = cases[i].nodes,
                                 .tolerance = strcmp(cases[i].kernel, "eq") == 0 ? 0 : 1e-3,
                                 .features = strcmp(cases[i].nodes, "uniform") == 0 ? 0 : 12};
    assert_ok(ctx, lf_rows_create(ctx, f->model, f->data, &f->rows));
    assert_ok(ctx, lf_grid_spec_create(ctx, f->model, &f->rows, &options, &f->spec));
    assert_ok(ctx, lf_features_create(ctx, f->model, f->spec, &f->features));
    assert_ok(ctx, lf_row_compression_create(ctx, f->model, &f->features, &f->rows.replicates[0], 0, &f->r));
}

static void clear_fixture(fixture *f)
{
    lf_row_compression_clear(&f->r);
    assert_null(f->r.Qty);
    lf_features_clear(&f->features);
    lf_grid_spec_clear(&f->spec);
    lf_rows_clear(&f->rows);
    lf_data_free(f->data);
    lf_model_free(f->model);
}

/* All columns (n, M + m) of the output at n inputs, column by column. */
static double *columns_at(lf_context *ctx, const fixture *f, size_t n, const double *x, size_t *count)
{
    size_t shared = f->features.shared, private = lf_features_private(&f->features, 0);
    double *columns = calloc(n * (shared + private) + 1, sizeof *columns);
    assert_ok(ctx, lf_features_rows(ctx, &f->features, 0, n, x, columns, columns + n * shared));
    *count = shared + private;
    return columns;
}

/* U (rows, n), row by row: interpolation at the Chebyshev points tau by sums of Chebyshev polynomials,
 * U_ij = 1 / n + 2 / n sum_k T_k(tau_j) T_k(t_i), 0 < k < n. */
static double *interpolation(const fixture *f, size_t rows, const double *t)
{
    size_t n = f->r.n;
    double *U = calloc(rows * n, sizeof *U), *T = calloc(n * n, sizeof *T);
    for (size_t k = 0; k < n; k++) {
        for (size_t j = 0; j < n; j++) {
            double angle = LF_PI * ((double)j + 0.5) / (double)n;
            assert_near(f->r.tau[j], f->r.midpoint + f->r.half_width * cos(angle), 1e-15);
            T[k * n + j] = (k ? 2.0 : 1.0) / (double)n * cos((double)k * angle);
        }
    }
    for (size_t i = 0; i < rows; i++) {
        double x = (t[i] - f->r.midpoint) / f->r.half_width, now = 1, next = x;
        for (size_t k = 0; k < n; k++) {
            for (size_t j = 0; j < n; j++) {
                U[i * n + j] += now * T[k * n + j];
            }
            double after = 2 * x * next - now;
            now = next;
            next = after;
        }
    }
    free(T);
    return U;
}

/* ---- interpolation ---- */

/* The largest difference of the columns at the rows from what their values at tau give, relative to the largest value. */
static double interpolation_error(lf_context *ctx, const fixture *f)
{
    const double *t = f->rows.replicates[0].points.x;
    size_t n = f->r.n, count;
    double *U = interpolation(f, ROWS, t), *columns = columns_at(ctx, f, ROWS, t, &count);
    double *at_tau = columns_at(ctx, f, n, f->r.x, &count), worst = 0, size = 0;
    for (size_t c = 0; c < count; c++) {
        for (size_t i = 0; i < ROWS; i++) {
            double sum = 0;
            for (size_t j = 0; j < n; j++) {
                sum += U[i * n + j] * at_tau[c * n + j];
            }
            worst = fmax(worst, fabs(sum - columns[c * ROWS + i]));
            size = fmax(size, fabs(columns[c * ROWS + i]));
        }
    }
    free(U);
    free(columns);
    free(at_tau);
    return worst / size;
}

static void test_interpolation(void **state)
{
    for (int i = 0; i < CASES; i++) {
        fixture f;
        make_fixture(*state, i, ROWS, 4, 0, &f);
        assert_true(f.r.R && f.r.n < 0.75 * ROWS && f.r.rows == ROWS && f.r.output == 0);
        assert_true(f.r.x == f.r.tau);
        assert_near(interpolation_error(*state, &f), 0, 1.5e-13);
        clear_fixture(&f);
    }
}

/* ---- the orthogonal factor ---- */

/* U = Q R: R'R = U'U, R'(Q'y) = U'y, R'(Q'1) = U'1 and |y - Q Q'y|^2 = |y|^2 - |Q'y|^2. */
static void test_factors(void **state)
{
    for (int i = 0; i < CASES; i++) {
        fixture f;
        make_fixture(*state, i, ROWS, 4, 0, &f);
        const double *y = f.rows.replicates[0].y;
        size_t n = f.r.n;
        double *U = interpolation(&f, ROWS, f.rows.replicates[0].points.x), size = 0, left = 0;
        for (size_t a = 0; a < n; a++) {
            double by_y = 0, by_one = 0, raw = 0, ones = 0;
            for (size_t k = 0; k < ROWS; k++) {
                by_y += U[k * n + a] * y[k];
                by_one += U[k * n + a];
                size += a ? 0 : y[k] * y[k];
            }
            for (size_t k = 0; k <= a; k++) { /* column a of R */
                raw += f.r.R[a * n + k] * f.r.Qty[k];
                ones += f.r.R[a * n + k] * f.r.Qt1[k];
            }
            assert_near(raw, by_y, 6e-12);
            assert_near(ones, by_one, 4e-12);
            left += f.r.Qty[a] * f.r.Qty[a];
            for (size_t b = 0; b <= a; b++) {
                double square = 0, product = 0;
                for (size_t k = 0; k < ROWS; k++) {
                    square += U[k * n + a] * U[k * n + b];
                }
                for (size_t k = 0; k <= b; k++) {
                    product += f.r.R[a * n + k] * f.r.R[b * n + k];
                }
                assert_near(product, square, 8e-12);
            }
        }
        assert_near(f.r.residual, size - left, 5e-15 * size);
        free(U);
        clear_fixture(&f);
    }
}

/* V <- R V and R' V, or V as it is. */
static void test_apply(void **state)
{
    lf_random random;
    lf_random_seed(&random, 5);
    for (int whole = 0; whole < 2; whole++) {
        fixture f;
        make_fixture(*state, 0, ROWS, 4, whole, &f);
        size_t n = f.r.n;
        double *V = malloc(3 * n * sizeof *V), *result = malloc(3 * n * sizeof *V);
        for (size_t i = 0; i < 3 * n; i++) {
            V[i] = lf_random_normal(&random);
        }
        for (int transpose = 0; transpose < 2; transpose++) {
            memcpy(result, V, 3 * n * sizeof *V);
            lf_row_compression_apply(&f.r, transpose, 0, NULL); /* no columns */
            lf_row_compression_apply(&f.r, transpose, 3, result);
            for (size_t i = 0; i < 3 * n; i++) {
                double sum = whole ? V[i] : 0;
                for (size_t k = 0; !whole && k < n; k++) {
                    size_t row = transpose ? k : i % n, column = transpose ? i % n : k;
                    sum += row <= column ? f.r.R[column * n + row] * V[i / n * n + k] : 0;
                }
                assert_near(result[i], sum, 8e-15);
            }
        }
        free(V);
        free(result);
        clear_fixture(&f);
    }
}

/* ---- the log density ---- */

/* log N(y | 0, C C' + s I), C (n, count) column by column. */
static double log_density(size_t n, size_t count, const double *C, double s, const double *y)
{
    double *K = calloc(n * n, sizeof *K), *z = malloc(n * sizeof *z), value = -0.5 * (double)n * log(2 * LF_PI);
    lapack_int order = (lapack_int)n;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) { /* lower triangle, column by column */
            for (size_t c = 0; c < count; c++) {
                K[j * n + i] += C[c * n + i] * C[c * n + j];
            }
        }
        K[i * n + i] += s;
    }
    memcpy(z, y, n * sizeof *z);
    assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', order, K, order), 0);
    assert_int_equal(LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'L', 'N', 'N', order, 1, K, order, z, order), 0);
    for (size_t i = 0; i < n; i++) {
        value -= log(K[i * n + i]) + 0.5 * z[i] * z[i];
    }
    free(K);
    free(z);
    return value;
}

/* log N(y | 0, K + s I) = log N(Q'y | 0, R K_tau R' + s I) - [(N - n) log 2 pi s + |y - Q Q'y|^2 / s] / 2, also less an
 * offset. */
static void test_log_density(void **state)
{
    for (int i = 0; i < CASES; i++) {
        fixture f;
        make_fixture(*state, i, ROWS, 4, 0, &f);
        size_t n = f.r.n, count;
        double *whole = columns_at(*state, &f, ROWS, f.rows.replicates[0].points.x, &count);
        double *few = columns_at(*state, &f, n, f.r.x, &count), y[ROWS], rotated[ROWS];
        lf_row_compression_apply(&f.r, 0, count, few);
        for (double s = 1e-4; s < 2; s *= 100) {
            double offset = 3 * s;
            for (size_t k = 0; k < ROWS; k++) {
                y[k] = f.rows.replicates[0].y[k] - offset;
                rotated[k] = k < n ? f.r.Qty[k] - offset * f.r.Qt1[k] : 0;
            }
            double expected = log_density(ROWS, count, whole, s, y);
            double value = log_density(n, count, few, s, rotated) - 0.5 * (double)(ROWS - n) * log(2 * LF_PI * s) -
                           0.5 * f.r.residual / s;
            assert_near(value, expected, 1e-13 / s * fabs(expected));
        }
        free(whole);
        free(few);
        clear_fixture(&f);
    }
}

/* ---- rows that stay ---- */

static void check_rows_stay(const fixture *f, const lf_row_compression *r, size_t rows)
{
    assert_null(r->R);
    assert_null(r->tau);
    assert_int_equal(r->n, rows);
    assert_int_equal(r->rows, rows);
    assert_true(r->x == f->rows.replicates[0].points.x);
    assert_memory_equal(r->Qty, f->rows.replicates[0].y, rows * sizeof *r->Qty);
    assert_true(r->residual == 0);
    for (size_t i = 0; i < rows; i++) {
        assert_true(r->Qt1[i] == 1);
    }
    assert_false(lf_row_compression_needs_regrid(f->model, &f->features, r));
}

static void test_rows_that_stay(void **state)
{
    fixture f;
    lf_row_compression r;
    make_fixture(*state, 1, ROWS, 4, 1, &f); /* an error bar */
    check_rows_stay(&f, &f.r, ROWS);
    clear_fixture(&f);
    make_fixture(*state, 1, ROWS, 4, 0, &f); /* no features */
    assert_ok(*state, lf_row_compression_create(*state, f.model, NULL, &f.rows.replicates[0], 0, &r));
    check_rows_stay(&f, &r, ROWS);
    lf_row_compression_clear(&r);
    clear_fixture(&f);
    make_fixture(*state, 1, 20, 4, 0, &f); /* few rows */
    check_rows_stay(&f, &f.r, 20);
    clear_fixture(&f);
    make_fixture(*state, 1, ROWS, 0, 0, &f); /* all at the same time */
    check_rows_stay(&f, &f.r, ROWS);
    clear_fixture(&f);
    make_fixture(*state, 1, ROWS, 80, 0, &f); /* too long a span: it saves too little */
    check_rows_stay(&f, &f.r, ROWS);
    clear_fixture(&f);
}

/* ---- parameters that move ---- */

/* Roots or sampled frequencies may rise by a little; beyond that the points are too few. Until then they suffice. */
static void test_regrid(void **state)
{
    static const double factors[] = {0.5, 1, 1.05, 1.1, 1.14, 1.3, 2, 8};
    static const int which[] = {6, 8, 9};
    for (int c = 0; c < 3; c++) {
        fixture f;
        int sampled = c > 0, before = 0;
        make_fixture(*state, which[c], ROWS, 4, 0, &f);
        double decay = f.model->outputs[0].constants[0], first = f.model->forces[0].lengthscale[0],
               second = f.model->forces[1].lengthscale[0], own = f.model->outputs[0].private_force.lengthscale[0];
        for (int k = 0; k < 8; k++) {
            if (sampled) {
                f.model->forces[0].lengthscale[0] = first / factors[k];
                f.model->forces[1].lengthscale[0] = second / factors[k];
                f.model->outputs[0].private_force.lengthscale[0] = own / factors[k];
            } else {
                f.model->outputs[0].constants[0] = decay * factors[k];
            }
            lf_grids_update(&f.features.grids);
            int needs = lf_row_compression_needs_regrid(f.model, &f.features, &f.r);
            assert_true(needs >= before); /* once too few, always too few */
            assert_true(factors[k] > 1.15 || !needs);
            assert_true(needs || interpolation_error(*state, &f) <= 1.5e-13);
            before = needs;
        }
        assert_true(before);
        clear_fixture(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interpolation), cmocka_unit_test(test_factors),        cmocka_unit_test(test_apply),
        cmocka_unit_test(test_log_density),   cmocka_unit_test(test_rows_that_stay), cmocka_unit_test(test_regrid),
    };
    lf_threads_begin(1); /* as the engines do for work of this size */
    return cmocka_run_group_tests(tests, make_context, free_context);
}
