/* lf_data_read_columns: reads a table in memory. Its values reach the rules of files as fields that are numbers or dates already. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "data/table_reader.h"

typedef struct memory_table {
    size_t rows, count;
    const lf_column *columns; /* (count) */
} memory_table;

static lf_status check(lf_context *ctx, const char *name, const memory_table *table)
{
    if (table->count == 0 || !table->columns) {
        return lf_fail(ctx, LF_ERROR_DATA, "%s: has no columns", name);
    }
    if (table->rows == 0) {
        return lf_fail(ctx, LF_ERROR_DATA, "%s: has no rows", name);
    }
    for (size_t k = 0; k < table->count; k++) {
        const lf_column *column = &table->columns[k];
        if (!column->name ||
            (column->number != NULL) + (column->date != NULL) + (column->code != NULL) + (column->integer != NULL) !=
                1) {
            return lf_fail(ctx, LF_ERROR_ARGUMENT,
                           "%s: column %zu needs a name and one of numbers, integers, dates and codes of words", name,
                           k + 1);
        }
    }
    return LF_OK;
}

/* An entry of an array whose entries stand `stride` bytes apart. */
static const void *entry(const void *first, ptrdiff_t stride, size_t row)
{
    return (const char *)first + (ptrdiff_t)row * stride;
}

static lf_csv_field make_field(const lf_column *column, size_t row)
{
    static char empty[] = "", no_text[] = "?";
    lf_csv_field missing = {.text = empty}, field = {.text = no_text, .length = 1};
    if (column->number) {
        memcpy(&field.number, entry(column->number, column->stride, row), sizeof field.number);
        field.kind = LF_FIELD_NUMBER;
        return isnan(field.number) ? missing : field;
    }
    if (column->integer) {
        memcpy(&field.integer, entry(column->integer, column->stride, row), sizeof field.integer);
        field.number = (double)field.integer;
        field.kind = LF_FIELD_NUMBER;
        return field;
    }
    if (column->date) {
        int64_t date;
        memcpy(&date, entry(column->date, column->stride, row), sizeof date);
        field.kind = LF_FIELD_DATE;
        field.stamp = lf_timestamp_from_nanoseconds(date, column->zoned, column->zone);
        return date == INT64_MIN ? missing : field;
    }
    int32_t code;
    memcpy(&code, entry(column->code, column->stride, row), sizeof code);
    if (code < 0 || (size_t)code >= column->word_count) {
        return missing;
    }
    field.text = (char *)column->words[code]; /* read only */
    field.length = strlen(field.text);
    return field;
}

static void fill_row(const memory_table *table, size_t row, lf_csv_fields *fields)
{
    for (size_t k = 0; k < table->count; k++) {
        fields->field[k] = make_field(&table->columns[k], row);
    }
}

static lf_status reserve(lf_context *ctx, size_t count, lf_csv_fields *fields)
{
    *fields = (lf_csv_fields){.field = calloc(count, sizeof *fields->field), .count = count, .capacity = count};
    return fields->field ? LF_OK : lf_no_memory(ctx);
}

/* The headings and the first rows, whose words may have decimal commas. */
static lf_status take_sample(lf_table_reader *t, const memory_table *table)
{
    lf_csv_sample *sample = &t->sample;
    sample->separator = ',';
    lf_status status = reserve(t->ctx, table->count, &sample->heading.fields);
    for (size_t k = 0; k < table->count && !status; k++) {
        char *name = (char *)table->columns[k].name; /* read only */
        sample->heading.fields.field[k] = (lf_csv_field){.text = name, .length = strlen(name)};
    }
    for (size_t i = 0; i < table->rows && i < LF_SAMPLE_ROWS && !status; i++) {
        status = reserve(t->ctx, table->count, &sample->row[i].fields);
        sample->count += !status;
        if (!status) {
            sample->row[i].number = i + 1;
            fill_row(table, i, &sample->row[i].fields);
        }
    }
    LF_TRY(status, lf_csv_choose_decimal(t->ctx, &t->reader, t->options->decimal, sample));
    t->reader.line = status ? t->reader.line : 0; /* what follows is about the headings */
    return status;
}

static lf_status read_table(lf_table_reader *t, const char *name, const memory_table *table)
{
    t->reader = (lf_line_reader){.name = name, .in_memory = 1};
    lf_status status = take_sample(t, table);
    LF_TRY(status, lf_table_decide(t, name));
    LF_TRY(status, reserve(t->ctx, table->count, &t->fields));
    for (size_t i = 0; i < table->rows && !status; i++) {
        t->reader.line = i + 1;
        fill_row(table, i, &t->fields);
        status = lf_table_row(t, &t->fields);
    }
    lf_table_leave(t);
    return status;
}

lf_status lf_data_read_columns(lf_context *ctx, const char *name, size_t rows, size_t count, const lf_column *columns,
                               const lf_read_options *options, lf_data **data)
{
    lf_table_reader t;
    const memory_table table = {rows, count, columns};
    *data = NULL;
    name = name ? name : "table";
    lf_status status = check(ctx, name, &table);
    if (status) {
        return status;
    }
    status = lf_table_begin(ctx, options, &t);
    LF_TRY(status, read_table(&t, name, &table));
    return lf_table_end(&t, status, name, data);
}

lf_status lf_find_time(lf_context *ctx, const char *name, size_t rows, size_t count, const lf_column *columns,
                       const lf_read_options *options, size_t *column)
{
    lf_table_reader t;
    const memory_table table = {rows, count, columns};
    name = name ? name : "table";
    lf_status status = check(ctx, name, &table);
    if (status) {
        return status;
    }
    status = lf_table_begin(ctx, options, &t);
    t.column_options.or_rows = 1;
    t.reader = (lf_line_reader){.name = name, .in_memory = 1};
    LF_TRY(status, take_sample(&t, &table));
    LF_TRY(status, lf_csv_columns_find(ctx, &t.reader, &t.sample, &t.column_options, &t.columns));
    if (!status && (t.columns.input_dim > 1 || t.columns.part[LF_PART_YEAR] != LF_NO_COLUMN)) {
        status = lf_fail(ctx, LF_ERROR_DATA,
                         "%s: several columns together are the input; join them into one of dates, or "
                         "name the column of the time with --time COL",
                         name);
    }
    if (!status) {
        *column = t.columns.x[0] == LF_NO_COLUMN ? count : t.columns.x[0];
    }
    lf_table_leave(&t);
    lf_table_clear(&t);
    return status;
}
