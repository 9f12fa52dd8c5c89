/* Text tables with aligned columns: cells are collected as text, and column widths are computed when printing. */
#include "show/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "show/visible.h"

cli_table cli_table_create(const char *alignment)
{
    return (cli_table){.alignment = alignment, .columns = strlen(alignment)};
}

static void add_visible(cli_table *table, const char *text)
{
    size_t size = cli_visible(text, 0, NULL) + 1;
    char *cell = malloc(size);
    if (cell) {
        cli_visible(text, size, cell);
        table->cell[table->count++] = cell;
    } else {
        table->failed = 1;
    }
}

void cli_table_add(cli_table *table, const char *format, ...)
{
    if (table->count == table->capacity) {
        size_t capacity = table->capacity ? 2 * table->capacity : 64;
        char **cell = realloc(table->cell, capacity * sizeof *cell);
        if (!cell) {
            table->failed = 1;
            return;
        }
        table->cell = cell;
        table->capacity = capacity;
    }
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (text) {
        vsnprintf(text, (size_t)length + 1, format, again);
        add_visible(table, text);
        free(text);
    } else {
        table->failed = 1;
    }
    va_end(again);
}

void cli_table_add_number(cli_table *table, double value)
{
    if (isnan(value)) {
        cli_table_add(table, "-");
    } else {
        cli_table_add(table, "%.6g", value);
    }
}

/* The number of characters of a UTF-8 text: continuation bytes are not counted. */
static size_t width(const char *text)
{
    size_t count = 0;
    for (; *text; text++) {
        count += ((unsigned char)*text & 0xC0) != 0x80;
    }
    return count;
}

static void pad(FILE *stream, size_t count, char filler)
{
    for (; count > 0; count--) {
        fputc(filler, stream);
    }
}

static void print_cells(const cli_table *table, const size_t *widest, FILE *stream)
{
    for (size_t i = 0; i < table->count; i++) {
        size_t column = i % table->columns, blank = widest[column] - width(table->cell[i]);
        int last = column + 1 == table->columns, right = table->alignment[column] == 'r';
        pad(stream, right ? blank : 0, ' ');
        fputs(table->cell[i], stream);
        pad(stream, right || last ? 0 : blank, ' ');
        fputs(last ? "\n" : "  ", stream);
        if (i + 1 == table->columns) {
            for (size_t k = 0; k < table->columns; k++) {
                pad(stream, widest[k], '-');
                fputs(k + 1 == table->columns ? "\n" : "  ", stream);
            }
        }
    }
}

void cli_table_add_headings(cli_table *table, const char *const *headings)
{
    for (; *headings; headings++) {
        cli_table_add(table, "%s", *headings);
    }
}

int cli_table_print(cli_table *table, FILE *stream)
{
    size_t *widest = calloc(table->columns, sizeof *widest);
    int failed = table->failed || !widest;
    if (!failed) {
        for (size_t i = 0; i < table->count; i++) {
            size_t w = width(table->cell[i]);
            widest[i % table->columns] = w > widest[i % table->columns] ? w : widest[i % table->columns];
        }
        print_cells(table, widest, stream);
    }
    for (size_t i = 0; i < table->count; i++) {
        free(table->cell[i]);
    }
    free(table->cell);
    free(widest);
    *table = (cli_table){0};
    return failed ? cli_no_memory() : CLI_DONE;
}
