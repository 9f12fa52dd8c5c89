/* Scores, cross-validations and comparisons, as a client of the shared library has them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "latentforce.h"

enum { ROWS = 40 };

static const char model_text[] =
    "{\"format\": \"latentforce-model\", \"version\": 1, \"initial\": \"stationary\","
    " \"forces\": [{\"kernel\": \"matern32\", \"lengthscale\": 2}],"
    " \"outputs\": [{\"name\": \"a\", \"operator\": {\"type\": \"ode1\", \"decay\": 1}, \"sensitivity\": [1],"
    " \"noise_variance\": 0.01},"
    " {\"name\": \"b\", \"operator\": {\"type\": \"ode1\", \"decay\": 0.5}, \"sensitivity\": [0.3],"
    " \"noise_variance\": 0.04}]}";

typedef struct fixture {
    lf_context *ctx;
    lf_model *model;
    lf_data *data; /* every fifth row is marked test */
} fixture;

static fixture shared;

static int create(void **state)
{
    fixture *f = *state = &shared;
    f->ctx = lf_context_create();
    lf_status status = lf_model_parse(f->ctx, model_text, "test", &f->model);
    status = status ? status : lf_data_create(f->ctx, 1, &f->data);
    for (int i = 0; !status && i < ROWS; i++) {
        double x = 0.25 * i;
        status = lf_data_add(f->ctx, f->data,
                             &(lf_row){.size = sizeof(lf_row),
                                       .output = i % 2 ? "b" : "a",
                                       .x = &x,
                                       .y = sin(x) + 0.05 * cos(37 * x),
                                       .split = i % 5 == 2 ? "test" : "train"});
    }
    return status != LF_OK;
}

static int release(void **state)
{
    fixture *f = *state;
    lf_data_free(f->data);
    lf_model_free(f->model);
    lf_context_free(f->ctx);
    return 0;
}

static lf_posterior *condition(fixture *f, const lf_data *rows)
{
    lf_engine *engine = NULL;
    lf_posterior *posterior = NULL;
    assert_int_equal(lf_engine_create(f->ctx, f->model, rows, NULL, &engine), LF_OK);
    assert_int_equal(lf_engine_posterior(engine, &posterior), LF_OK);
    lf_engine_free(engine);
    return posterior;
}

static lf_data *select_rows(fixture *f, const char *rows)
{
    lf_data *selected = NULL;
    assert_int_equal(lf_data_select(f->ctx, f->data, f->model, rows, &selected), LF_OK);
    return selected;
}

static lf_scores_info info_of(fixture *f, const lf_scores *scores)
{
    lf_scores_info info = {.size = sizeof info};
    assert_int_equal(lf_scores_get(f->ctx, scores, &info), LF_OK);
    return info;
}

static lf_column column_of(fixture *f, const lf_table *table, const char *name)
{
    size_t index = LF_NONE;
    lf_column column = {.size = sizeof column};
    assert_int_equal(lf_table_find(f->ctx, table, name, &index), LF_OK);
    assert_int_equal(lf_table_column_get(f->ctx, table, index, &column), LF_OK);
    return column;
}

