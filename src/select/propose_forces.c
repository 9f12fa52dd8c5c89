/* Numbers of forces. For few outputs they are compared without being asked for, unless one evaluation is expensive: the comparison takes
 * about as long as the fit. */
#include <stdio.h>

#include "select/proposer.h"

static const int force_counts[] = {1, 2, 3, 4, 5, 6, 8};

enum { COUNTS = sizeof force_counts / sizeof *force_counts };
_Static_assert(COUNTS + 1 <= LF_MOST_PROPOSALS, "there must be room for all");

int lf_compares_forces(const lf_search *search)
{
    const lf_fit_plan *plan = search->plan;
    const lf_engine_options *e = &search->best->engine;
    int given = plan->shape.forces || *search->best->words, approximate = e->inducing || e->features || e->nodes;
    return (plan->compared & LF_OPEN_FORCES) ||
           ((plan->open & LF_OPEN_FORCES) && !given && search->problem->training->input_dim == 1 &&
            lf_few_outputs(search->problem->summary->output_count) && !approximate);
}

static void add(const lf_search *search, int forces, lf_proposals *list)
{
    int outputs = search->problem->summary->output_count;
    lf_proposal *p = lf_proposals_add(search, list);
    p->s.shape.forces = forces;
    snprintf(p->what, sizeof p->what, "%d forces", lf_default_forces(outputs, 1));
    snprintf(p->seen, sizeof p->seen, "%s, the default for %d outputs", p->what, outputs);
    snprintf(p->option, sizeof p->option, "other numbers are compared only with --forces auto");
}

/* At most two more forces than outputs, and the number that the best structure has, in increasing order. */
static lf_status propose(const lf_search *search, lf_proposals *list)
{
    int outputs = search->problem->summary->output_count, most = outputs > 1 ? outputs + 2 : 1;
    int own = lf_best_shape(search).forces;
    list->asked = (search->plan->compared & LF_OPEN_FORCES) != 0;
    for (int i = 0; i <= COUNTS && lf_compares_forces(search); i++) {
        int previous = i > 0 ? force_counts[i - 1] : 0, number = i < COUNTS ? force_counts[i] : own + 1;
        if (own > previous && own < number) {
            add(search, own, list);
        }
        if (i < COUNTS && (number <= most || number == own)) {
            add(search, number, list);
        }
    }
    return LF_OK;
}

const lf_proposer lf_propose_forces = {.name = "number of forces", .propose = propose, .greedy = 1, .patience = 2};
