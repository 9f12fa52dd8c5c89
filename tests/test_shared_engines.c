/* Engines over several processes that share the rows: value, gradient and predictions are those of one process. */
#include "data/share.h"
#include "processes.h"
#include "random_models.h"

enum { POINTS = 12, MOST_PARAMETERS = 64 };
#define TOLERANCE 1e-10

typedef struct result {
    lf_status status;
    char message[200];
    double value, jacobian, gradient[MOST_PARAMETERS], mean[POINTS], variance[POINTS];
    size_t rows, columns;
} result;

/* What all processes do. */
typedef struct job {
    const lf_model *model;
    const lf_data *data;
    lf_engine_options options;
    int uneven; /* process 0 has one row, the last one most */
    result results[MOST_PROCESSES];
} job;

/* The process that has a row. */
static int owner_of(const job *j, size_t row, int count)
{
    size_t n = lf_data_count(j->data);
    return j->uneven ? row == 0 ? 0 : row < n / 8 ? count / 2 : count - 1 : (int)(row * (size_t)count / n);
}

static lf_status take_share(lf_context *ctx, const job *j, int rank, lf_data **share)
{
    lf_status status = lf_data_create(ctx, lf_data_input_dim(j->data), share);
    for (size_t i = 0; !status && i < lf_data_count(j->data); i++) {
        lf_row row = lf_data_row(j->data, i);
        const char *replicate = row.replicate < 0 ? NULL : lf_data_replicate_name(j->data, row.replicate);
        if (owner_of(j, i, lf_process_count(ctx)) == rank) {
            status = lf_data_add(ctx, *share, lf_data_output_name(j->data, row.output), replicate, row.x, row.y, row.sd,
                                 row.split);
        }
    }
    return status ? status : lf_data_set_shared(ctx, *share);
}

static lf_status evaluate(lf_context *ctx, const job *j, const lf_data *data, result *to)
{
    int targets[POINTS];
    double x[POINTS];
    lf_points points = {.n = POINTS, .target = targets, .x = x};
    lf_engine *engine = NULL;
    lf_posterior *posterior = NULL;
    for (int i = 0; i < POINTS; i++) {
        targets[i] = i % (lf_model_output_count(j->model) + lf_model_force_count(j->model));
        x[i] = 0.6 + 0.05 * i;
    }
    lf_status status = lf_engine_create(ctx, j->model, data, &j->options, &engine);
    status = status ? status : lf_engine_evaluate(engine, lf_parameter_count(j->model), NULL, &to->value, to->gradient);
    status = status ? status : lf_engine_posterior(engine, &posterior);
    status = status ? status : lf_predict(posterior, &points, to->mean, to->variance, NULL);
    if (!status) {
        lf_engine_info info = lf_engine_describe(engine);
        to->rows = info.rows;
        to->columns = info.columns;
        to->jacobian = lf_engine_log_jacobian(engine);
    }
    lf_posterior_free(posterior);
    lf_engine_free(engine);
    return status;
}

static void work(lf_context *ctx, int rank, void *user)
{
    job *j = user;
    result *to = &j->results[rank];
    lf_data *share = NULL;
    to->status = take_share(ctx, j, rank, &share);
    to->status = to->status ? to->status : evaluate(ctx, j, share, to);
    snprintf(to->message, sizeof to->message, "%.199s", lf_message(ctx));
    lf_data_free(share);
}

static void compare(const result *one, const result *other, size_t parameters)
{
    double size = 0;
    for (size_t i = 0; i < parameters; i++) {
        size = fmax(size, fabs(one->gradient[i]));
    }
    assert_near(other->value, one->value, TOLERANCE * fmax(1, fabs(one->value)));
    assert_near(other->jacobian, one->jacobian, TOLERANCE * fmax(1, fabs(one->jacobian)));
    assert_int_equal(other->rows, one->rows);
    assert_int_equal(other->columns, one->columns);
    for (size_t i = 0; i < parameters; i++) {
        assert_near(other->gradient[i], one->gradient[i], TOLERANCE * fmax(1, size));
    }
    for (int i = 0; i < POINTS; i++) {
        assert_near(other->mean[i], one->mean[i], TOLERANCE);
        assert_near(other->variance[i], one->variance[i], TOLERANCE);
    }
}

static void check_engine(lf_context *ctx, const lf_model *model, const lf_data *data, lf_engine_options options)
{
    static const int counts[] = {1, 2, 3, 5, 8};
    result one = {0};
    job alone = {.model = model, .data = data, .options = options};
    assert_ok(ctx, evaluate(ctx, &alone, data, &one));
    for (size_t c = 0; c < 2 * sizeof counts / sizeof *counts; c++) {
        job j = {.model = model, .data = data, .options = options, .uneven = (int)(c % 2)};
        int count = counts[c / 2];
        run_processes(count, work, &j);
        for (int r = 0; r < count; r++) {
            if (j.results[r].status) {
                fail_msg("%s on process %d of %d: %s", options.engine, r, count, j.results[r].message);
            }
            compare(&one, &j.results[r], lf_parameter_count(model));
            assert_memory_equal(j.results[r].gradient, j.results[0].gradient, sizeof one.gradient);
        }
    }
}

static const lf_engine_options engines[] = {
    {.size = sizeof(lf_engine_options), .engine = "lowrank", .nodes = "uniform", .features = 25},
    {.size = sizeof(lf_engine_options), .engine = "lowrank", .nodes = "mc", .features = 20},
    {.size = sizeof(lf_engine_options), .engine = "kalman"},
    {.size = sizeof(lf_engine_options), .engine = "dense"},
    {.size = sizeof(lf_engine_options), .engine = "auto"},
};

static void all_engines_agree_with_one_process(void **state)
{
    lf_context *ctx = *state;
    static const char *const initials[] = {"zero", "free", "stationary"};
    lf_random random;
    lf_random_seed(&random, 3);
    for (int i = 0; i < 6; i++) {
        lf_model *model = random_model(ctx, &random, initials[i % 3], 3, i % 3 == 2);
        lf_data *data = NULL;
        for (int r = 0; r < (i < 3 ? 1 : 4); r++) {
            char name[8];
            snprintf(name, sizeof name, "r%d", r);
            data = random_rows(ctx, &random, (size_t)(i < 3 ? 40 : 9 + 5 * r), i < 3 ? NULL : name, data);
        }
        for (size_t e = 0; e < sizeof engines / sizeof *engines; e++) {
            check_engine(ctx, model, data, engines[e]);
        }
        lf_data_free(data);
        lf_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_engines_agree_with_one_process, make_context, free_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
