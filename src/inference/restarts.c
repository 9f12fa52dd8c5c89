/* Restarts of the optimiser in parallel; the best of them wins. */
#include "inference/optimise.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/processes.h"
#include "inference/agreement.h"
#include "inference/checkpoint.h"
#include "inference/other_optima.h"
#include "inference/starts.h"

enum { PLATEAUS = 3 }; /* from which the best run may be led away */

/* The fit while it goes on. */
typedef struct fit {
    lf_context *ctx;
    const lf_problem *problem;
    const lf_fit_plan *plan;
    const lf_structure *structure;
    const lf_prior *prior;
    const char *checkpoint; /* file; NULL: none is written now */
    uint64_t fingerprint;
    size_t count; /* of runs */
    lf_run *runs;
    lf_snapshot *snapshots; /* (count) */
    double began, written;  /* clock: `began` is moved back by the time spent before a resumption */
    lf_monitor *monitor;
    lf_status status;  /* first failure of any run */
    int warned;        /* of a checkpoint that could not be written */
    char warning[256]; /* the note of it, until the thread of the client passes it on; empty: there is none */
    int shared;        /* several processes have the rows: one start after the other, and all do the same */
    size_t screened;   /* likelihoods of starts that were compared */
    double first;      /* the objective of the first start, for the others to compare with; -infinity: not known */
} fit;

/* A checkpoint that cannot be written is no reason to give up the fit: there is a note, and the next one may succeed. */
static lf_status write_checkpoint(fit *f)
{
    lf_status status = lf_checkpoint_write(f->ctx, f->checkpoint, f->fingerprint, omp_get_wtime() - f->began, f->count,
                                           f->runs, f->snapshots);
    f->written = omp_get_wtime();
    int kept = status == LF_ERROR_IO || status == LF_ERROR_MEMORY;
    if (kept && !f->warned) {
        snprintf(f->warning, sizeof f->warning, "no checkpoint: %s; the fit goes on", lf_context_message(f->ctx));
        f->warned = 1;
    }
    return kept ? LF_OK : status;
}

/* Notes are for the thread of the client. The monitor is locked. */
static void warn(fit *f)
{
    if (*f->warning && lf_monitor_is_home(f->monitor)) {
        lf_note(f->ctx, "%s", f->warning);
        *f->warning = '\0';
    }
}

/* Completes the record of the iteration, reports it, writes a checkpoint when it is due. The monitor is locked. */
static lf_status after_iteration(fit *f, size_t r, int replayed)
{
    lf_run *run = &f->runs[r];
    double now = omp_get_wtime();
    lf_iteration *last = &run->history[run->iterations - 1];
    last->seconds = replayed ? last->seconds : now - f->began;
    double each = last->seconds / (double)run->iterations;
    lf_progress progress = {.size = sizeof progress,
                            .stage = "fit",
                            .item = r,
                            .items = f->count,
                            .iteration = run->iterations,
                            .max_iterations = f->structure->iterations,
                            .evaluations = run->posterior->evaluations,
                            .objective = last->objective,
                            .gradient_norm = last->gradient_norm,
                            .seconds = last->seconds,
                            .remaining = each * lf_run_expected_iterations(run, f->structure->iterations)};
    lf_monitor_report(f->monitor, &progress);
    if (!f->checkpoint || replayed) {
        return LF_OK;
    }
    lf_status status = lf_snapshot_take(f->ctx, run, &f->snapshots[r]);
    int due = now - f->written >= f->plan->checkpoint_seconds;
    if (f->shared) { /* by the clock of the first process */
        status = lf_agree(f->ctx, status);
        LF_TRY(status, lf_broadcast(f->ctx, 0, sizeof due, &due));
    }
    if (!status && due) {
        status = write_checkpoint(f);
    }
    warn(f);
    return status;
}

/* The status of a step of a run, whose message is in the context of that run. */
static lf_status pass_on(fit *f, const lf_run *run, lf_status status)
{
    return status ? lf_take_failure(f->ctx, run->posterior->ctx, status) : LF_OK;
}

