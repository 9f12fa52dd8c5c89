/* Tables of results as text. */
#include "show/result_table.h"

#include <math.h>

#include "message.h"
#include "show/table.h"

enum { MOST_COLUMNS = 16 };

/* All columns; 0 where one cannot be had. */
static size_t get_columns(lf_context *ctx, const lf_table *table, lf_column column[MOST_COLUMNS])
{
    size_t count = lf_table_columns(table);
    for (size_t k = 0; k < count; k++) {
        column[k] = (lf_column){.size = sizeof *column};
        if (count > MOST_COLUMNS || lf_table_column_get(ctx, table, k, &column[k]) != LF_OK) {
            return 0;
        }
    }
    return count;
}

static const char *word_at(const lf_column *column, size_t row)
{
    return column->code[row] < 0 ? "" : column->words[column->code[row]];
}

int cli_result_table_print(lf_context *ctx, FILE *stream, const lf_table *table)
{
    lf_column column[MOST_COLUMNS];
    char alignment[MOST_COLUMNS + 1] = "";
    size_t count = get_columns(ctx, table, column);
    for (size_t k = 0; k < count; k++) {
        alignment[k] = column[k].number ? 'r' : 'l';
    }
    cli_table text = cli_table_create(alignment);
    for (size_t k = 0; k < count; k++) {
        cli_table_add(&text, "%s", column[k].name);
    }
    for (size_t i = 0; i < lf_table_rows(table); i++) {
        for (size_t k = 0; k < count; k++) {
            if (!column[k].number) {
                cli_table_add(&text, "%s", word_at(&column[k], i));
            } else {
                double value = column[k].number[i];
                cli_table_add(&text, value == floor(value) ? "%.0f" : "%.3g", value);
            }
        }
    }
    return count ? cli_table_print(&text, stream) : cli_fail("%s", lf_context_message(ctx));
}
