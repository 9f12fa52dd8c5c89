/* Tables with some of the rows of another: by their marks, and by what a model makes of them. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/processes.h"
#include "data/data.h"
#include "data/share.h"
#include "model/model.h"

static int copy_names(lf_names *to, const lf_names *from)
{
    for (int i = 0; i < from->count; i++) {
        if (lf_names_add(to, from->name[i], strlen(from->name[i])) < 0) {
            return 0;
        }
    }
    return 1;
}

/* Outputs of which rows are kept, with their units, in the order of the table: `number` becomes their numbers among these. */
static lf_status pick_outputs(lf_context *ctx, const lf_data *data, int *number, lf_data *rows)
{
    lf_status status = LF_OK;
    for (int d = 0; !status && d < data->outputs.count; d++) {
        const char *name = data->outputs.name[d], *unit = lf_data_output_unit(data, d);
        if (number[d]) {
            number[d] = lf_names_add(&rows->outputs, name, strlen(name));
            status =
                number[d] < 0 ? lf_no_memory(ctx) : lf_data_set_output_unit(ctx, rows, number[d], *unit ? unit : NULL);
        }
    }
    return status;
}

/* Which names of replicates a new table has: those of its rows, all, or none. */
typedef enum naming { NAMES_OF_ROWS, ALL_NAMES, NO_NAMES } naming;

/* Replicates in the order of the table: `number` becomes their numbers among those that are kept, or -1. */
static lf_status pick_replicates(lf_context *ctx, const lf_data *data, naming names, int *number, lf_data *rows)
{
    for (int r = 0; r < data->replicates.count; r++) {
        const char *name = data->replicates.name[r];
        if (names == NO_NAMES) {
            number[r] = -1;
        } else if (number[r] || names == ALL_NAMES) {
            number[r] = lf_names_add(&rows->replicates, name, strlen(name));
            if (number[r] < 0) {
                return lf_no_memory(ctx);
            }
        }
    }
    return LF_OK;
}

/* marks (n) become 1 where they are not 0 on some process. */
static lf_status unite(lf_context *ctx, lf_status status, size_t n, int *marks)
{
    double *sums = lf_doubles(n, 1);
    status = status || sums ? status : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < n; i++) {
        sums[i] = marks[i];
    }
    status = lf_sum(ctx, status, n, sums);
    for (size_t i = 0; !status && i < n; i++) {
        marks[i] = sums[i] > 0;
    }
    free(sums);
    return status;
}

/* The headings of the table, of which that of replicates is left out where they have no names. */
static lf_status copy_headings(lf_context *ctx, const lf_data *data, naming names, lf_data *rows)
{
    const char *heading[LF_HEADING_COUNT];
    for (int i = 0; i < LF_HEADING_COUNT; i++) {
        heading[i] = i == LF_HEADING_REPLICATE && names == NO_NAMES ? NULL : data->headings[i];
    }
    return lf_data_set_headings(ctx, rows, heading);
}

/* A new table with the rows of a list. */
static lf_status take(lf_context *ctx, const lf_data *data, size_t count, const size_t *list, naming replicates,
                      lf_data **picked)
{
    lf_data *rows;
    *picked = NULL;
    lf_status status = lf_data_create(ctx, (size_t)data->input_dim, &rows);
    if (status) {
        return data->shared ? lf_agree(ctx, status) : status;
    }
    lf_axis *axes = lf_axes_copy(data->axes, data->input_dim);
    status = axes ? LF_OK : lf_no_memory(ctx);
    if (!status) {
        lf_axes_free(rows->axes, rows->input_dim);
        rows->axes = axes;
    }
    LF_TRY(status, copy_headings(ctx, data, replicates, rows));
    rows->shared = data->shared;
    size_t names = (size_t)data->outputs.count + (size_t)data->replicates.count;
    int *number = calloc(names + 1, sizeof *number), *replicate = number ? number + data->outputs.count : NULL;
    status = status || number ? status : lf_no_memory(ctx);
    for (size_t k = 0; !status && k < count; k++) {
        size_t i = list[k];
        if (data->output[i] >= 0) {
            number[data->output[i]] = 1;
        }
        if (data->replicate[i] >= 0) {
            replicate[data->replicate[i]] = 1;
        }
    }
    status = data->shared ? unite(ctx, status, names, number) : status;
    LF_TRY(status, pick_outputs(ctx, data, number, rows));
    LF_TRY(status, pick_replicates(ctx, data, replicates, replicate, rows));
    for (size_t k = 0; !status && k < count; k++) {
        lf_observation row = lf_data_row(data, list[k]);
        row.output = row.output < 0 ? -1 : number[row.output];
        row.replicate = row.replicate < 0 ? -1 : replicate[row.replicate];
        status = lf_data_append(ctx, rows, &row);
    }
    free(number);
    status = data->shared ? lf_agree(ctx, status) : status;
    if (status) {
        lf_data_free(rows);
        return status;
    }
    *picked = rows;
    return LF_OK;
}

