/* Tables of results as text. */
#include "show/result_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "show/quantity.h"
#include "show/table.h"

/* A column by name; one without cells where there is none. */
static lf_column find(lf_context *ctx, const lf_table *table, const char *name)
{
    size_t index;
    lf_column column = {.size = sizeof column};
    int found = name && lf_table_find(ctx, table, name, &index) == LF_OK &&
                lf_table_column_get(ctx, table, index, &column) == LF_OK;
    return found ? column : (lf_column){.name = ""};
}

static const char *word_at(const lf_column *column, size_t row)
{
    return column->code && column->code[row] >= 0 ? column->words[column->code[row]] : "";
}

static double number_at(const lf_column *column, size_t row)
{
    return column->number ? column->number[row] : (double)NAN;
}

const char *cli_word_at(lf_context *ctx, const lf_table *table, const char *name, size_t row)
{
    lf_column column = find(ctx, table, name);
    return word_at(&column, row);
}

int cli_has_any(lf_context *ctx, const lf_table *table, const char *name)
{
    lf_column column = find(ctx, table, name);
    for (size_t i = 0; i < lf_table_rows(table); i++) {
        if (*word_at(&column, i) || (column.number && column.number[i] != 0)) {
            return 1;
        }
    }
    return 0;
}

/* The columns of one that is shown. */
typedef struct shown {
    lf_column value, error, unit, mark;
} shown;

static void add_cell(cli_table *text, const shown *s, size_t row)
{
    const char *unit = word_at(&s->unit, row), *mark = word_at(&s->mark, row);
    if (s->value.number) {
        char number[CLI_QUANTITY_SIZE];
        lf_format_quantity(s->value.number[row], number_at(&s->error, row), unit, sizeof number, number);
        cli_table_add(text, "%s%s%s", number, *mark ? " " : "", mark);
    } else {
        cli_table_add(text, "%s%s%s%s%s%s%s", word_at(&s->value, row), *unit ? " [" : "", unit, *unit ? "]" : "",
                      *mark ? " (" : "", mark, *mark ? ")" : "");
    }
}

int cli_result_table_show(lf_context *ctx, FILE *stream, const lf_table *table, size_t count, const cli_shown *columns)
{
    shown *each = calloc(count + 1, sizeof *each);
    char *alignment = calloc(count + 1, 1);
    if (!each || !alignment) {
        free(each);
        free(alignment);
        return cli_no_memory();
    }
    for (size_t k = 0; k < count; k++) {
        each[k] = (shown){find(ctx, table, columns[k].value), find(ctx, table, columns[k].error),
                          find(ctx, table, columns[k].unit), find(ctx, table, columns[k].mark)};
        alignment[k] = columns[k].side ? columns[k].side : each[k].value.number ? 'r' : 'l';
    }
    cli_table text = cli_table_create(alignment);
    for (size_t k = 0; k < count; k++) {
        cli_table_add(&text, "%s", columns[k].heading);
    }
    for (size_t i = 0; i < lf_table_rows(table); i++) {
        for (size_t k = 0; k < count; k++) {
            add_cell(&text, &each[k], i);
        }
    }
    int status = cli_table_print(&text, stream);
    free(each);
    free(alignment);
    return status;
}

enum { MOST_COLUMNS = 16 };

int cli_result_table_print(lf_context *ctx, FILE *stream, const lf_table *table)
{
    lf_column column[MOST_COLUMNS];
    char alignment[MOST_COLUMNS + 1] = "";
    size_t count = lf_table_columns(table) < MOST_COLUMNS ? lf_table_columns(table) : MOST_COLUMNS;
    for (size_t k = 0; k < count; k++) {
        column[k] = (lf_column){.size = sizeof *column};
        if (lf_table_column_get(ctx, table, k, &column[k]) != LF_OK) {
            return cli_fail("%s", lf_context_message(ctx));
        }
        alignment[k] = column[k].number ? 'r' : 'l';
    }
    cli_table text = cli_table_create(alignment);
    for (size_t k = 0; k < count; k++) {
        cli_table_add(&text, "%s", column[k].name);
    }
    for (size_t i = 0; i < lf_table_rows(table); i++) {
        for (size_t k = 0; k < count; k++) {
            double value = number_at(&column[k], i);
            if (column[k].number) {
                cli_table_add(&text, value == floor(value) ? "%.0f" : "%.3g", value);
            } else {
                cli_table_add(&text, "%s", word_at(&column[k], i));
            }
        }
    }
    return cli_table_print(&text, stream);
}
