/* Steps that several commands share: reading data that match the model, conditioning on them, restoring posteriors. */
#include "options/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output_file.h"
#include "base/plural.h"
#include "message.h"
#include "options/model_parts.h"

int cli_read_model(lf_context *ctx, const char *path, lf_model **model)
{
    return cli_check(ctx, lf_model_read(ctx, path, model));
}

static int check_outputs(const cli_settings *settings, const lf_model *model, const char *path, const lf_data *data)
{
    for (int i = 0; i < (int)lf_data_count(data, LF_KIND_OUTPUT); i++) {
        const char *name = lf_data_name(data, LF_KIND_OUTPUT, (size_t)i);
        if (cli_find(model, LF_KIND_OUTPUT, name) < 0 && cli_find(model, LF_KIND_KNOWN, name) < 0) {
            return cli_fail("%s: the output '%s' is not in the model %s; 'latentforce show' lists its outputs", path,
                            name, settings->model);
        }
    }
    return CLI_DONE;
}

/* The items separated by commas; the caller frees the text. */
static int join(const cli_list *list, const char **text)
{
    size_t size = 1;
    for (size_t i = 0; i < list->count; i++) {
        size += strlen(list->item[i]) + 1;
    }
    char *joined = list->count > 0 ? calloc(size, 1) : NULL;
    for (size_t i = 0; joined && i < list->count; i++) {
        strcat(joined, i ? "," : "");
        strcat(joined, list->item[i]);
    }
    *text = joined;
    return joined || list->count == 0 ? CLI_DONE : cli_no_memory();
}

/* Which rows are read: those of a fit, with the options of the command line; inputs of predictions; of several processes, all by each. */
typedef struct kind {
    int fit, inputs_only, whole;
} kind;

static int read_files(lf_context *ctx, const cli_settings *settings, const lf_model *model, kind k, size_t count,
                      const char *const *paths, lf_data **data)
{
    lf_read_options options = settings->reading;
    options.model = model;
    options.inputs_only = k.inputs_only;
    options.whole = k.whole;
    int status = join(&settings->drop, &options.drop);
    status = status ? status : join(&settings->missing, &options.missing);
    if (status == CLI_DONE && !k.inputs_only) {
        status = join(&settings->read_outputs, &options.outputs);
    }
    if (status == CLI_DONE) {
        status = cli_check(ctx, k.fit ? lf_fit_read(ctx, settings->fit, count, paths, &options, data)
                                      : lf_data_read_files(ctx, count, paths, &options, data));
    }
    free((void *)options.drop);
    free((void *)options.missing);
    free((void *)options.outputs);
    return status;
}

int cli_read_files(lf_context *ctx, const cli_settings *settings, const lf_model *model, int inputs_only, size_t count,
                   const char *const *paths, lf_data **data)
{
    return read_files(ctx, settings, model, (kind){.inputs_only = inputs_only}, count, paths, data);
}

int cli_read_for_fit(lf_context *ctx, const cli_settings *settings, lf_data **data)
{
    return read_files(ctx, settings, NULL, (kind){.fit = 1}, settings->row_files.count, settings->row_files.item, data);
}

static int read_csv(lf_context *ctx, const cli_settings *settings, const lf_model *model, const char *path, kind k,
                    lf_data **data)
{
    const cli_list *files = path == settings->data ? &settings->data_files : &settings->row_files;
    int status = read_files(ctx, settings, model, k, k.inputs_only ? 1 : files->count,
                            k.inputs_only ? &path : files->item, data);
    if (status == CLI_DONE && (int)lf_data_count(*data, LF_KIND_INPUT) != cli_count(model, LF_KIND_INPUT)) {
        int found = (int)lf_data_count(*data, LF_KIND_INPUT);
        status = cli_fail("%s: a row has %d input column%s, but the model %s has input_dim %d", path, found,
                          lf_plural((size_t)found), settings->model, cli_count(model, LF_KIND_INPUT));
    }
    return status;
}

static void free_on_failure(int status, lf_data **data)
{
    if (status != CLI_DONE) {
        lf_data_free(*data);
        *data = NULL;
    }
}

static int read_data(lf_context *ctx, const cli_settings *settings, const lf_model *model, const char *path, kind k,
                     lf_data **data)
{
    *data = NULL;
    int status = read_csv(ctx, settings, model, path, k, data);
    status = status ? status : check_outputs(settings, model, path, *data);
    free_on_failure(status, data);
    return status;
}

int cli_read_data(lf_context *ctx, const cli_settings *settings, const lf_model *model, const char *path,
                  lf_data **data)
{
    return read_data(ctx, settings, model, path, (kind){0}, data);
}

