/* Reads the header of a data file. Long shape: one column is named `output`; the other columns are identified by their
 * names and come in any order. Wide shape: every other header, unless only inputs are to be read. */
#include "data/csv_header.h"

#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "data/names.h"
#include "data/text.h"

static int is_named(const lf_csv_field *field, const char *name) { return strcmp(field->text, name) == 0; }

/* k of a column named "xk", k >= 1 without leading zeros; 0 for any other name; LF_NO_COLUMN for a huge k. */
static size_t input_number(const lf_csv_field *field)
{
    const char *digits = field->text + 1;
    if (field->text[0] != 'x' || *digits < '1' || *digits > '9' || strspn(digits, "0123456789") != field->length - 1) {
        return 0;
    }
    return field->length > 9 ? LF_NO_COLUMN : (size_t)strtoul(digits, NULL, 10);
}

static lf_status check_repeats(lf_context *ctx, const lf_line_reader *reader, const lf_csv_header *header)
{
    lf_names seen = {0};
    lf_status status = LF_OK;
    for (size_t i = 0; i < header->columns.count && status == LF_OK; i++) {
        const lf_csv_field *name = &header->columns.field[i];
        if (name->length == 0) {
            continue;
        }
        if (lf_names_find(&seen, name->text, name->length) >= 0) {
            lf_shown_text shown;
            status =
                lf_line_fail(ctx, reader, "two columns are named '%s'", lf_shown(&shown, name->text, name->length));
        } else if (lf_names_add(&seen, name->text, name->length) < 0) {
            status = lf_no_memory(ctx);
        }
    }
    lf_names_clear(&seen);
    return status;
}

static lf_status read_wide(lf_context *ctx, const lf_line_reader *reader, lf_csv_header *header)
{
    header->wide = 1;
    header->input_dim = 1;
    header->x[0] = 0;
    if (header->columns.count < 2) {
        return lf_line_fail(ctx, reader,
                            "the header has one column; a data file has output,x,y (one row per observation) or an "
                            "input and one column per output");
    }
    for (size_t i = 1; i < header->columns.count; i++) {
        const lf_csv_field *name = &header->columns.field[i];
        const char *problem = lf_name_problem(name->text, name->length);
        if (problem) {
            lf_shown_text shown;
            return lf_line_fail(ctx, reader, "the name of column %zu %s: '%s'", i + 1, problem,
                                lf_shown(&shown, name->text, name->length));
        }
    }
    return LF_OK;
}

/* The field of the header for a column of this name in the long shape; NULL for an unknown name. */
static size_t *column_slot(lf_csv_header *header, const lf_csv_field *name)
{
    struct {
        const char *name;
        size_t *slot;
    } known[] = {{"output", &header->output},
                 {"y", &header->y},
                 {"sd", &header->sd},
                 {"split", &header->split},
                 {"replicate", &header->replicate}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (is_named(name, known[i].name)) {
            return known[i].slot;
        }
    }
    return NULL;
}

/* Finds the columns of the inputs: x, or x1 … xp. */
static lf_status find_inputs(lf_context *ctx, const lf_line_reader *reader, lf_csv_header *header)
{
    size_t single = LF_NO_COLUMN, numbered = 0, largest = 0;
    for (size_t i = 0; i < header->columns.count; i++) {
        header->x[i] = LF_NO_COLUMN;
    }
    for (size_t i = 0; i < header->columns.count; i++) {
        size_t k = input_number(&header->columns.field[i]);
        if (is_named(&header->columns.field[i], "x")) {
            single = i;
        } else if (k > 0) {
            numbered++;
            largest = k > largest ? k : largest;
            if (k <= header->columns.count) {
                header->x[k - 1] = i;
            }
        }
    }
    if (single != LF_NO_COLUMN && numbered > 0) {
        return lf_line_fail(ctx, reader, "the inputs are named both x and x%zu; use x, or x1 to xp", largest);
    }
    if (single == LF_NO_COLUMN && numbered == 0) {
        return lf_line_fail(ctx, reader, "the header has no column x (or x1, x2, ... for several inputs)");
    }
    for (size_t k = 1; k <= numbered; k++) {
        if (header->x[k - 1] == LF_NO_COLUMN) {
            return lf_line_fail(ctx, reader, "column x%zu is missing: inputs are numbered from x1 without gaps", k);
        }
    }
    if (numbered == 0) {
        header->x[0] = single;
    }
    header->input_dim = numbered ? (int)numbered : 1;
    return LF_OK;
}

static lf_status read_long(lf_context *ctx, const lf_line_reader *reader, const lf_read_options *options,
                           lf_csv_header *header)
{
    for (size_t i = 0; i < header->columns.count; i++) {
        const lf_csv_field *name = &header->columns.field[i];
        size_t *slot = column_slot(header, name);
        if (slot) {
            *slot = i;
        } else if (!is_named(name, "x") && input_number(name) == 0) {
            if (options->inputs_only && header->columns.count == 1) {
                header->input_dim = 1;
                header->x[0] = 0;
                return LF_OK;
            }
            if (!options->ignore_columns) {
                lf_shown_text shown;
                return lf_line_fail(ctx, reader,
                                    "unknown column '%s' (column %zu): the known columns are %s; pass "
                                    "--ignore-columns to drop it",
                                    lf_shown(&shown, name->text, name->length), i + 1,
                                    options->inputs_only ? "x or x1, x2, ..., output and replicate"
                                                         : "output, x or x1, x2, ..., y, sd, split and replicate");
            }
        }
    }
    if (options->inputs_only) {
        header->y = header->sd = header->split = LF_NO_COLUMN;
    } else if (header->y == LF_NO_COLUMN) {
        return lf_line_fail(ctx, reader, "the header has no column y");
    }
    return find_inputs(ctx, reader, header);
}

lf_status lf_csv_header_read(lf_context *ctx, lf_line_reader *reader, const lf_read_options *options,
                             lf_csv_header *header)
{
    *header = (lf_csv_header){.output = LF_NO_COLUMN,
                              .y = LF_NO_COLUMN,
                              .sd = LF_NO_COLUMN,
                              .split = LF_NO_COLUMN,
                              .replicate = LF_NO_COLUMN};
    char *line;
    size_t length;
    lf_status status = lf_lines_next(ctx, reader, &line, &length);
    if (status != LF_OK) {
        return status;
    }
    if (!line) {
        return lf_fail(ctx, LF_ERROR_DATA, "%s: the file is empty", reader->name);
    }
    header->line = lf_copy_string(line);
    if (!header->line) {
        return lf_no_memory(ctx);
    }
    status = lf_csv_split(ctx, reader, header->line, length, &header->columns);
    if (status == LF_OK) {
        header->x = malloc(header->columns.count * sizeof *header->x);
        status = header->x ? check_repeats(ctx, reader, header) : lf_no_memory(ctx);
    }
    if (status != LF_OK) {
        return status;
    }
    int has_output_column = 0;
    for (size_t i = 0; i < header->columns.count; i++) {
        has_output_column = has_output_column || is_named(&header->columns.field[i], "output");
    }
    return has_output_column || options->inputs_only ? read_long(ctx, reader, options, header)
                                                     : read_wide(ctx, reader, header);
}

void lf_csv_header_clear(lf_csv_header *header)
{
    free(header->line);
    free(header->x);
    lf_csv_fields_clear(&header->columns);
}
