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
    double elsewhere; /* the value at shorter lengthscales */
    double rounding;
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
    size_t n = lf_data_count(j->data, LF_KIND_ROW);
    return j->uneven ? row == 0 ? 0 : row < n / 8 ? count / 2 : count - 1 : (int)(row * (size_t)count / n);
}

static lf_status take_share(lf_context *ctx, const job *j, int rank, lf_data **share)
{
    lf_status status = lf_data_create(ctx, lf_data_count(j->data, LF_KIND_INPUT), share);
    for (size_t i = 0; !status && i < lf_data_count(j->data, LF_KIND_ROW); i++) {
        lf_observation row = lf_data_row(j->data, i);
        const char *replicate =
            row.replicate < 0 ? NULL : lf_data_name(j->data, LF_KIND_REPLICATE, (size_t)row.replicate);
        if (owner_of(j, i, lf_process_count(ctx)) == rank) {
            status = lf_data_add(ctx, *share,
                                 &(lf_row){.size = sizeof(lf_row),
                                           .output = lf_data_name(j->data, LF_KIND_OUTPUT, (size_t)row.output),
                                           .replicate = replicate,
                                           .x = row.x,
                                           .y = row.y,
                                           .sd = row.sd,
                                           .split = row.split});
            if (!status && row.width > 0) {
                status = lf_data_set_width(ctx, *share, lf_data_count(*share, LF_KIND_ROW) - 1, row.width);
            }
        }
    }
    return status ? status : lf_data_share(ctx, *share);
}

/* Where frequencies, and what follows from them, must be made again. */
static lf_status evaluate_elsewhere(lf_engine *engine, const lf_model *model, double *value)
{
    double theta[MOST_PARAMETERS];
    size_t count = lf_parameter_count(model);
    lf_model_theta(model, theta);
    for (size_t i = 0; i < count; i++) {
        theta[i] -= strstr(lf_parameter_get(model, i).theta_name, "log_lengthscale") ? 0.5 : 0;
    }
    return lf_engine_evaluate(engine, count, theta, value, NULL);
}

