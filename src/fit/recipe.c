/* The options of a fit from the provenance of its model: "options", or the words of "command" in files that have no options. */
#include "fit/recipe.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"

typedef struct recipe {
    lf_context *ctx;
    int has_init; /* the model to start from is given again */
    lf_options *fit;
} recipe;

/* Sets an option that says what is fitted. Others, and those that name files, are left out; the model to start from cannot be. */
static lf_status take(recipe *r, const lf_option *option, const char *name, const char *value)
{
    if (strcmp(option->name, "init") == 0 && !r->has_init) {
        return lf_fail(r->ctx, LF_ERROR_ARGUMENT,
                       "its fit started from a model file (--init), which is not opened because only the model names "
                       "it; give that file with --init FILE, or --no-refit");
    }
    return option->about_machine || strcmp(option->type, "file") == 0 ? LF_OK
                                                                      : lf_options_set(r->ctx, r->fit, name, value);
}

static lf_status take_setting(recipe *r, const char *setting)
{
    size_t length = setting ? strcspn(setting, "=") : 0;
    const lf_option *option = setting ? lf_fit_option_find_part(setting, length) : NULL;
    return option && setting[length] ? take(r, option, option->name, setting + length + 1)
                                     : lf_fail(r->ctx, LF_ERROR_MODEL, "an option in its provenance is not known");
}

static lf_status take_options(recipe *r, const json_t *options)
{
    lf_status status = LF_OK;
    for (size_t i = 0; !status && i < json_array_size(options); i++) {
        status = take_setting(r, json_string_value(json_array_get(options, i)));
    }
    return status;
}

/* The words of a command line: "--NAME VALUE", "--NAME=VALUE", "--no-NAME". Words that are no option of a fit are left out: those of the program, their
 * values and data files. */
static lf_status take_words(recipe *r, const lf_model *model)
{
    lf_status status = LF_OK;
    const char *word;
    for (size_t i = 2; !status && (word = lf_model_command(model, i)) && strcmp(word, "--") != 0; i++) {
        size_t length = strncmp(word, "--", 2) == 0 ? strcspn(word + 2, "=") : 0;
        const lf_option *option = lf_fit_option_find_part(word + 2 * (length > 0), length);
        int no = !option && length > 3 && strncmp(word + 2, "no-", 3) == 0;
        option = no ? lf_fit_option_find_part(word + 5, length - 3) : option;
        if (!option) {
            continue;
        }
        const char *value = word[2 + length] ? word + 2 + length + 1 : NULL;
        if (!value && option->argument) {
            value = lf_model_command(model, ++i);
        }
        status = take(r, option, option->name, no ? "no" : value ? value : "yes");
    }
    return status;
}

/* The fits start not after the model, unless the options say when. A time that was rounded when it was written is moved a little. */
static lf_status set_origin(recipe *r, const lf_model *model)
{
    char text[LF_TIMESTAMP_SIZE];
    const lf_axis *axis = lf_model_axis(model, 0);
    double origin = model->origin, earlier = 0, read = INFINITY;
    lf_status status = LF_OK;
    for (int i = 0; !status && i < 12 && !(read <= origin); i++) {
        snprintf(text, sizeof text, "%.17g", origin - earlier);
        if (axis->dated || axis->file_unit) {
            lf_model_format_input(model, 0, origin - earlier, sizeof text, text);
        }
        status = lf_model_parse_input(r->ctx, model, 0, text, &read);
        earlier = earlier > 0 ? 10 * earlier : 1e-12 * fmax(fabs(origin), 1);
    }
    return status || model->input_dim > 1 || r->has_init ? status : lf_options_set(r->ctx, r->fit, "origin", text);
}

static lf_status set_init(recipe *r, const lf_options *validate)
{
    lf_status status = validate->init ? lf_options_set(r->ctx, r->fit, "init", validate->init) : LF_OK;
    LF_TRY(status, validate->init_model ? lf_options_set_model(r->ctx, r->fit, validate->init_model) : LF_OK);
    lf_note(r->ctx, "the fit starts from the model of --init: if that was fitted to these rows, the scores are too "
                    "good");
    return status;
}

lf_status lf_recipe_create(lf_context *ctx, const lf_model *model, const lf_options *validate, lf_options **fit)
{
    const json_t *options = json_object_get(model->provenance, "options");
    const char *verb = lf_model_command(model, 1), *equations;
    recipe r = {.ctx = ctx, .has_init = validate && (validate->init || validate->init_model)};
    *fit = NULL;
    if (!json_is_array(options) && !(verb && strcmp(verb, "fit") == 0)) {
        return lf_fail(ctx, LF_ERROR_MODEL,
                       "does not contain the options of the fit that made it, so it cannot be fitted again; "
                       "--no-refit keeps its parameters and withholds the rows from the posterior only");
    }
    lf_status status = lf_options_create(ctx, "fit", &r.fit);
    LF_TRY(status, set_origin(&r, model));
    LF_TRY(status, json_is_array(options) ? take_options(&r, options) : take_words(&r, model));
    equations = r.has_init ? NULL : lf_model_equations(model);
    LF_TRY(status,
           equations ? lf_fit_options_set_equations(ctx, r.fit, equations, "the equations of the model") : LF_OK);
    LF_TRY(status, r.has_init ? set_init(&r, validate) : LF_OK);
    LF_TRY(status, lf_options_set(ctx, r.fit, "errors", "no"));
    if (!status && !lf_model_is_calibrated(model)) { /* the windows of a fold would be gaps, which call for it */
        status = lf_options_set(ctx, r.fit, "calibrate", "no");
    }
    if (status) {
        lf_options_free(r.fit);
        return status;
    }
    *fit = r.fit;
    return LF_OK;
}
