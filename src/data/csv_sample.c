/* Recognises the separator and the decimal mark of a CSV file from its first lines.
 *
 * Separator: a character of the heading that occurs equally often, outside quotes, in the rows. Decimal mark: a comma if
 * cells look like 1,5 and none like 1.5. What the lines do not show is not guessed: it is an error that names the option. */
#include "data/csv_sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "base/utf8.h"
#include "data/csv_heading.h"
#include "data/text.h"

static int is_comment(const char *line)
{
    while (*line == ' ' || *line == '\t') {
        line++;
    }
    return *line == '#';
}

lf_status lf_csv_next_line(lf_context *ctx, lf_line_reader *reader, char **line, size_t *length)
{
    lf_status status;
    do {
        status = lf_lines_next(ctx, reader, line, length);
    } while (!status && *line && is_comment(*line));
    return status;
}

/* ---- separator ---- */

size_t lf_csv_count_separators(const char *line, char c)
{
    size_t count = 0;
    int quoted = 0;
    for (; *line; line++) {
        quoted ^= *line == '"';
        count += !quoted && *line == c;
    }
    return count;
}

/* The number of words between runs of blanks, outside quotes. */
static size_t count_words(const char *line)
{
    size_t count = 0;
    int quoted = 0, blank = 1;
    for (; *line; line++) {
        quoted ^= *line == '"';
        int is_blank = !quoted && (*line == ' ' || *line == '\t');
        count += blank && !is_blank;
        blank = is_blank;
    }
    return count;
}

/* The share of the rows in which the character occurs as often as in the heading, or once more or less at the end. */
static double consistency(const lf_csv_sample *sample, char c)
{
    size_t expected = lf_csv_count_separators(sample->heading.line, c), agree = 0;
    for (size_t i = 0; i < sample->count; i++) {
        size_t found = lf_csv_count_separators(sample->row[i].line, c);
        agree += found > 0 && found + 1 >= expected && found <= expected + 1;
    }
    return sample->count ? (double)agree / (double)sample->count : 1;
}

static char recognise_separator(const lf_csv_sample *sample)
{
    static const char candidates[] = "\t;|,"; /* commas occur in numbers and texts too, so they come last */
    double best = 0;
    char separator = ',';
    for (const char *c = candidates; *c; c++) {
        double share = lf_csv_count_separators(sample->heading.line, *c) > 0 ? 1e-9 + consistency(sample, *c) : 0;
        if (share > best) {
            best = share;
            separator = *c;
        }
    }
    size_t words = count_words(sample->heading.line);
    for (size_t i = 0; i < sample->count && best == 0 && words > 1; i++) {
        words = count_words(sample->row[i].line) == words ? words : 1;
    }
    return best == 0 && words > 1 && sample->count > 0 ? ' ' : separator;
}

/* The separator that the option says; unchanged where word is NULL. */
static lf_status take_separator(lf_context *ctx, const char *word, char *separator)
{
    static const struct {
        const char *word;
        char separator;
    } words[] = {{"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"\\t", '\t'}, {"pipe", '|'}, {"space", ' '}};
    for (size_t i = 0; word && i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i].word) == 0) {
            *separator = words[i].separator;
            return LF_OK;
        }
    }
    if (word && (strlen(word) != 1 || strchr("\"#.+-", *word) || (*word >= '0' && *word <= '9'))) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT,
                       "--separator '%s': expected comma, semicolon, tab, pipe, space or one character", word);
    }
    *separator = word ? *word : *separator;
    return LF_OK;
}

/* ---- decimal mark ---- */

static size_t skip_digits(const char *text) { return strspn(text, "0123456789"); }

/* Whether a cell is digits, the mark, digits, with an optional sign and exponent; *after: digits behind the mark. */
static int is_decimal(const char *text, char mark, size_t *after)
{
    text += *text == '-' || *text == '+';
    size_t before = skip_digits(text);
    text += before;
    if (*text != mark) {
        return 0;
    }
    *after = skip_digits(text + 1);
    text += 1 + *after;
    if (*after > 0 && (*text == 'e' || *text == 'E')) {
        text += 1 + (text[1] == '-' || text[1] == '+');
        size_t digits = skip_digits(text);
        return digits > 0 && text[digits] == '\0';
    }
    return *after > 0 && *text == '\0';
}

