/* What the first rows of a file show about a column. */
#include "data/column_guess.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/timestamp.h"

const lf_csv_field *lf_sample_cell(const lf_csv_sample *sample, size_t row, size_t column)
{
    const lf_csv_fields *fields = &sample->row[row].fields;
    return column < fields->count && fields->field[column].length > 0 ? &fields->field[column] : NULL;
}

lf_guess lf_guess_kind(const lf_csv_sample *sample, size_t column)
{
    for (size_t i = 0; i < sample->count; i++) {
        const lf_csv_field *cell = lf_sample_cell(sample, i, column);
        lf_timestamp stamp;
        double number;
        if (!cell) {
            continue;
        }
        lf_timestamp_kind kind = lf_sample_date(sample, cell, &stamp);
        if (kind != LF_TIMESTAMP && lf_csv_number(sample->decimal, cell, &number)) {
            return LF_GUESS_NUMBER;
        }
        return kind == LF_TIMESTAMP && !stamp.has_time               ? LF_GUESS_DATE
               : kind != LF_NOT_A_TIMESTAMP                          ? LF_GUESS_DATE_TIME
               : lf_parse_time_of_day(cell->text, cell->length) >= 0 ? LF_GUESS_TIME_OF_DAY
                                                                     : LF_GUESS_TEXT;
    }
    return LF_GUESS_NOTHING;
}

int lf_guess_is_index(const lf_csv_sample *sample, size_t column)
{
    double first = 0, number;
    for (size_t i = 0; i < sample->count; i++) {
        const lf_csv_field *cell = lf_sample_cell(sample, i, column);
        if (!cell || !lf_csv_number(sample->decimal, cell, &number)) {
            return 0;
        }
        first = i == 0 ? number : first;
        if ((first != 0 && first != 1) || number != first + (double)i) {
            return 0;
        }
    }
    return sample->count > 0;
}

int lf_guess_is_whole(const lf_csv_sample *sample, size_t column)
{
    for (size_t i = 0; i < sample->count; i++) {
        const lf_csv_field *cell = lf_sample_cell(sample, i, column);
        double number;
        if (!cell || !lf_csv_number(sample->decimal, cell, &number) || number != floor(number)) {
            return 0;
        }
    }
    return sample->count > 0;
}

int lf_guess_is_ragged_count(const lf_csv_sample *sample, size_t column)
{
    double last = 0, step = 0, number;
    int uneven = 0;
    for (size_t i = 0; i < sample->count; i++) {
        const lf_csv_field *cell = lf_sample_cell(sample, i, column);
        if (!cell || !lf_csv_number(sample->decimal, cell, &number) || number != floor(number)) {
            return 0;
        }
        uneven = uneven || (i > 1 && number - last != step);
        step = number - last;
        last = number;
    }
    return uneven;
}

int lf_guess_is_time_name(const char *name)
{
    static const char *const names[] = {"t",       "x",       "ts",       "when",      "hour", "hours",
                                        "minute",  "minutes", "second",   "seconds",   "day",  "days",
                                        "week",    "weeks",   "sec",      "min",       "year", "years",
                                        "elapsed", "epoch",   "datetime", "timestamp", "zeit", "datum"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcasecmp(name, names[i]) == 0) {
            return 1;
        }
    }
    /* "time", "times", "time_s", "Date/Time", but not "timer" */
    size_t start = strncasecmp(name, "time", 4) == 0 || strncasecmp(name, "date", 4) == 0 ? 4 : 0;
    return start > 0 && (!isalpha((unsigned char)name[start]) || strcasecmp(name + start, "s") == 0);
}
