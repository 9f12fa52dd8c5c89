/* Recognises the separator and the decimal mark of a CSV file from its first lines.
 *
 * Separator: a character of the heading that occurs equally often, outside quotes, in the rows. Decimal mark: a comma if
 * cells look like 1,5 and none like 1.5. What the lines do not show is not guessed: it is an error that names the option. */
#include "data/csv_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/timestamp.h"
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

static size_t count_outside_quotes(const char *line, char c)
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
    size_t expected = count_outside_quotes(sample->heading.line, c), agree = 0;
    for (size_t i = 0; i < sample->count; i++) {
        size_t found = count_outside_quotes(sample->row[i].line, c);
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
        double share = count_outside_quotes(sample->heading.line, *c) > 0 ? 1e-9 + consistency(sample, *c) : 0;
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

static lf_status choose_separator(lf_context *ctx, const char *word, lf_csv_sample *sample)
{
    static const struct {
        const char *word;
        char separator;
    } words[] = {{"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"\\t", '\t'}, {"pipe", '|'}, {"space", ' '}};
    if (!word) {
        sample->separator = sample->separator ? sample->separator : recognise_separator(sample);
        return LF_OK;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i].word) == 0) {
            sample->separator = words[i].separator;
            return LF_OK;
        }
    }
    if (strlen(word) != 1 || strchr("\"#.+-", *word) || (*word >= '0' && *word <= '9')) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT,
                       "--separator '%s': expected comma, semicolon, tab, pipe, space or one character", word);
    }
    sample->separator = *word;
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
    sample->decimal = word && (*word == ',' || *word == 'c') ? ',' : '.';
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
                            "with --decimal , or remove the separators of thousands",
                            cell_with_comma);
    }
    sample->decimal = ',';
    return LF_OK;
}

int lf_csv_number(char decimal, const lf_csv_field *cell, double *value)
{
    char text[64];
    if (cell->kind != LF_FIELD_TEXT) {
        *value = cell->number;
        return cell->kind == LF_FIELD_NUMBER && isfinite(cell->number);
    }
    const char *comma = decimal == ',' ? strchr(cell->text, ',') : NULL;
    if (decimal == '.') {
        return lf_parse_number(cell->text, cell->length, value);
    }
    if (cell->length >= sizeof text || strchr(cell->text, '.')) {
        return 0;
    }
    memcpy(text, cell->text, cell->length + 1);
    if (comma) {
        text[comma - cell->text] = '.';
    }
    return lf_parse_number(text, cell->length, value);
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
            lf_parse_timestamp(cell->text, cell->length, &stamp) == LF_NOT_A_TIMESTAMP) {
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
    status = status ? status : choose_separator(ctx, separator, sample);
    status = status ? status : split(ctx, reader, sample->separator, &sample->heading);
    for (size_t i = 0; i < sample->count && !status; i++) {
        status = split(ctx, reader, sample->separator, &sample->row[i]);
    }
    status = status ? status : lf_csv_choose_decimal(ctx, reader, decimal, sample);
    if (!status && is_all_values(sample->decimal, &sample->heading.fields)) {
        status = take_comment_as_heading(ctx, reader, comment, sample);
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