static void optimise(void *user, size_t r)
{
    fit *f = user;
    lf_run *run = &f->runs[r];
    while (run->state == LF_RUN_ACTIVE) {
        size_t before = run->iterations;
        lf_monitor_lock(f->monitor);
        f->status = f->shared && !f->status ? lf_monitor_agree(f->ctx, f->monitor) : f->status;
        int asked = f->monitor->stop || f->status, stop = asked || lf_monitor_ends(f->monitor);
        lf_monitor_unlock(f->monitor);
        if (stop || run->iterations >= f->structure->iterations) {
            run->state = asked ? LF_RUN_CANCELLED : stop ? LF_RUN_LATE : LF_RUN_LIMIT;
            break;
        }
        lf_status status = lf_run_iterate(run);
        if (f->shared) { /* all end where the first does */
            status = lf_agree(f->ctx, pass_on(f, run, status));
            LF_TRY(status, lf_broadcast(f->ctx, 0, sizeof run->state, &run->state));
        }
        lf_monitor_lock(f->monitor);
        if (status && !f->status && !f->shared) {
            lf_take_failure(f->ctx, run->posterior->ctx, status);
        }
        if (!status && run->state == LF_RUN_ACTIVE && lf_run_is_behind(run, f->first)) {
            run->state = LF_RUN_BEHIND;
        }
        if (!status && run->iterations > before) {
            status = after_iteration(f, r, 0);
        }
        LF_TRY(f->status, status);
        lf_monitor_unlock(f->monitor);
    }
    lf_monitor_lock(f->monitor);
    if (f->checkpoint && !f->status) {
        f->status = lf_snapshot_take(f->ctx, run, &f->snapshots[r]);
    }
    f->status = f->shared ? lf_agree(f->ctx, f->status) : f->status;
    lf_monitor_unlock(f->monitor);
}

/* Reports again what happened before the checkpoint. */
static void replay(fit *f)
{
    lf_monitor_lock(f->monitor);
    for (size_t r = 0; r < f->count; r++) {
        size_t iterations = f->runs[r].iterations, evaluations = f->runs[r].posterior->evaluations;
        for (size_t i = 0; i < iterations; i++) {
            f->runs[r].iterations = i + 1;
            f->runs[r].posterior->evaluations = (size_t)f->runs[r].history[i].evaluations;
            after_iteration(f, r, 1);
        }
        f->runs[r].iterations = iterations;
        f->runs[r].posterior->evaluations = evaluations;
    }
    lf_monitor_unlock(f->monitor);
}

/* The run of one start. Where processes share the rows all have the values of the first, and all fail where one does. */
static lf_status make_run(fit *f, lf_start_maker *maker, size_t r)
{
    lf_model *start = NULL;
    lf_status status = lf_start_make(maker, r, &start);
    status = f->shared ? lf_agree_values(f->ctx, status, start) : status;
    LF_TRY(status, lf_run_create(f->ctx, f->problem, f->plan, f->structure, start, f->prior, &f->runs[r]));
    lf_model_free(start);
    return f->shared ? lf_agree(f->ctx, status) : status;
}

static lf_status make_runs(fit *f, const lf_model *begin)
{
    lf_start_maker maker;
    lf_status status = lf_start_maker_create(f->ctx, f->problem, f->structure, begin, f->prior, &maker);
    for (size_t r = 0; !status && r < f->count; r++) {
        status = make_run(f, &maker, r);
        if (status == LF_ERROR_UNSUPPORTED && r > 0) { /* it asks for more than the first, which can do without it */
            lf_note(f->ctx, "%zu of %zu starts are made: %s", r, f->count, lf_context_message(f->ctx));
            f->count = r;
            status = LF_OK;
        }
    }
    f->screened = maker.evaluations;
    lf_start_maker_clear(&maker);
    return status;
}

/* As many as the context has, or as memory suffices for. */
static int threads_of(const fit *f)
{
    return f->shared ? 1 : lf_log_posterior_threads(f->ctx, f->runs[0].posterior, lf_threads(f->ctx));
}

