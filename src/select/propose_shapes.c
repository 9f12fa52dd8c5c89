/* Which shape of model: the candidates that an option "auto" stands for. Operators and kernels are compared together, with the
 * default number of forces; then numbers of forces, for the best of these, and white forces in their place. For few outputs numbers of
 * forces are compared without being asked for, unless one evaluation is expensive: the comparison takes about as long as the fit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/plural.h"
#include "data/data.h"
#include "inference/estimate.h"
#include "select/candidates.h"
#include "select/propose_white.h"

static const char *const operators[] = {"ode1", "ode2"};
static const char *const kernels[] = {"eq", "matern52", "matern32", "matern12"};
static const int force_counts[] = {1, 2, 3, 4, 5, 6, 8};

#define COUNT(list) (sizeof(list) / sizeof *(list))
_Static_assert(COUNT(operators) * (COUNT(kernels) + 1) + COUNT(force_counts) + 1 + LF_ROOM_FOR_WHITE <=
                   LF_MOST_CANDIDATES,
               "there must be room for all");

/* The kernels of the default shape, and those that --force-kernel K gives. */
static lf_candidate with_kernel(const lf_shape_options *shape, const char *kernel, int outputs, int inputs)
{
    lf_shape_options filled = *shape;
    filled.force_kernel = kernel;
    lf_fill_shape(&filled, outputs, inputs);
    return (lf_candidate){.operator_type = filled.operator_type,
                          .force_kernel = filled.force_kernel,
                          .private_kernel = strcmp(filled.private_forces, "yes") == 0 ? filled.private_kernel : NULL,
                          .forces = filled.forces};
}

static void add_operators_and_kernels(lf_comparison *c, unsigned compared, lf_candidate usual, int outputs, int inputs)
{
    for (size_t o = 0; o < (compared & LF_OPEN_OPERATOR ? COUNT(operators) : 1); o++) {
        usual.operator_type = compared & LF_OPEN_OPERATOR ? operators[o] : usual.operator_type;
        lf_comparison_add(c, &usual);
        for (size_t k = 0; k < (compared & LF_OPEN_KERNEL ? COUNT(kernels) : 0); k++) {
            lf_candidate other = with_kernel(&c->base.shape, kernels[k], outputs, inputs);
            other.operator_type = usual.operator_type;
            lf_comparison_add(c, &other);
        }
    }
}

/* At most two more forces than outputs, and the number that the candidate has; where that stands. */
static size_t add_force_counts(lf_comparison *c, lf_candidate usual, int outputs)
{
    int own = usual.forces, most = outputs > 1 ? outputs + 2 : 1;
    size_t kept = c->count;
    for (size_t i = 0; i <= COUNT(force_counts); i++) { /* in increasing order */
        int previous = i > 0 ? force_counts[i - 1] : 0, number = i < COUNT(force_counts) ? force_counts[i] : own + 1;
        if (own > previous && own <= number) {
            usual.forces = own;
            kept = lf_comparison_add(c, &usual);
        }
        if (i < COUNT(force_counts) && number <= most) {
            usual.forces = number;
            lf_comparison_add(c, &usual);
        }
    }
    return kept;
}

/* Whether numbers of forces are compared although that was not asked for, as far as the problem goes. */
static int compares_by_default(const lf_search *search)
{
    const lf_structure *s = search->best;
    const lf_engine_options *e = &s->engine;
    return (search->plan->open & LF_OPEN_FORCES) && !s->shape.forces && search->problem->training->input_dim == 1 &&
           lf_few_outputs(search->problem->summary->output_count) && !e->inducing && !e->features && !e->nodes;
}

/* Whether an evaluation is cheap enough for that. Where the rows are too many, a note says so. */
static int is_affordable(const lf_search *search, double operations)
{
    int outputs = search->problem->summary->output_count;
    if (isfinite(operations) && operations > lf_threshold.evaluation) {
        lf_note(
            search->ctx,
            "%d forces, the default for %d outputs; for %zu rows other numbers are compared only with --forces auto",
            lf_default_forces(outputs, 1), outputs, lf_data_count(search->problem->observed));
        lf_report_decide(search->report, "an evaluation is too expensive for a comparison", "%d forces",
                         lf_default_forces(outputs, 1));
    }
    return operations <= lf_threshold.evaluation;
}

/* Whether candidates differ in more than the number of forces. */
static int differ_in_kind(const lf_comparison *comparison)
{
    int differ = 0;
    for (size_t i = 1; i < comparison->count; i++) {
        const lf_candidate *a = &comparison->candidates[0], *b = &comparison->candidates[i];
        differ = differ || strcmp(a->operator_type, b->operator_type) || strcmp(a->force_kernel, b->force_kernel) ||
                 (a->private_kernel && b->private_kernel && strcmp(a->private_kernel, b->private_kernel));
    }
    return differ;
}

