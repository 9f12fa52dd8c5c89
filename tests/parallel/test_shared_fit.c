/* Fits by several processes that share the rows: the model, its standard errors and its file are those of one process, whether rows are
 * whole tables or a sample; all processes stop where one is asked to. */
#include <unistd.h>

#include "base/processes.h"
#include "data/share.h"
#include "fit_support.h"
#include "inference/log_posterior.h"
#include "processes.h"

static const char truth[] =
    "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"stationary\",\"forces\":[{\"kernel\":\"matern32\","
    "\"lengthscale\":1.5}],\"outputs\":["
    "{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":0.8},\"sensitivity\":[1],\"noise_variance\":0.01},"
    "{\"name\":\"b\",\"operator\":{\"type\":\"ode1\",\"decay\":1.6},\"sensitivity\":[-2],\"noise_variance\":0.02}]}";

enum { MOST_PARAMETERS = 32, EACH = 60 };

typedef struct outcome {
    lf_status status;
    char message[200], *text;
    double log_likelihood, value[MOST_PARAMETERS], error[MOST_PARAMETERS];
    size_t parameters, iterations, rows;
    int cancelled;
} outcome;

typedef struct job {
    const lf_data *data;
    const char *const *options; /* name, value, …, NULL */
    int stops;                  /* the process that is asked to stop after three iterations; -1: none */
    int blind; /* the process that has another checkpoint than the others, which is not there; 0: none */
    outcome outcomes[MOST_PROCESSES];
} job;

typedef struct watch {
    int stops;
} watch;

static int report(void *user, const lf_progress *progress)
{
    return ((watch *)user)->stops && progress->iteration >= 3;
}

static lf_status take_share(lf_context *ctx, const lf_data *data, int rank, lf_data **share)
{
    size_t n = lf_data_count(data, LF_KIND_ROW), count = (size_t)lf_process_count(ctx);
    lf_status status = lf_data_create(ctx, 1, share);
    for (size_t i = n * (size_t)rank / count; !status && i < n * (size_t)(rank + 1) / count; i++) {
        lf_observation row = lf_data_row(data, i);
        status = lf_data_add(ctx, *share,
                             &(lf_row){.size = sizeof(lf_row),
                                       .output = lf_data_name(data, LF_KIND_OUTPUT, (size_t)row.output),
                                       .x = row.x,
                                       .y = row.y,
                                       .sd = row.sd,
                                       .split = row.split});
    }
    return status ? status : lf_data_share(ctx, *share);
}

static lf_status fit(lf_context *ctx, const lf_data *data, const char *const *given, int stops, outcome *to)
{
    lf_options *options = NULL;
    lf_model *model = NULL;
    lf_fit_result *result = NULL;
    watch w = {stops};
    lf_context_set_seed(ctx, 1);
    lf_status status = lf_options_create(ctx, "fit", &options);
    for (size_t i = 0; !status && given[i]; i += 2) {
        status = lf_options_set(ctx, options, given[i], given[i + 1]);
    }
    if (!status) {
        lf_context_set_progress(ctx, report, &w);
        status = lf_fit(ctx, data, options, &model, &result);
        lf_context_set_progress(ctx, NULL, NULL);
    }
    if (!status) {
        to->log_likelihood = result->log_likelihood;
        to->iterations = result->iterations;
        to->cancelled = result->cancelled;
        to->rows = result->rows;
        to->parameters = lf_parameter_count(model);
        for (size_t i = 0; i < to->parameters && i < MOST_PARAMETERS; i++) {
            to->value[i] = lf_parameter_get(model, i).value;
            to->error[i] = lf_parameter_get(model, i).standard_error;
        }
        status = lf_model_text(ctx, model, &to->text);
    }
    snprintf(to->message, sizeof to->message, "%.199s", lf_context_message(ctx));
    lf_fit_result_free(result);
    lf_model_free(model);
    lf_options_free(options);
    return status;
}