static lf_status run_restarts(fit *f)
{
    double spent = 0;
    int found = 0;
    lf_status status = LF_OK;
    f->began = f->written = omp_get_wtime();
    if (f->plan->resume && f->checkpoint) {
        status = lf_checkpoint_read(f->ctx, f->checkpoint, f->fingerprint, f->count, f->runs, &spent, &found);
        f->began -= found ? spent : 0;
        if (!status && !found) {
            lf_note(f->ctx, "%s: there is no checkpoint yet; the fit starts from the beginning", f->checkpoint);
        }
    }
    if (!status && found) {
        replay(f);
    }
    for (size_t r = 0; !status && r < f->count && f->checkpoint; r++) {
        status = f->runs[r].iterations ? lf_snapshot_take(f->ctx, &f->runs[r], &f->snapshots[r]) : LF_OK;
    }
    /* Where starts may be given up they wait for the first one: what each does must not depend on the number of threads. */
    if (!status && f->count > 1 && f->runs[0].ends_by_newton) {
        const double *x;
        optimise(f, 0);
        f->first = f->runs[0].state == LF_RUN_FAILED ? -(double)INFINITY : lf_run_best(&f->runs[0], &x);
    }
    if (!status) {
        lf_parallel_tasks(f->monitor, threads_of(f), f->count, optimise, f);
        status = f->status;
    }
    status = status || !f->checkpoint ? status : write_checkpoint(f);
    warn(f);
    return status;
}

/* The run with the largest objective; the first of equals. */
static lf_status find_best(const fit *f, size_t *best)
{
    const double *x;
    size_t none = f->count;
    *best = none;
    for (size_t r = 0; r < f->count; r++) {
        if (f->runs[r].state != LF_RUN_FAILED &&
            (*best == none || lf_run_best(&f->runs[r], &x) > lf_run_best(&f->runs[*best], &x))) {
            *best = r;
        }
    }
    if (*best == none) {
        return lf_take_failure(f->ctx, f->runs[0].posterior->ctx, f->runs[0].failure);
    }
    return LF_OK;
}

/* Newton's method for a run; where that is too far from an optimum the optimiser goes on first. */
static lf_status finish(fit *f, size_t r)
{
    lf_run *run = &f->runs[r];
    int near = 0, ended = run->state == LF_RUN_CONVERGED || run->state == LF_RUN_SETTLED || run->state == LF_RUN_STUCK;
    lf_status status = ended ? pass_on(f, run, lf_run_finish(run, &near)) : LF_OK;
    if (!status && !near && run->state == LF_RUN_SETTLED) {
        run->strict = 1;
        run->state = LF_RUN_ACTIVE;
        optimise(f, r);
        status = f->status ? f->status : pass_on(f, run, lf_run_finish(run, &near));
    }
    return status;
}

/* The end of the best run. A checkpoint holds what comes before, so that a resumed fit does the same. */
static lf_status finish_best(fit *f, size_t best)
{
    lf_run *run = &f->runs[best];
    const char *checkpoint = f->checkpoint;
    int found = run->ends_by_newton;
    lf_status status = LF_OK;
    f->checkpoint = NULL;
    f->first = -(double)INFINITY; /* the others have ended */
    for (int i = 0; !status && found && i < PLATEAUS; i++) {
        status = finish(f, best);
        found = 0;
        int stopped = run->state == LF_RUN_CANCELLED || run->state == LF_RUN_LATE;
        if (!status && !stopped && run->iterations < f->structure->iterations) {
            status = pass_on(f, run, lf_run_leave_plateau(run, &found));
        }
        if (!status && found) {
            optimise(f, best);
            status = f->status;
        }
    }
    status = status || !found ? status : finish(f, best);
    f->checkpoint = checkpoint;
    return status;
}

/* One standard deviation for all free sensitivities of an output; 0: there are none, or white forces have another than the others. */
static double sensitivity_sd(const lf_prior *prior, const lf_model *model, int d)
{
    double sd = 0;
    for (int q = 0; q < model->force_count; q++) {
        size_t index = (size_t)(lf_index_sensitivity(model, d) + q);
        if (!lf_parameter_is_fixed(model, index)) {
            if (!isfinite(prior->sd[index]) || (sd > 0 && sd != prior->sd[index])) {
                return 0;
            }
            sd = prior->sd[index];
        }
    }
    return sd;
}

/* With a firm prior sensitivities that were fitted are as uncertain as it allows. Equations have neither sensitivities nor private forces. */
static void mark_sensitivities_uncertain(const lf_prior *prior, lf_model *model)
{
    for (int d = 0; d < model->output_count; d++) {
        lf_output *output = &model->outputs[d];
        output->sensitivity_sd = output->has_private && output->op->is_ode ? sensitivity_sd(prior, model, d) : 0;
    }
}

