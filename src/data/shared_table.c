/* Puts together what the processes found in their shares of a table. */
#include "data/shared_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/processes.h"

lf_status lf_shared_sum(const lf_table_reader *t, lf_status status, size_t n, double *x)
{
    return t->several ? lf_sum(t->ctx, status, n, x) : status;
}

lf_status lf_shared_least(const lf_table_reader *t, lf_status status, size_t n, double *x)
{
    if (!t->several) {
        return status;
    }
    size_t count = (size_t)lf_process_count(t->ctx);
    double *all = lf_doubles(count, n);
    status = lf_agree(t->ctx, status || all ? status : lf_no_memory(t->ctx));
    LF_TRY(status, lf_gather(t->ctx, n * sizeof *x, x, all));
    for (size_t i = 0; i < count * n && !status; i++) {
        x[i % n] = fmin(x[i % n], all[i]);
    }
    free(all);
    return status;
}

lf_status lf_shared_collect(const lf_table_reader *t, lf_status status, size_t bytes, const void *mine, size_t *size,
                            size_t *total, void **all)
{
    lf_context *ctx = t->ctx;
    int count = t->several ? lf_process_count(ctx) : 1, rank = t->several ? lf_process_rank(ctx) : 0;
    size_t *sizes = calloc((size_t)count, sizeof *sizes);
    status = status || sizes ? status : lf_no_memory(ctx);
    status = t->several ? lf_agree(ctx, status) : status;
    *all = NULL;
    *total = bytes;
    if (!status && t->several) {
        status = lf_gather(ctx, sizeof bytes, &bytes, sizes);
        *total = 0;
        for (int r = 0; r < count; r++) {
            *total += sizes[r];
        }
    } else if (!status) {
        sizes[0] = bytes;
    }
    *all = status ? NULL : malloc(*total + 1);
    status = status || *all ? status : lf_no_memory(ctx);
    status = t->several ? lf_agree(ctx, status) : status;
    char *at = *all;
    for (int r = 0; r < count && !status; r++) {
        if (r == rank && bytes > 0) {
            memcpy(at, mine, bytes);
        }
        status = t->several ? lf_broadcast(ctx, r, sizes[r], at) : LF_OK;
        at += sizes[r];
        if (size) {
            size[r] = sizes[r];
        }
    }
    free(sizes);
    if (status) {
        free(*all);
        *all = NULL;
    }
    return status;
}

size_t lf_shared_head(const lf_table_reader *t, size_t most)
{
    size_t left = t->rows_before < most ? most - t->rows_before : 0;
    return t->data->n < left ? t->data->n : left;
}

/* ---- the state of reading ---- */

/* What a process knows of the table when it has read its share. */
typedef struct summary {
    size_t n, row_count, missing_count;
    int input_dim, date_only, fine, log_wanted, has_text;
    int64_t zero;
    lf_time_kind time_kind;
    lf_width_kind width_kind;
    char separator, decimal, text_column[sizeof((lf_table_reader *)0)->text_column];
    size_t text_file;
} summary;

static summary summarise(const lf_table_reader *t)
{
    summary s;
    memset(&s, 0, sizeof s); /* the bytes between fields are copied too */
    s.n = t->data ? t->data->n : 0;
    s.row_count = t->row_count;
    s.missing_count = t->missing_count;
    s.input_dim = t->data ? t->data->input_dim : 0;
    s.date_only = t->data ? t->data->axes[0].date_only : 0;
    s.fine = t->data ? t->data->axes[0].fine : 0;
    s.log_wanted = t->ctx->log != NULL;
    s.has_text = t->findings.has_text;
    s.zero = t->data ? t->data->axes[0].zero : 0;
    s.time_kind = t->time_kind;
    s.width_kind = t->width_kind;
    s.separator = t->separator;
    s.decimal = t->decimal;
    memcpy(s.text_column, t->text_column, sizeof s.text_column);
    s.text_file = t->findings.text_file;
    return s;
}

