/* Runs of a small fit, what tests of checkpoints need of them. */
#ifndef LF_TESTS_CHECKPOINT_SUPPORT_H
#define LF_TESTS_CHECKPOINT_SUPPORT_H

#include <unistd.h>

#include "fit_support.h"
#include "inference/checkpoint.h"

static const char model_text[] =
    "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":1.5}],\"outputs\":["
    "{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":0.5},\"sensitivity\":[1],\"noise_variance\":0.002,"
    "\"private\":{\"kernel\":\"matern32\",\"lengthscale\":0.7,\"amplitude\":0.1}},"
    "{\"name\":\"b\",\"operator\":{\"type\":\"ode1\",\"decay\":2},\"sensitivity\":[-2],\"noise_variance\":0.002}]}";

enum { RUNS = 3 };

/* A fit in pieces: what lf_optimise keeps while it runs. */
typedef struct fixture {
    lf_context *ctx;
    lf_data *data;
    lf_model *model;
    fit_inputs inputs;
    lf_structure structure;
    lf_prior prior;
    char path[32];
} fixture;

static UNUSED int make_fixture(void **state)
{
    fixture *f = *state = calloc(1, sizeof *f);
    f->ctx = lf_context_create();
    f->data = simulate_readings(f->ctx, model_text, 20, 1, 1);
    f->model = parse_model(f->ctx, model_text);
    f->model->forces[0].lengthscale[0] = 0.9; /* not where the data come from */
    lf_options options = {.engine = {.size = sizeof(lf_engine_options), .engine = "lowrank"}};
    assert_ok(f->ctx, make_inputs(f->ctx, f->data, f->model, &options, &f->inputs));
    f->structure = structure_of(f->model, &f->inputs);
    assert_ok(f->ctx, lf_prior_create(f->ctx, &f->inputs.problem, &f->structure, &f->prior));
    snprintf(f->path, sizeof f->path, "checkpoint_XXXXXX");
    int descriptor = mkstemp(f->path);
    assert_true(descriptor >= 0);
    close(descriptor);
    unlink(f->path);
    return 0;
}

static UNUSED int free_fixture(void **state)
{
    fixture *f = *state;
    unlink(f->path);
    lf_prior_clear(&f->prior);
    clear_inputs(&f->inputs);
    lf_model_free(f->model);
    lf_data_free(f->data);
    lf_context_free(f->ctx);
    free(f);
    return 0;
}

/* Runs from starts that differ by their first decay. */
static UNUSED void make_runs(fixture *f, lf_run *runs)
{
    for (int r = 0; r < RUNS; r++) {
        lf_model *start;
        assert_ok(f->ctx, lf_model_copy(f->ctx, f->model, &start));
        start->outputs[0].constants[0] *= 1 + 0.3 * r;
        assert_ok(f->ctx, lf_clamp_to_bounds(f->ctx, &f->prior, start));
        assert_ok(f->ctx, lf_run_create(f->ctx, &f->inputs.problem, &f->inputs.plan, &f->structure, start, &f->prior,
                                        &runs[r]));
        lf_model_free(start);
    }
}

static UNUSED void clear_runs(lf_run *runs)
{
    for (int r = 0; r < RUNS; r++) {
        lf_run_clear(&runs[r]);
    }
}

static UNUSED void iterate(lf_run *run, size_t most)
{
    for (size_t i = 0; i < most && run->state == LF_RUN_ACTIVE; i++) {
        assert_int_equal(lf_run_iterate(run), LF_OK);
        if (run->iterations) {
            run->history[run->iterations - 1].seconds = 0.1 * (double)run->iterations;
        }
    }
}

/* Snapshots of all runs that have begun, written with a fingerprint. */
static UNUSED lf_status write_runs(fixture *f, const lf_run *runs, uint64_t fingerprint, double seconds)
{
    lf_snapshot snapshots[RUNS] = {{0}};
    for (int r = 0; r < RUNS; r++) {
        if (runs[r].iterations) {
            assert_ok(f->ctx, lf_snapshot_take(f->ctx, &runs[r], &snapshots[r]));
        }
    }
    lf_status status = lf_checkpoint_write(f->ctx, f->path, fingerprint, seconds, RUNS, runs, snapshots);
    for (int r = 0; r < RUNS; r++) {
        lf_snapshot_clear(&snapshots[r]);
    }
    return status;
}

/* The same to the last bit: counters, history, best point, and where the engine was made. */
static UNUSED void check_same(const lf_run *a, const lf_run *b)
{
    const double *x, *y;
    assert_int_equal(a->state, b->state);
    assert_int_equal(a->iterations, b->iterations);
    assert_int_equal(a->posterior->evaluations, b->posterior->evaluations);
    if (a->iterations) {
        assert_memory_equal(a->history, b->history, a->iterations * sizeof *a->history);
    }
    assert_true(lf_run_best(a, &x) == lf_run_best(b, &y) || !a->iterations);
    assert_memory_equal(x, y, a->posterior->count * sizeof *x);
    size_t saved = a->posterior->class->save(a->posterior, NULL);
    double *states = calloc(2 * saved, sizeof *states);
    assert_int_equal(b->posterior->class->save(b->posterior, states + saved), saved);
    a->posterior->class->save(a->posterior, states);
    assert_memory_equal(states, states + saved, saved * sizeof *states);
    free(states);
}

/* The whole memory of the optimisers. It holds measured times too, so that it is the same only until the next iteration. */
static UNUSED void check_same_optimiser(const lf_run *a, const lf_run *b)
{
    size_t size = lf_optimiser_size(a->optimiser);
    double *state = calloc(2 * size, sizeof *state);
    assert_int_equal(size, lf_optimiser_size(b->optimiser));
    lf_optimiser_save(a->optimiser, state);
    lf_optimiser_save(b->optimiser, state + size);
    assert_memory_equal(state, state + size, size * sizeof *state);
    free(state);
}

#endif