/* The optimum of a run. The optimiser's last evaluation was not always at its best point. */
static lf_status take_optimum(fit *f, size_t best, lf_optimum *found)
{
    lf_run *run = &f->runs[best];
    lf_log_posterior *p = run->posterior;
    const double *x;
    double value;
    found->objective = lf_run_best(run, &x);
    found->restart = best;
    found->iterations = run->iterations;
    found->converged = run->state == LF_RUN_CONVERGED || run->state == LF_RUN_SETTLED || run->state == LF_RUN_NEWTON;
    found->reason = lf_run_reason(run);
    found->x = lf_doubles(p->count, 1);
    found->index = calloc(p->count + 1, sizeof *found->index);
    found->trace = lf_doubles(run->iterations + 1, 1);
    if (!found->x || !found->index || !found->trace) {
        return lf_no_memory(f->ctx);
    }
    memcpy(found->x, x, p->count * sizeof *x);
    memcpy(found->index, p->index, p->count * sizeof *found->index);
    for (size_t i = 0; i < run->iterations; i++) {
        found->trace[i] = run->history[i].objective;
    }
    lf_status status = p->class->evaluate(p, found->x, 0, &value, run->gradient);
    if (status) {
        return lf_take_failure(f->ctx, p->ctx, status);
    }
    found->log_prior = p->log_prior;
    found->log_likelihood = value - found->log_prior;
    status = lf_log_posterior_put(f->ctx, p, found->x, found->model);
    LF_TRY(status, lf_note_other_optimum(f->ctx, found->model, f->count, f->runs, best));
    if (!status && f->structure->prior == LF_PRIOR_FIRM) {
        mark_sensitivities_uncertain(f->prior, found->model);
    }
    return status;
}

static lf_status optimise_all(fit *f, lf_optimum *found)
{
    size_t best = 0;
    f->fingerprint = lf_fit_fingerprint(f->ctx, found->model, f->problem->training, f->plan, f->structure);
    f->runs = calloc(f->count, sizeof *f->runs);
    f->snapshots = calloc(f->count, sizeof *f->snapshots);
    lf_status status = f->runs && f->snapshots ? LF_OK : lf_no_memory(f->ctx);
    LF_TRY(status, make_runs(f, found->model));
    LF_TRY(status, run_restarts(f));
    LF_TRY(status, find_best(f, &best));
    if (f->shared) {
        LF_TRY(status, lf_broadcast(f->ctx, 0, sizeof best, &best));
    }
    LF_TRY(status, finish_best(f, best));
    for (size_t r = 0; !status && r < f->count; r++) {
        found->evaluations += f->runs[r].posterior->evaluations;
        found->cancelled = found->cancelled || f->runs[r].state == LF_RUN_CANCELLED;
    }
    if (!status) {
        found->evaluations += f->screened;
        found->seconds = omp_get_wtime() - f->began;
        status = take_optimum(f, best, found);
    }
    return status;
}

lf_status lf_optimise_from(lf_context *ctx, const lf_problem *problem, const lf_fit_plan *plan, const lf_structure *s,
                           const lf_model *begin, const lf_prior *prior, lf_monitor *monitor, lf_optimum *found)
{
    int before = lf_threads_begin(1);
    size_t engines = ctx->engines;
    fit f = {.ctx = ctx,
             .problem = problem,
             .plan = plan,
             .structure = s,
             .prior = prior,
             .checkpoint = s->alone ? NULL : plan->checkpoint,
             .first = -(double)INFINITY,
             .count = s->restarts,
             .monitor = monitor,
             .shared = problem->local != NULL};
    *found = (lf_optimum){.reason = "not begun", .free_count = lf_free_parameters(begin, NULL)};
    lf_status status = found->free_count ? lf_model_copy(ctx, begin, &found->model)
                                         : lf_fail(ctx, LF_ERROR_MODEL,
                                                   "there is nothing to fit: every parameter of the model is fixed");
    ctx->engines = s->restarts; /* each start has one */
    LF_TRY(status, optimise_all(&f, found));
    ctx->engines = engines;
    for (size_t r = 0; r < s->restarts; r++) {
        if (f.runs) {
            lf_run_clear(&f.runs[r]);
        }
        if (f.snapshots) {
            lf_snapshot_clear(&f.snapshots[r]);
        }
    }
    free(f.runs);
    free(f.snapshots);
    lf_threads_end(before);
    return status;
}

void lf_optimum_clear(lf_optimum *found)
{
    lf_model_free(found->model);
    free(found->index);
    free(found->x);
    free(found->trace);
    *found = (lf_optimum){.reason = found->reason};
}
