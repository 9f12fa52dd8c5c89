/* Folds of a cross-validation: which rows are withheld together.
 *
 * One input: the rows of each output (in each replicate) are cut along time into K windows with equally many rows. Fold k withholds
 * window (k + d) mod K of output d, so that every row is withheld once, neighbours in time are withheld together, and the other
 * outputs are seen there, as when gaps are filled. Several inputs have no order: there the rows of an output form K random groups.
 * Rows of an output with equal inputs stay together. */
#include "scores/folds.h"

#include <stdlib.h>
#include <string.h>

#include "message.h"

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
static void cut(size_t n, const place *places, size_t folds, int *fold)
{
    size_t first = 0; /* of the rows with equal keys */
    for (size_t i = 0; i < n; i++) {
        first = places[i].key == places[first].key ? first : i;
        size_t window = first * folds / n, shift = (size_t)places[i].output % folds;
        fold[places[i].row] = (int)((window + folds - shift) % folds);
    }
}

/* Readings of known inputs stay: they are known where outputs are predicted. */
static int is_reading(const lf_model *model, const lf_data *rows, int output)
{
    return output >= 0 && lf_model_find_known(model, lf_data_name(rows, LF_KIND_OUTPUT, (size_t)output)) >= 0;
}

/* Rows in groups: the outputs, or the replicates. */
typedef struct row_groups {
    const char *word;
    lf_kind kind;
    int *of; /* (n) the group of each row; -1: none */
} row_groups;

/* In every fold something must be left of each group. */
static int check_left(const char *path, const lf_data *rows, size_t folds, const int *fold, const row_groups *groups)
{
    size_t n = lf_data_count(rows, LF_KIND_ROW),
           *left = calloc(lf_data_count(rows, groups->kind) * folds + 1, sizeof *left);
    int status = left ? CLI_DONE : cli_no_memory();
    const int *group = groups->of;
    for (size_t i = 0; status == CLI_DONE && i < n; i++) {
        for (size_t k = 0; group[i] >= 0 && k < folds; k++) {
            left[(size_t)group[i] * folds + k] += fold[i] != (int)k;
        }
    }
    for (size_t i = 0; status == CLI_DONE && i < n; i++) {
        if (group[i] >= 0 && left[(size_t)group[i] * folds + (size_t)fold[i]] == 0) {
            status = cli_fail("%s: the %s '%s' has too few rows for a cross-validation: nothing of it is left when a "
                              "part is withheld; leave it out, or give more rows",
                              path, groups->word, lf_data_name(rows, groups->kind, (size_t)group[i]));
        }
    }
    free(left);
    return status;
}

static int check_folds(const lf_model *model, const char *path, const lf_data *rows, size_t folds, const int *fold)
{
    size_t n = lf_data_count(rows, LF_KIND_ROW);
    int *group = calloc(n + 1, sizeof *group);
    if (!group) {
        return cli_no_memory();
    }
    row_groups outputs = {"output", LF_KIND_OUTPUT, group};
    row_groups replicates = {"replicate", LF_KIND_REPLICATE, group};
    for (size_t i = 0; i < n; i++) {
        int output = lf_data_row(rows, i).output;
        group[i] = is_reading(model, rows, output) ? -1 : output;
    }
    int status = check_left(path, rows, folds, fold, &outputs);
    for (size_t i = 0; i < n; i++) {
        group[i] = group[i] < 0 ? -1 : lf_data_row(rows, i).replicate;
    }
    status = status == CLI_DONE ? check_left(path, rows, folds, fold, &replicates) : status;
    free(group);
    return status;
}

int cli_folds_create(const lf_model *model, const lf_data *rows, size_t folds, uint64_t seed, const char *path,
                     int *fold)
{
    size_t n = lf_data_count(rows, LF_KIND_ROW);
    int p = (int)lf_data_count(rows, LF_KIND_INPUT);
    place *places = calloc(n + 1, sizeof *places);
    if (!places) {
        return cli_no_memory();
    }
    for (size_t i = 0; i < n; i++) {
        lf_observation row = lf_data_row(rows, i);
        places[i] = (place){.output = row.output,
                            .replicate = row.replicate,
                            .key = p == 1 ? row.x[0] : random_key(seed, p, row.x),
                            .row = i};
    }
    qsort(places, n, sizeof *places, compare_places);
    for (size_t begin = 0, end = 0; begin < n; begin = end) {
        while (end < n && places[end].output == places[begin].output &&
               places[end].replicate == places[begin].replicate) {
            end++;
        }
        cut(end - begin, places + begin, folds, fold);
        for (size_t i = begin; i < end && is_reading(model, rows, places[begin].output); i++) {
            fold[places[i].row] = -1;
        }
    }
    free(places);
    return check_folds(model, path, rows, folds, fold);
}
