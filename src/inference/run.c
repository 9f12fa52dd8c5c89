/* One start of a fit. */
#include "inference/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/processes.h"

#define STEEP 30  /* derivative of the objective by a logarithm that no optimum has in its neighbourhood */
#define WINDOW 10 /* iterations that are judged together */
#define STRICT_GAIN                                                                                                    \
    1e-6 /* of the objective for each parameter in a window that is worth another one, before Newton's method gives up */
enum { SHORT_WINDOW = 5 };
/* First iterations near an optimum, which gain little because the curvature is not known yet. */
enum { UNJUDGED = 10 };

#define TEXT(number) #number
#define QUOTE(number) TEXT(number)
#define RELATIVE_GAIN_OF_WINDOW 1e-5 /* WINDOW times LF_RELATIVE_GAIN */
/* Why a run settled, by what each parameter gained. */
#define SETTLED "converged: over " QUOTE(WINDOW) " iterations the objective improved by less than "
#define SETTLED_FOR(gain) SETTLED QUOTE(RELATIVE_GAIN_OF_WINDOW) " of its value or " QUOTE(gain) " per parameter"

/* An optimiser that begins at x (count). */
static lf_status start_optimiser(lf_run *run, const double *x)
{
    const lf_log_posterior *p = run->posterior;
    size_t count = p->count;
    double *lower = lf_doubles(count, 1), *upper = lf_doubles(count, 1);
    lf_status status = lower && upper ? LF_OK : lf_no_memory(p->ctx);
    if (!status) {
        lf_log_posterior_limits(p, lower, upper);
    }
    /* L-BFGS-B begins with a step of length 1, unless every coordinate has two limits: then with as much as these allow, which from a bad
     * start is too much. Limits that are far away are dropped; bounds of the model are not. */
    for (size_t k = 0; !status && run->ends_by_newton && k < count; k++) {
        int bounded = isfinite(p->model->parameters[p->index[k]].upper);
        upper[k] = !bounded && upper[k] - lower[k] > 20 ? (double)INFINITY : upper[k];
    }
    if (!status) {
        lf_optimiser_free(run->optimiser);
        run->optimiser = NULL;
        status = lf_optimiser_create(p->ctx, count, x, lower, upper, run->smallest_gradient, &run->optimiser);
    }
    free(lower);
    free(upper);
    return status;
}

lf_status lf_run_create(lf_context *ctx, const lf_problem *problem, const lf_fit_plan *plan, const lf_structure *s,
                        const lf_model *model, const lf_prior *prior, lf_run *run)
{
    *run = (lf_run){.state = LF_RUN_ACTIVE,
                    .relative_gain = plan->relative_gain,
                    .smallest_gradient = plan->gradient,
                    .firm = s->prior == LF_PRIOR_FIRM,
                    .compared = s->warm != NULL,
                    .near = s->prior == LF_PRIOR_FIRM && s->after_stage,
                    .ends_by_newton = lf_ends_by_newton(model, plan)};
    lf_status status = lf_log_posterior_make(ctx, problem, s, model, prior, &run->posterior);
    if (status) {
        return status;
    }
    double *x = lf_doubles(run->posterior->count, 1);
    run->gradient = lf_doubles(run->posterior->count, 1);
    if (!x || !run->gradient) {
        status = lf_no_memory(ctx);
    } else {
        lf_log_posterior_point(run->posterior, x);
        status = start_optimiser(run, x);
        if (status) {
            lf_take_failure(ctx, run->posterior->ctx, status);
        }
    }
    free(x);
    if (status) {
        lf_run_clear(run);
    }
    return status;
}

lf_status lf_run_restart(lf_run *run, const double *x, double value)
{
    double *best = lf_doubles(run->posterior->count, 1);
    lf_status status = best ? start_optimiser(run, x) : lf_no_memory(run->posterior->ctx);
    if (status) {
        free(best);
        return status;
    }
    memcpy(best, x, run->posterior->count * sizeof *best);
    free(run->best);
    run->best = best;
    run->best_value = value;
    run->strict = 0;
    run->state = LF_RUN_ACTIVE;
    return LF_OK;
}

void lf_run_clear(lf_run *run)
{
    lf_log_posterior_destroy(run->posterior);
    lf_optimiser_free(run->optimiser);
    free(run->gradient);
    free(run->history);
    free(run->best);
    free(run->flat);
    *run = (lf_run){0};
}

/* The value at the point the optimiser asks for. Where there is none a high wall stands, from which a line search
 * steps back; at the very start there is nowhere to step back to. Without memory the run cannot go on: another route would be an
 * accident. */
static lf_status value_at(lf_run *run, double *value)
{
    const double *x = lf_optimiser_point(run->optimiser);
    lf_status status = lf_log_posterior_negative(run->posterior, x, 0, value, run->gradient);
    if (!status || status == LF_ERROR_MEMORY) {
        return status;
    }
    double best = lf_optimiser_value(run->optimiser);
    if (!isfinite(best) && run->posterior->evaluations == 1) {
        run->failure = status;
        run->state = LF_RUN_FAILED;
    }
    memset(run->gradient, 0, run->posterior->count * sizeof *run->gradient);
    *value = isfinite(best) ? best + 100 * (1 + fabs(best)) : 1e100;
    return LF_OK;
}