static lf_status evaluate(lf_context *ctx, const job *j, const lf_data *data, result *to)
{
    int targets[POINTS], p = (int)lf_data_count(data, LF_KIND_INPUT);
    double x[2 * POINTS];
    lf_point_list points = {.n = POINTS, .target = targets, .x = x};
    lf_engine *engine = NULL;
    lf_posterior *posterior = NULL;
    for (int i = 0; i < POINTS; i++) {
        targets[i] = i % ((int)lf_model_count(j->model, LF_KIND_OUTPUT) + (int)lf_model_count(j->model, LF_KIND_FORCE));
        x[i * p] = x[i * p + p - 1] = 0.6 + 0.05 * i;
    }
    lf_status status = lf_engine_create(ctx, j->model, data, &j->options, &engine);
    status = status ? status : lf_engine_evaluate(engine, lf_parameter_count(j->model), NULL, &to->value, to->gradient);
    status = status ? status : lf_engine_rounding(engine, &to->rounding);
    status = status ? status : lf_engine_posterior(engine, &posterior);
    status = status ? status : lf_predict_list(posterior, &points, to->mean, to->variance, NULL);
    if (!status) {
        lf_engine_info info = lf_engine_describe(engine);
        to->rows = info.rows;
        to->columns = info.columns;
        to->jacobian = lf_engine_log_jacobian(engine);
        status = evaluate_elsewhere(engine, j->model, &to->elsewhere);
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
    snprintf(to->message, sizeof to->message, "%.199s", lf_context_message(ctx));
    lf_data_free(share);
}

static void compare(const result *one, const result *other, size_t parameters)
{
    double size = 0;
    for (size_t i = 0; i < parameters; i++) {
        size = fmax(size, fabs(one->gradient[i]));
    }
    assert_near(other->value, one->value, TOLERANCE * fmax(1, fabs(one->value)));
    assert_near(other->elsewhere, one->elsewhere, TOLERANCE * fmax(1, fabs(one->elsewhere)));
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
    result one = {0};
    job alone = {.model = model, .data = data, .options = options};
    lf_context_set_threads(ctx, 1); /* as many as each of the processes */
    assert_ok(ctx, evaluate(ctx, &alone, data, &one));
    for (size_t c = 0; c < process_count_number(); c++) {
        int count = process_counts[c];
        job j = {.model = model, .data = data, .options = options, .uneven = count == 3 || count == 8};
        run_processes(count, work, &j);
        for (int r = 0; r < count; r++) {
            if (j.results[r].status) {
                fail_msg("%s on process %d of %d: %s", options.engine, r, count, j.results[r].message);
            }
            compare(&one, &j.results[r], lf_parameter_count(model));
            assert_memory_equal(j.results[r].gradient, j.results[0].gradient, sizeof one.gradient);
            assert_memory_equal(&j.results[r].rounding, &j.results[0].rounding, sizeof one.rounding);
        }
    }
}

static const lf_engine_options engines[] = {
    {.size = sizeof(lf_engine_options), .engine = "lowrank", .nodes = "uniform", .features = 25},
    {.size = sizeof(lf_engine_options), .engine = "lowrank", .nodes = "mc", .features = 20},
    {.size = sizeof(lf_engine_options), .engine = "fourier", .features = 25},
    {.size = sizeof(lf_engine_options), .engine = "dtc", .inducing = 7},
    {.size = sizeof(lf_engine_options), .engine = "variational", .inducing = 9, .nodes = "uniform", .features = 25},
    {.size = sizeof(lf_engine_options), .engine = "fitc", .inducing = 8, .inducing_inputs = "kmeans"},
    {.size = sizeof(lf_engine_options), .engine = "pitc", .inducing = 7, .inducing_inputs = "data"},
    {.size = sizeof(lf_engine_options), .engine = "variational", .inducing = 7, .device = "host"},
    {.size = sizeof(lf_engine_options),
     .engine = "fitc",
     .inducing = 8,
     .nodes = "mc",
     .features = 20,
     .device = "host"},
    {.size = sizeof(lf_engine_options), .engine = "pitc", .inducing = 7, .device = "host"},
    {.size = sizeof(lf_engine_options), .engine = "kalman"},
    {.size = sizeof(lf_engine_options), .engine = "dense"},
    {.size = sizeof(lf_engine_options), .engine = "dense", .device = "host"},
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
            char name[16];
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

/* ---- models whose rows are spread in ways of their own ---- */

#define HEAD "{\"format\":\"latentforce-model\",\"version\":1,"
#define EQ_FORCE "\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":1.3}],"
#define OUTPUT(name, operator, more)                                                                                   \
    "{\"name\":\"" name "\",\"operator\":{"                                                                            \
    operator"},\"sensitivity\":[1.5],\"noise_variance\":0.04,\"offset\":0.3," more "\"scale\":1.7}"
#define OUTPUTS(a, b, more)                                                                                            \
    "\"outputs\":[" OUTPUT("a", a, more) "," OUTPUT("b", b, "") "," OUTPUT("few", a, "") "," OUTPUT("late", b, "") "]" \
                                                                                                                   "}"
#define ODE1 "\"type\":\"ode1\",\"decay\":0.8"
#define ODE2 "\"type\":\"ode2\",\"mass\":1,\"damper\":1.2,\"spring\":2"
#define GAUSSIAN "\"type\":\"gaussian\",\"precision\":3"
#define PRIVATE "\"private\":{\"kernel\":\"eq\",\"lengthscale\":0.9,\"amplitude\":0.7},"

static const struct spread {
    const char *model;
    int inputs, replicates, errors; /* errors: rows of the last quarter of the table have known ones */
} spreads[] = {
    {HEAD EQ_FORCE OUTPUTS(ODE2, ODE1, ""), 1, 1, 0},
    {HEAD EQ_FORCE OUTPUTS(ODE2, ODE1, PRIVATE), 1, 2, 0},
    {HEAD "\"initial\":\"free\"," EQ_FORCE OUTPUTS(ODE1, ODE2, ""), 1, 1, 0},
    {HEAD "\"initial\":\"stationary\"," EQ_FORCE OUTPUTS(ODE2, ODE1, ""), 1, 3, 1},
    {HEAD "\"forces\":[{\"kernel\":\"matern32\",\"lengthscale\":1.3}]," OUTPUTS(ODE2, ODE1, ""), 1, 2, 1},
    {HEAD "\"input_dim\":2," EQ_FORCE OUTPUTS(GAUSSIAN, GAUSSIAN, ""), 2, 2, 1},
};

/* Output "few" has three rows, output "late" those at the end of the table; replicates differ in their numbers of rows, and one process
 * or another has none of some. */
static lf_data *spread_rows(lf_context *ctx, const struct spread *s, lf_random *random)
{
    enum { ROWS = 120 };
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, (size_t)s->inputs, &data));
    for (int i = 0; i < ROWS; i++) {
        char replicate[16];
        double x[2] = {0.1 + 0.03 * i, uniform_between(random, 0, 3)};
        const char *name = i % 40 == 7 ? "few" : i >= ROWS - 20 ? "late" : i % 2 ? "b" : "a";
        snprintf(replicate, sizeof replicate, "r%d", i * i * s->replicates / (ROWS * ROWS));
        assert_ok(ctx, lf_data_add(ctx, data,
                                   &(lf_row){.size = sizeof(lf_row),
                                             .output = name,
                                             .replicate = s->replicates > 1 ? replicate : NULL,
                                             .x = x,
                                             .y = lf_random_normal(random),
                                             .sd = s->errors && i > 3 * ROWS / 4 ? 0.3 : 0}));
    }
    return data;
}

static int is(const char *text, const char *name) { return text && strcmp(text, name) == 0; }

/* Engines that divide by the noise, and sum over rows where outputs do not forbid it. */
static int sums_rows(const lf_engine_options *options)
{
    return !is(options->engine, "kalman") && !is(options->engine, "dense") && !is(options->engine, "auto");
}

static int allows_inputs(const lf_engine_options *options, int inputs)
{
    return inputs == 1 || (!is(options->engine, "fourier") && !is(options->nodes, "uniform"));
}