int cli_read_whole_data(lf_context *ctx, const cli_settings *settings, const lf_model *model, const char *path,
                        lf_data **data)
{
    return read_data(ctx, settings, model, path, (kind){.whole = 1}, data);
}

int cli_read_inputs(lf_context *ctx, const cli_settings *settings, const lf_model *model, int any_output,
                    lf_data **inputs)
{
    *inputs = NULL;
    int status = read_csv(ctx, settings, model, settings->at, (kind){.inputs_only = 1, .whole = 1}, inputs);
    if (status == CLI_DONE && !any_output) {
        status = check_outputs(settings, model, settings->at, *inputs);
    }
    free_on_failure(status, inputs);
    return status;
}

int cli_refuse_replicates(const cli_settings *settings, const lf_data *inputs)
{
    return lf_data_count(inputs, LF_KIND_REPLICATE) == 0
               ? CLI_DONE
               : cli_fail(
                     "%s: has a replicate column, but there is no covariance between replicates; remove the column",
                     settings->at);
}

int cli_check_writable(lf_context *ctx, const char *path)
{
    lf_output_file file;
    int status = cli_check(ctx, lf_file_create(ctx, path, &file));
    if (status == CLI_DONE) {
        lf_file_discard(&file);
    }
    return status;
}

int cli_is_test(lf_row row) { return row.split && strcmp(row.split, "test") == 0; }

int cli_select(lf_context *ctx, const lf_model *model, const char *path, const lf_data *data, const char *rows,
               lf_data **selected)
{
    lf_data_info info = {.size = sizeof info};
    lf_status status = lf_data_select(ctx, data, model, rows, selected);
    status = status ? status : lf_data_info_get(ctx, *selected, model, &info);
    if (!status && !info.empty) {
        return CLI_DONE;
    }
    lf_data_free(*selected);
    *selected = NULL;
    return cli_fail("%s: %s", path, status ? lf_context_message(ctx) : info.empty);
}

int cli_drop_before_start(lf_context *ctx, const cli_settings *settings, const lf_model *model, const char *path,
                          lf_data **rows)
{
    lf_data *started = NULL;
    char note[512];
    if (lf_data_count(*rows, LF_KIND_INPUT) > 1 || lf_data_count(*rows, LF_KIND_ROW) == 0) {
        return CLI_DONE;
    }
    int status = cli_select(ctx, model, path, *rows, "started", &started);
    if (status != CLI_DONE) {
        return status;
    }
    size_t dropped = lf_data_count(*rows, LF_KIND_ROW) - lf_data_count(started, LF_KIND_ROW);
    if (dropped > 0 && !settings->quiet) {
        snprintf(note, sizeof note,
                 "%s: %zu row%s before the start of the model %s left out: an output has no value there; to predict "
                 "%s too, fit with --origin at the earliest time",
                 path, dropped, dropped == 1 ? "" : "s", dropped == 1 ? "is" : "are", dropped == 1 ? "it" : "them");
        cli_note(NULL, LF_LEVEL_NOTE, note);
    }
    lf_data *all = *rows;
    *rows = dropped > 0 ? started : all;
    lf_data_free(dropped > 0 ? all : started);
    return CLI_DONE;
}

int cli_add_inputs(lf_context *ctx, const char *path, const lf_data *data, lf_posterior *posterior)
{
    if (data && lf_posterior_update(ctx, posterior, data, "inputs") != LF_OK) {
        return cli_fail("%s: %s", path, lf_context_message(ctx));
    }
    return CLI_DONE;
}

lf_engine_options cli_engine_options(const cli_settings *settings)
{
    return (lf_engine_options){.size = sizeof(lf_engine_options),
                               .engine = settings->engine,
                               .nodes = settings->nodes,
                               .tolerance = settings->tolerance,
                               .features = settings->features,
                               .inducing = settings->inducing,
                               .inducing_inputs = settings->inducing_inputs,
                               .device = settings->device};
}

/* The engine options as options of the verb "engine", with the horizon. */
static int choose_engine(lf_context *ctx, const cli_settings *settings, lf_options **engine)
{
    char features[32], inducing[32], tolerance[32];
    snprintf(features, sizeof features, "%zu", settings->features);
    snprintf(inducing, sizeof inducing, "%zu", settings->inducing);
    snprintf(tolerance, sizeof tolerance, "%.17g", settings->tolerance);
    const struct {
        const char *name, *value;
    } given[] = {{"engine", settings->engine},
                 {"nodes", settings->nodes},
                 {"features", settings->features ? features : NULL},
                 {"inducing", settings->inducing ? inducing : NULL},
                 {"inducing-inputs", settings->inducing_inputs},
                 {"tolerance", settings->tolerance > 0 ? tolerance : NULL},
                 {"horizon", settings->horizon},
                 {"device", settings->device}};
    lf_status status = lf_options_create(ctx, "engine", engine);
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        status = status || !given[i].value ? status : lf_options_set(ctx, *engine, given[i].name, given[i].value);
    }
    return cli_check(ctx, status);
}

