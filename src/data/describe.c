/* What a table says about itself: counts, names, rows, columns, labels, and facts about all of its rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "data/share.h"
#include "model/model.h"

static const lf_names *names_of(const lf_data *data, lf_kind kind)
{
    return kind == LF_KIND_OUTPUT ? &data->outputs : kind == LF_KIND_REPLICATE ? &data->replicates : NULL;
}

size_t lf_data_count(const lf_data *data, lf_kind kind)
{
    const lf_names *names = data ? names_of(data, kind) : NULL;
    return !data                   ? 0
           : names                 ? (size_t)names->count
           : kind == LF_KIND_ROW   ? data->n
           : kind == LF_KIND_INPUT ? (size_t)data->input_dim
                                   : 0;
}

const char *lf_data_name(const lf_data *data, lf_kind kind, size_t index)
{
    const lf_names *names = data ? names_of(data, kind) : NULL;
    const char *name = index >= lf_data_count(data, kind) ? NULL
                       : names                            ? names->name[index]
                       : kind == LF_KIND_INPUT            ? data->axes[index].name
                                                          : NULL;
    return name ? name : "";
}

static lf_status check_index(lf_context *ctx, const lf_data *data, lf_kind kind, size_t index)
{
    static const char *const words[] = {
#define WORD(name, word) [name] = word,
        LF_KIND_LIST(WORD)
#undef WORD
    };
    size_t count = lf_data_count(data, kind);
    return index < count ? LF_OK
                         : lf_fail(ctx, LF_ERROR_ARGUMENT, "there is no %s %zu: the table has %zu",
                                   (size_t)kind < sizeof words / sizeof *words ? words[kind] : "kind", index, count);
}

lf_status lf_data_get(lf_context *ctx, const lf_data *data, size_t index, lf_row *row)
{
    if (!data) {
        return lf_missing(ctx, "table");
    }
    lf_status status = check_index(ctx, data, LF_KIND_ROW, index);
    if (status) {
        return status;
    }
    lf_observation seen = lf_data_row(data, index);
    const lf_row found = {.output = seen.output < 0 ? NULL : data->outputs.name[seen.output],
                          .replicate = seen.replicate < 0 ? NULL : data->replicates.name[seen.replicate],
                          .x = seen.x,
                          .y = seen.y,
                          .sd = seen.sd,
                          .split = seen.split,
                          .width = seen.width};
    return lf_give_struct(ctx, "lf_row", &found, sizeof found, row);
}

static int is(const char *text, const char *word) { return text && strcmp(text, word) == 0; }

const double *lf_data_numbers(const lf_data *data, const char *column)
{
    return is(column, "x")       ? data->x
           : is(column, "y")     ? data->y
           : is(column, "sd")    ? data->sd
           : is(column, "width") ? data->width
                                 : NULL;
}

const int32_t *lf_data_codes(const lf_data *data, const char *column)
{
    return is(column, "output")      ? data->output
           : is(column, "replicate") ? data->replicate
           : is(column, "split")     ? data->split
                                     : NULL;
}

/* ---- labels ---- */

static lf_status check_label(lf_context *ctx, const lf_data *data, lf_kind kind, size_t index)
{
    return kind == LF_KIND_INPUT || kind == LF_KIND_OUTPUT
               ? check_index(ctx, data, kind, index)
               : lf_fail(ctx, LF_ERROR_ARGUMENT, "inputs and outputs of a table have labels, nothing else");
}

lf_status lf_data_label_get(lf_context *ctx, const lf_data *data, lf_kind kind, size_t index, lf_label *label)
{
    if (!data) {
        return lf_missing(ctx, "table");
    }
    lf_status status = check_label(ctx, data, kind, index);
    if (status) {
        return status;
    }
    lf_label found = {.scale = 1};
    if (kind == LF_KIND_INPUT) {
        found = lf_axis_info(&data->axes[index]);
    } else {
        found.name = data->outputs.name[index];
        found.unit = found.file_unit = lf_data_output_unit(data, (int)index);
        found.seconds = lf_unit_seconds(found.unit);
    }
    return lf_give_struct(ctx, "lf_label", &found, sizeof found, label);
}

