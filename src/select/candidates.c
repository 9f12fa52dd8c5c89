/* The set of candidates, and their models at the starting values. */
#include "select/candidates.h"

#include <math.h>
#include <string.h>

#include "select/carry_over.h"
#include "start/start.h"
#include "validate/windows.h"

/* ---- the set ---- */

static int same(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : "") == 0; }

static int has_private(const lf_shape_options *shape) { return same(shape->private_forces, "yes"); }

int lf_same_kind(const lf_shape_options *a, const lf_shape_options *b)
{
    return same(a->operator_type, b->operator_type) && same(a->force_kernel, b->force_kernel) &&
           has_private(a) == has_private(b) && (!has_private(a) || same(a->private_kernel, b->private_kernel));
}

static int is_best(const lf_search *search, const lf_proposal *proposal)
{
    lf_shape_options best = lf_best_shape(search);
    return !proposal->extend && lf_same_kind(&best, &proposal->s.shape) && best.forces == proposal->s.shape.forces;
}

static lf_trial *append(lf_candidates *set, const lf_proposal *proposal)
{
    lf_trial *t = &set->each[set->count++];
    *t = (lf_trial){
        .proposal = proposal, .penalty = proposal ? proposal->penalty : 0, .kept = proposal && proposal->kept};
    t->fitted.score = t->fitted.log_likelihood = t->objective = -(double)INFINITY;
    return t;
}

static void set_rounds(lf_candidates *set, const lf_proposer *proposer)
{
    const lf_thresholds *t = &lf_threshold;
    const double iterations[LF_MOST_ROUNDS] = {t->round1_iterations, t->round2_iterations, t->round3_iterations};
    const double behind[LF_MOST_ROUNDS] = {t->round1_behind, t->round2_behind, t->round3_behind};
    memcpy(set->iterations, iterations, sizeof iterations);
    memcpy(set->behind, behind, sizeof behind);
    set->rounds = LF_MOST_ROUNDS;
    if (proposer->greedy) {
        set->iterations[0] = t->cycle_iterations;
        set->rounds = 1;
    }
}

/* What is added to a structure that has been fitted: one round shows what is clearly behind. */
void lf_candidates_add_to_best(lf_candidates *set)
{
    const lf_thresholds *t = &lf_threshold;
    set->rounds = 2;
    set->iterations[0] = set->iterations[1] = t->cycle_iterations / 2;
    set->behind[0] = t->round2_behind;
}

lf_candidates lf_candidates_begin(const lf_search *search, const lf_proposer *proposer)
{
    lf_candidates set = {.search = search,
                         .score = proposer->score,
                         .share = 1,
                         .greedy = proposer->greedy,
                         .patience = proposer->patience};
    set_rounds(&set, proposer);
    return set;
}

lf_status lf_candidates_add_best(lf_candidates *set, const lf_proposals *list)
{
    const lf_search *search = set->search;
    const lf_problem *p = search->problem;
    int proposed = 0, known = set->score == LF_BY_POSTERIOR && !set->greedy && isfinite(search->of_best.score);
    lf_status status = LF_OK;
    for (size_t i = 0; i < list->count; i++) {
        proposed = proposed || is_best(search, &list->each[i]);
    }
    if (!proposed || known) {
        lf_trial *best = append(set, NULL);
        status = lf_candidate_make(search->ctx, set, NULL, &best->s);
        best->s.shape = lf_best_shape(search);
        best->compared = known;
        if (known) {
            best->fitted = search->of_best;
            best->objective = best->fitted.log_likelihood + best->fitted.log_prior;
        }
    }
    if (!status && set->score == LF_BY_HELD_OUT) {
        status = lf_gap_length(search->ctx, p->observed, &set->length);
        set->length = set->length > 0 ? set->length : lf_threshold.window_share * lf_data_summary_span(p->summary);
    }
    return status;
}

static void clear_trial(lf_trial *t)
{
    lf_structure_clear(&t->s);
    lf_model_free(t->next);
    lf_refit_clear(&t->refit);
    *t = (lf_trial){0};
}

void lf_candidates_clear(lf_candidates *set)
{
    for (size_t i = 0; i < set->count; i++) {
        clear_trial(&set->each[i]);
    }
    set->count = 0;
}