/* The counts become those of all; returns 0 where processes contradict each other. */
static int combine(lf_table_reader *t, int alone, const summary *all)
{
    int count = lf_process_count(t->ctx), rank = lf_process_rank(t->ctx), same = 1;
    const summary *first = &all[0];
    size_t text_file = 0;
    t->row_count = t->missing_count = t->rows_before = 0;
    t->findings.has_text = 0;
    t->findings.log_wanted = 0;
    t->time_kind = first->time_kind;
    t->width_kind = LF_WIDTH_NONE;
    t->separator = first->separator;
    t->decimal = first->decimal;
    for (int r = 0; r < count; r++) {
        const summary *s = &all[r];
        same = same && (alone || (s->input_dim == first->input_dim && s->time_kind == first->time_kind &&
                                  s->zero == first->zero && s->separator == first->separator));
        t->row_count += s->row_count;
        t->missing_count += s->missing_count;
        t->rows_before += r < rank ? s->n : 0;
        t->findings.log_wanted = t->findings.log_wanted || s->log_wanted;
        if (s->width_kind != LF_WIDTH_NONE) {
            same = same && (t->width_kind == LF_WIDTH_NONE || t->width_kind == s->width_kind);
            t->width_kind = s->width_kind;
        }
        if (s->has_text && (!t->findings.has_text || s->text_file < text_file)) {
            t->findings.has_text = 1;
            text_file = s->text_file;
            memcpy(t->text_column, s->text_column, sizeof t->text_column);
        }
        if (s->time_kind == LF_TIME_DATES && !t->options->model && t->data && !alone) {
            t->data->axes[0].date_only = t->data->axes[0].date_only && s->date_only;
        }
        if (!t->options->model && t->data && !alone) {
            t->data->axes[0].fine = t->data->axes[0].fine || s->fine;
        }
    }
    return same;
}

/* A text of process 0; NULL stays NULL. */
static lf_status copy_text(lf_context *ctx, char **text)
{
    size_t size = *text ? strlen(*text) + 1 : 0;
    lf_status status = lf_broadcast(ctx, 0, sizeof size, &size);
    if (status || size == 0) {
        return status;
    }
    if (lf_process_rank(ctx) > 0) {
        *text = malloc(size);
    }
    status = lf_agree(ctx, *text ? LF_OK : lf_no_memory(ctx));
    return status ? status : lf_broadcast(ctx, 0, size, *text);
}

/* The empty table of a process that has read nothing, with the axes of process 0. */
static lf_status copy_table(lf_table_reader *t, int input_dim)
{
    lf_context *ctx = t->ctx;
    lf_status status = lf_process_rank(ctx) > 0 ? lf_data_create(ctx, (size_t)input_dim, &t->data) : LF_OK;
    status = lf_agree(ctx, status);
    for (int k = 0; k < input_dim && !status; k++) {
        lf_axis *axis = &t->data->axes[k], copy = *axis;
        status = lf_broadcast(ctx, 0, sizeof copy, &copy);
        copy.name = axis->name;
        copy.unit = axis->unit;
        copy.file_unit = axis->file_unit;
        *axis = copy;
        LF_TRY(status, copy_text(ctx, &axis->name));
        LF_TRY(status, copy_text(ctx, &axis->unit));
        LF_TRY(status, copy_text(ctx, &axis->file_unit));
    }
    return status;
}

/* Columns without a value in the first rows are what the first share says that has a value of them. In a share behind that of a text,
 * empty cells are not missing values. */
static lf_status unite_columns(lf_table_reader *t, int *same)
{
    const lf_findings *f = &t->findings;
    lf_open_column *all = NULL;
    int processes = lf_process_count(t->ctx);
    size_t total, count = f->open_count, *size = calloc((size_t)processes, sizeof *size);
    double uncounted = 0;
    lf_status status = size ? LF_OK : lf_no_memory(t->ctx);
    status = lf_shared_collect(t, status, count * sizeof *all, f->open, size, &total, (void **)&all);
    for (int r = 0; r < processes && !status; r++) {
        *same = *same && size[r] == size[0];
    }
    count = *same ? count : 0;
    for (size_t i = 0; i < count && !status; i++) {
        int state = LF_COLUMN_NO_VALUE;
        for (int r = 0; r < processes; r++) {
            const lf_open_column *column = &all[(size_t)r * count + i];
            uncounted += state == LF_COLUMN_TEXT ? (double)column->missing : 0;
            *same = *same &&
                    (state == LF_COLUMN_NO_VALUE || column->state == LF_COLUMN_NO_VALUE || state == (int)column->state);
            state = state == LF_COLUMN_NO_VALUE ? (int)column->state : state;
        }
    }
    t->missing_count -= (size_t)uncounted;
    free(size);
    free(all);
    return status;
}

lf_status lf_table_unite(lf_table_reader *t, int alone, int *same)
{
    lf_context *ctx = t->ctx;
    const summary mine = summarise(t);
    summary *all = calloc((size_t)lf_process_count(ctx), sizeof *all);
    lf_status status = lf_agree(ctx, all ? LF_OK : lf_no_memory(ctx));
    LF_TRY(status, lf_gather(ctx, sizeof mine, &mine, all));
    *same = status || combine(t, alone, all);
    if (!status && alone) {
        status = copy_table(t, all[0].input_dim);
    } else if (!status) {
        status = unite_columns(t, same);
    }
    free(all);
    return status || !*same ? status : lf_unite_names(t, same);
}
