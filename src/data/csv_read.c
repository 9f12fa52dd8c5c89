/* lf_data_read: reads CSV files, all of their rows or the share of this process. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/processes.h"
#include "data/file_shares.h"
#include "data/shared_table.h"
#include "data/table_reader.h"

/* The files of a table and how they are read. */
typedef struct source {
    size_t count;
    const char *const *paths;
    const lf_file_shares *shares; /* NULL: all rows are read */
    int copied;                   /* the processes read all rows: standard input is copied to all of them */
    int errors_only;              /* rows are read for their errors and not kept */
} source;

static lf_status add_row(lf_table_reader *t, const source *from, const lf_csv_fields *row)
{
    lf_status status = lf_table_row(t, row);
    if (from->errors_only && t->data->n > 1) {
        t->data->n = 1;
    }
    return status || !t->several ? status : lf_findings_update(t);
}

/* The rows at the beginning of the file are read by every process, because they decide how the others are read. Those of other processes
 * do not count. *found: whether there are any. */
static lf_status read_sample(lf_table_reader *t, const source *from, size_t begin, size_t stop, int *found)
{
    lf_status status = LF_OK;
    size_t line = t->reader.line;
    *found = 0;
    for (size_t i = 0; i < t->sample.count && !status; i++) {
        const lf_csv_row *row = &t->sample.row[i];
        size_t rows = t->row_count, missing = t->missing_count, n = t->data->n;
        t->reader.line = row->number;
        status = add_row(t, from, &row->fields);
        *found = *found || t->row_count > rows;
        if (!status && (row->start < begin || row->start >= stop)) {
            t->row_count = rows;
            t->missing_count = missing;
            t->data->n = n;
        }
    }
    if (!status) {
        t->reader.line = line;
    }
    if (!status && t->several && !*found && t->sample.count >= LF_SAMPLE_ROWS) {
        status =
            lf_fail(t->ctx, LF_ERROR_DATA, "%s: its first %d rows are empty; remove them, or read it with one process",
                    t->reader.name, LF_SAMPLE_ROWS);
    }
    return status;
}

static lf_status read_rest(lf_table_reader *t, const source *from)
{
    for (;;) {
        char *line;
        size_t length;
        lf_status status = lf_csv_next_line(t->ctx, &t->reader, &line, &length);
        if (status || !line) {
            return status;
        }
        status = lf_csv_split(t->ctx, &t->reader, t->sample.separator, line, length, &t->fields);
        LF_TRY(status, add_row(t, from, &t->fields));
        if (status) {
            return status;
        }
    }
}

static lf_status read_rows(lf_table_reader *t, const source *from, size_t begin, size_t stop)
{
    size_t rows = t->row_count;
    int found;
    lf_status status = read_sample(t, from, begin, stop, &found);
    if (!status && t->several) {
        lf_findings_open_columns(t);
    }
    if (!status && stop > 0) {
        status = lf_lines_restrict(t->ctx, &t->reader, begin, stop);
        LF_TRY(status, read_rest(t, from));
    }
    if (!status && t->row_count == rows && !found) {
        status = lf_fail(t->ctx, LF_ERROR_DATA, "%s: the file has a header but no rows", t->reader.name);
    }
    return status || !t->several ? status : lf_findings_close_columns(t);
}

static lf_status open_file(lf_table_reader *t, const source *from, size_t stop)
{
    const char *path = from->paths[t->file];
    if (from->copied && strcmp(path, "-") == 0) {
        return lf_lines_open_copied(t->ctx, path, &t->reader);
    }
    lf_status status = from->shares ? lf_file_share_check(t->ctx, from->shares, t->file, path) : LF_OK;
    return status     ? status
           : stop > 0 ? lf_lines_open(t->ctx, path, &t->reader)
                      : lf_lines_open_head(t->ctx, path, &t->reader);
}

static lf_status read_file(lf_table_reader *t, const source *from)
{
    size_t begin = 0, stop = SIZE_MAX; /* of the lines of this process */
    if (from->shares) {
        lf_file_share(from->shares, t->file, &begin, &stop);
    }
    t->file_checked = 0;
    lf_status status = open_file(t, from, stop);
    LF_TRY(status, lf_csv_sample_read(t->ctx, &t->reader, t->options->separator, t->options->decimal, &t->sample));
    LF_TRY(status, lf_table_decide(t, from->paths[t->file]));
    status = status || !t->several ? status : lf_findings_update(t);
    LF_TRY(status, read_rows(t, from, begin, stop));
    lf_table_leave(t);
    return status;
}