lf_status lf_csv_choose_decimal(lf_context *ctx, lf_line_reader *reader, const char *word, lf_csv_sample *sample)
{
    const lf_csv_row *comma = NULL;
    const char *cell_with_comma = NULL;
    int points = 0, thousands = 1;
    if (word && strcmp(word, ",") != 0 && strcmp(word, ".") != 0 && strcmp(word, "comma") != 0 &&
        strcmp(word, "point") != 0) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "--decimal '%s': expected , (comma) or . (point)", word);
    }
    sample->decimal = !word ? '.' : *word == ',' || *word == 'c' ? LF_COMMA_AND_GROUPS : LF_POINT_AND_GROUPS;
    for (size_t i = 0; i < sample->count && !word; i++) {
        for (size_t k = 0; k < sample->row[i].fields.count; k++) {
            const char *text = sample->row[i].fields.field[k].text;
            size_t after;
            points = points || is_decimal(text, '.', &after);
            if (is_decimal(text, ',', &after)) {
                thousands = thousands && after == 3;
                comma = comma ? comma : &sample->row[i];
                cell_with_comma = cell_with_comma ? cell_with_comma : text;
            }
        }
    }
    if (!comma) {
        return LF_OK;
    }
    reader->line = comma->number;
    if (points) {
        return lf_line_fail(
            ctx, reader,
            "'%s' has a decimal comma, but other cells have decimal points; say which one is meant with "
            "--decimal , or --decimal .",
            cell_with_comma);
    }
    if (thousands && sample->separator == ',') {
        return lf_line_fail(ctx, reader,
                            "'%s' may have a decimal comma or a separator of thousands; say that it is a decimal comma "
                            "with --decimal , or a separator of thousands with --decimal .",
                            cell_with_comma);
    }
    sample->decimal = ',';
    return LF_OK;
}

char lf_thousands_mark(const char *text)
{
    text += *text == '-' || *text == '+';
    size_t before = skip_digits(text), after;
    char mark = text[before], *other = mark == ',' ? "." : ",";
    if (before < 1 || before > 3 || *text == '0' || (mark != ',' && mark != '.')) {
        return '\0';
    }
    text += before;
    while (*text == mark) {
        if (skip_digits(text + 1) != 3) {
            return '\0';
        }
        text += 4;
    }
    return *text == '\0' || (*text == *other && (after = skip_digits(text + 1)) > 0 && text[1 + after] == '\0') ? mark
                                                                                                                : '\0';
}

/* The text without separators of thousands, and with a decimal point; 0 where it has none, or is too long. */
static int remove_groups(char decimal, const lf_csv_field *cell, char text[64])
{
    char groups = decimal == LF_COMMA_AND_GROUPS ? '.' : ',';
    size_t used = 0;
    if (cell->length >= 64 || lf_thousands_mark(cell->text) != groups) {
        return 0;
    }
    for (const char *c = cell->text; *c; c++) {
        if (*c != groups) {
            text[used++] = *c == ',' ? '.' : *c;
        }
    }
    text[used] = '\0';
    return 1;
}

int lf_csv_number(char decimal, const lf_csv_field *cell, double *value)
{
    char text[64];
    int with_groups = decimal == LF_COMMA_AND_GROUPS || decimal == LF_POINT_AND_GROUPS;
    if (cell->kind != LF_FIELD_TEXT) {
        *value = cell->number;
        return cell->kind == LF_FIELD_NUMBER && isfinite(cell->number);
    }
    if (with_groups && remove_groups(decimal, cell, text)) {
        return lf_parse_number(text, strlen(text), value);
    }
    if (decimal == '.' || decimal == LF_POINT_AND_GROUPS) {
        return lf_parse_number(cell->text, cell->length, value);
    }
    const char *comma = strchr(cell->text, ',');
    if (cell->length >= sizeof text || strchr(cell->text, '.')) {
        return 0;
    }
    memcpy(text, cell->text, cell->length + 1);
    if (comma) {
        text[comma - cell->text] = '.';
    }
    return lf_parse_number(text, cell->length, value);
}

