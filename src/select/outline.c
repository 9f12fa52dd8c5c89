/* Asks the proposers what they would compare, and what that would cost. */
#include "select/outline.h"

#include <math.h>
#include <stdio.h>

#include "base/plural.h"
#include "select/affordable.h"
#include "select/candidates.h"

/* Adds a piece to a list in a text; what is too long is left out. */
static void append(char *text, size_t size, size_t *used, const char *piece)
{
    int written = *used < size ? snprintf(text + *used, size - *used, "%s%s", *used ? ", " : "", piece) : 0;
    *used += written > 0 ? (size_t)written : 0;
}

/* "1, 2, 3 forces", or the operators, kernels and numbers of all. */
static void list_shapes(const lf_proposals *list, size_t size, char *text)
{
    const lf_shape_options *first = &list->each[0].s.shape;
    size_t used = 0;
    int alike = 1;
    for (size_t i = 1; i < list->count; i++) {
        alike = alike && lf_same_kind(first, &list->each[i].s.shape);
    }
    for (size_t i = 0; i < list->count; i++) {
        const lf_proposal *p = &list->each[i];
        const lf_shape_options *shape = &p->s.shape;
        char piece[120];
        if (p->extend) {
            snprintf(piece, sizeof piece, "%s", p->what);
        } else if (alike) {
            snprintf(piece, sizeof piece, "%d%s", shape->forces,
                     i + 1 == list->count ? shape->forces == 1 ? " force" : " forces" : "");
        } else {
            snprintf(piece, sizeof piece, "%s with %s", shape->operator_type, shape->force_kernel);
        }
        append(text, size, &used, piece);
    }
}

static void describe_cost(const lf_search *search, const lf_proposer *p, const lf_proposals *list, int affordable,
                          lf_outline *outline)
{
    size_t count = list->count;
    if (p->score == LF_BY_HELD_OUT) {
        snprintf(outline->cost, sizeof outline->cost, "%zu candidate%s beside the default, by refits without windows%s",
                 count, lf_plural(count), affordable ? "" : ", which are too expensive: not compared");
    } else if (p->greedy) {
        snprintf(
            outline->cost, sizeof outline->cost,
            "%zu candidate%s, one after the other, by fits of up to %.0f iterations; an evaluation takes about %.2g "
            "operations%s",
            count, lf_plural(count), lf_threshold.cycle_iterations, search->operations,
            affordable ? "" : ", which is too expensive: not compared");
    } else {
        snprintf(outline->cost, sizeof outline->cost,
                 "%zu candidate%s, by short fits of %.0f starts in rounds; an evaluation takes about %.2g operations%s",
                 count, lf_plural(count), lf_threshold.starts, search->operations,
                 affordable ? "" : ", which is too expensive: not compared");
    }
}

static lf_status outline_one(lf_search *search, const lf_proposer *p, lf_outline *outline)
{
    lf_proposals list = {0};
    lf_stage_report unused = {.seconds = 0};
    lf_candidates set = lf_candidates_begin(search, p);
    int affordable = 0;
    *outline = (lf_outline){.name = p->name, .what = "none", .cost = "nothing to compare before other comparisons"};
    search->report = &unused;
    lf_status status = p->propose(search, &list);
    if (!status && list.count) {
        status = lf_afford(search, &list, &set, &affordable);
        list_shapes(&list, sizeof outline->what, outline->what);
        describe_cost(search, p, &list, affordable, outline);
    }
    int refused = status && status != LF_ERROR_MEMORY && !list.asked;
    lf_candidates_clear(&set);
    lf_proposals_clear(&list);
    return refused ? LF_OK : status;
}

lf_status lf_outline_proposals(lf_search *search, size_t *count, lf_outline list[LF_MOST_OUTLINES])
{
    lf_status status = LF_OK;
    *count = 0;
    for (size_t i = 0; !status && *count < LF_MOST_OUTLINES && lf_proposer_at(i); i++) {
        status = outline_one(search, lf_proposer_at(i), &list[(*count)++]);
    }
    return status;
}
