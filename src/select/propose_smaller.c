/* Smaller structures, in the order in which they are tried where the limit of memory or of work is exceeded. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "select/within_limits.h"

static void add_word(lf_structure *s, const char *word, const char *value)
{
    size_t used = strlen(s->words);
    snprintf(s->words + used, sizeof s->words - used, "%s%s %s", used ? " " : "", word, value);
}

static void set_forces(lf_structure *s, int forces)
{
    char number[16];
    s->shape.forces = forces;
    snprintf(number, sizeof number, "%d", forces);
    add_word(s, "--forces", number);
}

static void set_inducing(lf_structure *s, int count)
{
    char number[16];
    s->engine.engine = lf_engine_with(LF_EXACT_IN_OUTPUTS)->name;
    s->engine.inducing = (size_t)count;
    snprintf(number, sizeof number, "%d", count);
    add_word(s, "--engine", s->engine.engine);
    add_word(s, "--inducing", number);
}

static void set_kernel(lf_structure *s, const char *kernel)
{
    s->shape.force_kernel = kernel;
    s->shape.kernels = NULL;
    s->shape.private_kernel = NULL;
    add_word(s, "--force-kernel", kernel);
}

static lf_structure *add(const lf_search *search, lf_proposals *list)
{
    lf_proposal *p = lf_proposals_add(search, list);
    p->s.prior = LF_PRIOR_DEFAULT; /* that of its own number of parameters */
    return &p->s;
}

size_t lf_propose_smaller(const lf_search *search, unsigned open, lf_proposals *list)
{
    const lf_problem *problem = search->problem;
    const lf_shape_options usual = lf_best_shape(search);
    int outputs = problem->summary->output_count, few = (int)lf_threshold.inducing_forces;
    int times = (int)fmin(lf_threshold.inducing_values, ceil((double)problem->observed->n / outputs));
    /* shared forces through inducing values, the rest of each output exactly */
    int free = (open & LF_OPEN_FORCES) != 0, most = usual.forces < few ? usual.forces : few;
    int induced = (open & LF_OPEN_ENGINE) && search->plan->inputs->count == 0;
    for (int forces = free ? most : usual.forces; induced && forces >= 1; forces = free ? forces / 2 : 0) {
        lf_structure *s = add(search, list);
        set_inducing(s, times);
        if (forces < usual.forces) {
            set_forces(s, forces);
        }
        if ((open & LF_OPEN_KERNEL) && strcmp(usual.force_kernel, "eq") != 0) {
            set_kernel(s, "eq");
        }
    }
    size_t inducing = list->count;
    for (int forces = usual.forces / 2; free && forces >= 1 && list->count < LF_MOST_PROPOSALS; forces /= 2) {
        set_forces(add(search, list), forces);
    }
    return inducing;
}