/* Test rows, scored by hand from their predictions. */
static void test_test_rows(void **state)
{
    fixture *f = *state;
    lf_data *train = select_rows(f, "train"), *test = select_rows(f, "test");
    lf_posterior *posterior = condition(f, train);
    lf_scores *scores = NULL;
    lf_table *table = NULL;
    double errors = 0, nlpd = 0, mean, variance;
    assert_int_equal(lf_score(f->ctx, posterior, f->data, NULL, &scores), LF_OK);
    lf_scores_info info = info_of(f, scores);
    assert_string_equal(info.scored, "test");
    assert_int_equal(info.rows, ROWS / 5);
    assert_int_equal(info.training, 0);
    for (size_t i = 0; i < info.rows; i++) {
        lf_points *points = NULL;
        lf_row row = {.size = sizeof row};
        uint32_t target;
        assert_int_equal(lf_data_get(f->ctx, test, i, &row), LF_OK);
        assert_int_equal(lf_model_target(f->ctx, f->model, LF_KIND_OUTPUT, row.output[0] == 'b', &target), LF_OK);
        assert_int_equal(lf_points_create(f->ctx, f->model, &points), LF_OK);
        assert_int_equal(lf_points_add(f->ctx, points, 1, &target, NULL, row.x, NULL), LF_OK);
        assert_int_equal(
            lf_predict(f->ctx, posterior, points,
                       &(lf_prediction){.size = sizeof(lf_prediction), .mean = &mean, .variance_new = &variance}),
            LF_OK);
        errors += (row.y - mean) * (row.y - mean);
        nlpd += 0.5 * ((row.y - mean) * (row.y - mean) / variance + log(2 * acos(-1) * variance));
        lf_points_free(points);
    }
    assert_true(fabs(info.rmse - sqrt(errors / (double)info.rows)) < 1e-12);
    assert_true(fabs(info.nlpd - nlpd / (double)info.rows) < 1e-12);
    assert_int_equal(lf_scores_table(f->ctx, scores, "outputs", &table), LF_OK);
    assert_int_equal(lf_table_rows(table), 3);
    assert_true(column_of(f, table, "n").number[0] + column_of(f, table, "n").number[1] == (double)info.rows);
    assert_true(column_of(f, table, "rmse").number[2] == info.rmse);
    assert_true(column_of(f, table, "output").code[2] < 0); /* over all outputs */
    lf_table_free(table);
    lf_scores_free(scores);
    lf_posterior_free(posterior);
    lf_data_free(train);
    lf_data_free(test);
}

/* Row i of a table of training rows, predicted from all others. */
static void predict_without(fixture *f, const lf_data *rows, size_t left_out, double *mean, double *sd)
{
    lf_data *others = NULL;
    lf_points *points = NULL;
    uint32_t target = 0;
    double x = 0;
    assert_int_equal(lf_data_create(f->ctx, 1, &others), LF_OK);
    for (size_t i = 0; i < lf_data_count(rows, LF_KIND_ROW); i++) {
        lf_row row = {.size = sizeof row};
        assert_int_equal(lf_data_get(f->ctx, rows, i, &row), LF_OK);
        if (i == left_out) {
            x = row.x[0];
            assert_int_equal(lf_model_target(f->ctx, f->model, LF_KIND_OUTPUT, row.output[0] == 'b', &target), LF_OK);
        } else {
            assert_int_equal(lf_data_add(f->ctx, others, &row), LF_OK);
        }
    }
    lf_posterior *posterior = condition(f, others);
    assert_int_equal(lf_points_create(f->ctx, f->model, &points), LF_OK);
    assert_int_equal(lf_points_add(f->ctx, points, 1, &target, NULL, &x, NULL), LF_OK);
    assert_int_equal(lf_predict(f->ctx, posterior, points,
                                &(lf_prediction){.size = sizeof(lf_prediction), .mean = mean, .variance_new = sd}),
                     LF_OK);
    *sd = sqrt(*sd);
    lf_points_free(points);
    lf_posterior_free(posterior);
    lf_data_free(others);
}

/* Training rows are recognised, and left out as if they had not been given. */
static void test_training_rows(void **state)
{
    fixture *f = *state;
    lf_data *train = select_rows(f, "train");
    lf_posterior *posterior = condition(f, train), *stored = NULL;
    lf_model *model = NULL;
    lf_scores *scores = NULL;
    lf_table *table = NULL;
    assert_int_equal(lf_score(f->ctx, posterior, train, NULL, &scores), LF_OK);
    lf_scores_info info = info_of(f, scores);
    assert_string_equal(info.scored, "training");
    assert_int_equal(info.training, info.rows);
    assert_int_equal(info.left_out, info.rows);
    assert_null(info.not_left_out);
    assert_int_equal(lf_scores_table(f->ctx, scores, "rows", &table), LF_OK);
    for (size_t i = 0; i < info.rows; i += 7) {
        double mean, sd;
        predict_without(f, train, i, &mean, &sd);
        assert_true(fabs(column_of(f, table, "mean").number[i] - mean) < 1e-9);
        assert_true(fabs(column_of(f, table, "sd").number[i] - sd) < 1e-9);
    }
    lf_table_free(table);
    lf_scores_free(scores);
    /* of all rows, those that were given */
    lf_data *rest = select_rows(f, "test");
    assert_int_equal(lf_score(f->ctx, posterior, rest, NULL, &scores), LF_OK);
    assert_int_equal(info_of(f, scores).training, 0);
    lf_scores_free(scores);
    /* a posterior from a model knows them by the fingerprint of all */
    assert_int_equal(lf_model_copy(f->ctx, f->model, &model), LF_OK);
    assert_int_equal(lf_posterior_store(posterior, model), LF_OK);
    assert_int_equal(lf_posterior_restore(f->ctx, model, &stored), LF_OK);
    assert_int_equal(lf_score(f->ctx, stored, train, NULL, &scores), LF_OK);
    assert_string_equal(info_of(f, scores).scored, "training");
    lf_scores_free(scores);
    lf_posterior_free(stored);
    lf_model_free(model);
    lf_posterior_free(posterior);
    lf_data_free(rest);
    lf_data_free(train);
}