static void work(lf_context *ctx, int rank, void *user)
{
    job *j = user;
    lf_data *share = NULL;
    lf_status status = take_share(ctx, j->data, rank, &share);
    const char *options[24] = {NULL};
    for (size_t i = 0; j->options[i]; i++) {
        int other = j->blind > 0 && rank == j->blind && i > 0 && strcmp(j->options[i - 1], "checkpoint") == 0;
        options[i] = other ? "no_such_checkpoint" : j->options[i];
    }
    j->outcomes[rank].status = status ? status : fit(ctx, share, options, rank == j->stops, &j->outcomes[rank]);
    lf_data_free(share);
}

/* All processes have the same model; that of one process to this relative difference. */
static void check(lf_context *ctx, const lf_data *data, const char *const *options, double tolerance)
{
    outcome one = {0};
    assert_ok(ctx, fit(ctx, data, options, 0, &one));
    for (size_t c = 0; c < process_count_number(); c++) {
        job j = {.data = data, .options = options, .stops = -1};
        run_processes(process_counts[c], work, &j);
        for (int r = 0; r < process_counts[c]; r++) {
            const outcome *o = &j.outcomes[r];
            if (o->status) {
                fail_msg("process %d of %d: %s", r, process_counts[c], o->message);
            }
            assert_int_equal(o->rows, one.rows);
            assert_int_equal(o->parameters, one.parameters);
            assert_near(o->log_likelihood, one.log_likelihood, tolerance * fabs(one.log_likelihood));
            for (size_t i = 0; i < one.parameters; i++) {
                assert_near(o->value[i], one.value[i], tolerance * fmax(1, fabs(one.value[i])));
                if (one.error[i] > 0) {
                    assert_near(o->error[i], one.error[i], 10 * tolerance * fmax(1, one.error[i]));
                }
            }
            assert_string_equal(o->text, j.outcomes[0].text);
        }
        for (int r = 0; r < process_counts[c]; r++) {
            free(j.outcomes[r].text);
        }
    }
    free(one.text);
}

static void fits_are_those_of_one_process(void **state)
{
    lf_context *ctx = *state;
    static const char *const plain[] = {"forces",     "1",        "period", "none", "initial",
                                        "stationary", "restarts", "2",      NULL};
    static const char *const features[] = {"forces",         "1",        "period", "none",    "engine",
                                           "lowrank",        "features", "30",     "initial", "stationary",
                                           "max-iterations", "15",       NULL};
    lf_data *data = simulate_readings(ctx, truth, EACH, 1, 1);
    check(ctx, data, plain, 1e-7);
    check(ctx, data, features, 1e-8);
    lf_data_free(data);
}

static void all_stop_where_one_is_asked_to(void **state)
{
    lf_context *ctx = *state;
    static const char *const options[] = {"forces", "1", "period", "none", "initial", "stationary", NULL};
    lf_data *data = simulate_readings(ctx, truth, EACH, 1, 1);
    job j = {.data = data, .options = options, .stops = 2};
    run_processes(3, work, &j);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(j.outcomes[r].status, LF_OK);
        assert_true(j.outcomes[r].cancelled);
        assert_int_equal(j.outcomes[r].iterations, j.outcomes[0].iterations);
        assert_string_equal(j.outcomes[r].text, j.outcomes[0].text);
    }
    for (int r = 0; r < 3; r++) {
        free(j.outcomes[r].text);
    }
    lf_data_free(data);
}

typedef struct sampling {
    const lf_data *data;
    size_t n[MOST_PROCESSES];
    uint64_t fingerprint[MOST_PROCESSES];
    lf_status status[MOST_PROCESSES];
} sampling;

static void take_sample(lf_context *ctx, int rank, void *user)
{
    sampling *s = user;
    lf_data *share = NULL, *sample = NULL;
    s->status[rank] = take_share(ctx, s->data, rank, &share);
    s->status[rank] = s->status[rank] ? s->status[rank] : lf_data_sample(ctx, share, EACH / 2, &sample);
    if (!s->status[rank]) {
        s->n[rank] = lf_data_count(sample, LF_KIND_ROW);
        s->fingerprint[rank] = lf_data_fingerprint(sample);
    }
    lf_data_free(sample);
    lf_data_free(share);
}