lf_status lf_data_label_set(lf_context *ctx, lf_data *data, lf_kind kind, size_t index, const lf_label *label)
{
    if (!data) {
        return lf_missing(ctx, "table");
    }
    lf_label given;
    lf_axis axis = {0};
    lf_status status = check_label(ctx, data, kind, index);
    if (!status && !label) {
        status = lf_fail(ctx, LF_ERROR_ARGUMENT, "no label is given");
    }
    LF_TRY(status, lf_take_options(ctx, "lf_label", label, sizeof given, &given));
    if (!status && kind == LF_KIND_OUTPUT) {
        return lf_data_set_output_unit(ctx, data, (int)index, given.unit);
    }
    LF_TRY(status, lf_axis_from_label(ctx, &given, &axis));
    if (!status) {
        lf_axis_clear(&data->axes[index]);
        data->axes[index] = axis;
    }
    return status;
}

/* ---- facts about all rows ---- */

/* The number of rows that are no readings of known inputs, of all processes. */
static lf_status count_rows(lf_context *ctx, const lf_data *data, const lf_model *model, size_t *rows)
{
    double count = (double)data->n;
    for (size_t i = 0; model && i < data->n; i++) {
        count -= data->output[i] >= 0 && lf_model_find_known(model, data->outputs.name[data->output[i]]) >= 0;
    }
    lf_status status = data->shared ? lf_sum(ctx, LF_OK, 1, &count) : LF_OK;
    *rows = (size_t)count;
    return status;
}

/* The sum of the fingerprints of all processes. */
static lf_status find_fingerprint(lf_context *ctx, const lf_data *data, uint64_t *sum)
{
    uint64_t mine = lf_data_fingerprint(data);
    *sum = mine;
    if (!data->shared) {
        return LF_OK;
    }
    int count = lf_process_count(ctx);
    uint64_t *all = calloc((size_t)count, sizeof *all);
    lf_status status = lf_agree(ctx, all ? LF_OK : lf_no_memory(ctx));
    LF_TRY(status, lf_gather(ctx, sizeof mine, &mine, all));
    *sum = 0;
    for (int r = 0; !status && r < count; r++) {
        *sum += all[r];
    }
    free(all);
    return status;
}

lf_status lf_data_info_get(lf_context *ctx, const lf_data *data, const lf_model *model, lf_data_info *info)
{
    if (!data) {
        return lf_missing(ctx, "table");
    }
    lf_data_info found;
    size_t p = (size_t)data->input_dim, r = data->replicates.count > 0 ? (size_t)data->replicates.count : 1;
    lf_status status = info ? lf_take_options(ctx, "lf_data_info", info, sizeof found, &found)
                            : lf_fail(ctx, LF_ERROR_ARGUMENT, "there is no place for the facts of a table");
    double *unwanted = status ? NULL : lf_doubles(2 * p + r, 1);
    status = status || unwanted ? status : lf_no_memory(ctx);
    status = data->shared ? lf_agree(ctx, status) : status;
    if (!status) {
        status =
            lf_data_limits(ctx, data, model, found.low ? found.low : unwanted, found.high ? found.high : unwanted + p);
    }
    LF_TRY(status, lf_data_ends(ctx, data, model, found.last ? found.last : unwanted + 2 * p));
    LF_TRY(status, count_rows(ctx, data, model, &found.rows));
    LF_TRY(status, find_fingerprint(ctx, data, &found.fingerprint));
    LF_TRY(status, lf_data_step_of_all(ctx, data, &found.step));
    if (!status) {
        found.distributed = data->shared != LF_WHOLE;
        found.empty = data->empty;
        status = lf_give_struct(ctx, "lf_data_info", &found, sizeof found, info);
    }
    free(unwanted);
    return status;
}
