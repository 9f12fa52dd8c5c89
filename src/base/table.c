/* Tables of results. A column of words holds each word once, and its number in every row; dates are nanoseconds. */
#include "base/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"

typedef struct table_column {
    char *name;
    lf_table_kind kind;
    int zoned, zone, date_only; /* of dates, as lf_axis has them */
    double *number;             /* (rows) */
    int32_t *code;              /* (rows) */
    int64_t *date;              /* (rows) */
    char **word;                /* (word_count) */
    size_t word_count;
} table_column;

struct lf_table {
    size_t columns, cells, capacity; /* capacity: of rows */
    int failed;
    lf_spell_function spell; /* of the context that it was made with */
    table_column *column;    /* (columns) */
};

lf_status lf_table_create(lf_context *ctx, size_t columns, const lf_table_heading *headings, lf_table **table)
{
    lf_table *t = *table = calloc(1, sizeof *t);
    table_column *column = t ? calloc(columns, sizeof *column) : NULL;
    if (!column) {
        free(t);
        *table = NULL;
        return lf_no_memory(ctx);
    }
    *t = (lf_table){.columns = columns, .column = column, .spell = ctx ? ctx->spell : NULL};
    int done = 1;
    for (size_t i = 0; i < columns; i++) {
        column[i].kind = headings[i].kind;
        column[i].name = lf_copy_string(headings[i].name);
        done = done && column[i].name;
    }
    if (!done) {
        lf_table_free(t);
        *table = NULL;
        return lf_no_memory(ctx);
    }
    return LF_OK;
}

void lf_table_free(lf_table *table)
{
    if (!table) {
        return;
    }
    for (size_t i = 0; i < table->columns; i++) {
        table_column *column = &table->column[i];
        for (size_t w = 0; w < column->word_count; w++) {
            free(column->word[w]);
        }
        free(column->name);
        free(column->word);
        free(column->number);
        free(column->code);
        free(column->date);
    }
    free(table->column);
    free(table);
}

/* ---- filling ---- */

static int grow(lf_table *table)
{
    size_t capacity = 2 * table->capacity + 16;
    for (size_t i = 0; i < table->columns; i++) {
        table_column *c = &table->column[i];
        void *grown = NULL;
        switch (c->kind) {
        case LF_NUMBERS:
            grown = realloc(c->number, capacity * sizeof *c->number);
            c->number = grown ? grown : c->number;
            break;
        case LF_WORDS:
            grown = realloc(c->code, capacity * sizeof *c->code);
            c->code = grown ? grown : c->code;
            break;
        case LF_DATES:
            grown = realloc(c->date, capacity * sizeof *c->date);
            c->date = grown ? grown : c->date;
        }
        if (!grown) {
            return 0;
        }
    }
    table->capacity = capacity;
    return 1;
}

/* The column and the row of the next cell; NULL after a failure. */
static table_column *next_cell(lf_table *table, size_t *row)
{
    *row = table->cells / table->columns;
    if (!table->failed && *row == table->capacity) {
        table->failed = !grow(table);
    }
    return table->failed ? NULL : &table->column[table->cells++ % table->columns];
}

void lf_table_add_number(lf_table *table, double number)
{
    size_t row;
    table_column *column = next_cell(table, &row);
    if (column) {
        column->number[row] = number;
    }
}

/* The number of a word, which is added if it is new; -1: there is no memory. */
static int32_t find_word(table_column *column, const char *word)
{
    for (size_t i = 0; i < column->word_count; i++) {
        if (strcmp(column->word[i], word) == 0) {
            return (int32_t)i;
        }
    }
    char **grown = realloc(column->word, (column->word_count + 1) * sizeof *grown);
    column->word = grown ? grown : column->word;
    char *copy = grown ? lf_copy_string(word) : NULL;
    if (!copy) {
        return -1;
    }
    column->word[column->word_count] = copy;
    return (int32_t)column->word_count++;
}

void lf_table_add_word(lf_table *table, const char *word)
{
    size_t row;
    table_column *column = next_cell(table, &row);
    if (column) {
        char *spelt = word ? lf_spelt(table->spell, word) : NULL;
        column->code[row] = spelt ? find_word(column, spelt) : -1;
        table->failed = word && column->code[row] < 0;
        free(spelt);
    }
}