static void samples_do_not_depend_on_how_rows_are_shared(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = simulate_readings(ctx, truth, EACH, 1, 1);
    sampling one = {.data = data};
    run_processes(1, take_sample, &one);
    assert_int_equal(one.status[0], LF_OK);
    assert_in_range(one.n[0], 10, EACH);
    for (int count = 2; count <= 8; count += 3) {
        sampling s = {.data = data};
        run_processes(count, take_sample, &s);
        for (int r = 0; r < count; r++) {
            assert_int_equal(s.status[r], LF_OK);
            assert_int_equal(s.n[r], one.n[0]);
            assert_true(s.fingerprint[r] == one.fingerprint[0]);
        }
    }
    lf_data_free(data);
}

/* What each process does with a log posterior of rows that all of them share. */
typedef struct evaluation {
    const lf_data *data;
    const lf_model *model;
    const fit_inputs *inputs;
    const lf_structure *structure;
    const lf_prior *prior;
    int bad;    /* the process that evaluates where nothing is a number; -1: none */
    int leaves; /* the process that fails for want of memory before it evaluates; -1: none */
    lf_status status[MOST_PROCESSES], made[MOST_PROCESSES];
    double value[MOST_PROCESSES];
    char message[MOST_PROCESSES][100];
} evaluation;

static void evaluate_once(lf_context *ctx, int rank, void *user)
{
    evaluation *e = user;
    lf_data *share = NULL;
    lf_log_posterior *p = NULL;
    lf_problem problem = e->inputs->problem;
    double x[MOST_PARAMETERS], gradient[MOST_PARAMETERS];
    lf_status status = take_share(ctx, e->data, rank, &share);
    problem.local = share;
    LF_TRY(status, lf_log_posterior_make(ctx, &problem, e->structure, e->model, e->prior, &p));
    e->made[rank] = status;
    if (!status && rank == e->leaves) {
        status = lf_no_memory(ctx);
    } else if (!status) {
        lf_log_posterior_point(p, x);
        x[0] = rank == e->bad ? (double)NAN : x[0];
        status = lf_log_posterior_negative(p, x, 0, &e->value[rank], gradient);
        status = status ? lf_take_failure(ctx, p->ctx, status) : LF_OK;
    }
    e->status[rank] = lf_agree(ctx, status);
    snprintf(e->message[rank], sizeof e->message[rank], "%.99s", lf_context_message(ctx));
    lf_log_posterior_destroy(p);
    lf_data_free(share);
}

/* A point that is not a number on one process, and a process that does not come: the others neither wait nor go another way. */
static void all_evaluate_or_fail_together(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = simulate_readings(ctx, truth, EACH, 1, 1);
    lf_model *model = parse_model(ctx, truth);
    fit_inputs inputs;
    lf_prior prior;
    assert_ok(ctx, make_inputs(ctx, data, model, NULL, &inputs));
    lf_structure structure = structure_of(model, &inputs);
    assert_ok(ctx, lf_prior_create(ctx, &inputs.problem, &structure, &prior));
    static const struct {
        int bad, leaves;
        lf_status expected;
    } cases[] = {{-1, -1, LF_OK}, {1, -1, LF_OK}, {0, -1, LF_ERROR_NUMERIC}, {-1, 1, LF_ERROR_MEMORY}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        evaluation e = {data, model, &inputs, &structure, &prior, cases[i].bad, cases[i].leaves, {0}, {0}, {0}, {{0}}};
        run_processes(3, evaluate_once, &e);
        for (int r = 0; r < 3; r++) {
            assert_int_equal(e.made[r], LF_OK);
            assert_int_equal(e.status[r], cases[i].expected);
            assert_true(cases[i].expected || e.value[r] == e.value[0]);
            assert_string_equal(e.message[r], e.message[0]);
        }
    }
    lf_prior_clear(&prior);
    clear_inputs(&inputs);
    lf_model_free(model);
    lf_data_free(data);
}

