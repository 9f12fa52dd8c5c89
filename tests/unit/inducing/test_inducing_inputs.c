/* Where inducing inputs stand: even, a subset of the data, centres of clusters. */
#include "support.h"

#include "base/parallel.h"
#include "inducing/inducing_inputs.h"

enum { MOST = 400 };

/* n numbers among `most` places between -3 and 8; returns how many differ, ascending in `values`. */
static size_t draw_line(lf_random *random, size_t n, size_t most, double *x, double *values)
{
    char seen[MOST] = {0};
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        size_t place = (size_t)((double)most * lf_random_uniform(random));
        x[i] = -3 + 11 * sqrt((double)place / (double)most);
        seen[place] = 1;
    }
    for (size_t place = 0; place < most; place++) {
        values[count] = -3 + 11 * sqrt((double)place / (double)most);
        count += seen[place] != 0;
    }
    return count;
}

static void refuse(lf_context *ctx, int p, size_t n, const double *x, size_t count, const char *placement,
                   lf_status expected, const char *part)
{
    static double z[MOST];
    lf_status status = lf_place_inducing_inputs(ctx, p, n, x, count, placement, z);
    if (status != expected || !strstr(lf_context_message(ctx), part)) {
        print_error("status %d instead of %d, \"%s\" does not contain \"%s\"\n", status, expected,
                    lf_context_message(ctx), part);
        fail();
    }
}

/* ---- one input ---- */

static void test_even(void **state)
{
    static double x[MOST], values[MOST], z[MOST], again[MOST];
    lf_random random;
    lf_random_seed(&random, 3);
    for (int trial = 0; trial < 100; trial++) {
        size_t n = 2 + (size_t)(60 * lf_random_uniform(&random)), distinct = draw_line(&random, n, n, x, values);
        size_t count = 1 + (size_t)trial % 90; /* more than there are inputs is fine */
        double low = values[0], high = values[distinct - 1];
        if (distinct < 2) {
            continue;
        }
        assert_ok(*state, lf_place_inducing_inputs(*state, 1, n, x, count, "even", z));
        assert_ok(*state, lf_place_inducing_inputs(*state, 1, n, x, count, NULL, again)); /* the default */
        assert_memory_equal(z, again, count * sizeof *z);
        for (size_t j = 0; j < count; j++) {
            double share = count > 1 ? (double)j / (double)(count - 1) : 0.5;
            assert_near(z[j], (1 - share) * low + share * high, 1e-14);
            assert_true(j == 0 || z[j] > z[j - 1]);
            assert_true(z[j] >= low);
        }
    }
    double same[3] = {4, 4, 4};
    assert_ok(*state, lf_place_inducing_inputs(*state, 1, 3, same, 1, "even", z));
    assert_true(z[0] == 4);
    refuse(*state, 1, 3, same, 2, "even", LF_ERROR_ARGUMENT, "2 inducing values cannot be placed at 1 different");
}

/* A subset, ascending, with both ends; the ranks of its members are evenly spaced. */
static void test_data(void **state)
{
    static double x[MOST], values[MOST], z[MOST];
    lf_random random;
    lf_random_seed(&random, 4);
    for (int trial = 0; trial < 200; trial++) {
        size_t n = 1 + (size_t)(80 * lf_random_uniform(&random));
        size_t distinct = draw_line(&random, n, 1 + n / (size_t)(1 + trial % 3), x, values);
        char part[100];
        for (size_t count = 1; count <= distinct; count += 1 + distinct / 7) {
            size_t rank = 0;
            assert_ok(*state, lf_place_inducing_inputs(*state, 1, n, x, count, "data", z));
            for (size_t j = 0; j < count; j++) {
                for (rank += j > 0; rank < distinct && values[rank] != z[j];) {
                    rank++;
                }
                assert_true(rank < distinct);
                double share = count > 1 ? (double)j / (double)(count - 1) : 0.5;
                assert_near((double)rank, share * (double)(distinct - 1), 0.5 + 1e-12);
            }
        }
        assert_ok(*state, lf_place_inducing_inputs(*state, 1, n, x, distinct, "data", z));
        assert_memory_equal(z, values, distinct * sizeof *z);
        snprintf(part, sizeof part, "%zu inducing values cannot be placed at %zu different", distinct + 1, distinct);
        refuse(*state, 1, n, x, distinct + 1, "data", LF_ERROR_ARGUMENT, part);
        refuse(*state, 1, n, x, distinct + 1, "kmeans", LF_ERROR_ARGUMENT, part);
    }
}

