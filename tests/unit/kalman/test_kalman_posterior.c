/* Posteriors of the kalman engine in the model file, and continued with newer rows: the same as all rows at once. */
#include "random_models.h"

static lf_posterior_info facts_of(lf_context *ctx, const lf_posterior *posterior)
{
    lf_posterior_info info = {.size = sizeof info};
    assert_ok(ctx, lf_posterior_get(ctx, posterior, &info));
    return info;
}

/* Rows of `data` between two times, in a table of their own. */
static lf_data *rows_between(lf_context *ctx, const lf_data *data, double from, double to)
{
    lf_data *part;
    assert_ok(ctx, lf_data_create(ctx, 1, &part));
    for (size_t i = 0; i < lf_data_count(data, LF_KIND_ROW); i++) {
        lf_observation row = lf_data_row(data, i);
        if (*row.x >= from && *row.x < to) {
            assert_ok(ctx,
                      lf_data_add(ctx, part,
                                  &(lf_row){.size = sizeof(lf_row),
                                            .output = lf_data_name(data, LF_KIND_OUTPUT, (size_t)row.output),
                                            .replicate = lf_data_name(data, LF_KIND_REPLICATE, (size_t)row.replicate),
                                            .x = row.x,
                                            .y = row.y,
                                            .sd = row.sd,
                                            .split = row.split}));
        }
    }
    return part;
}

static lf_posterior *condition(lf_context *ctx, const lf_model *model, const lf_data *data, const char *name)
{
    lf_engine_options options = {.size = sizeof(lf_engine_options), .engine = name, .tolerance = 1e-6};
    return make_posterior(ctx, model, data, &options);
}

static void assert_same_predictions(lf_context *ctx, lf_posterior *one, lf_posterior *other, double from,
                                    double of_means, double of_covariances)
{
    enum { N = 24 };
    int target[N], replicate[N];
    double x[N], mean[2][N], alone[N], variance[2][N], covariance[2][N * N];
    for (int i = 0; i < N; i++) {
        target[i] = i % 6;
        replicate[i] = i % 2;
        x[i] = from + 0.31 * (i / 2);
    }
    lf_point_list points = {.n = N, .target = target, .replicate = replicate, .x = x};
    assert_ok(ctx, lf_predict_list(one, &points, mean[0], variance[0], covariance[0]));
    assert_ok(ctx, lf_predict_list(other, &points, mean[1], variance[1], covariance[1]));
    assert_ok(ctx, lf_predict_list(one, &points, alone, NULL, NULL));
    for (int i = 0; i < N; i++) {
        assert_near(alone[i], mean[0][i], 1e-12 * fmax(1, fabs(mean[0][i]))); /* means need no covariances */
        assert_near(mean[0][i], mean[1][i], of_means * fmax(1, fabs(mean[1][i])));
        assert_near(variance[0][i], variance[1][i], of_covariances * fmax(1, variance[1][i]));
        for (int j = 0; j < N; j++) {
            double scale = fmax(1, sqrt(variance[1][i] * variance[1][j]));
            assert_near(covariance[0][i * N + j], covariance[1][i * N + j], of_covariances * scale);
        }
    }
}

static lf_posterior *store_and_restore(lf_context *ctx, lf_model *model, lf_posterior *posterior)
{
    lf_posterior *restored;
    assert_ok(ctx, lf_posterior_store(posterior, model));
    assert_ok(ctx, lf_posterior_restore(ctx, model, &restored));
    assert_string_equal(facts_of(ctx, restored).engine, "kalman");
    return restored;
}

