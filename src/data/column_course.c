/* How the values of a column follow each other in the first rows of a file.
 *
 * A column is a time if its values (nearly) do not repeat within one series and go one way. A column labels series if it has few values and
 * the times increase strictly among the rows of each. */
#include "data/column_course.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "data/column_guess.h"

enum { MOST = LF_SAMPLE_ROWS + 1 };

/* A number for each row, the same for the same cells; the number of different ones. Empty cells are one of them. */
static size_t find_groups(const lf_csv_sample *sample, size_t column, size_t group[MOST])
{
    size_t count = 0, first[MOST];
    for (size_t i = 0; i < sample->count; i++) {
        char here[LF_TIMESTAMP_SIZE], there[LF_TIMESTAMP_SIZE];
        const lf_csv_field *cell = column == LF_NO_COLUMN ? NULL : lf_sample_cell(sample, i, column);
        const char *text = cell ? lf_field_text(cell, here) : "";
        group[i] = count;
        for (size_t k = 0; k < count && group[i] == count; k++) {
            const lf_csv_field *other = column == LF_NO_COLUMN ? NULL : lf_sample_cell(sample, first[k], column);
            group[i] = strcmp(text, other ? lf_field_text(other, there) : "") == 0 ? k : count;
        }
        if (group[i] == count) {
            first[count++] = i;
        }
    }
    return count;
}

int lf_guess_repeats(const lf_csv_sample *sample, size_t column)
{
    size_t group[MOST];
    return find_groups(sample, column, group) < sample->count;
}

static lf_course find_course(const lf_csv_sample *sample, size_t column, const size_t group[MOST])
{
    lf_course course = {0};
    double value[MOST];
    int known[MOST];
    for (size_t i = 0; i < sample->count; i++) {
        const lf_csv_field *cell = lf_sample_cell(sample, i, column);
        known[i] = cell && lf_csv_number(sample->decimal, cell, &value[i]);
        course.count += (size_t)known[i];
        course.other += !known[i];
        int repeats = 0, stepped = 0;
        for (size_t j = i; known[i] && j-- > 0 && !(stepped && repeats);) {
            if (!known[j] || group[j] != group[i]) {
                continue;
            }
            if (!stepped) {
                course.ups += value[i] > value[j];
                course.downs += value[i] < value[j];
                course.equals += value[i] == value[j];
                stepped = 1;
            }
            repeats = repeats || value[i] == value[j];
        }
        course.repeats += (size_t)repeats;
    }
    return course;
}

lf_course lf_guess_course(const lf_csv_sample *sample, size_t column, size_t group)
{
    size_t groups[MOST];
    find_groups(sample, group, groups);
    return find_course(sample, column, groups);
}

int lf_course_is_monotone(const lf_course *course)
{
    size_t against = course->ups < course->downs ? course->ups : course->downs;
    return course->other == 0 && against * 20 <= course->count && course->repeats * 2 <= course->count &&
           (course->repeats * 20 <= course->count || against == 0);
}

int lf_course_is_time(const lf_course *course)
{
    return course->count > 0 &&
           (course->repeats * 10 <= course->count || (course->downs == 0 && course->repeats * 2 <= course->count));
}

int lf_guess_is_label_name(const char *name)
{
    static const char *const names[] = {
        "subject", "subj",       "id",         "patient", "animal", "participant", "person",  "batch",  "run",
        "trial",   "experiment", "individual", "chick",   "rat",    "mouse",       "plant",   "tree",   "sample",
        "series",  "case",       "unit",       "group",   "rep",    "replicate",   "proband", "subjid", "usubjid"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcasecmp(name, names[i]) == 0) {
            return 1;
        }
    }
    return length > 3 && (strcasecmp(name + length - 3, "_id") == 0 || strcasecmp(name + length - 3, ".id") == 0 ||
                          strcmp(name + length - 2, "ID") == 0);
}

/* Whether all cells are words or whole numbers. */
static int can_label(const lf_csv_sample *sample, size_t column)
{
    for (size_t i = 0; i < sample->count; i++) {
        const lf_csv_field *cell = lf_sample_cell(sample, i, column);
        double number;
        if (!cell || (lf_csv_number(sample->decimal, cell, &number) && number != floor(number))) {
            return 0;
        }
    }
    return sample->count > 0;
}

size_t lf_guess_label(const lf_column_finder *f, size_t time, int named)
{
    const lf_csv_sample *sample = f->sample;
    size_t found = LF_NO_COLUMN;
    lf_course whole = lf_guess_course(sample, time, LF_NO_COLUMN);
    if (whole.other > 0 || (whole.downs == 0 && whole.repeats == 0)) {
        return LF_NO_COLUMN;
    }
    for (int by_name = 1; by_name >= named && found == LF_NO_COLUMN; by_name--) {
        for (size_t i = 0; i < f->columns->count && found == LF_NO_COLUMN; i++) {
            const lf_csv_column *column = &f->columns->column[i];
            size_t groups[MOST];
            if (i == time || column->role != LF_COLUMN_UNKNOWN || (by_name && !lf_guess_is_label_name(column->name)) ||
                (!by_name && whole.downs == 0) || !can_label(sample, i)) {
                continue;
            }
            size_t count = find_groups(sample, i, groups);
            if (count < 2 || count * 2 > sample->count) {
                continue;
            }
            lf_course within = find_course(sample, time, groups);
            found = within.downs == 0 && within.repeats == 0 && within.ups > 0 ? i : found;
        }
    }
    return found;
}

int lf_guess_is_constant_within(const lf_csv_sample *sample, size_t column, size_t label)
{
    size_t labels[MOST], values[MOST];
    find_groups(sample, label, labels);
    find_groups(sample, column, values);
    for (size_t i = 0; i < sample->count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (labels[i] == labels[j] && values[i] != values[j]) {
                return 0;
            }
        }
    }
    return 1;
}

/* Where the hour changes, the numbers leap and the minutes do not. */
int lf_guess_is_clock(const lf_csv_sample *sample, size_t column)
{
    double last = 0, last_minutes = 0, first_step = 0, first_gap = 0;
    size_t even = 0, changes = 0;
    for (size_t i = 0; i < sample->count; i++) {
        const lf_csv_field *cell = lf_sample_cell(sample, i, column);
        double number;
        if (!cell || !lf_csv_number(sample->decimal, cell, &number) || number != floor(number) || number < 0 ||
            number > 2400 || fmod(number, 100) >= 60) {
            return 0;
        }
        double minutes = floor(number / 100) * 60 + fmod(number, 100);
        double gap = fmod(minutes - last_minutes + 1440, 1440); /* over midnight too */
        first_step = i == 1 ? number - last : first_step;
        first_gap = i == 1 ? gap : first_gap;
        even += i > 0 && gap == first_gap;
        changes += i > 0 && gap == first_gap && number - last != first_step;
        last = number;
        last_minutes = minutes;
    }
    return changes > 0 && first_gap > 0 && sample->count > 4 && even * 4 >= (sample->count - 1) * 3;
}
