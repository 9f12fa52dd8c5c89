/* Units of headings, which must agree between files, and with the model that a table is for. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "data/table_reader.h"
#include "model/access.h"

/* Numbers of the first file for a model may be in another unit of time than the model: that of their heading. */
static lf_status take_heading_unit(lf_table_reader *t, lf_axis *axis, const char *unit)
{
    lf_note(t->ctx, "%s: the times are in %s by their heading, and are converted to %s, the unit of the model",
            t->reader.name, unit, axis->unit);
    free(axis->file_unit);
    axis->file_unit = lf_copy_string(unit);
    return axis->file_unit ? LF_OK : lf_no_memory(t->ctx);
}

lf_status lf_check_units(lf_table_reader *t)
{
    const lf_model *model = t->options->model;
    int p = t->data->input_dim, for_model = model && (int)lf_model_count(model, LF_KIND_INPUT) == p;
    for (int k = 0; k < p; k++) {
        lf_axis *axis = &t->data->axes[k];
        const char *unit = lf_input_column(&t->columns, k)->unit;
        const char *before = axis->file_unit ? axis->file_unit : axis->unit;
        unit = unit || !for_model ? unit : lf_model_input(model, k).file_unit;
        const char *time = lf_time_unit(unit), *time_before = lf_time_unit(before);
        if (k == 0 && for_model && !axis->dated && !t->options->time_in && unit && *unit && !time && time_before) {
            lf_note(t->ctx,
                    "%s: the heading of the times has the unit '%s'; they are taken in %s, the unit of the model",
                    t->reader.name, unit, before);
        }
        if (axis->dated || (k == 0 && (t->options->time_in || !for_model)) || !unit || !*unit || !before ||
            strcmp(unit, before) == 0 || !time != !time_before || (time && strcmp(time, time_before) == 0)) {
            continue;
        }
        if (k == 0 && time && for_model && t->file == 0) {
            return take_heading_unit(t, axis, time);
        }
        return lf_fail(t->ctx, LF_ERROR_DATA, "%s: the input '%s' is in %s, but in %s in %s; bring them to one unit",
                       t->reader.name, lf_input_column(&t->columns, k)->name, unit, before,
                       t->file == 0 ? "the model" : "the files before it");
    }
    return LF_OK;
}

lf_status lf_take_unit(lf_table_reader *t, int output, const char *unit)
{
    const char *before = lf_data_output_unit(t->data, output), *name = t->data->outputs.name[output];
    const lf_model *model = t->options->model;
    int known = model && unit ? lf_model_find_known(model, name) : -1;
    const char *expected = known < 0 ? "" : lf_model_known_unit(model, known);
    if (*expected && strcmp(expected, unit) != 0) {
        return lf_fail(t->ctx, LF_ERROR_DATA, "%s: the input '%s' is in %s, but in %s in the model; bring it to %s",
                       t->reader.name, name, unit, expected, expected);
    }
    if (!unit || strcmp(before, unit) == 0) {
        return LF_OK;
    }
    if (*before) {
        return lf_fail(t->ctx, LF_ERROR_DATA, "%s: the output '%s' is in %s, but in %s in the files before it",
                       t->reader.name, name, unit, before);
    }
    return lf_data_set_output_unit(t->ctx, t->data, output, unit);
}
