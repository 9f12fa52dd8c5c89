/* Names and units of the columns of a data file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/context.h"
#include "data/column_finder.h"
#include "data/text.h"

/* The columns as "a, b, c", for messages. */
void lf_list_columns(const lf_column_finder *f, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < f->columns->count; i++) {
        lf_shown_text shown;
        const char *name = f->columns->column[i].name;
        size_t used = strlen(text);
        lf_shown(&shown, *name ? name : "(no name)", *name ? strlen(name) : strlen("(no name)"));
        if (used + strlen(shown.text) + sizeof ", , …" > size) {
            snprintf(text + used, size - used, ", …");
            return;
        }
        snprintf(text + used, size - used, "%s%s", i ? ", " : "", shown.text);
    }
}

int lf_is_named(const lf_csv_column *column, const char *name, size_t length)
{
    const char *unit;
    size_t unit_length, bare = lf_split_unit(name, length, &unit, &unit_length), known = strlen(column->name);
    if (known == length && memcmp(column->name, name, length) == 0) {
        return 1;
    }
    return unit && known == bare && memcmp(column->name, name, bare) == 0 && column->unit &&
           strlen(column->unit) == unit_length && memcmp(column->unit, unit, unit_length) == 0;
}

int lf_list_has(const lf_csv_fields *list, const lf_csv_column *column)
{
    for (size_t i = 0; i < list->count; i++) {
        if (lf_is_named(column, list->field[i].text, list->field[i].length)) {
            return 1;
        }
    }
    return 0;
}

size_t lf_find_column(const lf_column_finder *f, const char *name)
{
    for (size_t i = 0; name && i < f->columns->count; i++) {
        if (lf_is_named(&f->columns->column[i], name, strlen(name))) {
            return i;
        }
    }
    return LF_NO_COLUMN;
}

/* The column that an option names. */
lf_status lf_find_asked(const lf_column_finder *f, const char *option, const char *name, size_t *column)
{
    *column = lf_find_column(f, name);
    if (*column != LF_NO_COLUMN) {
        f->columns->column[*column].role = LF_COLUMN_KNOWN;
        return LF_OK;
    }
    char known[400];
    lf_shown_text shown;
    lf_list_columns(f, known, sizeof known);
    return lf_line_fail(f->ctx, f->reader, "%s '%s': there is no such column; the columns are %s", option,
                        lf_shown(&shown, name, strlen(name)), known);
}

size_t lf_take_column(const lf_column_finder *f, const char *name)
{
    size_t found = lf_find_column(f, name);
    for (size_t i = 0; i < f->columns->count && found == LF_NO_COLUMN; i++) {
        found = strcasecmp(f->columns->column[i].name, name) == 0 ? i : found;
    }
    if (found == LF_NO_COLUMN || f->columns->column[found].role != LF_COLUMN_UNKNOWN) {
        return LF_NO_COLUMN;
    }
    f->columns->column[found].role = LF_COLUMN_KNOWN;
    return found;
}

static lf_status check_repeats(const lf_column_finder *f)
{
    const lf_csv_fields *names = &f->sample->heading.fields;
    lf_names seen = {0};
    lf_status status = LF_OK;
    size_t *place = calloc(names->count, sizeof *place); /* column of each name seen */
    status = place ? LF_OK : lf_no_memory(f->ctx);
    for (size_t i = 0; i < names->count && !status; i++) {
        const lf_csv_field *name = &names->field[i];
        int known = lf_names_find(&seen, name->text, name->length);
        if (name->length == 0) {
            continue;
        }
        if (known >= 0) {
            lf_shown_text shown;
            status = lf_line_fail(f->ctx, f->reader, "two columns are named '%s': columns %zu and %zu; rename one",
                                  lf_shown(&shown, name->text, name->length), place[known] + 1, i + 1);
        } else {
            known = lf_names_add(&seen, name->text, name->length);
            status = known < 0 ? lf_no_memory(f->ctx) : LF_OK;
            place[known < 0 ? 0 : known] = i;
        }
    }
    free(place);
    lf_names_clear(&seen);
    return status;
}

static char *copy_part(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

/* Names and units of the headings. A name that two columns would share keeps its unit. */
static lf_status read_names(const lf_column_finder *f)
{
    const lf_csv_fields *names = &f->sample->heading.fields;
    lf_csv_columns *columns = f->columns;
    columns->column = calloc(names->count, sizeof *columns->column);
    columns->x = malloc(names->count * sizeof *columns->x);
    if (!columns->column || !columns->x) {
        return lf_no_memory(f->ctx);
    }
    columns->count = names->count;
    for (size_t i = 0; i < names->count; i++) {
        const lf_csv_field *field = &names->field[i];
        const char *unit;
        size_t unit_length, length = lf_split_unit(field->text, field->length, &unit, &unit_length);
        lf_csv_column *column = &columns->column[i];
        column->sd = column->width = LF_NO_COLUMN;
        column->name = copy_part(field->text, length);
        column->unit = unit ? copy_part(unit, unit_length) : NULL;
        if (!column->name || (unit && !column->unit)) {
            return lf_no_memory(f->ctx);
        }
    }
    for (size_t i = 0; i < names->count; i++) {
        int shared = 0;
        for (size_t j = 0; columns->column[i].unit && j < names->count; j++) {
            shared = shared || (j != i && strcmp(columns->column[i].name, columns->column[j].name) == 0);
        }
        if (shared) {
            for (size_t j = names->count; j-- > i;) {
                lf_csv_column *column = &columns->column[j];
                if (column->unit && strcmp(columns->column[i].name, column->name) == 0) {
                    char *whole = copy_part(names->field[j].text, names->field[j].length);
                    if (!whole) {
                        return lf_no_memory(f->ctx);
                    }
                    free(column->name);
                    free(column->unit);
                    column->name = whole;
                    column->unit = NULL;
                }
            }
        }
    }
    return LF_OK;
}

/* Headings become names in JSON and CSV files. */
static lf_status check_text(const lf_column_finder *f)
{
    for (size_t i = 0; i < f->sample->heading.fields.count; i++) {
        const lf_csv_field *name = &f->sample->heading.fields.field[i];
        const char *problem = name->length > 0 ? lf_name_problem(name->text, name->length) : NULL;
        if (problem) {
            lf_shown_text shown;
            return lf_line_fail(f->ctx, f->reader, "the name of column %zu %s: '%s'; save the file as text in UTF-8",
                                i + 1, problem, lf_shown(&shown, name->text, name->length));
        }
    }
    return LF_OK;
}

lf_status lf_read_headings(const lf_column_finder *f)
{
    lf_status status = check_text(f);
    LF_TRY(status, check_repeats(f));
    return status ? status : read_names(f);
}