/* It was a candidate of this comparison, or of one before. */
static int is_known(const lf_candidates *set, const lf_shape_options *shape)
{
    int known = 0;
    for (size_t i = 0; i < set->count; i++) {
        const lf_trial *t = &set->each[i];
        const lf_shape_options *other = t->proposal ? &t->proposal->s.shape : &t->s.shape;
        known = known || (lf_same_kind(other, shape) && other->forces == shape->forces);
    }
    for (size_t i = 0; set->score == LF_BY_POSTERIOR && i < set->search->record_count; i++) {
        const lf_candidate *c = &set->search->records[i];
        const lf_shape_options other = {.operator_type = c->operator_type,
                                        .force_kernel = c->force_kernel,
                                        .private_forces = c->private_kernel ? "yes" : "no",
                                        .private_kernel = c->private_kernel};
        known = known || (lf_same_kind(&other, shape) && c->forces == shape->forces);
    }
    return known;
}

int lf_candidates_add(lf_candidates *set, const lf_proposal *proposal)
{
    if (!proposal->extend && is_known(set, &proposal->s.shape)) {
        return 0;
    }
    int best = !set->patience && is_best(set->search, proposal);
    set->incumbent = best ? set->count : set->incumbent;
    append(set, proposal)->kept |= best;
    set->tried++;
    return 1;
}

size_t lf_candidates_winner(const lf_candidates *set)
{
    size_t winner = set->incumbent;
    for (size_t i = 0; i < set->count; i++) {
        const lf_trial *t = &set->each[i], *best = &set->each[winner];
        winner = t->fitted.score > best->fitted.score - best->penalty + t->penalty ? i : winner;
    }
    return winner;
}

/* What it had to pay was for its kind, which a chain shares. */
static void keep(lf_candidates *set, const lf_trial *t)
{
    lf_trial *kept = &set->each[set->count++];
    *kept = *t;
    kept->proposal = NULL;
    kept->penalty = set->patience ? t->penalty : 0;
}

void lf_candidates_reduce(lf_candidates *set, size_t winner)
{
    int apart = set->linked && set->link != winner;
    lf_trial best = set->each[winner], last = set->each[set->link];
    set->each[winner] = (lf_trial){0};
    if (apart) {
        set->each[set->link] = (lf_trial){0};
    }
    lf_candidates_clear(set);
    keep(set, &best);
    if (apart) {
        keep(set, &last);
    }
    set->incumbent = 0;
    set->link = apart ? 1 : 0;
}

int lf_candidates_link(lf_candidates *set)
{
    size_t last = set->count - 1;
    int better = !set->linked || set->each[last].fitted.score > set->each[set->link].fitted.score;
    set->link = better ? last : set->link;
    set->linked = 1;
    set->since = better ? 0 : set->since + 1;
    return set->since < (size_t)set->patience;
}

/* ---- models ---- */

/* Fits that are compared write no checkpoint, which belongs to the fit of what is chosen. Short ones leave out the prior of shares, which charges
 * models by their number of forces. */
static void mark(const lf_candidates *set, lf_structure *s)
{
    s->alone = s->without_shares = set->score == LF_BY_POSTERIOR;
}

/* A candidate of a chain begins with the best one before it, the first with the best structure if that has other kernels. */
static lf_status begin_with_best(lf_context *ctx, const lf_candidates *set, lf_structure *s)
{
    const lf_trial *from = set->linked ? &set->each[set->link] : set->count ? &set->each[set->incumbent] : NULL;
    int comparable = from && from->s.warm && strcmp(from->s.shape.operator_type, s->shape.operator_type) == 0 &&
                     has_private(&from->s.shape) == has_private(&s->shape);
    return set->patience && comparable && (set->linked || !lf_same_kind(&from->s.shape, &s->shape))
               ? lf_carry_over(ctx, set->search->problem, &from->s, s, &s->warm)
               : LF_OK;
}

lf_status lf_candidate_make(lf_context *ctx, const lf_candidates *set, const lf_proposal *proposal, lf_structure *s)
{
    const lf_search *search = set->search;
    if (proposal && !proposal->extend) {
        *s = lf_structure_like(&proposal->s);
        mark(set, s);
        lf_status made = lf_start_shape(ctx, search->problem, search->plan, s);
        return made ? made : begin_with_best(ctx, set, s);
    }
    lf_status status = lf_structure_copy(ctx, proposal && set->count ? &set->each[set->incumbent].s : search->best, s);
    if (!status && proposal) {
        status = proposal->extend(ctx, search->problem, proposal->detail, s->start);
        status = status || !s->warm ? status : proposal->extend(ctx, search->problem, proposal->detail, s->warm);
    }
    if (!status) {
        mark(set, s);
        lf_structure_settle(search->plan, s); /* what is added may be rough where the rest is smooth */
    }
    return status;
}
