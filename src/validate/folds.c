/* Folds of a cross-validation: which rows are withheld together.
 *
 * One input: the rows of each output (in each replicate) are cut along time into K windows with equally many rows. Fold k withholds
 * window (k + d) mod K of output d, so that every row is withheld once, neighbours in time are withheld together, and the other
 * outputs are kept there, as when gaps are filled. Several inputs have no order: there the rows of an output form K random groups.
 * Rows of an output with equal inputs stay together. Outputs are counted in an order that follows what they hold, not their place. */
#include "validate/folds.h"

#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "plan/content_order.h"

typedef struct place {
    int output, replicate;
    double key; /* by which rows are sorted: the time, or a random number that depends on the inputs alone */
    size_t row;
} place;

static int compare_places(const void *left, const void *right)
{
    const place *a = left, *b = right;
    if (a->output != b->output) {
        return a->output < b->output ? -1 : 1;
    }
    if (a->replicate != b->replicate) {
        return a->replicate < b->replicate ? -1 : 1;
    }
    if (a->key != b->key) {
        return a->key < b->key ? -1 : 1;
    }
    return (a->row > b->row) - (a->row < b->row);
}

/* A number in [0, 1) from the seed and the bits of the inputs, by the mixer of splitmix64. */
static double random_key(uint64_t seed, int input_dim, const double *x)
{
    uint64_t z = seed;
    for (int k = 0; k < input_dim; k++) {
        uint64_t bits;
        memcpy(&bits, &x[k], sizeof bits);
        z = (z ^ bits) + UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        z ^= z >> 31;
    }
    return (double)(z >> 11) / 9007199254740992.0;
}

/* Gives the places of one output and replicate, which are sorted, their folds. */
static void cut(size_t n, const place *places, size_t folds, size_t shift, int *fold)
{
    size_t first = 0; /* of the rows with equal keys */
    for (size_t i = 0; i < n; i++) {
        first = places[i].key == places[first].key ? first : i;
        fold[places[i].row] = (int)((first * folds / n + folds - shift % folds) % folds);
    }
}

/* Rows in groups: the outputs, or the replicates. */
typedef struct row_groups {
    const char *word;
    const lf_names *names;
    const int32_t *of; /* (n) the group of each row; -1: none */
} row_groups;

/* In every fold something must be left of each group. Rows without a fold count for nothing. */
static lf_status check_left(lf_context *ctx, const lf_data *rows, size_t folds, const int *fold,
                            const row_groups *groups)
{
    size_t *left = calloc((size_t)groups->names->count * folds + 1, sizeof *left);
    lf_status status = left ? LF_OK : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < rows->n; i++) {
        for (size_t k = 0; groups->of[i] >= 0 && fold[i] >= 0 && k < folds; k++) {
            left[(size_t)groups->of[i] * folds + k] += fold[i] != (int)k;
        }
    }
    for (size_t i = 0; !status && i < rows->n; i++) {
        if (groups->of[i] >= 0 && fold[i] >= 0 && left[(size_t)groups->of[i] * folds + (size_t)fold[i]] == 0) {
            status = lf_fail(ctx, LF_ERROR_DATA,
                             "the %s '%s' has too few rows for a cross-validation: nothing of it is left when a part "
                             "is withheld; leave it out, or give more rows",
                             groups->word, groups->names->name[groups->of[i]]);
        }
    }
    free(left);
    return status;
}

/* rank (outputs of the table): by what they hold; -1: a known input. */
static lf_status rank_outputs(lf_context *ctx, const lf_model *model, const lf_data *rows, int *rank)
{
    int *order = calloc((size_t)model->output_count + 1, sizeof *order);
    lf_status status = order ? lf_output_order(ctx, rows, model, order) : lf_no_memory(ctx);
    for (int d = 0; !status && d < rows->outputs.count; d++) {
        int output = lf_model_find_output(model, rows->outputs.name[d]);
        rank[d] = -1;
        for (int k = 0; output >= 0 && k < model->output_count; k++) {
            rank[d] = order[k] == output ? k : rank[d];
        }
    }
    free(order);
    return status;
}

lf_status lf_folds_create(lf_context *ctx, const lf_model *model, const lf_data *rows, size_t folds, uint64_t seed,
                          int *fold)
{
    size_t n = rows->n, p = (size_t)rows->input_dim;
    place *places = calloc(n + 1, sizeof *places);
    int *rank = calloc((size_t)rows->outputs.count + 1, sizeof *rank);
    lf_status status = places && rank ? rank_outputs(ctx, model, rows, rank) : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < n; i++) {
        const double *x = rows->x + i * p;
        places[i] = (place){.output = rows->output[i],
                            .replicate = rows->replicate[i],
                            .key = p == 1 ? x[0] : random_key(seed, (int)p, x),
                            .row = i};
    }
    if (!status) {
        qsort(places, n, sizeof *places, compare_places);
    }
    for (size_t begin = 0, end = 0; !status && begin < n; begin = end) {
        int output = places[begin].output;
        while (end < n && places[end].output == output && places[end].replicate == places[begin].replicate) {
            end++;
        }
        if (rank[output] >= 0) {
            cut(end - begin, places + begin, folds, (size_t)rank[output], fold);
        }
        for (size_t i = begin; rank[output] < 0 && i < end; i++) {
            fold[places[i].row] = -1;
        }
    }
    free(places);
    free(rank);
    LF_TRY(status, check_left(ctx, rows, folds, fold, &(row_groups){"output", &rows->outputs, rows->output}));
    LF_TRY(status, check_left(ctx, rows, folds, fold, &(row_groups){"replicate", &rows->replicates, rows->replicate}));
    return status;
}
