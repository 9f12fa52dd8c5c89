/* Which column of a wide file is the time, where neither an option nor the model says it.
 *
 * A time is a date, or numbers that (nearly) do not repeat within what is one series and go one way. In this order: the only column with dates;
 * year, month and so on together; the first column with the name of a time; the first column. Where none of these is a time, or times start
 * again at each change of another column, nothing is guessed: the error names the columns that may be meant and the options that say it. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/axis.h"
#include "base/context.h"
#include "base/utf8.h"
#include "data/column_course.h"
#include "data/column_guess.h"
#include "data/text.h"
#include "data/time_parts.h"
#include "model/access.h"

static lf_status ask_for_time(const lf_column_finder *f, const char *reason)
{
    char known[400];
    if (f->options->or_rows) {
        f->columns->x[0] = LF_NO_COLUMN;
        f->columns->input_dim = 1;
        return LF_OK;
    }
    lf_list_columns(f, known, sizeof known);
    return lf_line_fail(f->ctx, f->reader,
                        "%s; name the column of the time with --time COL, several inputs with --x A,B, or number the "
                        "rows with --time row. The columns are %s",
                        reason, known);
}

/* Whether a column is a known input, or an output of the model. */
static int is_series(const lf_column_finder *f, size_t i)
{
    const lf_column_options *o = f->options;
    const lf_csv_column *column = &f->columns->column[i];
    return lf_is_known_input(o, column) || (o->model && lf_model_find_output(o->model, column->name) >= 0);
}

static int is_open(const lf_column_finder *f, size_t i)
{
    return f->columns->column[i].role == LF_COLUMN_UNKNOWN && !is_series(f, i);
}

/* The only column with dates, or LF_NO_COLUMN. *several: there is more than one, and the first column is none of them. */
static size_t find_dates(const lf_column_finder *f, int *several)
{
    size_t found = LF_NO_COLUMN, count = 0;
    for (size_t i = 0; i < f->columns->count; i++) {
        lf_guess kind = lf_guess_kind(f->sample, i);
        if (is_open(f, i) && (kind == LF_GUESS_DATE || kind == LF_GUESS_DATE_TIME)) {
            found = count++ ? found : i;
        }
    }
    *several = count > 1 && found > 0;
    return found;
}

/* Whether a column of numbers has the name of a time and no unit of something else, and is no part of a date whose larger part is there. */
static int is_named(const lf_column_finder *f, size_t i)
{
    const char *name = f->columns->column[i].name, *unit = f->columns->column[i].unit;
    int other = unit && *unit && !lf_time_unit(unit) && strcasecmp(name, "x") != 0; /* T [C] */
    return is_open(f, i) && !other && lf_guess_is_time_name(name) && lf_guess_kind(f->sample, i) == LF_GUESS_NUMBER &&
           !lf_is_part_of_date(f, i);
}

/* T may be a temperature: a single letter elsewhere than in front needs times in order. */
static int fits(const lf_column_finder *f, size_t i, size_t start)
{
    lf_course course = lf_guess_course(f->sample, i, f->columns->replicate);
    return i == start || strlen(f->columns->column[i].name) > 1 ? lf_course_is_time(&course)
                                                                : lf_course_is_monotone(&course);
}

static int is_monotone(const lf_column_finder *f, size_t i)
{
    lf_course course = lf_guess_course(f->sample, i, f->columns->replicate);
    return lf_course_is_monotone(&course);
}

/* The first column from `start` on with the name of a time: one whose numbers are times, else any. */
static size_t find_named(const lf_column_finder *f, size_t start, int *fit, size_t *count)
{
    size_t found = LF_NO_COLUMN;
    *fit = 0;
    *count = 0;
    for (size_t i = start; i < f->columns->count && !*fit; i++) {
        if (is_named(f, i)) {
            (*count)++;
            *fit = fits(f, i, start);
            found = found == LF_NO_COLUMN || *fit ? i : found;
        }
    }
    return found;
}

static int is_index_name(const char *name)
{
    return *name == '\0' || strcasecmp(name, "unnamed: 0") == 0 || strcasecmp(name, "index") == 0 ||
           strcasecmp(name, "rownames") == 0;
}