static lf_status append(lf_run *run)
{
    if (run->iterations == run->room) {
        size_t room = 2 * run->room + 64;
        lf_iteration *history = realloc(run->history, room * sizeof *history);
        if (!history) {
            return lf_no_memory(run->posterior->ctx);
        }
        run->history = history;
        run->room = room;
    }
    run->history[run->iterations++] = (lf_iteration){.objective = -lf_optimiser_value(run->optimiser),
                                                     .gradient_norm = lf_optimiser_gradient_norm(run->optimiser),
                                                     .evaluations = (double)run->posterior->evaluations};
    return LF_OK;
}

static size_t unjudged(const lf_run *run) { return run->compared && !run->ends_by_newton ? UNJUDGED : 0; }

static size_t window_of(const lf_run *run) { return run->ends_by_newton && !run->strict ? SHORT_WINDOW : WINDOW; }

/* What the last `steps` iterations gained; infinite where there were not so many. */
static double gain_of(const lf_run *run, size_t steps)
{
    const lf_iteration *last = run->history + run->iterations - 1;
    return run->iterations > steps ? last[0].objective - last[-(ptrdiff_t)steps].objective : (double)INFINITY;
}

/* What a window of iterations must gain to be worth another one: a share of the objective or, unless a share was asked for, a
 * small part of the half unit of it by which every parameter is uncertain. With a firm prior, which is for many parameters, predictions
 * of windows left out no longer improve long before the objective settles. */
static double least_gain(const lf_run *run)
{
    const lf_thresholds *t = &lf_threshold;
    double asked = run->relative_gain, share = asked > 0 ? asked : t->relative_gain;
    if (run->ends_by_newton) {
        return (run->strict ? STRICT_GAIN : 0.005) * (double)run->posterior->count;
    }
    share *= WINDOW * fmax(fabs(run->history[run->iterations - 1].objective), 1);
    double each = run->near ? t->gain_after_first_stage : run->firm ? t->gain_of_firm : t->gain_of_weak;
    return asked > 0 ? share : fmax(share, each * (double)run->posterior->count);
}

/* Short steps along a steep slope: the run is beside a wall, and may find its way around it. */
static int is_held_up(const lf_run *run)
{
    return run->ends_by_newton && run->history[run->iterations - 1].gradient_norm > STEEP;
}

lf_status lf_run_iterate(lf_run *run)
{
    lf_request request = lf_optimiser_next(run->optimiser, 0, run->gradient);
    while (request == LF_REQUEST_VALUE) {
        double value;
        lf_status status = value_at(run, &value);
        if (status || run->state == LF_RUN_FAILED) {
            return status;
        }
        request = lf_optimiser_next(run->optimiser, value, run->gradient);
    }
    if (request == LF_REQUEST_NOTHING) {
        lf_status status = append(run);
        int judged = !status && run->iterations > unjudged(run) + window_of(run);
        int settled = judged && gain_of(run, window_of(run)) < least_gain(run) && !is_held_up(run);
        run->state = settled ? LF_RUN_SETTLED : run->state;
        return status;
    }
    run->state = request == LF_REQUEST_STOP_GOOD ? LF_RUN_CONVERGED : LF_RUN_STUCK;
    return LF_OK;
}

/* At the pace of the last iterations the distance would take hundreds of them. In 480 fits of 12 systems a share ten times as large lost
 * the first optimum that mattered. */
int lf_run_is_behind(const lf_run *run, double objective)
{
    static const double far = 3, share = 0.01;
    double below = run->iterations ? objective - run->history[run->iterations - 1].objective : 0;
    return run->ends_by_newton && !run->strict && below > far && gain_of(run, SHORT_WINDOW) < share * below &&
           !is_held_up(run);
}

double lf_run_best(const lf_run *run, const double **x)
{
    int newton = run->best && !(lf_optimiser_value(run->optimiser) < run->best_value);
    *x = newton ? run->best : lf_optimiser_point(run->optimiser);
    return newton ? -run->best_value : -lf_optimiser_value(run->optimiser);
}

const char *lf_run_reason(const lf_run *run)
{
    switch (run->state) {
    case LF_RUN_NEWTON:
        return "converged: another Newton step would gain less than 1e-7";
    case LF_RUN_SETTLED:
        return run->ends_by_newton ? SETTLED QUOTE(STRICT_GAIN) " per parameter"
               : run->near         ? SETTLED_FOR(LF_GAIN_AFTER_FIRST_STAGE)
               : run->firm         ? SETTLED_FOR(LF_GAIN_OF_FIRM)
                                   : SETTLED_FOR(LF_GAIN_OF_WEAK);
    case LF_RUN_LIMIT:
        return "stopped: the largest number of iterations was reached";
    case LF_RUN_LATE:
        return "stopped: the time of --max-seconds was up";
    case LF_RUN_CANCELLED:
        return "stopped: it was cancelled";
    case LF_RUN_BEHIND:
        return "given up: far below another start";
    case LF_RUN_FAILED:
        return "failed: the likelihood at the starting values could not be computed";
    case LF_RUN_ACTIVE:
        return "running";
    default:
        return lf_optimiser_reason(run->optimiser);
    }
}

double lf_run_expected_iterations(const lf_run *run, size_t most)
{
    double left = run->iterations < most ? (double)(most - run->iterations) : 0;
    double late = gain_of(run, WINDOW), early = gain_of(run, 2 * WINDOW) - late, enough = least_gain(run);
    if (!isfinite(early) || !(late < early)) {
        return left;
    }
    return late > enough ? fmin(left, WINDOW * log(late / enough) / log(early / late)) : fmin(left, 1);
}