static int folds_begun, stop_at;

static int count_folds(void *user, const lf_progress *at)
{
    (void)user;
    if (strcmp(at->stage, "folds") == 0) {
        assert_int_equal(at->item, folds_begun++);
        assert_int_equal(at->items, 4);
    }
    return folds_begun == stop_at;
}

/* Every training row once, as its fold says; progress before each fold, which may stop. */
static void test_folds(void **state)
{
    fixture *f = *state;
    lf_options *options = NULL;
    lf_scores *scores = NULL;
    lf_table *table = NULL;
    double n = 0;
    assert_int_equal(lf_options_create(f->ctx, "validate", &options), LF_OK);
    assert_int_equal(lf_options_set(f->ctx, options, "cross-validate", "4"), LF_OK);
    assert_int_equal(lf_cross_validate(f->ctx, f->model, f->data, options, &scores), LF_ERROR_MODEL);
    assert_null(scores);
    assert_non_null(strstr(lf_context_message(f->ctx), "--no-refit"));
    assert_int_equal(lf_options_set(f->ctx, options, "no-refit", NULL), LF_OK);
    lf_context_set_progress(f->ctx, count_folds, NULL);
    assert_int_equal(lf_cross_validate(f->ctx, f->model, f->data, options, &scores), LF_OK);
    assert_int_equal(folds_begun, 4);
    lf_scores_info info = info_of(f, scores);
    assert_string_equal(info.scored, "cross-validation");
    assert_int_equal(info.rows, ROWS - ROWS / 5);
    assert_int_equal(info.folds, 4);
    assert_false(info.refit);
    assert_int_equal(lf_scores_table(f->ctx, scores, "folds", &table), LF_OK);
    assert_int_equal(lf_table_rows(table), 4);
    for (size_t k = 0; k < 4; k++) {
        n += column_of(f, table, "n").number[k];
    }
    assert_true(n == (double)info.rows);
    lf_table_free(table);
    lf_scores_free(scores);
    folds_begun = 0;
    stop_at = 3;
    assert_int_equal(lf_cross_validate(f->ctx, f->model, f->data, options, &scores), LF_ERROR_CANCELLED);
    assert_int_equal(folds_begun, 3);
    assert_null(scores);
    lf_context_set_progress(f->ctx, NULL, NULL);
    lf_options_free(options);
}

/* The same rows with the outputs in the other order are cut into the same folds. */
static void test_order_of_outputs(void **state)
{
    fixture *f = *state;
    lf_data *turned = NULL;
    lf_scores *scores[2] = {NULL, NULL};
    assert_int_equal(lf_data_create(f->ctx, 1, &turned), LF_OK);
    for (size_t i = ROWS; i-- > 0;) {
        lf_row row = {.size = sizeof row};
        assert_int_equal(lf_data_get(f->ctx, f->data, i, &row), LF_OK);
        assert_int_equal(lf_data_add(f->ctx, turned, &row), LF_OK);
    }
    assert_string_equal(lf_data_name(turned, LF_KIND_OUTPUT, 0), "b");
    lf_options *options = NULL;
    assert_int_equal(lf_options_create(f->ctx, "validate", &options), LF_OK);
    assert_int_equal(lf_options_set(f->ctx, options, "refit", "no"), LF_OK);
    assert_int_equal(lf_cross_validate(f->ctx, f->model, f->data, options, &scores[0]), LF_OK);
    assert_int_equal(lf_cross_validate(f->ctx, f->model, turned, options, &scores[1]), LF_OK);
    double one = info_of(f, scores[0]).nlpd, other = info_of(f, scores[1]).nlpd;
    assert_true(fabs(one - other) < 1e-9 * fabs(one));
    lf_scores_free(scores[0]);
    lf_scores_free(scores[1]);
    lf_options_free(options);
    lf_data_free(turned);
}