int lf_csv_percentage(char decimal, const lf_csv_field *cell, double *value)
{
    char text[64];
    size_t length = cell->length;
    if (cell->kind != LF_FIELD_TEXT || length < 2 || length >= sizeof text || cell->text[length - 1] != '%') {
        return 0;
    }
    for (length--; length > 1 && cell->text[length - 1] == ' ';) {
        length--;
    }
    memcpy(text, cell->text, length);
    text[length] = '\0';
    return lf_csv_number(decimal, &(lf_csv_field){.text = text, .length = length}, value);
}

lf_timestamp_kind lf_sample_date(const lf_csv_sample *sample, const lf_csv_field *cell, lf_timestamp *stamp)
{
    char buffer[LF_TIMESTAMP_SIZE];
    if (!sample->time_format || cell->kind == LF_FIELD_DATE) {
        return lf_field_date(cell, stamp);
    }
    const char *text = lf_field_text(cell, buffer);
    return lf_parse_formatted(text, strlen(text), sample->time_format, stamp);
}

/* ---- reading ---- */

static lf_status keep(lf_context *ctx, const lf_line_reader *reader, const char *line, lf_csv_row *row)
{
    *row = (lf_csv_row){.line = lf_copy_string(line), .number = reader->line, .start = reader->start};
    return row->line ? LF_OK : lf_no_memory(ctx);
}

static lf_status read_lines(lf_context *ctx, lf_line_reader *reader, lf_csv_sample *sample, char **comment)
{
    lf_status status = LF_OK;
    while (!status && sample->count < LF_SAMPLE_ROWS) {
        char *line;
        size_t length;
        status = lf_lines_next(ctx, reader, &line, &length);
        if (status || !line) {
            return status;
        }
        if (!sample->heading.line && reader->line == 1 && strncmp(line, "sep=", 4) == 0 && length == 5) {
            sample->separator = line[4]; /* spreadsheets write this line */
        } else if (is_comment(line)) {
            if (!sample->heading.line) {
                free(*comment);
                *comment = lf_copy_string(strchr(line, '#') + 1);
                status = *comment ? LF_OK : lf_no_memory(ctx);
            }
        } else if (!sample->heading.line) {
            status = keep(ctx, reader, line, &sample->heading);
        } else {
            status = keep(ctx, reader, line, &sample->row[sample->count]);
            sample->count += !status;
        }
    }
    return status;
}

static lf_status split(lf_context *ctx, lf_line_reader *reader, char separator, lf_csv_row *row)
{
    reader->line = row->number;
    return lf_csv_split(ctx, reader, separator, row->line, strlen(row->line), &row->fields);
}

/* The lines before the names of the columns leave the sample. */
static void skip_lines(lf_context *ctx, const lf_line_reader *reader, size_t lines, lf_csv_sample *sample)
{
    if (lines == 0) {
        return;
    }
    char shown[60];
    snprintf(shown, sizeof shown, "%.*s", LF_CUT(50, sample->heading.line));
    free(sample->heading.line);
    for (size_t i = 0; i + 1 < lines; i++) {
        free(sample->row[i].line);
    }
    sample->heading = sample->row[lines - 1];
    sample->count -= lines;
    memmove(sample->row, sample->row + lines, sample->count * sizeof *sample->row);
    memset(sample->row + sample->count, 0, lines * sizeof *sample->row);
    lf_shown_text text;
    lf_note(ctx, "%s: the names of the columns are in line %zu; the lines before it ('%s') are not read", reader->name,
            sample->heading.number, lf_shown(&text, shown, strlen(shown)));
}

/* Text that is no table at all. */
static const char *other_text(const char *line)
{
    line += strspn(line, " \t");
    return *line == '{'   ? "JSON, not a table"
           : *line == '[' ? "JSON, not a table"
           : *line == '<' ? "HTML or XML, not a table"
                          : NULL;
}