typedef int keep_row(const void *user, const lf_data *data, size_t row);

static lf_status pick(lf_context *ctx, const lf_data *data, keep_row *keep, const void *user, naming replicates,
                      lf_data **picked)
{
    size_t *list = malloc((data->n + 1) * sizeof *list), count = 0;
    lf_status status = list ? LF_OK : lf_no_memory(ctx);
    *picked = NULL;
    for (size_t i = 0; !status && i < data->n; i++) {
        if (keep(user, data, i)) {
            list[count++] = i;
        }
    }
    status = data->shared ? lf_agree(ctx, status) : status;
    LF_TRY(status, take(ctx, data, count, list, replicates, picked));
    free(list);
    return status;
}

lf_status lf_data_take_alone(lf_context *ctx, const lf_data *data, size_t count, const size_t *rows, lf_data **taken)
{
    return take(ctx, data, count, rows, NO_NAMES, taken);
}

lf_status lf_data_pick(lf_context *ctx, const lf_data *data,
                       int (*keep)(const void *user, const lf_data *data, size_t row), const void *user,
                       lf_data **picked)
{
    return pick(ctx, data, keep, user, NAMES_OF_ROWS, picked);
}

lf_status lf_data_like(lf_context *ctx, const lf_data *data, lf_data **other)
{
    lf_data *rows;
    *other = NULL;
    lf_status status = lf_data_create(ctx, (size_t)data->input_dim, &rows);
    if (status) {
        return status;
    }
    if (!copy_names(&rows->outputs, &data->outputs) || !copy_names(&rows->replicates, &data->replicates)) {
        status = lf_no_memory(ctx);
    }
    LF_TRY(status, lf_data_copy_labels(ctx, data, rows));
    if (status) {
        lf_data_free(rows);
        return status;
    }
    rows->shared = data->shared;
    *other = rows;
    return LF_OK;
}

/* Rows by their marks alone, or all; names without rows stay. */
static lf_status select_marked(lf_context *ctx, const lf_data *data, int all, int test, lf_data **selected)
{
    lf_data *rows = NULL;
    *selected = NULL;
    lf_status status = lf_data_like(ctx, data, &rows);
    for (size_t i = 0; !status && i < data->n; i++) {
        if (all || (data->split[i] == LF_SPLIT_TEST) == test) {
            lf_observation row = lf_data_row(data, i);
            status = lf_data_append(ctx, rows, &row);
        }
    }
    status = data->shared ? lf_agree(ctx, status) : status;
    if (status) {
        lf_data_free(rows);
        return status;
    }
    lf_data_shrink(rows);
    *selected = rows;
    return LF_OK;
}

lf_status lf_data_copy(lf_context *ctx, const lf_data *data, lf_data **copy)
{
    return select_marked(ctx, data, 1, 0, copy);
}

typedef enum part { PART_TRAIN, PART_TEST, PART_OUTPUTS, PART_KNOWN, PART_STARTED, PART_COUNT } part;

typedef struct choice {
    const lf_model *model;
    part part;
} choice;

double lf_data_begin(const lf_data *data, const lf_model *model, size_t row)
{
    const char *name = data->output[row] < 0 ? "" : data->outputs.name[data->output[row]];
    int output = model && model->system ? lf_model_find_output(model, name) : -1;
    double width = data->width && data->width[row] > 0 ? data->width[row]
                   : output >= 0                       ? model->system->equations->outputs[output].width
                                                       : 0;
    return data->x[row * (size_t)data->input_dim] - width;
}