/* ---- clusters ---- */

/* 1 / standard deviation of input k. */
static double scale_of(size_t p, size_t n, const double *x, size_t k)
{
    double mean = 0, square = 0;
    for (size_t i = 0; i < n; i++) {
        mean += x[i * p + k] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        square += (x[i * p + k] - mean) * (x[i * p + k] - mean) / (double)n;
    }
    return square > 0 ? 1 / sqrt(square) : 1;
}

/* Every centre is the mean of the inputs that are nearest to it, distances in units of the standard deviations. */
static void check_centres(size_t p, size_t n, const double *x, size_t count, const double *z)
{
    static double sums[MOST * 4], members[MOST];
    memset(sums, 0, sizeof sums);
    memset(members, 0, sizeof members);
    for (size_t i = 0; i < n; i++) {
        double best = INFINITY;
        size_t nearest = 0;
        for (size_t j = 0; j < count; j++) {
            double distance = 0;
            for (size_t k = 0; k < p; k++) {
                distance += pow((x[i * p + k] - z[j * p + k]) * scale_of(p, n, x, k), 2);
            }
            nearest = distance < best ? j : nearest;
            best = fmin(best, distance);
        }
        members[nearest]++;
        for (size_t k = 0; k < p; k++) {
            sums[nearest * p + k] += x[i * p + k];
        }
    }
    for (size_t j = 0; j < count; j++) {
        assert_true(members[j] > 0);
        for (size_t k = 0; k < p; k++) {
            assert_near(z[j * p + k], sums[j * p + k] / members[j], 4e-15);
        }
    }
}

/* Fixed points of Lloyd's iteration, distinct and inside the range; the same again from the same seed. */
static void test_kmeans(void **state)
{
    lf_context *ctx = *state;
    static double x[MOST * 3], z[MOST * 3], again[MOST * 3];
    lf_random random;
    lf_random_seed(&random, 6);
    for (int trial = 0; trial < 30; trial++) {
        size_t p = 1 + (size_t)trial % 3, n = 60 + (size_t)trial, count = 1 + (size_t)trial % 11;
        double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
        for (size_t i = 0; i < n * p; i++) {
            x[i] = lf_random_normal(&random) * (i % p ? 1 : 5);
            low[i % p] = fmin(low[i % p], x[i]);
            high[i % p] = fmax(high[i % p], x[i]);
        }
        double next[2];
        lf_context_set_seed(ctx, 5);
        lf_normals(ctx, 1, &next[0]);
        lf_context_set_seed(ctx, 5);
        assert_ok(ctx, lf_place_inducing_inputs(ctx, (int)p, n, x, count, "kmeans", z));
        lf_normals(ctx, 1, &next[1]);
        assert_true(next[0] == next[1]); /* the context's stream is not used */
        assert_ok(ctx, lf_place_inducing_inputs(ctx, (int)p, n, x, count, p > 1 ? NULL : "kmeans", again));
        assert_memory_equal(z, again, count * p * sizeof *z);
        check_centres(p, n, x, count, z);
        for (size_t j = 0; j < count; j++) {
            for (size_t k = 0; k < p; k++) {
                assert_true(z[j * p + k] >= low[k] && z[j * p + k] <= high[k]);
            }
            for (size_t i = 0; i < j; i++) {
                assert_true(memcmp(z + i * p, z + j * p, p * sizeof *z) != 0);
            }
        }
        /* In other units (a power of 2, so that nothing is rounded) the same inputs are the same centres. */
        for (size_t i = 0; i < n * p; i++) {
            x[i] *= i % p ? 0.0625 : 1024;
        }
        assert_ok(ctx, lf_place_inducing_inputs(ctx, (int)p, n, x, count, "kmeans", again));
        for (size_t j = 0; j < count * p; j++) {
            assert_true(again[j] == z[j] * (j % p ? 0.0625 : 1024));
        }
    }
}

