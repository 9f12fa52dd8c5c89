/* Files of checkpoints that must not be taken up: those of other fits and damaged ones. They are refused by name and change
 * nothing. */
#include "checkpoint_support.h"
#include "data/data.h"

/* ---- fingerprints ---- */

/* Every change of data, model, seed or options that alters the course of a fit alters the fingerprint. */
static void change(fixture *f, int i)
{
    lf_output *a = &f->model->outputs[0], *b = &f->model->outputs[1];
    lf_parameter_entry *entry = &f->model->parameters[1];
    lf_fit_plan *plan = &f->inputs.plan;
    lf_structure *s = &f->structure;
    switch (i) {
#define CHANGE(number, statement)                                                                                      \
    case number:                                                                                                       \
        statement;                                                                                                     \
        break
        CHANGE(0, lf_context_set_seed(f->ctx, 99));
        CHANGE(1, f->data->y[7] += 1e-15);
        CHANGE(2, f->data->x[3] += 1e-15);
        CHANGE(3, f->data->sd[5] = 1e-300);
        CHANGE(4, f->data->output[0] = 1);
        CHANGE(5, f->data->replicate[2] = 1);
        CHANGE(6, f->data->outputs.name[0][0] = 'z');
        CHANGE(7, f->data->n--);
        CHANGE(8, f->model->initial = LF_INITIAL_FREE);
        CHANGE(9, f->model->origin = -1);
        CHANGE(10, f->model->forces[0].kernel = &lf_force_kernel_matern32);
        CHANGE(11, a->private_force.kernel = &lf_force_kernel_matern52);
        CHANGE(12, a->op = &lf_operator_ode2);
        CHANGE(13, b->scale = 2);
        CHANGE(14, f->model->forces[0].lengthscale[0] *= 1 + 1e-15);
        CHANGE(15, b->offset = 0.1);
        CHANGE(16, entry->lower = 1e-3);
        CHANGE(17, entry->upper = 1e3);
        CHANGE(18, entry->fixed = !entry->fixed);
        CHANGE(19, entry->tied_to = 0);
        CHANGE(20, f->model->inputs = calloc(1, sizeof *f->model->inputs); f->model->inputs[0].scale = 2);
        CHANGE(21, s->fitting.engine = "dense");
        CHANGE(22, s->fitting.nodes = "mc");
        CHANGE(23, s->fitting.inducing = 4);
        CHANGE(24, s->fitting.inducing_inputs = "data");
        CHANGE(25, s->fitting.tolerance = 1e-5);
        CHANGE(26, s->fitting.features = 9);
        CHANGE(27, s->fitting.ahead = 1);
        CHANGE(28, s->fitting.behind = 1);
        CHANGE(29, s->fitting.regrid_factor = 1.2);
        CHANGE(30, s->restarts = 5);
        CHANGE(31, plan->relative_gain = 1e-4);
        CHANGE(32, plan->gradient = 1e-4);
        CHANGE(33, s->prior = LF_PRIOR_NONE);
#undef CHANGE
    }
}
enum { CHANGES = 34 };

static uint64_t fingerprint_of(const fixture *f)
{
    return lf_fit_fingerprint(f->ctx, f->model, f->data, &f->inputs.plan, &f->structure);
}

static void test_fingerprints(void **state)
{
    fixture *f = *state;
    uint64_t seen[CHANGES + 1];
    seen[0] = fingerprint_of(f);
    f->structure.iterations = 7; /* where and how long, not what */
    f->inputs.plan.checkpoint = "elsewhere";
    f->inputs.plan.checkpoint_seconds = 9;
    f->inputs.plan.resume = 1;
    lf_context_set_threads(f->ctx, 3);
    assert_true(fingerprint_of(f) == seen[0]);
    for (int i = 0; i < CHANGES; i++) {
        void *own;
        make_fixture(&own);
        fixture *other = own;
        change(other, i);
        seen[i + 1] = fingerprint_of(other);
        for (int k = 0; k <= i; k++) {
            if (seen[k] == seen[i + 1]) {
                print_error("change %d has the fingerprint of change %d (-1: none)\n", i, k - 1);
                fail();
            }
        }
        other->data->n += i == 7;
        free_fixture(&own);
    }
}

/* ---- files that are refused ---- */

static char *read_text(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1 << 20, 1);
    assert_true(file && text);
    *size = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    return text;
}

static void write_text(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
}

