/* Known inputs in a fit. */
#include "plan/known_inputs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "data/data.h"
#include "model/model_file.h"
#include "plan/row_notes.h"

/* How the rows of a table are used. */
typedef struct roles {
    const lf_model *model;
    const lf_option_list *inputs;
    int outputs_only;
} roles;

size_t lf_known_name_length(const char *item, lf_hold *hold)
{
    const char *equals = strrchr(item, '=');
    *hold = LF_HOLD_LINEAR;
    for (int i = 0; equals && lf_hold_names[i]; i++) {
        if (strcmp(equals + 1, lf_hold_names[i]) == 0) {
            *hold = (lf_hold)i;
            return (size_t)(equals - item);
        }
    }
    return strlen(item);
}

/* Whether it is a known input, and what that is between readings. */
static int is_known_as(const roles *r, const char *name, lf_hold *hold)
{
    int input = r->model ? lf_model_find_known(r->model, name) : -1, known = input >= 0;
    *hold = known ? r->model->known[input].hold : LF_HOLD_LINEAR;
    for (size_t i = 0; !r->model && !known && i < r->inputs->count; i++) {
        size_t length = lf_known_name_length(r->inputs->item[i], hold);
        known = strlen(name) == length && strncmp(r->inputs->item[i], name, length) == 0;
    }
    return known;
}

static int is_known(const roles *r, const char *name)
{
    lf_hold unused;
    return is_known_as(r, name, &unused);
}

static int keep(const void *user, const lf_data *data, size_t row)
{
    const roles *r = user;
    const char *name = data->output[row] < 0 ? "" : data->outputs.name[data->output[row]];
    if (is_known(r, name)) {
        return !r->outputs_only;
    }
    int foreign = r->model && r->model->system && lf_model_find_output(r->model, name) < 0;
    return !foreign && data->split[row] != LF_SPLIT_TEST;
}

static void note_foreign(lf_context *ctx, const lf_data *data, const lf_model *model)
{
    for (int d = 0; model && model->system && d < data->outputs.count; d++) {
        const char *name = data->outputs.name[d];
        if (lf_model_find_known(model, name) < 0 && lf_model_find_output(model, name) < 0) {
            lf_note(ctx, "the equations do not mention '%s': its values are not used", name);
        }
    }
}

/* An option --input whose column is not there. */
static lf_status fail_unknown(lf_context *ctx, const lf_data *data, const char *item)
{
    char names[400] = "";
    for (int d = 0; d < data->outputs.count; d++) {
        size_t used = strlen(names);
        lf_print(names + used, sizeof names - used, "%s'%.*s'", d ? ", " : "", LF_CUT(60, data->outputs.name[d]));
    }
    return lf_fail(ctx, LF_ERROR_DATA, "--input %s: the data have no column (or rows) of this name%s%s; they have %s",
                   item, strchr(item, '=') ? "; after = may stand linear, constant or impulse" : "",
                   strchr(item, ',') ? "; write --input once for each name" : "", names);
}

/* Every output of the equations and every input must have rows. */
static lf_status check_names(lf_context *ctx, const lf_data *data, const lf_model *model, const lf_option_list *inputs)
{
    lf_hold unused;
    for (int d = 0; model && model->system && d < model->output_count; d++) {
        const char *name = model->outputs[d].name;
        if (lf_names_find(&data->outputs, name, strlen(name)) < 0) {
            return lf_fail(ctx, LF_ERROR_DATA,
                           "the data have no column (or rows) '%s', which is an output of the equations", name);
        }
    }
    for (size_t i = 0; !model && i < inputs->count; i++) {
        size_t length = lf_known_name_length(inputs->item[i], &unused);
        if (lf_names_find(&data->outputs, inputs->item[i], length) < 0) {
            return fail_unknown(ctx, data, inputs->item[i]);
        }
        for (size_t k = 0; k < i; k++) {
            if (lf_known_name_length(inputs->item[k], &unused) == length &&
                strncmp(inputs->item[k], inputs->item[i], length) == 0) {
                return lf_fail(ctx, LF_ERROR_ARGUMENT, "--input %.*s is given twice", (int)length, inputs->item[i]);
            }
        }
    }
    return LF_OK;
}

/* The equations and the times of the data must have the same unit. */
static lf_status check_unit(lf_context *ctx, const lf_data *data, const lf_model *model)
{
    const char *unit = model && model->system ? model->system->equations->time_unit : NULL;
    const char *found = data->axes[0].unit;
    return unit && found && strcmp(unit, found) != 0
               ? lf_fail(ctx, LF_ERROR_DATA,
                         "the times of the data are in %s, but the equations are in %s: read the data in that unit",
                         found, unit)
               : LF_OK;
}

