/* Numbers that are dates or years: 20190131, 197401, 1974.083, and the day numbers of spreadsheets. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/context.h"
#include "base/number.h"
#include "data/column_guess.h"
#include "data/table_reader.h"

/* The number of a row of the sample; 0: the cell is empty; -1: it is no number. */
static int sampled(const lf_table_reader *t, size_t row, double *number)
{
    const lf_csv_fields *fields = &t->sample.row[row].fields;
    size_t column = t->columns.x[0];
    if (column >= fields->count || fields->field[column].length == 0) {
        return 0;
    }
    return lf_csv_number(t->sample.decimal, &fields->field[column], number) ? 1 : -1;
}

/* Whether a number is a date in this form. */
static int is_date(double number, const char *format)
{
    char text[LF_NUMBER_SIZE];
    lf_timestamp stamp;
    lf_format_number(number, text);
    int year = (int)(number / (strlen(format) > 4 ? 1e4 : 1e2));
    return strlen(text) == (strlen(format) > 4 ? 8 : 6) && year >= 1600 && year <= 2200 &&
           lf_parse_formatted(text, strlen(text), format, &stamp) == LF_TIMESTAMP;
}

static int is_called(const char *name, const char *const *words)
{
    for (; *words; words++) {
        size_t length = strlen(*words);
        if (strncasecmp(name, *words, length) == 0 && !isalpha((unsigned char)name[length])) {
            return 1;
        }
    }
    return 0;
}

const char *lf_find_compact_dates(const lf_table_reader *t)
{
    static const char *const formats[] = {"%Y%m%d", "%Y%m"};
    static const char *const words[] = {"date",   "datum",    "day", "month",     "period",
                                        "yyyymm", "yyyymmdd", "ym",  "yearmonth", NULL};
    const char *name = t->columns.column[t->columns.x[0]].name;
    int named = is_called(name, words) || lf_guess_is_time_name(name) || t->data->axes[0].dated;
    for (size_t k = 0; k < 2; k++) {
        size_t count = 0, carries = 0; /* where the months or days begin anew */
        int all = 1, known;
        double number, last = NAN, most = k == 0 ? 31 : 12;
        for (size_t i = 0; i < t->sample.count && all; i++) {
            known = sampled(t, i, &number);
            all = known == 0 || (known > 0 && is_date(number, formats[k]));
            carries += known > 0 && number - last > most;
            last = known > 0 ? number : last;
            count += known > 0;
        }
        if (all && count > 0 && (named || (count > 2 && carries > 0))) {
            return formats[k];
        }
    }
    return NULL;
}

void lf_warn_of_numbers(const lf_table_reader *t)
{
    static const char *const dates[] = {"date", "datum", "datetime", "timestamp", NULL};
    static const char *const years[] = {"year",    "years",        "yr",      "date", "time",
                                        "decimal", "decimal year", "decyear", NULL};
    const char *name = t->columns.column[t->columns.x[0]].name;
    double number, first = NAN, low = INFINITY, high = -INFINITY;
    int parts = 0;
    for (size_t i = 0; i < t->sample.count; i++) {
        if (sampled(t, i, &number) > 0) {
            first = isnan(first) ? number : first;
            low = fmin(low, number);
            high = fmax(high, number);
            parts = parts || number != floor(number);
        }
    }
    if (is_called(name, years) && parts && low >= 1600 && high < 2200) {
        lf_note(
            t->ctx,
            "%s: the times of '%s' look like years with decimals (%.10g), and are read as plain numbers; --time-in a "
            "says that they are years",
            t->reader.name, name, first);
    } else if (is_called(name, dates) && low >= 15000 && high < 80000 && low < high) {
        const lf_date epoch = {.year = 1899, .month = 12, .day = 30};
        char date[LF_TIMESTAMP_SIZE];
        lf_format_timestamp(lf_date_seconds(&epoch), first * 86400, LF_DATE_ONLY, 0, 0, date);
        lf_warn(t->ctx,
                "%s: the times of '%s' look like day numbers of a spreadsheet (%.10g is %s), and are read as "
                "plain "
                "numbers; save the column as dates there, or give --time-in d: numbers are then days",
                t->reader.name, name, first, date);
    }
}
