/* Times that several columns hold. The text that they make is read as any other date. */
#include "data/time_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/context.h"
#include "base/utf8.h"
#include "data/column_course.h"
#include "data/column_guess.h"

/* What the names of a part may be, and its numbers. */
static const struct part {
    const char *what;
    const char *names[7];
    int low, high;
} parts[LF_PART_COUNT] = {
    [LF_PART_YEAR] = {"year", {"year", "yr", "yyyy", "jahr"}, 1000, 2999},
    [LF_PART_QUARTER] = {"quarter", {"quarter", "qtr", "qu", "quartal"}, 1, 4},
    [LF_PART_MONTH] = {"month", {"month", "mon", "mo", "mnth", "monat"}, 1, 12},
    [LF_PART_DAY] = {"day of the month", {"day", "dom", "mday", "dd", "tag"}, 1, 31},
    [LF_PART_HOUR] = {"hour", {"hour", "hr", "hh", "stunde"}, 0, 24},
    [LF_PART_MINUTE] = {"minute", {"minute"}, 0, 59},
    [LF_PART_SECOND] = {"second", {"second"}, 0, 60},
};

static int has_name(lf_time_part part, const char *name)
{
    for (size_t i = 0; parts[part].names[i]; i++) {
        if (strcasecmp(name, parts[part].names[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

/* The number of a part: "3", "Q3" of a quarter, "Mar" or "March" of a month. 0 where the cell is none. */
static int read_part(char decimal, const lf_csv_field *cell, lf_time_part part, int *value)
{
    static const char *const months[] = {"January", "February", "March",     "April",   "May",      "June",
                                         "July",    "August",   "September", "October", "November", "December"};
    double number;
    lf_csv_field digits = *cell;
    if (part == LF_PART_QUARTER && cell->kind == LF_FIELD_TEXT && cell->length == 2 &&
        (*cell->text == 'Q' || *cell->text == 'q')) {
        digits.text++;
        digits.length--;
    }
    for (int i = 0; part == LF_PART_MONTH && cell->kind == LF_FIELD_TEXT && i < 12; i++) {
        if (strcasecmp(cell->text, months[i]) == 0 ||
            (cell->length == 3 && strncasecmp(cell->text, months[i], 3) == 0)) {
            *value = i + 1;
            return 1;
        }
    }
    if (!lf_csv_number(decimal, &digits, &number) || number != floor(number) || number < parts[part].low ||
        number > parts[part].high) {
        return 0;
    }
    *value = (int)number;
    return 1;
}

/* The column of that name whose first rows fit. */
static size_t find_part(const lf_column_finder *f, lf_time_part part)
{
    const lf_csv_sample *sample = f->sample;
    for (size_t i = 0; i < f->columns->count; i++) {
        size_t fit = 0, other = 0;
        int value;
        if (f->columns->column[i].role != LF_COLUMN_UNKNOWN || !has_name(part, f->columns->column[i].name)) {
            continue;
        }
        for (size_t r = 0; r < sample->count; r++) {
            const lf_csv_fields *fields = &sample->row[r].fields;
            if (i < fields->count && fields->field[i].length > 0) {
                int fits = read_part(sample->decimal, &fields->field[i], part, &value);
                fit += (size_t)fits;
                other += !fits;
            }
        }
        if (fit > 0 && other == 0) {
            return i;
        }
    }
    return LF_NO_COLUMN;
}

int lf_is_part_of_date(const lf_column_finder *f, size_t column)
{
    const char *name = f->columns->column[column].name;
    return (has_name(LF_PART_DAY, name) && find_part(f, LF_PART_DAY) == column &&
            find_part(f, LF_PART_MONTH) != LF_NO_COLUMN) ||
           (has_name(LF_PART_HOUR, name) && find_part(f, LF_PART_HOUR) == column &&
            find_part(f, LF_PART_DAY) != LF_NO_COLUMN);
}

int lf_is_year(const lf_column_finder *f, size_t column)
{
    return has_name(LF_PART_YEAR, f->columns->column[column].name) && find_part(f, LF_PART_YEAR) == column;
}

lf_status lf_find_time_parts(const lf_column_finder *f, int *found)
{
    lf_csv_columns *columns = f->columns;
    size_t column[LF_PART_COUNT];
    *found = 0;
    for (lf_time_part p = 0; p < LF_PART_COUNT;
         p++) { /* each part needs the one before it; a quarter stands for itself */
        lf_time_part larger = p == LF_PART_MONTH ? LF_PART_YEAR : p - 1;
        int wanted = p == LF_PART_YEAR || (larger != LF_PART_QUARTER && column[larger] != LF_NO_COLUMN);
        column[p] = wanted ? find_part(f, p) : LF_NO_COLUMN;
    }
    if (column[LF_PART_MONTH] != LF_NO_COLUMN) {
        column[LF_PART_QUARTER] = LF_NO_COLUMN;
    }
    if (column[LF_PART_MONTH] == LF_NO_COLUMN && column[LF_PART_QUARTER] == LF_NO_COLUMN) {
        return LF_OK;
    }
    *found = 1;
    columns->x[0] = column[LF_PART_YEAR];
    columns->input_dim = 1;
    for (lf_time_part p = 0; p < LF_PART_COUNT; p++) {
        columns->part[p] = column[p];
        if (column[p] != LF_NO_COLUMN) {
            columns->column[column[p]].role = LF_COLUMN_KNOWN;
        }
    }
    if (column[LF_PART_MONTH] != LF_NO_COLUMN) { /* derived from it */
        size_t quarter = find_part(f, LF_PART_QUARTER);
        if (quarter != LF_NO_COLUMN) {
            columns->column[quarter].role = LF_COLUMN_DROPPED;
        }
    }
    for (size_t i = 0;
         column[LF_PART_DAY] != LF_NO_COLUMN && column[LF_PART_HOUR] == LF_NO_COLUMN && i < columns->count; i++) {
        if (columns->column[i].role == LF_COLUMN_UNKNOWN && lf_guess_kind(f->sample, i) == LF_GUESS_TIME_OF_DAY) {
            columns->column[i].role = LF_COLUMN_KNOWN;
            columns->time_of_day = i;
            break;
        }
    }
    char names[300] = "";
    for (lf_time_part p = 0; p < LF_PART_COUNT; p++) {
        size_t used = strlen(names);
        if (column[p] != LF_NO_COLUMN) {
            snprintf(names + used, sizeof names - used, "%s%.*s", used ? ", " : "",
                     LF_CUT(40, columns->column[column[p]].name));
        }
    }
    lf_note(f->ctx, "%s: the columns %s together are the time; --time COL names another", f->reader->name, names);
    return LF_OK;
}

void lf_find_time_of_day(const lf_column_finder *f)
{
    lf_csv_columns *columns = f->columns;
    if (columns->input_dim != 1 || columns->x[0] == LF_NO_COLUMN ||
        lf_guess_kind(f->sample, columns->x[0]) != LF_GUESS_DATE) {
        return;
    }
    for (size_t i = 0; i < columns->count; i++) {
        lf_csv_column *column = &columns->column[i];
        if (column->role == LF_COLUMN_UNKNOWN && lf_guess_kind(f->sample, i) == LF_GUESS_TIME_OF_DAY) {
            column->role = LF_COLUMN_KNOWN;
            columns->time_of_day = i;
            return;
        }
    }
    size_t hour = find_part(f, LF_PART_HOUR);
    if (hour != LF_NO_COLUMN && lf_guess_repeats(f->sample, columns->x[0])) {
        columns->column[hour].role = LF_COLUMN_KNOWN;
        columns->part[LF_PART_HOUR] = hour;
    }
}

/* ---- rows ---- */

static lf_status fail_part(const lf_table_reader *t, lf_time_part part, size_t column)
{
    char problem[80];
    snprintf(problem, sizeof problem, "is not the number of a %s (%d to %d)", parts[part].what, parts[part].low,
             parts[part].high);
    return lf_cell_fail(t, column, problem, NULL);
}

lf_status lf_time_cell(const lf_table_reader *t, char buffer[80], lf_csv_field *cell)
{
    const lf_csv_columns *columns = &t->columns;
    const lf_csv_fields *row = t->row;
    int value[LF_PART_COUNT] = {0}, is_date = columns->part[LF_PART_YEAR] == LF_NO_COLUMN;
    char text[LF_TIMESTAMP_SIZE], date[40], clock[40] = "";
    *cell = row->field[columns->x[0]];
    if (columns->time_of_day == LF_NO_COLUMN && is_date && columns->part[LF_PART_HOUR] == LF_NO_COLUMN) {
        return LF_OK;
    }
    if (columns->time_of_day != LF_NO_COLUMN && row->field[columns->time_of_day].length == 0) {
        return lf_cell_fail(t, columns->time_of_day, "has no value", NULL);
    }
    for (lf_time_part p = 0; p < LF_PART_COUNT; p++) {
        size_t column = columns->part[p];
        if (column != LF_NO_COLUMN && !read_part(t->sample.decimal, &row->field[column], p, &value[p])) {
            return fail_part(t, p, column);
        }
    }
    if (is_date) {
        snprintf(date, sizeof date, "%.30s", lf_field_text(cell, text));
    } else {
        int month =
            columns->part[LF_PART_QUARTER] != LF_NO_COLUMN ? 3 * value[LF_PART_QUARTER] - 2 : value[LF_PART_MONTH];
        snprintf(date, sizeof date, "%04d-%02d-%02d", value[LF_PART_YEAR], month,
                 columns->part[LF_PART_DAY] != LF_NO_COLUMN ? value[LF_PART_DAY] : 1);
    }
    if (columns->time_of_day != LF_NO_COLUMN) {
        snprintf(clock, sizeof clock, "T%.30s", lf_field_text(&row->field[columns->time_of_day], text));
    } else if (columns->part[LF_PART_HOUR] != LF_NO_COLUMN) {
        snprintf(clock, sizeof clock, "T%02d:%02d:%02d", value[LF_PART_HOUR], value[LF_PART_MINUTE],
                 value[LF_PART_SECOND]);
    }
    int written = snprintf(buffer, 80, "%s%s", date, clock);
    *cell = (lf_csv_field){.text = buffer, .length = written > 0 ? (size_t)written : 0};
    return LF_OK;
}