/* Forecasts from one origin after the other, against posteriors of the rows up to each. */
static void test_rolling(void **state)
{
    fixture *f = *state;
    static const double origins[] = {4, 5.5, 7, 8.5};
    lf_options *options = NULL;
    lf_scores *scores = NULL;
    lf_table *table = NULL;
    size_t seen = 0, n = 0;
    assert_int_equal(lf_options_create(f->ctx, "validate", &options), LF_OK);
    assert_int_equal(lf_options_set(f->ctx, options, "span", "2"), LF_OK);
    assert_int_equal(lf_cross_validate(f->ctx, f->model, f->data, options, &scores), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_options_set(f->ctx, options, "rolling", "4"), LF_OK);
    assert_int_equal(lf_options_set(f->ctx, options, "step", "1.5"), LF_OK);
    assert_int_equal(lf_options_set(f->ctx, options, "refit", "no"), LF_OK);
    assert_int_equal(lf_cross_validate(f->ctx, f->model, f->data, options, &scores), LF_OK);
    lf_scores_info info = info_of(f, scores);
    assert_string_equal(info.scored, "rolling");
    assert_int_equal(info.folds, 4);
    assert_int_equal(lf_scores_table(f->ctx, scores, "folds", &table), LF_OK);
    for (size_t k = 0; k < 4; k++) {
        assert_true(column_of(f, table, "origin").number[k] == origins[k]);
        assert_true(column_of(f, table, "end").number[k] == origins[k] + 2);
        n += (size_t)column_of(f, table, "n").number[k];
    }
    assert_int_equal(n, info.rows);
    lf_table_free(table);
    assert_int_equal(lf_scores_table(f->ctx, scores, "rows", &table), LF_OK);
    for (size_t k = 0; k < 4; k++) {
        lf_data *known = NULL;
        assert_int_equal(lf_data_create(f->ctx, 1, &known), LF_OK);
        for (size_t i = 0; i < ROWS; i++) {
            lf_row row = {.size = sizeof row};
            assert_int_equal(lf_data_get(f->ctx, f->data, i, &row), LF_OK);
            if (row.x[0] <= origins[k] && strcmp(row.split, "test") != 0) {
                assert_int_equal(lf_data_add(f->ctx, known, &row), LF_OK);
            }
        }
        lf_posterior *posterior = condition(f, known);
        lf_column output = column_of(f, table, "output");
        for (size_t i = 0; i < info.rows; i++) {
            double x = column_of(f, table, "x").number[i], mean, variance;
            lf_points *points = NULL;
            uint32_t target;
            if (column_of(f, table, "origin").number[i] != origins[k]) {
                continue;
            }
            assert_true(x > origins[k] && x <= origins[k] + 2);
            int is_b = output.words[output.code[i]][0] == 'b';
            assert_int_equal(lf_model_target(f->ctx, f->model, LF_KIND_OUTPUT, (size_t)is_b, &target), LF_OK);
            assert_int_equal(lf_points_create(f->ctx, f->model, &points), LF_OK);
            assert_int_equal(lf_points_add(f->ctx, points, 1, &target, NULL, &x, NULL), LF_OK);
            assert_int_equal(
                lf_predict(f->ctx, posterior, points,
                           &(lf_prediction){.size = sizeof(lf_prediction), .mean = &mean, .variance_new = &variance}),
                LF_OK);
            assert_true(fabs(column_of(f, table, "mean").number[i] - mean) < 1e-9);
            assert_true(fabs(column_of(f, table, "sd").number[i] - sqrt(variance)) < 1e-9);
            lf_points_free(points);
            seen++;
        }
        lf_posterior_free(posterior);
        lf_data_free(known);
    }
    assert_int_equal(seen, info.rows);
    lf_table_free(table);
    lf_scores_free(scores);
    assert_int_equal(lf_options_set(f->ctx, options, "rolling", "0"), LF_OK); /* nothing of "b" is known */
    assert_int_equal(lf_cross_validate(f->ctx, f->model, f->data, options, &scores), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_options_set(f->ctx, options, "rolling", "1e9"), LF_OK);
    assert_int_equal(lf_cross_validate(f->ctx, f->model, f->data, options, &scores), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_options_set(f->ctx, options, "rolling", "auto"), LF_OK);
    assert_int_equal(lf_options_set(f->ctx, options, "step", "1e-300"), LF_OK);
    assert_int_equal(lf_cross_validate(f->ctx, f->model, f->data, options, &scores), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_options_set(f->ctx, options, "cross-validate", "3"), LF_OK);
    assert_int_equal(lf_cross_validate(f->ctx, f->model, f->data, options, &scores), LF_ERROR_ARGUMENT);
    lf_options_free(options);
}

