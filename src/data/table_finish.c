/* The end of reading: what only the whole table shows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "data/table_reader.h"

/* Where a value of a table is. */
typedef struct place {
    int output, replicate;
    double x;
} place;

static int compare_places(const void *left, const void *right)
{
    const place *a = left, *b = right;
    if (a->output != b->output) {
        return a->output < b->output ? -1 : 1;
    }
    if (a->replicate != b->replicate) {
        return a->replicate < b->replicate ? -1 : 1;
    }
    return (a->x > b->x) - (a->x < b->x);
}

/* A wide file whose text column names the series of each row: without that column times repeat. */
static lf_status check_long(lf_table_reader *t, const char *name)
{
    const lf_data *data = t->data;
    if (!*t->text_column || data->input_dim > 1) {
        return LF_OK;
    }
    place *places = calloc(data->n + 1, sizeof *places);
    if (!places) {
        return lf_no_memory(t->ctx);
    }
    for (size_t i = 0; i < data->n; i++) {
        places[i] = (place){data->output[i], data->replicate[i], data->x[i]};
    }
    qsort(places, data->n, sizeof *places, compare_places);
    int repeats = 0;
    for (size_t i = 1; i < data->n; i++) {
        repeats = repeats || compare_places(&places[i - 1], &places[i]) == 0;
    }
    free(places);
    return repeats ? lf_fail(t->ctx, LF_ERROR_DATA,
                             "%s: times repeat, and the column '%s' contains text. If it names the series of each row, "
                             "read the file with --output-column '%s' --value-column NAME; otherwise leave it out with "
                             "--drop '%s'",
                             name, t->text_column, t->text_column, t->text_column)
                   : LF_OK;
}

/* The unit of output `from` becomes that of `to`, which comes before it. */
static void move_unit(lf_data *data, int from, int to)
{
    if (to < from && to < data->unit_count) {
        free(data->units[to]);
        data->units[to] = from < data->unit_count ? data->units[from] : NULL;
    }
    if (to < from && from < data->unit_count) {
        data->units[from] = NULL;
    }
}

/* Outputs without rows leave the table. */
static lf_status remove_empty_outputs(lf_table_reader *t, const char *name)
{
    lf_data *data = t->data;
    int *number = calloc((size_t)data->outputs.count + 1, sizeof *number), kept = 0; /* new number + 1 */
    lf_names names = {0};
    lf_status status = number ? LF_OK : lf_no_memory(t->ctx);
    for (size_t i = 0; i < data->n && !status; i++) {
        number[data->output[i] < 0 ? data->outputs.count : data->output[i]] = 1;
    }
    for (int d = 0; d < data->outputs.count && !status; d++) {
        char *output = data->outputs.name[d];
        lf_csv_column column = {.name = output};
        if (number[d]) {
            number[d] = ++kept;
            status = lf_names_add(&names, output, strlen(output)) < 0 ? lf_no_memory(t->ctx) : LF_OK;
            move_unit(data, d, kept - 1);
        } else if (d < t->unwanted_count && t->unwanted[d]) {
            continue;
        } else if (lf_list_has(&t->column_options.outputs, &column)) {
            status = lf_fail(t->ctx, LF_ERROR_DATA, "%s: the output '%s' has no values", name, output);
        } else {
            lf_note(t->ctx, "%s: '%s' has no values and is not used", name, output);
        }
    }
    if (!status && kept < data->outputs.count) {
        for (size_t i = 0; i < data->n; i++) {
            data->output[i] = data->output[i] < 0 ? -1 : number[data->output[i]] - 1;
        }
        lf_names_clear(&data->outputs);
        data->outputs = names;
        while (data->unit_count > kept) {
            free(data->units[--data->unit_count]);
        }
    } else {
        lf_names_clear(&names);
    }
    free(number);
    return status;
}

static lf_status check_asked(const lf_table_reader *t, const char *name)
{
    const lf_csv_fields *asked = &t->column_options.outputs;
    for (size_t i = 0; i < asked->count; i++) {
        int found = 0;
        for (int d = 0; d < t->data->outputs.count; d++) {
            const char *unit = lf_data_output_unit(t->data, d);
            lf_csv_column column = {.name = t->data->outputs.name[d], .unit = *unit ? (char *)unit : NULL};
            lf_csv_fields one = {.field = &asked->field[i], .count = 1};
            found = found || lf_list_has(&one, &column);
        }
        if (!found) {
            char known[300] = "";
            for (int d = 0; d < t->data->outputs.count; d++) {
                size_t used = strlen(known);
                snprintf(known + used, sizeof known - used, "%s%.60s", d ? ", " : "", t->data->outputs.name[d]);
            }
            return lf_fail(t->ctx, LF_ERROR_DATA, "%s: --outputs '%s': there is no such output; the outputs are %s",
                           name, asked->field[i].text, known);
        }
    }
    return LF_OK;
}

lf_status lf_finish_table(lf_table_reader *t, const char *name)
{
    lf_status status = check_asked(t, name);
    if (!status && t->data->n == 0) {
        status = lf_check_equation_columns(t, name);
    }
    if (!status && t->data->n == 0) {
        status = lf_fail(t->ctx, LF_ERROR_DATA, "%s: no cell of any output holds a value", name);
    }
    status = status ? status : check_long(t, name);
    status = status ? status : remove_empty_outputs(t, name);
    status = status ? status : lf_check_equation_columns(t, name);
    status = status ? status : lf_finish_time(t);
    lf_data_shrink(t->data);
    return status ? status : lf_describe_table(t, name);
}