/* Whether a row holds numbers and dates only, so that it is no heading. */
static int is_all_values(char decimal, const lf_csv_fields *fields)
{
    size_t values = 0;
    for (size_t k = 0; k < fields->count; k++) {
        const lf_csv_field *cell = &fields->field[k];
        lf_timestamp stamp;
        double number;
        if (cell->length > 0 && !lf_csv_number(decimal, cell, &number) &&
            lf_field_date(cell, &stamp) == LF_NOT_A_TIMESTAMP) {
            return 0;
        }
        values += cell->length > 0;
    }
    return values > 0;
}

/* A file without a heading, whose last comment may be one. */
static lf_status take_comment_as_heading(lf_context *ctx, lf_line_reader *reader, const char *comment,
                                         lf_csv_sample *sample)
{
    lf_csv_row heading = {0};
    lf_status status = comment ? keep(ctx, reader, comment, &heading) : LF_OK;
    heading.number = sample->heading.number;
    if (!status && comment) {
        status = split(ctx, reader, sample->separator, &heading);
    }
    if (!status && comment && heading.fields.count == sample->heading.fields.count && heading.fields.count > 1 &&
        !is_all_values(sample->decimal, &heading.fields)) {
        memmove(sample->row + 1, sample->row, sample->count * sizeof *sample->row);
        sample->row[0] = sample->heading;
        sample->count++;
        sample->heading = heading;
        return LF_OK;
    }
    free(heading.line);
    lf_csv_fields_clear(&heading.fields);
    if (status) {
        return status;
    }
    char shown[200] = "";
    for (size_t k = 0; k < sample->heading.fields.count && strlen(shown) < 100; k++) {
        lf_shown_text cell;
        const lf_csv_field *field = &sample->heading.fields.field[k];
        strncat(shown, k ? ", " : "", sizeof shown - strlen(shown) - 1);
        strncat(shown, lf_shown(&cell, field->text, field->length), sizeof shown - strlen(shown) - 1);
    }
    reader->line = sample->heading.number;
    return lf_line_fail(ctx, reader,
                        "the file has no header: its first line is %s. Add a line with the names of the columns, "
                        "for example time,a,b",
                        shown);
}

lf_status lf_csv_sample_read(lf_context *ctx, lf_line_reader *reader, const char *separator, const char *decimal,
                             lf_csv_sample *sample)
{
    char *comment = NULL;
    *sample = (lf_csv_sample){0};
    lf_status status = read_lines(ctx, reader, sample, &comment);
    size_t line = reader->line;
    if (!status && !sample->heading.line) {
        status = lf_fail(ctx, LF_ERROR_DATA, "%s: the file is empty", reader->name);
    }
    const char *other = !status ? other_text(sample->heading.line) : NULL;
    if (other) {
        status = lf_fail(ctx, LF_ERROR_DATA, "%s: the file is %s", reader->name, other);
    }
    LF_TRY(status, take_separator(ctx, separator, &sample->separator));
    if (!status) {
        skip_lines(ctx, reader, lf_csv_lines_before(sample, sample->separator), sample);
        sample->separator = sample->separator ? sample->separator : recognise_separator(sample);
    }
    LF_TRY(status, split(ctx, reader, sample->separator, &sample->heading));
    for (size_t i = 0; i < sample->count && !status; i++) {
        status = split(ctx, reader, sample->separator, &sample->row[i]);
    }
    LF_TRY(status, lf_csv_choose_decimal(ctx, reader, decimal, sample));
    if (!status && is_all_values(sample->decimal, &sample->heading.fields)) {
        status = take_comment_as_heading(ctx, reader, comment, sample);
    } else if (!status && lf_csv_has_units(sample)) {
        lf_note(ctx, "%s:%zu: the row below the names is read as their units", reader->name, sample->row[0].number);
        status = lf_csv_take_units(ctx, sample);
    }
    if (!status) {
        reader->line = line;
    }
    free(comment);
    return status;
}

void lf_csv_sample_clear(lf_csv_sample *sample)
{
    free(sample->heading.line);
    lf_csv_fields_clear(&sample->heading.fields);
    for (size_t i = 0; i < sample->count; i++) {
        free(sample->row[i].line);
        lf_csv_fields_clear(&sample->row[i].fields);
    }
    *sample = (lf_csv_sample){0};
}