/* Tight groups far apart: one centre in each, whatever the seed. */
static void test_separate_clusters(void **state)
{
    enum { GROUPS = 7, EACH = 20 };
    lf_context *ctx = *state;
    double x[2 * GROUPS * EACH], z[2 * GROUPS];
    lf_random random;
    lf_random_seed(&random, 8);
    for (int i = 0; i < GROUPS * EACH; i++) {
        x[2 * i] = 10 * (i % GROUPS) + 1e-6 * lf_random_normal(&random);
        x[2 * i + 1] = 100 * cos(i % GROUPS) + 1e-6 * lf_random_normal(&random);
    }
    for (uint64_t seed = 1; seed <= 20; seed++) {
        int found[GROUPS] = {0};
        lf_context_set_seed(ctx, seed);
        assert_ok(ctx, lf_place_inducing_inputs(ctx, 2, GROUPS * EACH, x, GROUPS, "kmeans", z));
        for (int j = 0; j < GROUPS; j++) {
            int group = (int)lround(z[2 * j] / 10);
            assert_near(z[2 * j + 1], 100 * cos(group), 1e-6);
            found[group]++;
        }
        for (int g = 0; g < GROUPS; g++) {
            assert_int_equal(found[g], 1);
        }
    }
}

static int has_row(size_t p, size_t n, const double *x, const double *row, double tolerance)
{
    for (size_t i = 0; i < n; i++) {
        double away = 0;
        for (size_t k = 0; k < p; k++) {
            away = fmax(away, fabs(x[i * p + k] - row[k]));
        }
        if (away <= tolerance) {
            return 1;
        }
    }
    return 0;
}

/* Several inputs: "data" is a subset without repetitions; as many values as there are different inputs are all of them. */
static void test_data_of_several_inputs(void **state)
{
    static double x[MOST * 2], z[MOST * 2];
    lf_random random;
    lf_random_seed(&random, 10);
    for (int trial = 0; trial < 40; trial++) {
        size_t wide = 2 + (size_t)trial % 5, distinct = wide * wide, n = 3 * distinct;
        for (size_t i = 0; i < n; i++) { /* every place of a grid three times */
            x[2 * i] = 0.1 * (double)(i % wide);
            x[2 * i + 1] = 0.3 + 1e3 * (double)(i / wide % wide);
        }
        for (size_t count = 1; count <= distinct; count += count < distinct - 1 ? distinct / 3 : 1) {
            assert_ok(*state, lf_place_inducing_inputs(*state, 2, n, x, count, "data", z));
            for (size_t j = 0; j < count; j++) {
                assert_true(has_row(2, n, x, z + 2 * j, 0));
                assert_false(has_row(2, j, z, z + 2 * j, 0));
            }
        }
        assert_ok(*state, lf_place_inducing_inputs(*state, 2, n, x, distinct, "kmeans", z));
        for (size_t i = 0; i < distinct; i++) {
            assert_true(has_row(2, distinct, z, x + 2 * i, 1e-12));
        }
        refuse(*state, 2, n, x, distinct + 1, trial % 2 ? "data" : "kmeans", LF_ERROR_ARGUMENT, "cannot be placed");
    }
}

