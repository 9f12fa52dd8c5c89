/* Columns for a model: its outputs, its known inputs, and those that it does not mention. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "data/column_finder.h"
#include "data/table_reader.h"
#include "data/text.h"
#include "model/model.h"

enum { MOST_LETTERS = 64 };

int lf_is_known_input(const lf_column_options *options, const lf_csv_column *column)
{
    return (options->model && lf_model_find_known(options->model, column->name) >= 0) ||
           lf_list_has(&options->known, column);
}

static lf_status take_name(const lf_column_finder *f, const char *name)
{
    size_t found = lf_find_column(f, name);
    lf_csv_column *column = found == LF_NO_COLUMN ? NULL : &f->columns->column[found];
    if (!column || strcmp(column->name, name) == 0) {
        return LF_OK;
    }
    char *whole = lf_copy_string(name);
    if (!whole) {
        return lf_no_memory(f->ctx);
    }
    free(column->name);
    free(column->unit);
    column->name = whole;
    column->unit = NULL;
    return LF_OK;
}

lf_status lf_take_model_names(const lf_column_finder *f)
{
    const lf_model *model = f->options->model;
    lf_status status = LF_OK;
    for (int d = 0; model && !status && d < model->output_count; d++) {
        status = take_name(f, model->outputs[d].name);
    }
    for (int k = 0; model && !status && k < model->known_count; k++) {
        status = take_name(f, model->known[k].name);
    }
    for (size_t i = 0; !status && i < f->options->known.count; i++) {
        status = take_name(f, f->options->known.field[i].text);
    }
    return status;
}

/* How many letters must be changed, added or removed to make one word of the other; large for long words. */
static size_t distance(const char *one, const char *other)
{
    size_t row[MOST_LETTERS + 1], n = strlen(one), m = strlen(other);
    if (n > MOST_LETTERS || m > MOST_LETTERS) {
        return MOST_LETTERS;
    }
    for (size_t j = 0; j <= m; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t changed = diagonal + (one[i - 1] != other[j - 1]);
            size_t shorter = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = changed < shorter ? changed : shorter;
        }
    }
    return row[m];
}

/* The name in a list that may be meant, or NULL. */
static const char *find_similar(const lf_names *names, const char *name)
{
    const char *best = NULL;
    size_t least = strlen(name) > 4 ? 3 : 2; /* more changes make another word */
    for (int i = 0; i < names->count; i++) {
        size_t changes = strcasecmp(names->name[i], name) == 0 ? 0 : distance(names->name[i], name);
        if (changes < least && changes < strlen(name)) {
            least = changes;
            best = names->name[i];
        }
    }
    return best;
}

static lf_status fail_missing(const lf_table_reader *t, const char *file, const char *name, const char *role)
{
    const char *similar = find_similar(&t->foreign, name);
    char known[400] = "";
    for (int i = 0; i < t->foreign.count; i++) {
        size_t used = strlen(known);
        lf_print(known + used, sizeof known - used, "%s'%.*s'", i ? ", " : "", LF_CUT(60, t->foreign.name[i]));
    }
    if (similar) {
        return lf_fail(t->ctx, LF_ERROR_DATA, "%s: has no values of '%s', %s of the equations; did you mean '%s'?",
                       file, name, role, similar);
    }
    return lf_fail(t->ctx, LF_ERROR_DATA,
                   "%s: has no values of '%s', %s of the equations: a column (or rows) of this name is needed%s%s",
                   file, name, role, *known ? "; the equations do not mention " : "", known);
}

static int has_rows(const lf_data *data, const char *name)
{
    return lf_names_find(&data->outputs, name, strlen(name)) >= 0;
}

lf_status lf_check_equation_columns(const lf_table_reader *t, const char *name)
{
    const lf_model *model = t->column_options.model;
    lf_status status = LF_OK;
    if (!t->options->unfitted || !model) {
        return LF_OK;
    }
    for (int d = 0; !status && d < model->output_count; d++) {
        const char *output = model->outputs[d].name;
        status = has_rows(t->data, output) ? LF_OK : fail_missing(t, name, output, "an output");
    }
    for (int k = 0; !status && k < model->known_count; k++) {
        const char *input = model->known[k].name;
        status = has_rows(t->data, input) ? LF_OK : fail_missing(t, name, input, "an input");
    }
    return status;
}

lf_status lf_read_known_cells(lf_table_reader *t, const lf_observation *row)
{
    lf_status status = LF_OK;
    for (size_t i = 0; i < t->columns.count && !status; i++) {
        const lf_csv_column *column = &t->columns.column[i];
        if (column->role != LF_COLUMN_OUTPUT || lf_cell_is_missing(t, &t->row->field[i])) {
            continue;
        }
        lf_observation reading = *row;
        reading.output = column->output;
        reading.sd = 0;
        status = lf_cell_number(t, i, &reading.y);
        LF_TRY(status, lf_data_append(t->ctx, t->data, &reading));
    }
    return status;
}