int cli_posterior_given(lf_context *ctx, const cli_settings *settings, const lf_model *model, const lf_data *training,
                        const lf_points *reach, lf_posterior **posterior)
{
    lf_options *engine = NULL;
    int status = choose_engine(ctx, settings, &engine);
    status = status ? status : cli_check(ctx, lf_posterior_create(ctx, model, training, engine, reach, posterior));
    lf_options_free(engine);
    return status;
}

int cli_horizon(lf_context *ctx, const cli_settings *settings, const lf_model *model, double *horizon)
{
    *horizon = (double)NAN;
    if (!settings->horizon || lf_model_parse_input(ctx, model, 0, settings->horizon, horizon) == LF_OK) {
        return CLI_DONE;
    }
    return cli_fail("--horizon %s", lf_context_message(ctx));
}

int cli_set_horizon(lf_context *ctx, const cli_settings *settings, const lf_model *model, const lf_data *training,
                    lf_engine_options *options)
{
    if (lf_data_count(training, LF_KIND_INPUT) > 1) {
        return CLI_DONE;
    }
    double last, horizon;
    lf_data_info info = {.size = sizeof info, .high = &last};
    int status = cli_check(ctx, lf_data_info_get(ctx, training, model, &info));
    status = status ? status : cli_horizon(ctx, settings, model, &horizon);
    if (status == CLI_DONE && horizon < last) {
        char shown[CLI_INPUT_SIZE];
        lf_model_format_input(model, 0, last, sizeof shown, shown);
        return cli_fail("--horizon %s lies before the last training input %s", settings->horizon, shown);
    }
    options->ahead = status || isnan(horizon) ? 0 : horizon - last;
    return status;
}

int cli_condition_on(lf_context *ctx, const cli_settings *settings, const lf_model *model, const lf_data *training,
                     const cli_points *required, lf_posterior **posterior)
{
    cli_points all = {0};
    lf_points *reach = NULL;
    int status = required ? cli_points_append(&all, required, 0, 1, 1) : CLI_DONE;
    status = status ? status : cli_points_make(ctx, model, &all, &reach);
    status = status ? status : cli_posterior_given(ctx, settings, model, training, reach, posterior);
    lf_points_free(reach);
    cli_points_free(&all);
    return status;
}

const char *cli_engine_option_given(const cli_settings *settings)
{
    const struct {
        const char *name;
        int given;
    } engine_options[] = {{"--engine", settings->engine != NULL},
                          {"--nodes", settings->nodes != NULL},
                          {"--features", settings->features > 0},
                          {"--inducing", settings->inducing > 0},
                          {"--inducing-inputs", settings->inducing_inputs != NULL},
                          {"--tolerance", settings->tolerance > 0},
                          {"--horizon", settings->horizon != NULL},
                          {"--device", settings->device != NULL}};
    for (size_t i = 0; i < sizeof engine_options / sizeof engine_options[0]; i++) {
        if (engine_options[i].given) {
            return engine_options[i].name;
        }
    }
    return NULL;
}

int cli_refuse_engine_options(const char *command, const cli_settings *settings)
{
    const char *given = cli_engine_option_given(settings);
    return given ? cli_usage_error(command, "%s needs --data DATA: the posterior stored in %s is used as it is", given,
                                   settings->model)
                 : CLI_DONE;
}

int cli_restore(lf_context *ctx, const char *command, const cli_settings *settings, const lf_model *model,
                lf_posterior **posterior)
{
    int refused = cli_refuse_engine_options(command, settings);
    if (refused) {
        return refused;
    }
    if (lf_posterior_restore(ctx, model, posterior) != LF_OK) {
        return cli_fail("%s: %s", settings->model, lf_context_message(ctx));
    }
    return CLI_DONE;
}

int cli_fail_no_posterior(const cli_settings *settings)
{
    return cli_fail("%s: holds no posterior, so the training data are needed: give them with --data DATA, or store a "
                    "posterior with 'latentforce condition'",
                    settings->model);
}

int cli_stored_limits(const lf_model *model, const lf_posterior *posterior, double *low, double *high)
{
    lf_posterior_info info = {.size = sizeof info, .low = low, .high = high};
    int known = lf_posterior_get(NULL, posterior, &info) == LF_OK;
    for (int k = 0; k < cli_count(model, LF_KIND_INPUT); k++) {
        known = known && isfinite(low[k]) && isfinite(high[k]);
    }
    return known;
}

int cli_has_named_replicates(const lf_posterior *posterior) { return cli_posterior(posterior).named; }
