/* The record of the shapes that were compared. */
#include "select/records.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/plural.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

void lf_record_candidates(lf_search *search, const lf_candidates *set, size_t winner)
{
    for (size_t i = 0; i < set->count && set->score == LF_BY_POSTERIOR; i++) {
        const lf_trial *t = &set->each[i];
        const lf_shape_options *shape = t->proposal && !t->proposal->extend ? &t->proposal->s.shape : NULL;
        if (shape && search->record_count < LF_MOST_RECORDS) {
            lf_candidate *record = &search->records[search->record_count++];
            *record = t->fitted;
            record->operator_type = shape->operator_type;
            record->force_kernel = shape->force_kernel;
            record->private_kernel = strcmp(shape->private_forces, "yes") == 0 ? shape->private_kernel : NULL;
            record->forces = shape->forces;
        }
        if (shape && i == winner) {
            for (size_t k = 0; k < search->record_count; k++) {
                search->records[k].chosen = k + 1 == search->record_count;
            }
        }
    }
}

/* Whether candidates differ in more than the number of forces. */
static int differ_in_kind(const lf_search *search)
{
    int differ = 0;
    for (size_t i = 1; i < search->record_count; i++) {
        const lf_candidate *a = &search->records[0], *b = &search->records[i];
        differ = differ || strcmp(a->operator_type, b->operator_type) || strcmp(a->force_kernel, b->force_kernel) ||
                 (a->private_kernel && b->private_kernel && strcmp(a->private_kernel, b->private_kernel));
    }
    return differ;
}

/* Notes what was compared and what was chosen. */
static void note(const lf_search *search)
{
    const lf_candidate *chosen = search->records;
    int least = 0, most = 0;
    for (size_t i = 0; i < search->record_count; i++) {
        const lf_candidate *c = &search->records[i];
        chosen = c->chosen ? c : chosen;
        if (isfinite(c->score)) {
            least = least && least < c->forces ? least : c->forces;
            most = most > c->forces ? most : c->forces;
        }
    }
    if (search->record_count > 1 && differ_in_kind(search)) {
        lf_note(
            search->ctx,
            "model: %s with %d %s force%s, the best of %zu compared. To set it: --operator NAME, --force-kernel NAME, "
            "--forces N",
            chosen->operator_type, chosen->forces, chosen->force_kernel, lf_plural((size_t)chosen->forces),
            search->record_count);
    } else if (search->record_count > 1) {
        lf_note(search->ctx, "number of forces: %d, the best of %d to %d. To set it: --forces N", chosen->forces, least,
                most);
    }
}

/* With their texts: options, which these belong to, may be released before the result. */
static lf_status copy(const lf_search *search, lf_fit_result *result)
{
    size_t size = search->record_count * sizeof(lf_candidate), used = size;
    for (size_t i = 0; i < search->record_count; i++) {
        const lf_candidate *from = &search->records[i];
        size += strlen(from->operator_type) + strlen(from->force_kernel) + 2;
        size += from->private_kernel ? strlen(from->private_kernel) + 1 : 0;
    }
    char *block = malloc(size + 1);
    if (!block) {
        return lf_no_memory(search->ctx);
    }
    memcpy(block, search->records, search->record_count * sizeof(lf_candidate));
    result->candidates = (lf_candidate *)(void *)block;
    result->candidate_count = search->record_count;
    for (size_t i = 0; i < search->record_count; i++) {
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

lf_status lf_keep_records(lf_search *search, lf_fit_result *result)
{
    result->candidates_asked = search->plan->compared != 0;
    if (!search->record_count) {
        return LF_OK;
    }
    note(search);
    return copy(search, result);
}
