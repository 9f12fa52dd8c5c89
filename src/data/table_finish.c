/* The end of reading: what only the whole table shows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "data/shared_table.h"
#include "data/table_reader.h"

/* Places of a share, by their hashes, that are compared with those of other shares. */
enum { SKETCH = 4096 };

/* Where a value of a table is. */
typedef struct place {
    int output, replicate;
    double x;
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
    return (a->x > b->x) - (a->x < b->x);
}

static int compare_hashes(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* The mixer of splitmix64. */
uint64_t lf_hash_place(int output, int replicate, double x)
{
    uint64_t h, part[] = {(uint64_t)output, (uint64_t)replicate, 0};
    x = x == 0 ? 0 : x; /* -0 is 0 */
    memcpy(&part[2], &x, sizeof x);
    h = 0;
    for (size_t i = 0; i < 3; i++) {
        h += part[i] + UINT64_C(0x9e3779b97f4a7c15);
        h = (h ^ (h >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        h = (h ^ (h >> 27)) * UINT64_C(0x94d049bb133111eb);
        h ^= h >> 31;
    }
    return h;
}

/* Whether places of two processes are the same. Each process gives the least hashes of its places; a place that is among the least of all
 * is found wherever it is. With up to SKETCH rows per process all are compared; with more, repeats that are few may be missed. */
static lf_status find_shared_repeats(const lf_table_reader *t, lf_status status, const place *places, double *repeats)
{
    size_t n = status ? 0 : t->data->n, kept = n < SKETCH ? n : SKETCH, total = 0;
    uint64_t *hash = calloc(n + 1, sizeof *hash), *all = NULL;
    status = status || hash ? status : lf_no_memory(t->ctx);
    for (size_t i = 0; i < n && !status; i++) {
        hash[i] = lf_hash_place(places[i].output, places[i].replicate, places[i].x);
    }
    if (!status) {
        qsort(hash, n, sizeof *hash, compare_hashes);
    }
    status = lf_shared_collect(t, status, kept * sizeof *hash, hash, NULL, &total, (void **)&all);
    if (!status) {
        qsort(all, total / sizeof *all, sizeof *all, compare_hashes);
    }
    for (size_t i = 1; i < total / sizeof *all && !status; i++) {
        *repeats += all[i] == all[i - 1];
    }
    free(all);
    free(hash);
    return lf_shared_sum(t, status, 1, repeats);
}

/* A wide file whose text column names the series of each row: without that column times repeat. */
static lf_status check_long(lf_table_reader *t, const char *name)
{
    const lf_data *data = t->data;
    if (!*t->text_column || data->input_dim > 1) {
        return LF_OK;
    }
    place *places = calloc(data->n + 1, sizeof *places);
    lf_status status = places ? LF_OK : lf_no_memory(t->ctx);
    for (size_t i = 0; i < data->n && !status; i++) {
        places[i] = (place){data->output[i], data->replicate[i], data->x[i]};
    }
    if (!status) {
        qsort(places, data->n, sizeof *places, compare_places);
    }
    double repeats = 0;
    for (size_t i = 1; i < data->n && !status; i++) {
        repeats += compare_places(&places[i - 1], &places[i]) == 0;
    }
    status = t->several ? find_shared_repeats(t, status, places, &repeats) : status;
    free(places);
    if (status || repeats == 0) {
        return status;
    }
    return lf_fail(t->ctx, LF_ERROR_DATA,
                   "%s: times repeat, and the column '%s' contains text. If it names the series of each row, "
                   "read the file with --output-column '%s' --value-column NAME; if it names subjects or runs, with "
                   "--replicate-column '%s'; otherwise leave it out with --drop '%s'",
                   name, t->text_column, t->text_column, t->text_column, t->text_column);
}

/* The unit of output `from` becomes that of `to`, which comes before it. */
static void move_unit(lf_data *data, int from, int to)
{
    if (to < from && to < data->unit_count) {
        free(data->units[to]);
        data->units[to] = from < data->unit_count ? data->units[from] : NULL;
    }
    if (to < from && from < data->unit_count) {
        data->units[from] = NULL;
    }
}

/* has (outputs.count): whether an output has rows, on any process. */
static lf_status find_rows(const lf_table_reader *t, double *has)
{
    const lf_data *data = t->data;
    lf_status status = has ? LF_OK : lf_no_memory(t->ctx);
    for (size_t i = 0; i < data->n && !status; i++) {
        if (data->output[i] >= 0) {
            has[data->output[i]] = 1;
        }
    }
    return lf_shared_sum(t, status, (size_t)data->outputs.count, has);
}

/* Outputs without rows leave the table. */
static lf_status remove_empty_outputs(lf_table_reader *t, const char *name)
{
    lf_data *data = t->data;
    double *has = lf_doubles((size_t)data->outputs.count, 1);
    int *number = calloc((size_t)data->outputs.count + 1, sizeof *number), kept = 0; /* new number */
    lf_names names = {0};
    lf_status status = find_rows(t, number ? has : NULL);
    for (int d = 0; d < data->outputs.count && !status; d++) {
        char *output = data->outputs.name[d];
        lf_csv_column column = {.name = output};
        if (has[d] > 0) {
            number[d] = kept++;
            status = lf_names_add(&names, output, strlen(output)) < 0 ? lf_no_memory(t->ctx) : LF_OK;
            move_unit(data, d, kept - 1);
        } else if (d < t->unwanted_count && t->unwanted[d]) {
            continue;
        } else if (lf_list_has(&t->column_options.outputs, &column)) {
            status = lf_fail(t->ctx, LF_ERROR_DATA, "%s: the output '%s' has no values", name, output);
        } else {
            lf_note(t->ctx, "%s: '%s' has no values and is not used", name, output);
        }
    }
    if (!status && kept < data->outputs.count) {
        for (size_t i = 0; i < data->n; i++) {
            data->output[i] = data->output[i] < 0 ? -1 : number[data->output[i]];
        }
        lf_names_clear(&data->outputs);
        data->outputs = names;
        while (data->unit_count > kept) {
            free(data->units[--data->unit_count]);
        }
    } else {
        lf_names_clear(&names);
    }
    free(number);
    free(has);
    return status;
}

static lf_status check_asked(const lf_table_reader *t, const char *name)
{
    const lf_csv_fields *asked = &t->column_options.outputs;
    for (size_t i = 0; i < asked->count; i++) {
        int found = 0;
        for (int d = 0; d < t->data->outputs.count; d++) {
            const char *unit = lf_data_output_unit(t->data, d);
            lf_csv_column column = {.name = t->data->outputs.name[d], .unit = *unit ? (char *)unit : NULL};
            lf_csv_fields one = {.field = &asked->field[i], .count = 1};
            found = found || lf_list_has(&one, &column);
        }
        if (!found) {
            char known[300] = "";
            for (int d = 0; d < t->data->outputs.count; d++) {
                size_t used = strlen(known);
                lf_print(known + used, sizeof known - used, "%s%.*s", d ? ", " : "",
                         LF_CUT(60, t->data->outputs.name[d]));
            }
            return lf_fail(t->ctx, LF_ERROR_DATA, "%s: --outputs '%s': there is no such output; the outputs are %s",
                           name, asked->field[i].text, known);
        }
    }
    return LF_OK;
}

lf_status lf_finish_table(lf_table_reader *t, const char *name)
{
    double rows = (double)t->data->n;
    lf_status status = lf_shared_sum(t, check_asked(t, name), 1, &rows);
    if (!status && rows == 0) {
        status = lf_check_equation_columns(t, name);
    }
    if (!status && rows == 0) {
        status = lf_fail(t->ctx, LF_ERROR_DATA, "%s: no cell of any output holds a value", name);
    }
    LF_TRY(status, check_long(t, name));
    LF_TRY(status, remove_empty_outputs(t, name));
    status = lf_shared_sum(t, status, 0, NULL);
    LF_TRY(status, lf_check_equation_columns(t, name));
    LF_TRY(status, lf_finish_time(t));
    status = lf_shared_sum(t, status, 0, NULL);
    lf_data_shrink(t->data);
    return status ? status : lf_describe_table(t, name);
}
