/* The options of scores as the library takes them. */
#include "options/validation.h"

#include <stdio.h>

#include "message.h"

static lf_status set_own(lf_context *ctx, const cli_settings *settings, lf_options *o)
{
    char text[40];
    lf_status status = LF_OK;
    if (settings->folds) {
        snprintf(text, sizeof text, "%zu", settings->folds);
        status = lf_options_set(ctx, o, "cross-validate", text);
    }
    const struct {
        const char *name, *value;
    } texts[] = {
        {"rolling", settings->rolling}, {"span", settings->span}, {"step", settings->step}, {"init", settings->init}};
    for (size_t i = 0; !status && i < sizeof texts / sizeof *texts; i++) {
        status = texts[i].value ? lf_options_set(ctx, o, texts[i].name, texts[i].value) : LF_OK;
    }
    if (!status && settings->no_refit) {
        status = lf_options_set(ctx, o, "no-refit", NULL);
    }
    if (!status && settings->threshold != 0) {
        snprintf(text, sizeof text, "%.17g", settings->threshold);
        status = lf_options_set(ctx, o, "threshold", text);
    }
    return status;
}

static lf_status set_names(lf_context *ctx, const cli_settings *settings, lf_options *o)
{
    const char *table = settings->rows ? settings->rows : settings->data;
    lf_status status = table ? lf_options_set(ctx, o, "table-name", table) : LF_OK;
    if (!status && settings->model) {
        status = lf_options_set(ctx, o, "model-name", settings->model);
    }
    for (size_t i = 0; !status && i < settings->models.count; i++) {
        status = lf_options_set(ctx, o, "model-name", settings->models.item[i]);
    }
    return status;
}

int cli_validation(lf_context *ctx, const char *command, const cli_settings *settings, lf_options **validate)
{
    lf_status status = lf_options_create(ctx, "validate", validate);
    for (size_t i = 0; !status && i < lf_option_count("validate"); i++) {
        lf_option option = {.size = sizeof option};
        status = lf_option_get(ctx, "validate", i, &option);
        const char *given = status ? NULL : lf_fit_options_get(settings->fit, option.name);
        status = status || !given ? status : lf_options_set(ctx, *validate, option.name, given);
    }
    status = status ? status : set_own(ctx, settings, *validate);
    status = status ? status : set_names(ctx, settings, *validate);
    status = status ? status : lf_options_check(ctx, *validate);
    return status == LF_ERROR_ARGUMENT ? cli_usage_error(command, "%s", lf_context_message(ctx))
                                       : cli_check(ctx, status);
}