/* The model that made the rows more likely comes first. */
static void test_comparison(void **state)
{
    fixture *f = *state;
    lf_model *worse = NULL;
    size_t index;
    lf_parameter noise = {.size = sizeof noise};
    assert_int_equal(lf_model_copy(f->ctx, f->model, &worse), LF_OK);
    assert_int_equal(lf_model_find(f->ctx, worse, LF_KIND_PARAMETER, "b.noise_variance", &index), LF_OK);
    assert_int_equal(lf_model_parameter_get(f->ctx, worse, index, &noise), LF_OK);
    noise.value = 4;
    assert_int_equal(lf_model_parameter_set(f->ctx, worse, index, &noise), LF_OK);
    const lf_model *models[] = {worse, f->model};
    const lf_data *data[] = {f->data, f->data};
    lf_scores *scores = NULL;
    lf_table *table = NULL;
    char *text = NULL;
    lf_options *options = NULL;
    assert_int_equal(lf_options_create(f->ctx, "validate", &options), LF_OK);
    assert_int_equal(lf_options_set(f->ctx, options, "model-name", "worse"), LF_OK);
    assert_int_equal(lf_options_set(f->ctx, options, "model-name", "better"), LF_OK);
    assert_int_equal(lf_compare(f->ctx, 2, models, data, options, &scores), LF_OK);
    lf_scores_info info = info_of(f, scores);
    assert_string_equal(info.scored, "comparison");
    assert_string_equal(info.ranked_by, "nlpd");
    assert_string_equal(info.held_out, "test");
    assert_int_equal(info.models, 2);
    assert_int_equal(lf_scores_table(f->ctx, scores, "models", &table), LF_OK);
    lf_column name = column_of(f, table, "model");
    assert_string_equal(name.words[name.code[0]], "better");
    assert_true(column_of(f, table, "nlpd_behind").number[0] == 0);
    assert_true(column_of(f, table, "nlpd_behind").number[1] > 0);
    assert_true(column_of(f, table, "bic_behind").number[1] > 0);
    lf_table_free(table);
    assert_int_equal(lf_scores_table(f->ctx, scores, "rows", &table), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_scores_json(f->ctx, scores, &text), LF_OK);
    assert_non_null(strstr(text, "\"best\":\"better\""));
    lf_free(text);
    lf_scores_free(scores);
    /* the same from the posterior */
    lf_data *train = select_rows(f, "train");
    lf_posterior *posterior = condition(f, train);
    assert_int_equal(lf_compare(f->ctx, 1, &models[1], data, NULL, &scores), LF_OK);
    assert_int_equal(lf_scores_table(f->ctx, scores, "models", &table), LF_OK);
    double nlpd = column_of(f, table, "nlpd").number[0];
    lf_table_free(table);
    lf_scores_free(scores);
    assert_int_equal(lf_score(f->ctx, posterior, f->data, NULL, &scores), LF_OK);
    assert_true(fabs(info_of(f, scores).nlpd - nlpd) < 1e-12);
    lf_scores_free(scores);
    lf_posterior_free(posterior);
    lf_data_free(train);
    lf_options_free(options);
    lf_model_free(worse);
}

