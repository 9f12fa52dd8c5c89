/* lf_fit_many as a client of the shared library has it: each fit is that of lf_fit for the rows of its replicate. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "latentforce.h"

enum { SERIES = 40, ROWS = 12, BROKEN = 33 }; /* more than a round of two threads */

static lf_options *options_of(lf_context *ctx)
{
    lf_options *options = NULL;
    assert_int_equal(lf_options_create(ctx, "fit", &options), LF_OK);
    assert_int_equal(lf_options_set(ctx, options, "max-iterations", "5"), LF_OK);
    assert_int_equal(lf_options_set(ctx, options, "forces", "1"), LF_OK);
    return options;
}

/* The rows of all series, in turn, or of one of them, without its name. A series that is broken has one row. */
static lf_data *data_of(lf_context *ctx, int only)
{
    lf_data *data = NULL;
    assert_int_equal(lf_data_create(ctx, 1, &data), LF_OK);
    for (int i = 0; i < ROWS * SERIES; i++) {
        int r = i % SERIES, k = i / SERIES;
        char name[16];
        double x = 0.5 * k;
        snprintf(name, sizeof name, "s%d", r);
        const lf_row row = {.size = sizeof row,
                            .output = k % 2 && r % 3 ? "b" : "a",
                            .replicate = only < 0 ? name : NULL,
                            .x = &x,
                            .y = sin(x + r) + 0.1 * cos(7.0 * i),
                            .split = k == 5 ? "test" : NULL};
        if ((only < 0 || r == only) && (r != BROKEN || k == 0)) {
            assert_int_equal(lf_data_add(ctx, data, &row), LF_OK);
        }
    }
    return data;
}

/* What `take` has received; it stops at the replicate `last`. */
typedef struct taken {
    lf_context *ctx;
    size_t count, last;
    char *text[SERIES]; /* of the models; NULL: failed */
    char message[256];  /* of the last failure */
} taken;

static int take(void *user, const lf_fitted *fitted)
{
    taken *t = user;
    char name[16];
    snprintf(name, sizeof name, "s%zu", t->count);
    assert_int_equal(fitted->size, sizeof *fitted);
    assert_string_equal(fitted->name, name);
    assert_int_equal(fitted->item, t->count);
    assert_int_equal(fitted->items, SERIES);
    assert_true(fitted->seconds >= 0);
    assert_int_equal(lf_data_count(fitted->data, LF_KIND_REPLICATE), 0);
    assert_int_equal(lf_data_count(fitted->data, LF_KIND_ROW), t->count == BROKEN ? 1 : ROWS);
    if (fitted->status) {
        assert_null(fitted->model);
        assert_null(fitted->result);
        snprintf(t->message, sizeof t->message, "%s", fitted->message);
    } else {
        assert_string_equal(fitted->message, "");
        assert_int_equal(fitted->result->rows, ROWS - 1);
        assert_int_equal(lf_model_json(t->ctx, fitted->model, "file", &t->text[t->count]), LF_OK);
    }
    return t->count++ == t->last;
}

static void release(taken *t)
{
    for (size_t i = 0; i < SERIES; i++) {
        lf_free(t->text[i]);
    }
}

static void fits_are_those_of_each_series_alone(void **state)
{
    (void)state;
    lf_context *ctx = lf_context_create();
    lf_options *options = options_of(ctx);
    lf_data *data = data_of(ctx, -1);
    taken one = {.ctx = ctx, .last = LF_NONE}, two = one;
    lf_context_set_threads(ctx, 1);
    assert_int_equal(lf_fit_many(ctx, data, options, take, &one), LF_OK);
    lf_context_set_threads(ctx, 2);
    assert_int_equal(lf_fit_many(ctx, data, options, take, &two), LF_OK);
    assert_int_equal(one.count, SERIES);
    assert_int_equal(two.count, SERIES);
    for (int r = 0; r < SERIES; r++) {
        lf_data *rows = data_of(ctx, r);
        lf_model *model;
        char *text = NULL;
        lf_status status = lf_fit(ctx, rows, options, &model, NULL);
        assert_int_equal(status != LF_OK, r == BROKEN);
        if (r == BROKEN) {
            assert_string_equal(one.message, lf_context_message(ctx));
            assert_null(one.text[r]);
        } else {
            assert_int_equal(lf_model_json(ctx, model, "file", &text), LF_OK);
            assert_string_equal(one.text[r], text);
            assert_string_equal(two.text[r], text);
        }
        lf_free(text);
        lf_model_free(model);
        lf_data_free(rows);
    }
    assert_string_not_equal(one.text[0], one.text[1]);
    release(&one);
    release(&two);
    lf_data_free(data);
    lf_options_free(options);
    lf_context_free(ctx);
}

static int stop_late(void *user, const lf_progress *at)
{
    size_t *calls = user;
    assert_string_equal(at->stage, "series");
    assert_int_equal(at->items, SERIES);
    return at->item >= 3 && ++*calls > 0;
}

static void both_functions_can_stop(void **state)
{
    (void)state;
    lf_context *ctx = lf_context_create();
    lf_options *options = options_of(ctx);
    lf_data *data = data_of(ctx, -1);
    taken t = {.ctx = ctx, .last = 1};
    assert_int_equal(lf_fit_many(ctx, data, options, take, &t), LF_ERROR_CANCELLED);
    assert_string_equal(lf_context_message(ctx), "stopped after the fits of 2 of 40 values");
    assert_int_equal(t.count, 2);
    release(&t);
    size_t calls = 0;
    t = (taken){.ctx = ctx, .last = LF_NONE};
    lf_context_set_threads(ctx, 1);
    lf_context_set_progress(ctx, stop_late, &calls);
    assert_int_equal(lf_fit_many(ctx, data, options, take, &t), LF_ERROR_CANCELLED);
    assert_int_equal(t.count, 3);
    assert_int_equal(calls, 1);
    release(&t);
    lf_data_free(data);
    lf_options_free(options);
    lf_context_free(ctx);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    lf_context *ctx = lf_context_create();
    lf_options *options = options_of(ctx), *report = NULL;
    lf_data *data = data_of(ctx, -1), *plain = data_of(ctx, 0);
    taken t = {.ctx = ctx, .last = LF_NONE};
    assert_int_equal(lf_fit_many(ctx, plain, options, take, &t), LF_ERROR_DATA);
    assert_non_null(strstr(lf_context_message(ctx), "name no replicates"));
    assert_int_equal(lf_options_create(ctx, "report", &report), LF_OK);
    assert_int_equal(lf_fit_many(ctx, data, report, take, &t), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_options_set(ctx, options, "checkpoint", "/nonexistent/c"), LF_OK);
    assert_int_equal(lf_fit_many(ctx, data, options, take, &t), LF_ERROR_ARGUMENT);
    assert_non_null(strstr(lf_context_message(ctx), "--checkpoint"));
    assert_int_equal(t.count, 0);
    lf_options_free(report);
    lf_options_free(options);
    lf_data_free(plain);
    lf_data_free(data);
    lf_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_are_those_of_each_series_alone),
        cmocka_unit_test(both_functions_can_stop),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
