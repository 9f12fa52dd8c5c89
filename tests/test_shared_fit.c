/* Fits by several processes that share the rows: the model, its standard errors and its file are those of one process, whether rows are
 * whole tables or a sample; all processes stop where one is asked to. */
#include "data/share.h"
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
    size_t n = lf_data_count(data), count = (size_t)lf_process_count(ctx);
    lf_status status = lf_data_create(ctx, 1, share);
    for (size_t i = n * (size_t)rank / count; !status && i < n * (size_t)(rank + 1) / count; i++) {
        lf_row row = lf_data_row(data, i);
        status = lf_data_add(ctx, *share, lf_data_output_name(data, row.output), NULL, row.x, row.y, row.sd, row.split);
    }
    return status ? status : lf_data_set_shared(ctx, *share);
}

static lf_status fit(lf_context *ctx, const lf_data *data, const char *const *given, int stops, outcome *to)
{
    lf_fit_options *options = NULL;
    lf_model *model = NULL;
    lf_fit_result *result = NULL;
    watch w = {stops};
    lf_set_seed(ctx, 1);
    lf_status status = lf_fit_options_create(ctx, &options);
    for (size_t i = 0; !status && given[i]; i += 2) {
        status = lf_fit_options_set(ctx, options, given[i], given[i + 1]);
    }
    if (!status) {
        lf_fit_options_set_progress(options, report, &w);
        status = lf_fit(ctx, data, options, &model, &result);
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
    snprintf(to->message, sizeof to->message, "%.199s", lf_message(ctx));
    lf_fit_result_free(result);
    lf_model_free(model);
    lf_fit_options_free(options);
    return status;
}

static void work(lf_context *ctx, int rank, void *user)
{
    job *j = user;
    lf_data *share = NULL;
    lf_status status = take_share(ctx, j->data, rank, &share);
    j->outcomes[rank].status = status ? status : fit(ctx, share, j->options, rank == j->stops, &j->outcomes[rank]);
    lf_data_free(share);
}

/* All processes have the same model; that of one process to this relative difference. */
static void check(lf_context *ctx, const lf_data *data, const char *const *options, double tolerance)
{
    outcome one = {0};
    assert_ok(ctx, fit(ctx, data, options, 0, &one));
    for (size_t c = 0; c < PROCESS_COUNTS; c++) {
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
        s->n[rank] = lf_data_count(sample);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(samples_do_not_depend_on_how_rows_are_shared, make_context, free_context),
        cmocka_unit_test_setup_teardown(fits_are_those_of_one_process, make_context, free_context),
        cmocka_unit_test_setup_teardown(all_stop_where_one_is_asked_to, make_context, free_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
