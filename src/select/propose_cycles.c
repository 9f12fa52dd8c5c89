/* Shared forces that repeat: the periodogram proposes periods, fits decide. Each is added to the best structure so far, goes on from its
 * values, and pays for its period. A cycle that was taken is tried with more harmonics. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/axis.h"
#include "base/context.h"
#include "data/data.h"
#include "select/proposer.h"
#include "start/cycle_force.h"
#include "start/force_shapes.h"

/* Whether nothing speaks against looking for cycles. */
static int applies(const lf_search *search)
{
    const lf_model *model = search->best->start;
    int repeats = 0;
    for (int q = 0; q < model->force_count; q++) {
        for (int i = 0; i < model->forces[q].term_count; i++) {
            repeats = repeats || model->forces[q].terms[i].modulation;
        }
    }
    return (search->plan->open & LF_OPEN_CYCLES) && !search->best->engine.inducing && !repeats;
}

static lf_status extend(lf_context *ctx, const lf_problem *problem, const void *cycle, lf_model *model)
{
    return lf_model_add_cycle(ctx, problem->observed, problem->summary, cycle,
                              lf_period_copies(problem->observed->outputs.count), model);
}

/* ---- harmonics ---- */

/* Those that readings of this distance can show, at most as many as are tried. */
static int most_harmonics(const lf_data_summary *summary, double period)
{
    return (int)fmin(lf_threshold.most_harmonics, floor(period / (2 * summary->gap) * (1 + 1e-6)));
}

/* The forces of a cycle get more harmonics than those that the periodogram shows. */
static lf_status extend_harmonics(lf_context *ctx, const lf_problem *problem, const void *detail, lf_model *model)
{
    const lf_cycle *cycle = detail;
    lf_status status = LF_OK;
    for (int q = 0; !status && q < model->force_count; q++) {
        lf_force *force = &model->forces[q];
        if (force->term_count == 1 && force->terms->modulation && force->terms->period == cycle->period) {
            lf_force_term term = *force->terms;
            term.harmonics = most_harmonics(problem->summary, cycle->period);
            status = lf_force_compose(ctx, force, 1, &term);
        }
    }
    LF_TRY(status, lf_parameters_rebuild(ctx, model));
    return status;
}

static void add_harmonics(const lf_search *search, const lf_cycle *cycle, const lf_proposal *first, lf_proposals *list)
{
    int harmonics = most_harmonics(search->problem->summary, cycle->period);
    if (harmonics > cycle->harmonics && harmonics > LF_LEAST_HARMONICS) {
        lf_proposal *p = lf_proposals_add(search, list);
        p->extend = extend_harmonics;
        p->detail = cycle;
        p->follows = 1;
        snprintf(p->what, sizeof p->what, "%.70s, %d harmonics", first->what, harmonics);
        snprintf(p->seen, sizeof p->seen, "the cycle with %d harmonics", harmonics);
    }
}

/* ---- proposals ---- */

/* A period is a parameter too, chosen among as many as the periodogram can tell apart. */
static double penalty(const lf_data_summary *summary)
{
    return 1 + log(fmax(lf_data_summary_span(summary) / (2 * summary->gap), 1));
}

static void describe(const lf_data *data, const lf_cycle *cycle, lf_proposal *p)
{
    lf_label axis = lf_axis_info(&data->axes[0]);
    char period[64];
    int seen = 0, D = data->outputs.count;
    for (int d = 0; d < D; d++) {
        seen += cycle->share[d] > 0;
    }
    snprintf(period, sizeof period, "%.4g%s%s", cycle->period, axis.unit && *axis.unit ? " " : "",
             axis.unit ? axis.unit : "");
    snprintf(p->what, sizeof p->what, "forces that repeat with %s", period);
    snprintf(p->option, sizeof p->option, "forces that repeat are added only with --period '%s'", period);
    if (D == 1) {
        snprintf(p->seen, sizeof p->seen, "a cycle of %s is seen", period);
    } else {
        snprintf(p->seen, sizeof p->seen, "a cycle of %s is seen in %d of %d outputs", period, seen, D);
    }
}

static void release(void *cycles)
{
    lf_cycles_clear(cycles);
    free(cycles);
}

static lf_status propose(const lf_search *search, lf_proposals *list)
{
    if (!applies(search)) {
        return LF_OK;
    }
    lf_cycles *cycles = calloc(1, sizeof *cycles);
    if (!cycles) {
        return lf_no_memory(search->ctx);
    }
    list->details = cycles;
    list->release = release;
    lf_status status = lf_cycles_find(search->ctx, search->problem->observed, cycles);
    for (int i = 0; !status && i < cycles->count; i++) {
        lf_proposal *p = lf_proposals_add(search, list);
        p->extend = extend;
        p->detail = &cycles->cycle[i];
        p->penalty = penalty(search->problem->summary);
        describe(search->problem->observed, &cycles->cycle[i], p);
        add_harmonics(search, &cycles->cycle[i], p, list);
    }
    return status;
}

const lf_proposer lf_propose_cycles = {.name = "cycles",
                                       .propose = propose,
                                       .greedy = 1,
                                       .taken = "shared forces that repeat with it are added",
                                       .refused = "nothing is added",
                                       .undone = " (--period none leaves them out)"};