/* Notes and reports what was compared, by which criterion, and what was chosen. */
static void note_choice(const lf_comparison *comparison, size_t winner)
{
    const lf_search *search = comparison->search;
    const lf_candidate *chosen = &comparison->candidates[winner];
    char reason[96];
    int least = 0, most = 0;
    for (size_t i = 0; i < comparison->count; i++) {
        const lf_candidate *c = &comparison->candidates[i];
        if (isfinite(c->score)) {
            least = least && least < c->forces ? least : c->forces;
            most = most > c->forces ? most : c->forces;
        }
    }
    snprintf(reason, sizeof reason, "largest score, %.1f, of %zu shapes in short fits", chosen->score,
             comparison->count);
    lf_report_decide(search->report, reason, "%s, %d %s force%s", chosen->operator_type, chosen->forces,
                     chosen->force_kernel, lf_plural((size_t)chosen->forces));
    if (comparison->count < 2) {
        return; /* there was nothing to choose */
    }
    if (differ_in_kind(comparison)) {
        lf_note(
            search->ctx,
            "model: %s with %d %s force%s, the best of %zu compared. To set it: --operator NAME, --force-kernel NAME, "
            "--forces N",
            chosen->operator_type, chosen->forces, chosen->force_kernel, lf_plural((size_t)chosen->forces),
            comparison->count);
    } else {
        lf_note(search->ctx, "number of forces: %d, the best of %d to %d. To set it: --forces N", chosen->forces, least,
                most);
    }
}

/* The candidates for the result, with their texts: options, which these belong to, may be released before it. */
static lf_status keep_candidates(const lf_comparison *c, lf_fit_result *result)
{
    size_t size = c->count * sizeof(lf_candidate), used = size;
    for (size_t i = 0; i < c->count; i++) {
        const lf_candidate *from = &c->candidates[i];
        size += strlen(from->operator_type) + strlen(from->force_kernel) + 2;
        size += from->private_kernel ? strlen(from->private_kernel) + 1 : 0;
    }
    char *block = malloc(size + 1);
    if (!block) {
        return lf_no_memory(c->search->ctx);
    }
    memcpy(block, c->candidates, c->count * sizeof(lf_candidate));
    result->candidates = (lf_candidate *)(void *)block;
    result->candidate_count = c->count;
    for (size_t i = 0; i < c->count; i++) {
        lf_candidate *to = &result->candidates[i];
        const char **texts[] = {&to->operator_type, &to->force_kernel, &to->private_kernel};
        for (size_t k = 0; k < COUNT(texts); k++) {
            if (*texts[k]) {
                *texts[k] = strcpy(block + used, *texts[k]);
                used += strlen(*texts[k]) + 1;
            }
        }
    }
    return LF_OK;
}

static lf_status compare(lf_comparison *c, unsigned compared)
{
    const lf_search *search = c->search;
    int inputs = search->problem->training->input_dim, outputs = search->problem->summary->output_count;
    lf_candidate usual = with_kernel(&c->base.shape, c->base.shape.force_kernel, outputs, inputs);
    lf_status status = LF_OK;
    size_t first = 0;
    if (compared & (LF_OPEN_OPERATOR | LF_OPEN_KERNEL)) {
        add_operators_and_kernels(c, compared, usual, outputs, inputs);
        status = lf_comparison_run(c, 0, 0);
        usual = c->candidates[lf_comparison_winner(c)];
        first = c->count;
    }
    if (!status && (compared & LF_OPEN_FORCES) && !lf_monitor_stopped(search->monitor)) {
        size_t kept = add_force_counts(c, usual, outputs);
        status = c->count > first ? lf_comparison_run(c, first, kept) : LF_OK;
        if (!status && !lf_monitor_stopped(search->monitor) && lf_tries_white(c)) {
            status = lf_compare_white(c, &usual);
        }
    }
    return status;
}

/* The winner takes the place of the best structure. */
static void take_winner(lf_comparison *c)
{
    size_t winner = lf_comparison_winner(c);
    lf_structure *s = &c->each[winner];
    c->candidates[winner].chosen = 1;
    note_choice(c, winner);
    s->shape.private_kernel = s->shape.private_kernel ? s->shape.private_kernel : c->base.shape.private_kernel;
    lf_structure_chosen(c->search, s);
    lf_structure_move(s, c->search->best);
}

lf_status lf_propose_shapes(lf_search *search)
{
    unsigned asked = search->plan->compared;
    int by_default = compares_by_default(search);
    double operations;
    const char *engine;
    lf_comparison c;
    search->result->candidates_asked = asked != 0;
    if (!asked && !by_default) {
        return LF_OK;
    }
    lf_status status = lf_count_operations(search->ctx, search->problem, search->best, &operations, &engine);
    by_default = !status && by_default && is_affordable(search, operations);
    if (status || !(asked || by_default)) {
        return status;
    }
    int inputs = search->problem->training->input_dim;
    if (inputs > 1 && (asked & LF_OPEN_OPERATOR)) {
        return lf_fail(search->ctx, LF_ERROR_UNSUPPORTED,
                       "with %d inputs there is no choice of operators: gaussian is the only one", inputs);
    }
    lf_comparison_begin(search, asked ? NULL : engine, &c);
    c.share = lf_affordable_share(operations);
    status = compare(&c, asked | (by_default ? LF_OPEN_FORCES : 0));
    for (size_t i = 0; i < c.count; i++) {
        search->report->evaluations += c.evaluations[i];
    }
    int refused = status && status != LF_ERROR_CANCELLED && status != LF_ERROR_MEMORY;
    if (!status) {
        take_winner(&c);
    }
    if (!status || asked) {
        lf_status kept = keep_candidates(&c, search->result);
        status = status ? status : kept;
    }
    lf_comparison_clear(&c);
    return refused && !asked ? LF_OK : status; /* the fit itself will say why */
}