int lf_counts_rows(const lf_column_finder *f)
{
    return is_index_name(f->columns->column[0].name) && f->columns->column[0].role == LF_COLUMN_UNKNOWN &&
           lf_guess_is_index(f->sample, 0);
}

/* ---- what is refused ---- */

/* The names of the columns other than `time` that have one value for each label, as "a,b". */
static void list_constant(const lf_column_finder *f, size_t time, size_t label, char *text, size_t size)
{
    *text = '\0';
    for (size_t i = 0; i < f->columns->count; i++) {
        const lf_csv_column *column = &f->columns->column[i];
        size_t used = strlen(text);
        if (i != time && i != label && column->role == LF_COLUMN_UNKNOWN && used + strlen(column->name) + 2 < size &&
            lf_guess_is_constant_within(f->sample, i, label)) {
            snprintf(text + used, size - used, "%s%s", used ? "," : "", column->name);
        }
    }
}

static lf_status refuse_label(const lf_column_finder *f, size_t time, size_t label)
{
    lf_shown_text when, what;
    char constant[200], drop[300] = "", other[700] = "";
    const char *t = f->columns->column[time].name, *l = f->columns->column[label].name;
    lf_shown(&when, t, strlen(t));
    lf_shown(&what, l, strlen(l));
    list_constant(f, time, label, constant, sizeof constant);
    if (*constant) {
        snprintf(drop, sizeof drop, " --drop %s", constant);
    }
    if (lf_guess_kind(f->sample, label) != LF_GUESS_NUMBER) {
        snprintf(other, sizeof other,
                 "; if it names series, read the file with --output-column '%s' --value-column NAME", what.text);
    } else if (!lf_guess_is_label_name(l)) {
        snprintf(other, sizeof other, "; if it is a second input, give --x %s,%s", when.text, what.text);
    }
    return lf_line_fail(
        f->ctx, f->reader,
        "the times of '%s' start again for each value of '%s'; if that tells apart subjects or runs, give "
        "--time %s --replicate-column %s%s%s. --time row numbers the rows",
        when.text, what.text, when.text, what.text, drop, other);
}

/* Times that start again for each value of another column. *found: that is so. */
static lf_status check_labels(const lf_column_finder *f, size_t time, int named, int *found)
{
    size_t label = f->columns->replicate == LF_NO_COLUMN ? lf_guess_label(f, time, named) : LF_NO_COLUMN;
    *found = label != LF_NO_COLUMN;
    return *found ? refuse_label(f, time, label) : LF_OK;
}

static size_t find_name(const lf_column_finder *f, const char *name)
{
    for (size_t i = 0; i < f->columns->count; i++) {
        if (is_open(f, i) && strcasecmp(f->columns->column[i].name, name) == 0 &&
            lf_guess_kind(f->sample, i) == LF_GUESS_NUMBER) {
            return i;
        }
    }
    return LF_NO_COLUMN;
}