static void test_update_equals_batch(void **state)
{
    static const char *const starts[] = {"zero", "free", "stationary"};
    lf_context *ctx = *state;
    lf_random random;
    lf_random_seed(&random, 41);
    for (int i = 0; i < 6; i++) {
        lf_model *model = random_model(ctx, &random, starts[i % 3], i < 3 ? 3 : 4, 1);
        lf_data *data = random_rows(ctx, &random, 40, "one", NULL);
        random_rows(ctx, &random, 40, "two", data);
        double inf = (double)INFINITY, from, to;
        lf_data *old = rows_between(ctx, data, -inf, 1.5), *middle = rows_between(ctx, data, 1.5, 2.2),
                *new = rows_between(ctx, data, 2.2, inf);
        lf_posterior *batch = condition(ctx, model, data, "kalman"), *stream = condition(ctx, model, old, "kalman");
        from = facts_of(ctx, batch).from;
        to = facts_of(ctx, batch).to;
        assert_true(from == -inf && to == inf);
        lf_posterior *restored = store_and_restore(ctx, model, batch);
        assert_same_predictions(ctx, batch, restored, 0.1, 1e-15, 1e-15);
        lf_posterior_free(restored);
        assert_ok(ctx, lf_posterior_update(ctx, stream, middle, "rows"));
        restored = store_and_restore(ctx, model, stream);
        assert_ok(ctx, lf_posterior_update(ctx, restored, new, "rows"));
        from = facts_of(ctx, restored).from;
        to = facts_of(ctx, restored).to;
        assert_true(from > 1.5 && from < 2.2 && to == inf);
        assert_same_predictions(ctx, restored, batch, 2.2, 3e-13, 5e-15); /* between the new rows */
        assert_same_predictions(ctx, restored, batch, 20, 1e-15, 1e-15);  /* after them */
        lf_posterior_free(restored);
        lf_posterior_free(stream);
        lf_posterior_free(batch);
        lf_data_free(old);
        lf_data_free(middle);
        lf_data_free(new);
        lf_data_free(data);
        lf_model_free(model);
    }
}

static void test_update_refuses(void **state)
{
    lf_context *ctx = *state;
    lf_random random;
    lf_random_seed(&random, 2);
    lf_model *model = random_model(ctx, &random, "zero", 3, 1);
    lf_data *data = random_rows(ctx, &random, 20, "one", NULL), *late, *unknown;
    random_rows(ctx, &random, 20, "two", data);
    lf_posterior *posterior = condition(ctx, model, data, "kalman"), *same = condition(ctx, model, data, "kalman");
    assert_ok(ctx, lf_data_create(ctx, 1, &late));
    assert_ok(
        ctx,
        lf_data_add(ctx, late,
                    &(lf_row){.size = sizeof(lf_row), .output = "a", .replicate = "one", .x = &(double){50}, .y = 1}));
    assert_ok(ctx,
              lf_data_add(
                  ctx, late,
                  &(lf_row){.size = sizeof(lf_row), .output = "b", .replicate = "two", .x = &(double){0.25}, .y = 1}));
    assert_int_equal(lf_posterior_update(ctx, posterior, late, "rows"), LF_ERROR_DATA);
    assert_non_null(strstr(lf_context_message(ctx), "output 'b' at x = 0.25 comes too late"));
    assert_same_predictions(ctx, posterior, same, 0.1, 0, 0); /* nothing has changed */
    assert_ok(ctx, lf_data_create(ctx, 1, &unknown));
    assert_ok(ctx,
              lf_data_add(
                  ctx, unknown,
                  &(lf_row){.size = sizeof(lf_row), .output = "a", .replicate = "three", .x = &(double){50}, .y = 1}));
    assert_int_equal(lf_posterior_update(ctx, posterior, unknown, "rows"), LF_ERROR_DATA);
    assert_non_null(strstr(lf_context_message(ctx), "'three'"));
    lf_posterior *dense = condition(ctx, model, data, "dense");
    assert_int_equal(lf_posterior_update(ctx, dense, late, "rows"), LF_ERROR_UNSUPPORTED);
    lf_posterior_free(dense);
    /* once continued, it has forgotten what was before */
    lf_data *new = rows_between(ctx, late, 40, 60);
    double mean;
    lf_point_list before = {.n = 1, .target = &(int){0}, .x = &(double){1}};
    assert_ok(ctx, lf_posterior_update(ctx, posterior, new, "rows"));
    assert_int_equal(lf_predict_list(posterior, &before, &mean, NULL, NULL), LF_ERROR_ARGUMENT);
    lf_data_free(new);
    lf_posterior_free(posterior);
    lf_posterior_free(same);
    lf_data_free(late);
    lf_data_free(unknown);
    lf_data_free(data);
    lf_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_update_equals_batch),
        cmocka_unit_test(test_update_refuses),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