/* The file as it stands is refused, with its name, and the runs stay as they were made. */
static void refuse(fixture *f, uint64_t fingerprint, lf_run *runs, const lf_run *fresh, const char *what,
                   const char *part)
{
    double seconds;
    int found;
    lf_status status = lf_checkpoint_read(f->ctx, f->path, fingerprint, RUNS, runs, &seconds, &found);
    if (status != LF_ERROR_DATA || !found || !strstr(lf_context_message(f->ctx), f->path) ||
        !strstr(lf_context_message(f->ctx), part)) {
        print_error("%s: status %d, \"%s\" does not contain \"%s\"\n", what, status, lf_context_message(f->ctx), part);
        fail();
    }
    for (int r = 0; r < RUNS; r++) {
        check_same(&runs[r], &fresh[r]);
        check_same_optimiser(&runs[r], &fresh[r]);
    }
}

static void test_damage(void **state)
{
    fixture *f = *state;
    lf_run runs[RUNS], fresh[RUNS];
    size_t size;
    lf_random random;
    lf_random_seed(&random, 3);
    make_runs(f, fresh);
    make_runs(f, runs);
    iterate(&runs[0], 3);
    iterate(&runs[1], 2);
    assert_ok(f->ctx, write_runs(f, runs, 5, 1.5));
    clear_runs(runs);
    make_runs(f, runs);
    char *text = read_text(f->path, &size), *copy = malloc(size + 1);
    refuse(f, 6, runs, fresh, "another fingerprint", "another fit");
    for (size_t k = 0; k < 60; k++) { /* cut short; the last two characters are a brace and an end of line */
        size_t length = k < 20 ? k * 7 : (size_t)((double)(size - 2) * lf_random_uniform(&random));
        write_text(f->path, text, length);
        refuse(f, 5, runs, fresh, "truncated", "not a checkpoint");
    }
    char *payload = strstr(text, "\"runs\"");
    assert_non_null(payload);
    for (int k = 0; k < 200; k++) { /* one character of the numbers changed */
        size_t place =
            (size_t)(payload - text) + (size_t)((double)(size - (size_t)(payload - text)) * lf_random_uniform(&random));
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=", text[place])) {
            continue;
        }
        memcpy(copy, text, size + 1);
        copy[place] = text[place] == 'A' ? 'B' : 'A';
        write_text(f->path, copy, size);
        refuse(f, 5, runs, fresh, "one character changed", "damaged");
    }
    static const struct {
        const char *from, *to, *message;
    } edits[] = {
        {"\"checksum\": \"", "\"checksum\": \"0", "damaged"},
        {"\"checksum\"", "\"chequesum\"", "damaged"},
        {"\"fit\": \"0000000000000005\"", "\"fit\": \"0000000000000006\"", "another fit"},
        {"\"fit\"", "\"fat\"", "not a checkpoint"},
        {"latentforce-checkpoint", "latentforce-model", "not a checkpoint"},
        {"\"runs\"", "\"walks\"", "damaged"},
        {"\"counters\"", "\"count\"", "damaged"},
        {"\"history\"", "\"story\"", "damaged"},
        {"\"prepared\"", "\"prepare\"", "damaged"},
        {"\"optimiser\"", "\"optimizer\"", "damaged"}, /* as of a run that has not begun: the checksum differs */
        {"\"runs\": [", "\"runs\": [{},", "damaged"},
        {"{", "[", "not a checkpoint"},
    };
    for (size_t k = 0; k < sizeof edits / sizeof *edits; k++) {
        char *place = strstr(text, edits[k].from), *edited = calloc(size + 100, 1);
        assert_non_null(place);
        int length = snprintf(edited, size + 100, "%.*s%s%s", (int)(place - text), text, edits[k].to,
                              place + strlen(edits[k].from));
        write_text(f->path, edited, (size_t)length);
        refuse(f, 5, runs, fresh, edits[k].to, edits[k].message);
        free(edited);
    }
    double seconds;
    int found;
    write_text(f->path, text, size); /* and the whole file is read */
    assert_ok(f->ctx, lf_checkpoint_read(f->ctx, f->path, 5, RUNS, runs, &seconds, &found));
    assert_int_equal(runs[0].iterations, 3);
    clear_runs(runs);
    clear_runs(fresh);
    free(text);
    free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_fingerprints, make_fixture, free_fixture),
        cmocka_unit_test_setup_teardown(test_damage, make_fixture, free_fixture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
