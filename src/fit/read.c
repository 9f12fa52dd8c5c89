/* Reads data for a fit: its options say which columns are known inputs or mentioned by equations, and in which unit times are. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "plan/known_inputs.h"

lf_status lf_fit_options_set_equations(lf_context *ctx, lf_options *options, const char *text, const char *name)
{
    lf_model *model = NULL;
    lf_status status = lf_model_from_equations(ctx, text, name, &model);
    if (!status) {
        lf_model_free(options->equations_model);
        options->equations_model = model;
    }
    return status;
}

/* The known inputs of the options as a list of names separated by commas, each in quotation marks. */
static lf_status list_inputs(lf_context *ctx, const lf_option_list *inputs, char **list)
{
    size_t size = 1;
    lf_hold unused;
    for (size_t i = 0; i < inputs->count; i++) {
        size += 2 * strlen(inputs->item[i]) + 3;
    }
    char *to = *list = inputs->count ? malloc(size) : NULL;
    if (inputs->count && !to) {
        return lf_no_memory(ctx);
    }
    for (size_t i = 0; i < inputs->count; i++) {
        size_t length = lf_known_name_length(inputs->item[i], &unused);
        *to++ = '"';
        for (size_t k = 0; k < length; k++) {
            if (inputs->item[i][k] == '"') {
                *to++ = '"';
            }
            *to++ = inputs->item[i][k];
        }
        *to++ = '"';
        *to++ = i + 1 < inputs->count ? ',' : '\0';
    }
    return LF_OK;
}

/* The model that the fit starts from; *own: it is to be released. Standard input is read once. */
static lf_status find_model(lf_context *ctx, lf_options *o, lf_model **model, int *own)
{
    lf_status status = LF_OK;
    *model = NULL;
    *own = 0;
    if (o->equations && !o->equations_model) {
        status = lf_model_read_equations(ctx, o->equations, &o->equations_model);
    }
    if (!status && o->init && !o->init_model) {
        status = lf_model_read(ctx, o->init, model);
        *own = !status;
        if (!status && strcmp(o->init, "-") == 0) {
            status = lf_options_set_model(ctx, o, *model);
        }
    } else if (!status) {
        *model = o->init_model ? o->init_model : o->equations_model;
    }
    return status;
}

/* What is read, with the options of a fit: files, or a table in memory. */
typedef struct source {
    size_t count; /* of paths, or of columns */
    const char *const *paths;
    const char *name; /* of the table */
    size_t rows;
    const lf_column *columns; /* NULL: files */
} source;

static lf_status read_source(lf_context *ctx, lf_options *options, const source *from, const lf_read_options *reading,
                             lf_data **data)
{
    lf_model *model = NULL;
    lf_read_options taken;
    char *inputs = NULL;
    int own = 0;
    *data = NULL;
    lf_status status = lf_take_options(ctx, "lf_read_options", reading, sizeof taken, &taken);
    LF_TRY(status, find_model(ctx, options, &model, &own));
    LF_TRY(status, list_inputs(ctx, &options->inputs, &inputs));
    if (!status) {
        /* Times of a model to start from stay what they are, where it says what they are. */
        int known = model && (model == options->equations_model || lf_axis_is_known(lf_model_axis(model, 0)));
        taken.model = known ? model : NULL;
        taken.unfitted = model && model == options->equations_model;
        taken.known = inputs;
        status = from->columns
                     ? lf_data_read_columns(ctx, from->name, from->rows, from->count, from->columns, &taken, data)
                     : lf_data_read_files(ctx, from->count, from->paths, &taken, data);
    }
    if (own) {
        lf_model_free(model);
    }
    free(inputs);
    return status;
}

lf_status lf_fit_read(lf_context *ctx, lf_options *options, size_t count, const char *const *paths,
                      const lf_read_options *reading, lf_data **data)
{
    return read_source(ctx, options, &(source){.count = count, .paths = paths}, reading, data);
}

lf_status lf_fit_read_columns(lf_context *ctx, lf_options *options, const char *name, size_t rows, size_t count,
                              const lf_column *columns, const lf_read_options *reading, lf_data **data)
{
    *data = NULL;
    return columns
               ? read_source(ctx, options, &(source){.name = name, .rows = rows, .count = count, .columns = columns},
                             reading, data)
               : lf_fail(ctx, LF_ERROR_ARGUMENT, "%s: has no columns", name ? name : "table");
}