static lf_status read_files(lf_table_reader *t, const source *from)
{
    lf_status status = LF_OK;
    for (t->file = 0; t->file < from->count && !status; t->file++) {
        status = read_file(t, from);
        status = from->copied ? lf_agree(t->ctx, status) : status;
    }
    return status;
}

/* ---- shares ---- */

/* A process failed. Process 0 reads the files from the beginning, as one process would, up to the first error, which is that of all. If it
 * finds none, the error is of one process only: a file that it cannot open, memory. */
static lf_status report_first_error(lf_table_reader *t, const source *from, lf_status failed)
{
    lf_context *ctx = t->ctx;
    lf_status status = LF_OK;
    if (lf_process_rank(ctx) == 0 && !from->shares->alone) {
        const source all = {.count = from->count, .paths = from->paths, .errors_only = 1};
        lf_table_reader again;
        status = lf_table_begin(ctx, &t->given, &again);
        LF_TRY(status, read_files(&again, &all));
        lf_table_clear(&again);
    }
    status = lf_agree(ctx, status);
    LF_TRY(status, lf_agree(ctx, failed));
    return status ? status
                  : lf_fail(ctx, LF_ERROR_DATA,
                            "the processes find different contents in the files; every process must see "
                            "the same files, which nothing may change while they are read");
}

static lf_status read_shares(lf_table_reader *t, source from)
{
    lf_context *ctx = t->ctx;
    lf_file_shares shares;
    lf_status status = lf_file_shares_find(ctx, from.count, from.paths, &shares);
    if (!status) {
        from.shares = &shares;
        shares.alone = shares.alone || lf_may_number_rows(&t->column_options); /* a number depends on all rows before */
        lf_findings_hold_notes(t);
        lf_status mine = shares.alone && lf_process_rank(ctx) > 0 ? LF_OK : read_files(t, &from);
        lf_findings_release(t);
        double failed = mine != LF_OK;
        int same = 1;
        status = lf_sum(ctx, LF_OK, 1, &failed);
        if (!status && failed == 0) {
            status = lf_table_unite(t, shares.alone, &same);
        }
        if (!status && (failed > 0 || !same)) {
            status = report_first_error(t, &from, mine);
        }
    }
    lf_file_shares_clear(&shares);
    return status;
}

/* Every process is given as many files, or they would wait for each other. */
static lf_status check_count(lf_context *ctx, size_t count)
{
    size_t first = count;
    lf_status status = lf_broadcast(ctx, 0, sizeof first, &first);
    if (!status && first != count) {
        status = lf_fail(ctx, LF_ERROR_IO,
                         "process %d finds %zu files, process 0 %zu; every process must see the same files",
                         lf_process_rank(ctx), count, first);
    }
    return status;
}

lf_status lf_data_read_files(lf_context *ctx, size_t count, const char *const *paths, const lf_read_options *options,
                             lf_data **data)
{
    lf_table_reader t;
    source from = {.count = count, .paths = paths};
    char several[64];
    *data = NULL;
    if (count == 0 || !paths || !paths[0]) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "no data file is given");
    }
    lf_status status = lf_table_begin(ctx, options, &t), counted = check_count(ctx, count);
    status = lf_agree(ctx, status ? status : counted);
    int shared = ctx->processes.count > 0 && !t.read_options.whole, processes = lf_process_count(ctx);
    t.several = shared && processes > 1;
    from.copied = !shared && processes > 1;
    LF_TRY(status, t.several ? read_shares(&t, from) : read_files(&t, &from));
    snprintf(several, sizeof several, "%zu files", count);
    status = lf_table_end(&t, status, count > 1 ? several : strcmp(paths[0], "-") == 0 ? "<stdin>" : paths[0], data);
    status = from.copied ? lf_agree(ctx, status) : status;
    if (status) {
        lf_data_free(*data);
        *data = NULL;
    } else {
        (*data)->shared = shared;
    }
    return status;
}

lf_status lf_data_read(lf_context *ctx, const char *path, const lf_read_options *options, lf_data **data)
{
    return lf_data_read_files(ctx, path ? 1 : 0, &path, options, data);
}
