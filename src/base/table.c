/* Tables of results. A column of words holds each word once, and its number in every row. */
#include "base/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"

typedef struct table_column {
    char *name;
    lf_table_kind kind;
    double *number; /* (rows) */
    int32_t *code;  /* (rows) */
    char **word;    /* (word_count) */
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
    *t = (lf_table){.columns = columns, .column = column, .spell = ctx->spell};
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
    }
    free(table->column);
    free(table);
}

/* ---- filling ---- */

static int grow(lf_table *table)
{
    size_t capacity = 2 * table->capacity + 16;
    for (size_t i = 0; i < table->columns; i++) {
        table_column *column = &table->column[i];
        size_t each = column->kind == LF_NUMBERS ? sizeof *column->number : sizeof *column->code;
        void *old = column->kind == LF_NUMBERS ? (void *)column->number : (void *)column->code;
        void *grown = realloc(old, capacity * each);
        if (!grown) {
            return 0;
        }
        if (column->kind == LF_NUMBERS) {
            column->number = grown;
        } else {
            column->code = grown;
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

lf_status lf_table_check(lf_context *ctx, const lf_table *table) { return table->failed ? lf_no_memory(ctx) : LF_OK; }

/* ---- reading ---- */

size_t lf_table_rows(const lf_table *table) { return table->cells / table->columns; }

size_t lf_table_columns(const lf_table *table) { return table->columns; }

lf_status lf_table_column_get(lf_context *ctx, const lf_table *table, size_t index, lf_column *column)
{
    if (index >= table->columns) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "the table has %zu columns, not %zu", table->columns, index + 1);
    }
    const table_column *c = &table->column[index];
    int words = c->kind == LF_WORDS;
    lf_column found = {.name = c->name,
                       .number = c->number,
                       .code = c->code,
                       .words = (const char *const *)c->word,
                       .word_count = c->word_count,
                       .stride = words ? sizeof *c->code : sizeof *c->number};
    return lf_give_struct(ctx, "lf_column", &found, sizeof found, column);
}

lf_status lf_table_find(lf_context *ctx, const lf_table *table, const char *name, size_t *index)
{
    for (size_t i = 0; i < table->columns; i++) {
        if (strcmp(table->column[i].name, name) == 0) {
            *index = i;
            return LF_OK;
        }
    }
    return lf_fail(ctx, LF_ERROR_ARGUMENT, "the table has no column '%s'", name);
}