/* ---- inputs ---- */

#define MOST_SECONDS 9.2e9 /* about 1970, that 64 bits of nanoseconds hold */

lf_table_kind lf_table_input_kind(const lf_axis *axis, size_t n, const double *x, size_t stride)
{
    double least = 0, most = 0;
    for (size_t i = 0; axis->dated && i < n; i++) {
        double seconds = (double)axis->zero + x[i * stride] * lf_unit_seconds(axis->unit);
        least = fmin(least, seconds);
        most = fmax(most, seconds);
    }
    int counted = least > -MOST_SECONDS && most < MOST_SECONDS;
    return !axis->dated ? LF_NUMBERS : counted ? LF_DATES : LF_WORDS;
}

/* Rounded as lf_axis_format rounds. */
static int64_t nanoseconds(const lf_axis *axis, double x)
{
    double seconds = x * lf_unit_seconds(axis->unit), whole = floor(seconds);
    double parts = axis->fine && fabs(seconds) < 1e6 ? 1e9 : 1e6;
    return (axis->zero + (int64_t)whole) * 1000000000 +
           (int64_t)(floor((seconds - whole) * parts + 0.5) * (1e9 / parts));
}

void lf_table_add_input(lf_table *table, const lf_axis *axis, double x)
{
    char text[LF_TIMESTAMP_SIZE];
    size_t row;
    lf_table_kind kind = table->column[table->cells % table->columns].kind;
    if (kind == LF_NUMBERS) {
        lf_axis_format(axis, x, text);
        lf_table_add_number(
            table, lf_axis_factor(axis) == 1 ? x : strtod(text, NULL)); /* without the digits of the conversion */
    } else if (kind == LF_WORDS) {
        lf_axis_format(axis, x, text);
        lf_table_add_word(table, text);
    } else {
        table_column *column = next_cell(table, &row);
        if (column) {
            column->date[row] = nanoseconds(axis, x);
            column->zoned = axis->zoned;
            column->zone = axis->zone;
            column->date_only = axis->date_only;
        }
    }
}

lf_timestamp_form lf_table_date_form(const lf_table *table, size_t column)
{
    return table->column[column].date_only ? LF_DATE_ONLY : LF_NANOSECONDS;
}

lf_status lf_table_check(lf_context *ctx, const lf_table *table) { return table->failed ? lf_no_memory(ctx) : LF_OK; }

/* ---- reading ---- */

size_t lf_table_rows(const lf_table *table) { return table ? table->cells / table->columns : 0; }

size_t lf_table_columns(const lf_table *table) { return table ? table->columns : 0; }

lf_status lf_table_column_get(lf_context *ctx, const lf_table *table, size_t index, lf_column *column)
{
    if (!table) {
        return lf_missing(ctx, "table");
    }
    if (index >= table->columns) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "the table has %zu columns, not %zu", table->columns, index + 1);
    }
    const table_column *c = &table->column[index];
    lf_table_kind kind = c->kind;
    lf_column found = {.name = c->name,
                       .number = c->number,
                       .code = c->code,
                       .date = c->date,
                       .zoned = c->zoned,
                       .zone = c->zone,
                       .words = (const char *const *)c->word,
                       .word_count = c->word_count,
                       .stride = kind == LF_WORDS   ? sizeof *c->code
                                 : kind == LF_DATES ? sizeof *c->date
                                                    : sizeof *c->number};
    return lf_give_struct(ctx, "lf_column", &found, sizeof found, column);
}

lf_status lf_table_find(lf_context *ctx, const lf_table *table, const char *name, size_t *index)
{
    *index = LF_NONE;
    if (!table || !name) {
        return lf_missing(ctx, table ? "name" : "table");
    }
    for (size_t i = 0; i < table->columns; i++) {
        if (strcmp(table->column[i].name, name) == 0) {
            *index = i;
            return LF_OK;
        }
    }
    return lf_fail(ctx, LF_ERROR_ARGUMENT, "the table has no column '%s'", name);
}
