/* Which line of a CSV file has the names of its columns.
 *
 * It is the first one, unless the first is followed by lines of another width, or a later line alone has the name of a time. Then it is the
 * first line of words of which all that follow have the width. */
#include "data/csv_heading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/context.h"
#include "base/number.h"
#include "data/column_guess.h"
#include "data/text.h"

enum { MOST_LINES = 30 };

/* Line k of the beginning of the file: the heading, then the rows. */
static const char *line_at(const lf_csv_sample *sample, size_t k)
{
    return k == 0 ? sample->heading.line : sample->row[k - 1].line;
}

/* The share of the lines behind line k that have as many of the separators, or one more or less at the end; 0 where there are none. */
static double share_behind(const lf_csv_sample *sample, size_t k, char separator)
{
    size_t expected = lf_csv_count_separators(line_at(sample, k), separator), agree = 0, behind = sample->count - k;
    for (size_t i = k + 1; i <= sample->count; i++) {
        size_t found = lf_csv_count_separators(line_at(sample, i), separator);
        agree += found > 0 && found + 1 >= expected && found <= expected + 1;
    }
    return expected > 0 && behind > 0 ? (double)agree / (double)behind : 0;
}

/* The separator with the largest share behind line k. */
static char best_separator(const lf_csv_sample *sample, size_t k, double *share)
{
    static const char candidates[] = "\t;|,";
    char best = ',';
    *share = 0;
    for (const char *c = candidates; *c; c++) {
        double found = share_behind(sample, k, *c);
        if (found > *share) {
            *share = found;
            best = *c;
        }
    }
    return best;
}

/* What the fields of a line are. */
typedef struct fields {
    size_t words, values, empty;
    int has_time;
} fields;

static fields look_at(const char *line, char separator)
{
    fields f = {0};
    while (line) {
        const char *end = strchr(line, separator);
        size_t length = end ? (size_t)(end - line) : strlen(line);
        const char *rest = end ? end + 1 : NULL;
        while (length > 0 && strchr(" \"\t", *line)) {
            line++;
            length--;
        }
        while (length > 0 && strchr(" \"\t\r", line[length - 1])) {
            length--;
        }
        char name[64];
        lf_timestamp stamp;
        double number;
        snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), line);
        for (char *comma = strchr(name, ','); comma && separator != ','; comma = NULL) {
            *comma = '.'; /* a decimal comma */
        }
        int value = length > 0 && (lf_parse_number(name, strlen(name), &number) ||
                                   lf_parse_timestamp(name, strlen(name), &stamp) != LF_NOT_A_TIMESTAMP ||
                                   (*name >= '0' && *name <= '9'));
        f.empty += length == 0;
        f.values += (size_t)value;
        f.words += length > 0 && !value;
        f.has_time = f.has_time || lf_guess_is_time_name(name);
        line = rest;
    }
    return f;
}

size_t lf_csv_lines_before(const lf_csv_sample *sample, char separator)
{
    double share;
    char first = separator ? separator : best_separator(sample, 0, &share);
    share = separator ? share_behind(sample, 0, first) : share;
    fields heading = look_at(line_at(sample, 0), first);
    int fits = share >= 0.5, is_table = fits && heading.has_time;
    for (size_t k = 1; k + 1 <= sample->count && k <= MOST_LINES && !is_table && separator != ' '; k++) {
        char c = separator ? separator : best_separator(sample, k, &share);
        share = separator ? share_behind(sample, k, c) : share;
        if (share < 0.9) {
            continue;
        }
        fields names = look_at(line_at(sample, k), c), row = look_at(line_at(sample, k + 1), c);
        fields below = k + 2 <= sample->count ? look_at(line_at(sample, k + 2), c) : row;
        if (names.words > 1 && names.values == 0 && names.empty <= 1 && (row.values > 0 || below.values > 0) &&
            (!fits || names.has_time)) {
            return k;
        }
        if (row.values > 0 && names.values > 0 && share >= 0.9) {
            return 0; /* rows have begun */
        }
    }
    return 0;
}

/* ---- units ---- */

static int is_unit(const char *text, size_t length)
{
    static const char *const words[] = {"-",   "degC",  "degF", "deg C", "m2",         "m3",      "kts",  "knots",
                                        "mph", "inHg",  "none", "date",  "yyyy-mm-dd", "m/s",     "W/m2", "rpm",
                                        "ohm", "sec",   "a",    "µm",    "datetime",   "degrees", "year", "hour",
                                        "day", "count", "1",    "kPa",   "kn",         "mbar",    "UTC",  "Celsius"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i]) == length && strncasecmp(text, words[i], length) == 0) {
            return 1;
        }
    }
    char first = length > 2 ? *text : '\0', last = length > 2 ? text[length - 1] : '\0';
    if ((first == '[' && last == ']') || (first == '(' && last == ')')) {
        return 1;
    }
    return lf_looks_like_unit(text, length);
}

int lf_csv_has_units(const lf_csv_sample *sample)
{
    size_t units = 0, numbers = 0;
    for (size_t k = 0; sample->count > 1 && k < sample->row[0].fields.count; k++) {
        const lf_csv_field *cell = &sample->row[0].fields.field[k];
        double number;
        if (cell->length > 0 && (lf_csv_number(sample->decimal, cell, &number) || !is_unit(cell->text, cell->length))) {
            return 0;
        }
        units += cell->length > 0;
        cell = lf_sample_cell(sample, 1, k);
        numbers += cell && lf_csv_number(sample->decimal, cell, &number);
    }
    return units > 0 && numbers > 0 && sample->row[0].fields.count <= sample->heading.fields.count;
}

lf_status lf_csv_take_units(lf_context *ctx, lf_csv_sample *sample)
{
    lf_csv_row *units = &sample->row[0];
    lf_csv_fields *names = &sample->heading.fields;
    size_t size = 1;
    for (size_t k = 0; k < names->count; k++) {
        size += names->field[k].length + 4 + (k < units->fields.count ? units->fields.field[k].length : 0);
    }
    char *line = calloc(size, 1), *at = line;
    if (!line) {
        return lf_no_memory(ctx);
    }
    for (size_t k = 0; k < names->count; k++) {
        lf_csv_field *name = &names->field[k];
        const char *there, *unit = k < units->fields.count ? units->fields.field[k].text : "";
        size_t there_length, length = k < units->fields.count ? units->fields.field[k].length : 0;
        int bracket = length > 2 && (*unit == '[' || *unit == '(');
        unit += bracket;
        length -= bracket ? 2 : 0;
        lf_split_unit(name->text, name->length, &there, &there_length);
        int added = name->length > 0 && length > 0 && !there && strncmp(unit, "-", length) != 0 &&
                    strncasecmp(unit, "date", 4) != 0 && strncasecmp(unit, "yyyy", 4) != 0;
        int written = added ? sprintf(at, "%s [%.*s]", name->text, (int)length, unit) : sprintf(at, "%s", name->text);
        name->text = at;
        name->length = (size_t)written;
        at += written + 1;
    }
    free(sample->heading.line);
    sample->heading.line = line;
    free(units->line);
    lf_csv_fields_clear(&units->fields);
    memmove(sample->row, sample->row + 1, (sample->count - 1) * sizeof *sample->row);
    sample->count--;
    return LF_OK;
}
