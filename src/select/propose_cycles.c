/* Shared forces that repeat: the periodogram proposes periods, fits decide. Each is added to the best structure so far, goes on from its
 * values, and pays for its period. */
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
    }
    return status;
}

const lf_proposer lf_propose_cycles = {.name = "cycles",
                                       .propose = propose,
                                       .greedy = 1,
                                       .taken = "shared forces that repeat with it are added",
                                       .refused = "nothing is added",
                                       .undone = " (--period none leaves them out)"};