/* Places of a map: x and y, or the like, beside values. */
static lf_status check_map(const lf_column_finder *f)
{
    static const char *const pairs[][2] = {
        {"x", "y"},        {"lon", "lat"},         {"long", "lat"}, {"lng", "lat"}, {"longitude", "latitude"},
        {"east", "north"}, {"easting", "northing"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        size_t x = find_name(f, pairs[i][0]), y = find_name(f, pairs[i][1]);
        if (x == LF_NO_COLUMN || y == LF_NO_COLUMN || f->columns->count < 3) {
            continue;
        }
        lf_course course = lf_guess_course(f->sample, x, f->columns->replicate);
        if (course.downs > 0 || course.equals > 0) {
            const char *first = f->columns->column[x < y ? x : y].name,
                       *second = f->columns->column[x < y ? y : x].name;
            return lf_line_fail(
                f->ctx, f->reader,
                "'%s' and '%s' look like places of a map; give --x %s,%s for two inputs, --time COL to name "
                "the column of the time, or --time row to number the rows",
                first, second, first, second);
        }
    }
    return LF_OK;
}

/* The column of numbers with the name of a day. */
static size_t find_day(const lf_column_finder *f)
{
    size_t day = find_name(f, "day");
    return day != LF_NO_COLUMN ? day : find_name(f, "date");
}

/* A clock without colons. */
static lf_status check_clock(const lf_column_finder *f)
{
    size_t day = find_day(f);
    for (size_t i = 0; i < f->columns->count; i++) {
        const char *name = f->columns->column[i].name;
        if (i != day && is_named(f, i) && lf_guess_is_clock(f->sample, i)) {
            char with[120] = "";
            if (day != LF_NO_COLUMN) {
                snprintf(with, sizeof with, " of the day in '%.*s'", LF_CUT(60, f->columns->column[day].name));
            }
            return lf_line_fail(
                f->ctx, f->reader,
                "'%s' looks like times of a clock without colons (840 for 8:40)%s; write the date and the "
                "time in one column, 2024-01-08 08:40, number the rows with --time row, or read plain "
                "numbers with --time %s",
                name, with, name);
        }
    }
    return LF_OK;
}

/* A month and a day without a year. */
static lf_status check_calendar(const lf_column_finder *f)
{
    size_t day = find_day(f);
    return day == LF_NO_COLUMN || !lf_is_part_of_date(f, day)
               ? LF_OK
               : lf_line_fail(
                     f->ctx, f->reader,
                     "the columns of a month and of a day ('%s') need a year to be dates; add a column 'year', "
                     "number the rows with --time row, or name another column of the time with --time COL",
                     f->columns->column[day].name);
}

static lf_status refuse(const lf_column_finder *f, size_t start)
{
    char reason[700], may[200] = "", label[200] = "";
    lf_shown_text first;
    for (size_t i = 0; i < f->columns->count; i++) {
        if (is_open(f, i) && lf_guess_kind(f->sample, i) == LF_GUESS_NUMBER && (is_named(f, i) || is_monotone(f, i))) {
            size_t used = strlen(may);
            lf_shown_text shown;
            const char *name = f->columns->column[i].name;
            lf_shown(&shown, name, strlen(name));
            lf_print(may + used, sizeof may - used, "%s'%.*s'", used ? ", " : "", LF_CUT(60, shown.text));
        }
    }
    for (size_t i = 0; i < f->columns->count && !*label; i++) {
        const char *name = f->columns->column[i].name;
        if (is_open(f, i) && lf_guess_is_label_name(name) && lf_guess_repeats(f->sample, i)) {
            snprintf(label, sizeof label, "; --replicate-column %.*s says that '%.*s' tells apart subjects or runs",
                     LF_CUT(60, name), LF_CUT(60, name));
        }
    }
    const char *name = f->columns->column[start].name;
    lf_shown(&first, name, strlen(name));
    lf_print(reason, sizeof reason, "no column is recognisably the time: the values of '%.*s', the first, %s%s%s%s",
             LF_CUT(60, first.text),
             lf_guess_kind(f->sample, start) == LF_GUESS_NUMBER ? "repeat or go up and down"
                                                                : "are no numbers and no dates",
             *may ? "; it may be " : "", may, label);
    return ask_for_time(f, reason);
}

/* ---- the choice ---- */

static lf_status take(const lf_column_finder *f, size_t time)
{
    f->columns->x[0] = time;
    f->columns->input_dim = 1;
    f->columns->column[time].role = LF_COLUMN_KNOWN;
    return LF_OK;
}

static lf_status take_named(const lf_column_finder *f, size_t time)
{
    lf_note(f->ctx, "%s: the column '%s' is taken as the time; --time COL names another", f->reader->name,
            f->columns->column[time].name);
    return take(f, time);
}

static int begins_with_digit(const lf_column_finder *f, size_t column)
{
    const lf_csv_field *cell = f->sample->count > 0 ? lf_sample_cell(f->sample, 0, column) : NULL;
    return cell && *cell->text >= '0' && *cell->text <= '9';
}

/* Whether the name says nothing else: "time", "Time [s]", "date", not "day" or "x", which may be readings. */
static int has_time_word(const lf_column_finder *f, size_t column)
{
    const char *name = f->columns->column[column].name;
    return strncasecmp(name, "time", 4) == 0 || strncasecmp(name, "date", 4) == 0;
}

/* Numbers: the first column, or one with the name of a time. start: the first that may be the time; is_index: before it, rows are counted. */
static lf_status guess_number(const lf_column_finder *f, size_t start, int is_index)
{
    const char *first = f->columns->column[start].name;
    lf_guess kind = lf_guess_kind(f->sample, start);
    int fit, labelled = 0, first_named = lf_guess_is_time_name(first);
    size_t count, named = find_named(f, start, &fit, &count);
    int is_date = kind == LF_GUESS_TEXT && (first_named || (!fit && begins_with_digit(f, start))); /* of another form */
    if (!is_index && (kind == LF_GUESS_TIME_OF_DAY || kind == LF_GUESS_NOTHING || is_date)) {
        return take(f, start); /* reading its first value says what is wrong */
    }
    lf_status status = check_clock(f);
    if (!status && (named == LF_NO_COLUMN || strcasecmp(f->columns->column[named].name, "x") == 0)) {
        status = check_map(f);
    }
    if (!status && named != LF_NO_COLUMN) {
        status = check_labels(f, named, 0, &labelled);
    }
    if (status) {
        return status;
    }
    int monotone = kind == LF_GUESS_NUMBER && is_monotone(f, start), counts = lf_guess_is_index(f->sample, start);
    if (fit) {
        int by_place = named != start && !is_index && monotone && !counts && !has_time_word(f, named) &&
                       f->columns->replicate == LF_NO_COLUMN;
        return named == start || by_place ? take(f, start) : is_index ? take(f, named) : take_named(f, named);
    }
    status = check_calendar(f);
    if (!status && named == start && count == 1) {
        return take(f, start); /* values that repeat are noted when all are read */
    }
    if (!status && named != LF_NO_COLUMN && count == 1) {
        lf_course course = lf_guess_course(f->sample, named, f->columns->replicate);
        if (course.downs == 0 && course.ups > 0 && !monotone) {
            return take_named(f, named);
        }
    }
    return status ? status : monotone && !is_index ? take(f, start) : refuse(f, start);
}

lf_status lf_guess_time(const lf_column_finder *f)
{
    const lf_csv_columns *columns = f->columns;
    const char *name = columns->column[0].name;
    int unnamed = *name == '\0', several = 0, parts = 0, fit, is_index = lf_counts_rows(f);
    size_t start = 0, count;
    while (start < columns->count && !is_open(f, start)) {
        start++;
    }
    if (start == columns->count) {
        return ask_for_time(f, "no column is left for the time");
    }
    size_t dates = find_dates(f, &several);
    if (several) {
        return lf_line_fail(f->ctx, f->reader,
                            "several columns have dates; name the column of the time with --time COL");
    }
    if (dates != LF_NO_COLUMN) {
        return take(f, dates);
    }
    size_t named = find_named(f, start + (size_t)is_index, &fit, &count);
    int only_year = named == LF_NO_COLUMN || lf_is_part_of_date(f, named) || lf_is_year(f, named);
    lf_status status = only_year ? lf_find_time_parts(f, &parts) : LF_OK;
    if (status || parts) {
        return status;
    }
    int numbers_rows = unnamed && start == 0 && lf_guess_is_ragged_count(f->sample, 0);
    if (is_index || (numbers_rows && fit)) {
        if (start + 1 < columns->count && (named != LF_NO_COLUMN || strcasecmp(name, "index") != 0)) {
            status = named != LF_NO_COLUMN ? guess_number(f, start + 1, 1) : check_calendar(f);
            return status || named != LF_NO_COLUMN
                       ? status
                       : ask_for_time(f, "the first column has no name and counts the rows, and no other column is "
                                         "recognisably the time");
        }
    } else if (numbers_rows) {
        return ask_for_time(f, "the first column has no name and may number the rows");
    }
    status = guess_number(f, start, 0);
    if (!status && unnamed && columns->x[0] == 0) {
        lf_note(f->ctx, "%s: the first column has no name and is taken as the time", f->reader->name);
    }
    return status;
}