/* Every output of the table has training rows, unless it is not used. */
static lf_status check_trained(lf_context *ctx, const lf_data *data, const roles *r, const lf_data *observed)
{
    if (observed->n == 0) {
        return lf_fail(ctx, LF_ERROR_DATA, "there are no training rows of an output");
    }
    for (int d = 0; d < data->outputs.count; d++) {
        const char *name = data->outputs.name[d];
        int foreign = r->model && r->model->system && lf_model_find_output(r->model, name) < 0;
        if (!foreign && !is_known(r, name) && lf_names_find(&observed->outputs, name, strlen(name)) < 0) {
            return lf_fail(ctx, LF_ERROR_DATA, "the output '%s' has no training rows", name);
        }
    }
    return LF_OK;
}

static lf_status note_inputs(lf_context *ctx, const lf_data *data, const roles *r)
{
    int *hold = calloc((size_t)data->outputs.count + 1, sizeof *hold);
    lf_status status = hold ? LF_OK : lf_no_memory(ctx);
    for (int d = 0; !status && d < data->outputs.count; d++) {
        lf_hold between;
        hold[d] = is_known_as(r, data->outputs.name[d], &between) ? (int)between : -1;
        status = hold[d] >= 0 ? lf_note_readings(ctx, data, d, between) : LF_OK;
    }
    LF_TRY(status, lf_note_replicates(ctx, data, hold));
    free(hold);
    return status;
}

lf_status lf_select_training(lf_context *ctx, const lf_data *data, const lf_model *model, const lf_option_list *inputs,
                             lf_data **training, lf_data **observed)
{
    roles r = {.model = model, .inputs = inputs};
    lf_data *unmarked = NULL;
    lf_status status = lf_data_choose(ctx, data, NULL, "train", &unmarked); /* refuses a table without training rows */
    lf_data_free(unmarked);
    LF_TRY(status, check_names(ctx, data, model, inputs));
    LF_TRY(status, check_unit(ctx, data, model));
    if (!status) {
        note_foreign(ctx, data, model);
    }
    LF_TRY(status, lf_data_pick(ctx, data, keep, &r, training));
    r.outputs_only = 1;
    LF_TRY(status, lf_data_pick(ctx, data, keep, &r, observed));
    LF_TRY(status, check_trained(ctx, data, &r, *observed));
    return status ? status : note_inputs(ctx, data, &r);
}

lf_status lf_select_share(lf_context *ctx, const lf_data *data, const lf_model *model, const lf_option_list *inputs,
                          lf_data **share)
{
    const roles r = {.model = model, .inputs = inputs};
    return lf_data_pick(ctx, data, keep, &r, share);
}

lf_status lf_first_input(lf_context *ctx, const lf_data *training, const lf_model *model, const lf_option_list *inputs,
                         double *first)
{
    const roles r = {.model = model, .inputs = inputs};
    char *read = calloc((size_t)training->replicates.count + 1, 1); /* replicates with rows of outputs */
    lf_status status = read ? LF_OK : lf_no_memory(ctx);
    *first = INFINITY;
    for (int pass = 0; !status && pass < 2; pass++) { /* rows of outputs, and then impulses */
        for (size_t i = 0; i < training->n; i++) {
            const char *name = training->output[i] < 0 ? "" : training->outputs.name[training->output[i]];
            size_t replicate = training->replicate[i] < 0 ? 0 : (size_t)training->replicate[i];
            lf_hold hold;
            int known = is_known_as(&r, name, &hold);
            if (pass == 0 && !known) {
                read[replicate] = 1;
                *first = fmin(*first, lf_data_begin(training, model, i));
            } else if (pass == 1 && known && hold == LF_HOLD_IMPULSE && training->y[i] != 0 && read[replicate]) {
                *first = fmin(*first, training->x[i]);
            }
        }
    }
    free(read);
    return status;
}

lf_status lf_add_known_inputs(lf_context *ctx, const lf_option_list *inputs, lf_model *model)
{
    lf_status status = LF_OK;
    model->known = calloc(inputs->count + 1, sizeof *model->known);
    if (!model->known) {
        return lf_no_memory(ctx);
    }
    for (size_t i = 0; !status && i < inputs->count; i++) {
        lf_known_input *known = &model->known[model->known_count];
        size_t length = lf_known_name_length(inputs->item[i], &known->hold);
        known->name = lf_copy_string(inputs->item[i]);
        if (!known->name) {
            return lf_no_memory(ctx);
        }
        known->name[length] = '\0';
        if (lf_model_find_known(model, known->name) >= 0) {
            status = lf_fail(ctx, LF_ERROR_ARGUMENT, "--input %s is given twice", known->name);
        }
        model->known_count++;
    }
    for (int d = 0; !status && d < model->output_count; d++) {
        model->outputs[d].gain = lf_doubles(inputs->count, 1);
        status = model->outputs[d].gain ? LF_OK : lf_no_memory(ctx);
    }
    return status ? status : lf_parameters_rebuild(ctx, model);
}
