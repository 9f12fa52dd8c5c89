/* Parts of a model as values. Nothing can fail but a number that is none of the model, and that leaves the struct empty. */
#include "options/model_parts.h"

#include <stdlib.h>

#include "message.h"

int cli_count(const lf_model *model, lf_kind kind) { return (int)lf_model_count(model, kind); }

const char *cli_name(const lf_model *model, lf_kind kind, int index)
{
    return lf_model_name(model, kind, index < 0 ? LF_NONE : (size_t)index);
}

int cli_find(const lf_model *model, lf_kind kind, const char *name)
{
    size_t index;
    return lf_model_find(NULL, model, kind, name, &index) == LF_OK ? (int)index : -1;
}

lf_model_info cli_about(const lf_model *model)
{
    lf_model_info info = {.size = sizeof info};
    lf_model_get(NULL, model, &info);
    return info;
}

static lf_label label_of(const lf_model *model, lf_kind kind, int index)
{
    lf_label label = {.size = sizeof label, .name = "", .unit = "", .file_unit = ""};
    lf_model_label_get(NULL, model, kind, index < 0 ? LF_NONE : (size_t)index, &label);
    return label;
}

lf_label cli_input(const lf_model *model, int input) { return label_of(model, LF_KIND_INPUT, input); }

lf_label cli_known(const lf_model *model, int known) { return label_of(model, LF_KIND_KNOWN, known); }

lf_output_info cli_output(const lf_model *model, int output)
{
    lf_output_info info = {.size = sizeof info, .name = "", .unit = "", .operator_type = ""};
    lf_model_output_get(NULL, model, output < 0 ? LF_NONE : (size_t)output, &info);
    return info;
}

lf_parameter cli_parameter(const lf_model *model, size_t index)
{
    lf_parameter parameter = {.size = sizeof parameter, .name = "", .theta_name = "", .short_name = ""};
    lf_model_parameter_get(NULL, model, index, &parameter);
    return parameter;
}

lf_posterior_info cli_posterior(const lf_posterior *posterior)
{
    lf_posterior_info info = {.size = sizeof info};
    (void)lf_posterior_get(NULL, posterior, &info);
    return info;
}

lf_row cli_row(const lf_data *data, size_t index)
{
    lf_row row = {.size = sizeof row};
    lf_data_get(NULL, data, index, &row);
    return row;
}

static lf_status get_column(lf_context *ctx, const lf_table *table, const char *name, lf_column *column)
{
    size_t index;
    lf_status status = lf_table_find(ctx, table, name, &index);
    return status ? status : lf_table_column_get(ctx, table, index, column);
}

int cli_forces(lf_context *ctx, const lf_model *model, cli_force **forces)
{
    int count = cli_count(model, LF_KIND_FORCE);
    lf_table *table = NULL;
    lf_column white = {.size = sizeof white}, idle = {.size = sizeof idle};
    *forces = calloc((size_t)count + 1, sizeof **forces);
    if (!*forces) {
        return cli_no_memory();
    }
    lf_status status = lf_model_table(ctx, model, "forces", &table);
    status = status ? status : get_column(ctx, table, "white", &white);
    status = status ? status : get_column(ctx, table, "idle", &idle);
    for (int q = 0; !status && q < count; q++) {
        (*forces)[q].white = white.number[q] != 0;
        (*forces)[q].idle = idle.code[q] >= 0 && *idle.words[idle.code[q]];
    }
    lf_table_free(table);
    return cli_check(ctx, status);
}