static void rows_may_be_spread_in_any_way(void **state)
{
    lf_context *ctx = *state;
    lf_random random;
    lf_random_seed(&random, 8);
    for (size_t i = 0; i < sizeof spreads / sizeof *spreads; i += ONE_OF(2)) {
        lf_model *model = parse_model(ctx, spreads[i].model);
        lf_data *data = spread_rows(ctx, &spreads[i], &random);
        for (size_t e = 0; e < sizeof engines / sizeof *engines; e++) {
            if (sums_rows(&engines[e]) && allows_inputs(&engines[e], spreads[i].inputs)) {
                check_engine(ctx, model, data, engines[e]);
            }
        }
        lf_data_free(data);
        lf_model_free(model);
    }
}

/* ---- replicates on processes, some of which have none ---- */

/* Readings of y and z in three replicates. Those of one replicate alone are means over `width`; z, which may be a mean by its equation,
 * occurs in that one alone. Known inputs, where there are any, are read in all. */
static lf_data *replicate_rows(lf_context *ctx, double width, const char *known)
{
    lf_random random;
    lf_data *data;
    lf_random_seed(&random, 4);
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < 45; i++) {
        const char *replicate = i < 20 ? "one" : i < 30 ? "two" : "three";
        double x = 0.1 * (i % 20 + 1), y = lf_random_normal(&random);
        int special = i >= 20 && i < 30;
        assert_ok(ctx, lf_data_add(ctx, data,
                                   &(lf_row){.size = sizeof(lf_row),
                                             .output = special && i % 2 ? "z" : "y",
                                             .replicate = replicate,
                                             .x = &x,
                                             .y = y}));
        if (special && width > 0) {
            assert_ok(ctx, lf_data_set_width(ctx, data, lf_data_count(data, LF_KIND_ROW) - 1, width));
        }
        if (known) {
            assert_ok(
                ctx,
                lf_data_add(
                    ctx, data,
                    &(lf_row){.size = sizeof(lf_row), .output = known, .replicate = replicate, .x = &x, .y = cos(x)}));
        }
    }
    return data;
}

static void processes_without_replicates_take_part(void **state)
{
    lf_context *ctx = *state;
    static const char *const equations[] = {
        "force w ~ matern32(lengthscale = 0.8, amplitude = 1.2)\nx' = w - a*x\nparameter a = 1.7\noutput y = x noise = "
        "0.3\n"
        "output z = 2*x + 1 noise = 0.2\nstart steady\n",
        "force w ~ matern32(lengthscale = 0.8, amplitude = 1.2)\nx' = w - a*x\nparameter a = 1.7\noutput y = x noise = "
        "0.3\n"
        "output z = average(2*x + 1, 0.25) noise = 0.2\nstart steady\n",
        "input v\nforce w ~ matern32(lengthscale = 0.8, amplitude = 1.2)\nx' = w - a*x + v\nparameter a = 1.7\noutput "
        "y = x noise = "
        "0.3\n"
        "output z = 2*x + 1 noise = 0.2\nstart steady\n",
    };
    for (int i = 0; i < 3; i++) {
        lf_model *model;
        lf_data *data = replicate_rows(ctx, i == 0 ? 0.3 : 0, i == 2 ? "v" : NULL);
        assert_ok(ctx, lf_model_from_equations(ctx, equations[i], "test.eq", &model));
        check_engine(ctx, model, data, kalman);
        lf_data_free(data);
        lf_model_free(model);
    }
}

/* Rows without an error are all on one process, and the model has no noise. */
static void a_failure_on_one_process_is_that_of_all(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = parse_model(ctx, HEAD EQ_FORCE "\"outputs\":[{\"name\":\"a\",\"operator\":{" ODE1
                                                     "},\"sensitivity\":[1],\"noise_variance\":0}]}");
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < 40; i++) {
        double x = 0.1 * (i + 1);
        assert_ok(ctx, lf_data_add(
                           ctx, data,
                           &(lf_row){.size = sizeof(lf_row), .output = "a", .x = &x, .y = 1, .sd = i < 36 ? 0.1 : 0}));
    }
    for (size_t e = 0; e < sizeof engines / sizeof *engines; e++) {
        job j = {.model = model, .data = data, .options = engines[e]};
        if (!sums_rows(&engines[e])) {
            continue;
        }
        run_processes(5, work, &j);
        for (int r = 0; r < 5; r++) {
            assert_int_equal(j.results[r].status, LF_ERROR_MODEL);
            assert_string_equal(j.results[r].message, j.results[0].message);
            assert_non_null(strstr(j.results[r].message, "noise_variance is 0"));
        }
    }
    lf_data_free(data);
    lf_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_engines_agree_with_one_process, make_context, free_context),
        cmocka_unit_test_setup_teardown(rows_may_be_spread_in_any_way, make_context, free_context),
        cmocka_unit_test_setup_teardown(processes_without_replicates_take_part, make_context, free_context),
        cmocka_unit_test_setup_teardown(a_failure_on_one_process_is_that_of_all, make_context, free_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