/* Many rows: the threads do not change the centres, and inputs that alternate from row to row are all represented. */
static void test_many_rows(void **state)
{
    lf_context *ctx = *state;
    enum { SENSORS = 5, EACH = 20000, N = SENSORS * EACH };
    double *x = malloc(2 * N * sizeof *x), z[2][2 * 10];
    lf_random random;
    lf_random_seed(&random, 11);
    for (int i = 0; i < N; i++) {
        x[2 * i] = lf_random_uniform(&random);
        x[2 * i + 1] = i % SENSORS;
    }
    for (int k = 0; k < 2; k++) {
        int sensors[SENSORS] = {0};
        int before = lf_threads_begin(k ? 3 : 1);
        assert_ok(ctx, lf_place_inducing_inputs(ctx, 2, N, x, 10, k ? "kmeans" : NULL, z[k]));
        lf_threads_end(before);
        for (int j = 0; j < 10; j++) {
            sensors[lround(z[k][2 * j + 1])]++;
        }
        for (int s = 0; s < SENSORS; s++) {
            assert_true(sensors[s] > 0);
        }
    }
    assert_memory_equal(z[0], z[1], sizeof z[0]);
    for (int i = 0; i < N; i++) {
        x[2 * i] = i == 7; /* one row of its own */
    }
    for (int k = 0; k < 2; k++) {
        assert_ok(ctx, lf_place_inducing_inputs(ctx, 2, N, x, SENSORS + 1, k ? "kmeans" : "data", z[0]));
    }
    refuse(ctx, 2, N, x, SENSORS + 2, "data", LF_ERROR_ARGUMENT, "7 inducing values cannot be placed at 6 different");
    refuse(ctx, 2, N, x, 2, "even", LF_ERROR_UNSUPPORTED, "this model has 2");
    refuse(ctx, 1, N, x, 2, "odd", LF_ERROR_ARGUMENT, "'odd'");
    free(x);
}

/* ---- rows ---- */

/* The inputs of all rows, replicate after replicate, by output. */
static void test_inputs_of_rows(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = parse_model(
        ctx, "{\"format\":\"latentforce-model\",\"version\":1,\"input_dim\":2,\"forces\":[{\"kernel\":\"eq\","
             "\"lengthscale\":1}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"gaussian\",\"precision\":2},"
             "\"sensitivity\":[1],\"noise_variance\":0.1},{\"name\":\"b\",\"operator\":{\"type\":\"gaussian\","
             "\"precision\":2},\"sensitivity\":[1],\"noise_variance\":0.1}]}");
    lf_data *data;
    lf_rows rows;
    assert_ok(ctx, lf_data_create(ctx, 2, &data));
    for (int i = 0; i < 12; i++) {
        double x[2] = {i, -i};
        assert_ok(ctx, lf_data_add(ctx, data,
                                   &(lf_row){.size = sizeof(lf_row),
                                             .output = i % 2 ? "b" : "a",
                                             .replicate = i % 3 ? "one" : "two",
                                             .x = x,
                                             .y = 1}));
    }
    assert_ok(ctx, lf_rows_create(ctx, model, data, &rows));
    size_t n;
    double *x = lf_rows_inputs(&rows, 2, &n), sum = 0;
    assert_non_null(x);
    assert_int_equal(n, 12);
    for (size_t i = 0; i < n; i++) {
        assert_true(x[2 * i] == -x[2 * i + 1]);
        assert_false(has_row(2, i, x, x + 2 * i, 0));
        sum += x[2 * i];
    }
    assert_true(sum == 66);
    assert_memory_equal(x, rows.replicates[0].points.x, rows.replicates[0].points.n * 2 * sizeof *x);
    free(x);
    lf_rows_clear(&rows);
    lf_data_free(data);
    lf_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_even),
        cmocka_unit_test(test_data),
        cmocka_unit_test(test_kmeans),
        cmocka_unit_test(test_separate_clusters),
        cmocka_unit_test(test_data_of_several_inputs),
        cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_inputs_of_rows),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