/* What is missing or wrong is an error with a message, and results are NULL. */
static void test_refusals(void **state)
{
    fixture *f = *state;
    lf_posterior *posterior = condition(f, f->data);
    lf_scores *scores = (lf_scores *)(void *)f;
    lf_options *fit = NULL, *options = NULL;
    lf_table *table = (lf_table *)(void *)f;
    lf_scores_info info = {.size = 4};
    const lf_model *missing[] = {f->model, NULL};
    const lf_data *data[] = {f->data, f->data};
    assert_int_equal(lf_options_create(f->ctx, "fit", &fit), LF_OK);
    assert_int_equal(lf_options_create(f->ctx, "validate", &options), LF_OK);
    assert_int_equal(lf_score(f->ctx, NULL, f->data, NULL, &scores), LF_ERROR_ARGUMENT);
    assert_null(scores);
    assert_int_equal(lf_score(f->ctx, posterior, NULL, NULL, &scores), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_score(f->ctx, posterior, f->data, fit, &scores), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_cross_validate(f->ctx, NULL, f->data, options, &scores), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_cross_validate(f->ctx, f->model, NULL, options, &scores), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_compare(f->ctx, 0, NULL, NULL, options, &scores), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_compare(f->ctx, 2, missing, data, options, &scores), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_scores_get(f->ctx, NULL, &info), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_scores_table(f->ctx, NULL, "rows", &table), LF_ERROR_ARGUMENT);
    assert_null(table);
    assert_int_equal(lf_options_set(f->ctx, options, "cross-validate", "1"), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_options_set(f->ctx, options, "folds", "3"), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_options_set(f->ctx, options, "engine", "dense"), LF_OK);
    assert_int_equal(lf_cross_validate(f->ctx, f->model, f->data, options, &scores), LF_ERROR_ARGUMENT);
    assert_non_null(strstr(lf_context_message(f->ctx), "--engine needs --no-refit"));
    assert_int_equal(lf_score(f->ctx, posterior, f->data, NULL, &scores), LF_OK);
    assert_int_equal(lf_scores_table(f->ctx, scores, "models", &table), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_scores_table(f->ctx, scores, NULL, &table), LF_ERROR_ARGUMENT);
    assert_int_not_equal(lf_scores_get(f->ctx, scores, &info), LF_OK); /* no size of a struct */
    lf_scores_free(scores);
    lf_scores_free(NULL);
    lf_options_free(options);
    lf_options_free(fit);
    lf_posterior_free(posterior);
}

/* A threshold marks rows beyond it, and one that is none is refused. */
static void test_threshold(void **state)
{
    fixture *f = *state;
    lf_data *train = select_rows(f, "train");
    lf_posterior *posterior = condition(f, train);
    lf_scores *scores = NULL;
    lf_table *table = NULL;
    lf_options *options = NULL;
    assert_int_equal(lf_options_create(f->ctx, "validate", &options), LF_OK);
    assert_int_equal(lf_options_set(f->ctx, options, "threshold", "0.5"), LF_OK);
    assert_int_equal(lf_score(f->ctx, posterior, f->data, options, &scores), LF_OK);
    assert_int_equal(lf_scores_table(f->ctx, scores, "rows", &table), LF_OK);
    lf_column z = column_of(f, table, "z"), flag = column_of(f, table, "flag");
    size_t flagged = 0;
    for (size_t i = 0; i < lf_table_rows(table); i++) {
        assert_int_equal(flag.code[i] >= 0, fabs(z.number[i]) > 0.5);
        flagged += flag.code[i] >= 0;
    }
    assert_true(flagged > 0);
    lf_table_free(table);
    lf_scores_free(scores);
    assert_int_equal(lf_options_set(f->ctx, options, "threshold", "-1"), LF_OK);
    assert_int_equal(lf_score(f->ctx, posterior, f->data, options, &scores), LF_ERROR_ARGUMENT);
    lf_options_free(options);
    lf_posterior_free(posterior);
    lf_data_free(train);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_test_rows), cmocka_unit_test(test_training_rows),
                                       cmocka_unit_test(test_folds),     cmocka_unit_test(test_order_of_outputs),
                                       cmocka_unit_test(test_rolling),   cmocka_unit_test(test_comparison),
                                       cmocka_unit_test(test_refusals),  cmocka_unit_test(test_threshold)};
    return cmocka_run_group_tests(tests, create, release);
}
