/* lf_data_read: reads CSV files. */
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "data/table_reader.h"

static lf_status read_rows(lf_table_reader *t)
{
    lf_status status = LF_OK;
    size_t line_number = t->reader.line;
    for (size_t i = 0; i < t->sample.count && !status; i++) {
        t->reader.line = t->sample.row[i].number;
        status = lf_table_row(t, &t->sample.row[i].fields);
    }
    if (!status) {
        t->reader.line = line_number;
    }
    while (!status) {
        char *line;
        size_t length;
        status = lf_csv_next_line(t->ctx, &t->reader, &line, &length);
        if (status || !line) {
            return status;
        }
        status = lf_csv_split(t->ctx, &t->reader, t->sample.separator, line, length, &t->fields);
        status = status ? status : lf_table_row(t, &t->fields);
    }
    return status;
}

static lf_status read_file(lf_table_reader *t, const char *path)
{
    size_t rows = t->row_count;
    t->file_checked = 0;
    lf_status status = lf_lines_open(t->ctx, path, &t->reader);
    status = status ? status
                    : lf_csv_sample_read(t->ctx, &t->reader, t->options->separator, t->options->decimal, &t->sample);
    status = status ? status : lf_table_columns(t, path);
    status = status ? status : read_rows(t);
    if (!status && t->row_count == rows) {
        status = lf_fail(t->ctx, LF_ERROR_DATA, "%s: the file has a header but no rows", t->reader.name);
    }
    lf_table_leave(t);
    return status;
}

lf_status lf_data_read_files(lf_context *ctx, size_t count, const char *const *paths, const lf_read_options *options,
                             lf_data **data)
{
    lf_table_reader t;
    char several[64];
    *data = NULL;
    if (count == 0 || !paths || !paths[0]) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "no data file is given");
    }
    lf_status status = lf_table_begin(ctx, options, &t);
    for (size_t i = 0; i < count && !status; i++) {
        status = read_file(&t, paths[i]);
    }
    snprintf(several, sizeof several, "%zu files", count);
    return lf_table_end(&t, status, count > 1 ? several : strcmp(paths[0], "-") == 0 ? "<stdin>" : paths[0], data);
}

lf_status lf_data_read(lf_context *ctx, const char *path, const lf_read_options *options, lf_data **data)
{
    return lf_data_read_files(ctx, path ? 1 : 0, &path, options, data);
}