/* A checkpoint that one process cannot find. */
static void all_resume_or_none(void **state)
{
    lf_context *ctx = *state;
    char path[] = "shared_checkpoint_XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    unlink(path);
    const char *const begin[] = {"forces",     "1",  "period",         "none", "initial", "stationary",
                                 "checkpoint", path, "max-iterations", "3",    NULL};
    const char *const resume[] = {"forces",     "1",  "period", "none", "initial", "stationary",
                                  "checkpoint", path, "resume", "yes",  NULL};
    lf_data *data = simulate_readings(ctx, truth, EACH, 1, 1);
    job j = {.data = data, .options = begin, .stops = -1};
    run_processes(3, work, &j);
    for (int round = 0; round < 2; round++) {
        job again = {.data = data, .options = resume, .stops = -1, .blind = round};
        run_processes(3, work, &again);
        for (int r = 0; r < 3; r++) {
            assert_int_equal(j.outcomes[r].status, LF_OK);
            assert_int_equal(again.outcomes[r].status, round ? LF_ERROR_IO : LF_OK);
            assert_true(round || again.outcomes[r].iterations > 3);
            free(again.outcomes[r].text);
        }
    }
    for (int r = 0; r < 3; r++) {
        free(j.outcomes[r].text);
    }
    unlink(path);
    lf_data_free(data);
}

/* A fit of which one process has no memory when a stage begins. */
typedef struct stage_failure {
    const lf_data *data;
    const char *stage;
    lf_status status[MOST_PROCESSES];
    char message[MOST_PROCESSES][100];
} stage_failure;

static void fail_at_stage(lf_context *ctx, int rank, void *user)
{
    stage_failure *s = user;
    static const char *const given[] = {"forces", "1", "restarts", "2", "max-iterations", "2"};
    lf_data *share = NULL;
    lf_options *options = NULL;
    lf_pipeline f = {0};
    lf_context_set_seed(ctx, 1);
    lf_status status = take_share(ctx, s->data, rank, &share);
    LF_TRY(status, lf_options_create(ctx, "fit", &options));
    for (size_t i = 0; !status && i < sizeof given / sizeof *given; i += 2) {
        status = lf_options_set(ctx, options, given[i], given[i + 1]);
    }
    if (!status) {
        status = lf_pipeline_begin(ctx, share, options, &f);
        LF_TRY(status, lf_pipeline_run(&f, rank == 1 ? s->stage : NULL));
        s->status[rank] = rank == 1 && !status ? lf_agree(ctx, lf_no_memory(ctx)) : status;
        lf_pipeline_end(&f);
    }
    snprintf(s->message[rank], sizeof s->message[rank], "%.99s", lf_context_message(ctx));
    lf_options_free(options);
    lf_data_free(share);
}

/* Whatever stage a process fails in, all fail there, with its message. */
static void all_fail_in_the_stage_of_one(void **state)
{
    static const char *const names[] = {"problem", "plan",       "start",  "selection",
                                        "fit",     "validation", "errors", "posterior"};
    lf_data *data = simulate_readings(*state, truth, EACH, 1, 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        stage_failure s = {.data = data, .stage = names[i]};
        run_processes(3, fail_at_stage, &s);
        for (int r = 0; r < 3; r++) {
            if (s.status[r] != LF_ERROR_MEMORY || strcmp(s.message[r], s.message[1]) != 0) {
                fail_msg("stage '%s', process %d: status %d, %s", names[i], r, s.status[r], s.message[r]);
            }
        }
    }
    lf_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(samples_do_not_depend_on_how_rows_are_shared, make_context, free_context),
        cmocka_unit_test_setup_teardown(fits_are_those_of_one_process, make_context, free_context),
        cmocka_unit_test_setup_teardown(all_evaluate_or_fail_together, make_context, free_context),
        cmocka_unit_test_setup_teardown(all_fail_in_the_stage_of_one, make_context, free_context),
        cmocka_unit_test_setup_teardown(all_resume_or_none, make_context, free_context),
        cmocka_unit_test_setup_teardown(all_stop_where_one_is_asked_to, make_context, free_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
