/* What a model consists of, by kind and number: counts, names, labels, outputs; what it is as a whole. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "model/model.h"

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static size_t count_private(const lf_model *model)
{
    size_t count = 0;
    for (int d = 0; d < model->output_count; d++) {
        count += model->outputs[d].has_private != 0;
    }
    return count;
}

size_t lf_model_count(const lf_model *model, lf_kind kind)
{
    size_t first;
    switch (model ? kind : LF_KIND_ROW) {
    case LF_KIND_INPUT:
        return (size_t)model->input_dim;
    case LF_KIND_OUTPUT:
        return (size_t)model->output_count;
    case LF_KIND_RATE:
        return model->input_dim == 1 ? (size_t)model->output_count : 0;
    case LF_KIND_FORCE:
        return (size_t)model->force_count;
    case LF_KIND_PRIVATE:
        return count_private(model);
    case LF_KIND_WHITE:
        return (size_t)lf_model_white_count(model);
    case LF_KIND_KNOWN:
        return (size_t)model->known_count;
    case LF_KIND_STATE:
        return (size_t)lf_model_state_count(model);
    case LF_KIND_CONSTANT:
        return lf_model_constants(model, &first);
    case LF_KIND_QUANTITY:
        return (size_t)lf_model_quantity_count(model);
    case LF_KIND_PARAMETER:
        return model->parameter_count;
    case LF_KIND_ROW:
    case LF_KIND_REPLICATE:
    case LF_KIND_TARGET:
        return 0;
    }
    return 0;
}

/* The output with private force number `index`. */
static const lf_output *find_private(const lf_model *model, size_t index)
{
    const lf_output *output = model->outputs;
    for (; !output->has_private || index-- > 0; output++) {
    }
    return output;
}

const char *lf_model_name(const lf_model *model, lf_kind kind, size_t index)
{
    size_t first = 0;
    if (index >= lf_model_count(model, kind)) {
        return "";
    }
    switch (kind) {
    case LF_KIND_INPUT:
        return model->names[index];
    case LF_KIND_FORCE:
        return model->names[(size_t)model->input_dim + index];
    case LF_KIND_STATE:
        return model->names[(size_t)(model->input_dim + model->force_count) + index];
    case LF_KIND_OUTPUT:
    case LF_KIND_RATE:
        return model->outputs[index].name;
    case LF_KIND_PRIVATE:
        return find_private(model, index)->name;
    case LF_KIND_WHITE:
        return lf_model_white_name(model, (int)index);
    case LF_KIND_KNOWN:
        return model->known[index].name;
    case LF_KIND_CONSTANT:
        lf_model_constants(model, &first);
        return model->parameters[first + index].name;
    case LF_KIND_QUANTITY:
        return lf_model_quantity_name(model, (int)index);
    case LF_KIND_PARAMETER:
        return model->parameters[index].name;
    case LF_KIND_ROW:
    case LF_KIND_REPLICATE:
    case LF_KIND_TARGET:
        return "";
    }
    return "";
}

static const char *word_of(lf_kind kind)
{
    switch (kind) {
#define KIND_WORD(name, word)                                                                                          \
    case name:                                                                                                         \
        return word;
        LF_KIND_LIST(KIND_WORD)
#undef KIND_WORD
    }
    return "part of a kind that this version does not know";
}

lf_status lf_model_find(lf_context *ctx, const lf_model *model, lf_kind kind, const char *name, size_t *index)
{
    *index = LF_NONE;
    if (!model || !name) {
        return lf_missing(ctx, model ? "name" : "model");
    }
    if (kind == LF_KIND_PARAMETER) {
        return lf_parameter_find(ctx, model, name, index);
    }
    size_t count = lf_model_count(model, kind), i = 0;
    while (i < count && strcmp(lf_model_name(model, kind, i), name) != 0) {
        i++;
    }
    if (i == count) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "the model has no %s called \"%s\"", word_of(kind), name);
    }
    *index = i;
    return LF_OK;
}