int lf_data_has_started(const lf_data *data, const lf_model *model, size_t row)
{
    int output = data->output[row] < 0 ? -1 : lf_model_find_output(model, data->outputs.name[data->output[row]]);
    double begin = lf_data_begin(data, model, row), end = data->x[row * (size_t)data->input_dim];
    double slack = 1e-9 * (end - begin); /* of averages one after the other */
    return output >= 0 && (!lf_starts_at_origin(model, output) || begin + slack >= model->origin);
}

static int has_known(const lf_model *model) { return model && model->known_count > 0; }

static int is_chosen(const void *user, const lf_data *data, size_t row)
{
    const choice *c = user;
    int test = data->split[row] == LF_SPLIT_TEST;
    int known = has_known(c->model) && data->output[row] >= 0 &&
                lf_model_find_known(c->model, data->outputs.name[data->output[row]]) >= 0;
    return c->part == PART_KNOWN     ? known
           : c->part == PART_OUTPUTS ? !known
           : c->part == PART_TEST    ? test && !known
           : c->part == PART_STARTED ? !c->model || lf_data_has_started(data, c->model, row)
                                     : known || !test;
}

/* Whether a table, and those of other processes that share it, has rows of outputs. */
static lf_status find_outputs(lf_context *ctx, const lf_data *data, const lf_model *model, int *found)
{
    const choice outputs = {.model = model, .part = PART_OUTPUTS};
    *found = 0;
    for (size_t i = 0; !*found && i < data->n; i++) {
        *found = is_chosen(&outputs, data, i);
    }
    return data->shared ? unite(ctx, LF_OK, 1, found) : LF_OK;
}

/* Why no row of an output was selected. */
static const char *why_none(const lf_model *model, part asked, int present, size_t total)
{
    return asked == PART_TEST ? has_known(model) ? "no rows of an output are marked test" : "no rows are marked test"
           : asked == PART_STARTED && present
               ? "every row lies before the origin of the model, where its outputs start; fit with "
                 "--origin at the earliest time"
           : present   ? "no training rows are left: every row is marked test"
           : total > 0 ? "there are only readings of known inputs, and no rows of an output; give "
                         "these too ('latentforce update' adds readings of inputs to a stored posterior)"
                       : "there are no rows";
}

static const char *const words[PART_COUNT] = {"train", "test", "outputs", "known", "started"};

static part find_part(const char *rows)
{
    part p = 0;
    while (p < PART_COUNT && !(rows && strcmp(rows, words[p]) == 0)) {
        p++;
    }
    return p;
}

lf_status lf_data_select(lf_context *ctx, const lf_data *data, const lf_model *model, const char *rows,
                         lf_data **selected)
{
    const choice c = {.model = model, .part = find_part(rows)};
    *selected = NULL;
    if (!data) {
        return lf_missing(ctx, "table");
    }
    if (c.part == PART_COUNT) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT,
                       "unknown selection \"%s\"; rows are selected for \"train\", \"test\", \"outputs\", \"known\" "
                       "or \"started\"",
                       rows ? rows : "");
    }
    lf_status status = c.part <= PART_TEST && !has_known(model)
                           ? select_marked(ctx, data, 0, c.part == PART_TEST, selected)
                           : pick(ctx, data, is_chosen, &c, ALL_NAMES, selected);
    int picked = 0, present = 0;
    size_t total = 0;
    LF_TRY(status, find_outputs(ctx, *selected, model, &picked));
    LF_TRY(status, find_outputs(ctx, data, model, &present));
    LF_TRY(status, lf_data_total(ctx, data, &total));
    if (status) {
        lf_data_free(*selected);
        *selected = NULL;
    } else if (!picked && c.part != PART_KNOWN) {
        (*selected)->empty = why_none(model, c.part, present, total);
    }
    return status;
}

lf_status lf_data_choose(lf_context *ctx, const lf_data *data, const lf_model *model, const char *rows,
                         lf_data **chosen)
{
    lf_status status = lf_data_select(ctx, data, model, rows, chosen);
    if (!status && (*chosen)->empty) {
        status = lf_fail(ctx, LF_ERROR_DATA, "%s", (*chosen)->empty);
        lf_data_free(*chosen);
        *chosen = NULL;
    }
    return status;
}