static lf_status check_index(lf_context *ctx, const lf_model *model, lf_kind kind, size_t index)
{
    size_t count = lf_model_count(model, kind);
    return index < count ? LF_OK
                         : lf_fail(ctx, LF_ERROR_ARGUMENT, "there is no %s number %zu; the model has %zu",
                                   word_of(kind), index, count);
}

lf_status lf_model_get(lf_context *ctx, const lf_model *model, lf_model_info *info)
{
    if (!model) {
        return lf_missing(ctx, "model");
    }
    const lf_model_info found = {.origin = model->origin,
                                 .equations = lf_model_equations(model),
                                 .has_posterior = lf_model_has_posterior(model),
                                 .has_provenance = model->provenance != NULL,
                                 .is_calibrated = lf_model_is_calibrated(model)};
    return lf_give_struct(ctx, "lf_model_info", &found, sizeof found, info);
}

lf_status lf_model_label_get(lf_context *ctx, const lf_model *model, lf_kind kind, size_t index, lf_label *label)
{
    lf_label found = {.scale = 1, .unit = ""};
    lf_status status = check_index(ctx, model, kind, index);
    if (status) {
        return status;
    }
    if (kind == LF_KIND_INPUT) {
        found = lf_model_input(model, (int)index);
    } else {
        found.name = lf_model_name(model, kind, index);
        if (kind == LF_KIND_OUTPUT) {
            found.unit = lf_model_output(model, (int)index).unit;
        } else if (kind == LF_KIND_KNOWN) {
            found.unit = lf_model_known_unit(model, (int)index);
            found.between = lf_model_known_between(model, (int)index);
        }
        found.file_unit = found.unit;
        found.seconds = lf_unit_seconds(found.unit);
    }
    return lf_give_struct(ctx, "lf_label", &found, sizeof found, label);
}

lf_status lf_model_output_get(lf_context *ctx, const lf_model *model, size_t index, lf_output_info *info)
{
    lf_status status = check_index(ctx, model, LF_KIND_OUTPUT, index);
    if (status) {
        return status;
    }
    const lf_output_info found = lf_model_output(model, (int)index);
    return lf_give_struct(ctx, "lf_output_info", &found, sizeof found, info);
}

/* Bytes that the name of any input, force or state fits into. */
static size_t longest_name(const lf_model *model)
{
    size_t longest = 0;
    for (int k = 0; model->axes && k < model->input_dim; k++) {
        longest = model->axes[k].name ? larger(longest, strlen(model->axes[k].name)) : longest;
    }
    for (int q = 0; q < model->force_count; q++) {
        longest = model->forces[q].name ? larger(longest, strlen(model->forces[q].name)) : longest;
    }
    for (int i = 0; model->system && i < model->system->equations->variable_count; i++) {
        longest = larger(longest, strlen(model->system->equations->variables[i].name));
    }
    return longest + 64; /* "force12", "x'", "x12" */
}

static void write_name(const lf_model *model, size_t index, size_t size, char *text)
{
    size_t p = (size_t)model->input_dim, forces = (size_t)model->force_count;
    if (index < p) {
        lf_model_input_heading(model, (int)index, size, text);
    } else if (index < p + forces) {
        lf_model_force_name(model, (int)(index - p), size, text);
    } else {
        lf_model_state_name(model, (int)(index - p - forces), size, text);
    }
}

lf_status lf_model_write_names(lf_context *ctx, lf_model *model)
{
    size_t count = (size_t)(model->input_dim + model->force_count + lf_model_state_count(model));
    size_t size = longest_name(model), i = 0;
    char *text = malloc(size);
    lf_model_clear_names(model);
    model->names = calloc(count + 1, sizeof *model->names);
    for (int ok = text && model->names; ok && i < count; i += (size_t)ok) {
        write_name(model, i, size, text);
        model->names[i] = lf_copy_string(text);
        ok = model->names[i] != NULL;
    }
    free(text);
    return model->names && i == count ? LF_OK : lf_no_memory(ctx);
}

void lf_model_clear_names(lf_model *model)
{
    for (char **name = model->names; name && *name; name++) {
        free(*name);
    }
    free(model->names);
    model->names = NULL;
}
