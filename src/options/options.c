/* Options by name: text is checked (values.c) and stored in its field. */
#include "options/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/nearest.h"

lf_status lf_options_create(lf_context *ctx, const char *verb, lf_options **options)
{
    *options = NULL;
    const lf_verb *found = lf_verb_find(verb);
    if (!found) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "'%s' is no verb that has options", verb ? verb : "");
    }
    if (found == &lf_read_verb) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "the options of reading are the fields of lf_read_options");
    }
    lf_options *made = calloc(1, sizeof *made);
    const char **value = calloc(found->count, sizeof *value);
    if (!made || !value) {
        free(made);
        free(value);
        return lf_no_memory(ctx);
    }
    *made = (lf_options){.verb = found, .value = value, .engine.size = sizeof(lf_engine_options)};
    *options = made;
    return LF_OK;
}

static void list_clear(lf_option_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->item[i]);
    }
    free(list->item);
}

void lf_options_free(lf_options *options)
{
    if (!options) {
        return;
    }
    list_clear(&options->fixed);
    list_clear(&options->freed);
    list_clear(&options->operators);
    list_clear(&options->likelihoods);
    list_clear(&options->inputs);
    list_clear(&options->kernels);
    list_clear(&options->periods);
    list_clear(&options->command);
    list_clear(&options->panels);
    list_clear(&options->only);
    list_clear(&options->replicates);
    list_clear(&options->given);
    list_clear(&options->model_names);
    list_clear(&options->request.outputs);
    list_clear(&options->request.replicates);
    list_clear(&options->texts);
    lf_model_free(options->init_model);
    lf_model_free(options->equations_model);
    free(options->value);
    free(options);
}

/* The copy of the text in the list; NULL when there is no memory. */
static const char *list_add(lf_option_list *list, const char *text)
{
    char **item = realloc(list->item, (list->count + 2) * sizeof *item);
    char *copy = item ? lf_copy_string(text) : NULL;
    list->item = item ? item : list->item;
    if (copy) {
        list->item[list->count++] = copy;
        list->item[list->count] = NULL;
    }
    return copy;
}

const char *lf_options_text(const lf_options *options, const char *name)
{
    size_t i = options->verb ? lf_verb_index(options->verb, name) : 0;
    return options->verb && i < options->verb->count ? options->value[i] : NULL;
}

static int is(const char *text, const char *word) { return text && strcmp(text, word) == 0; }

/* The list that keeps the text of an option. */
static lf_option_list *list_of(lf_options *o, const lf_option *option, const char *text)
{
    int request = o->verb == &lf_request_verb;
    const char *name = option->name;
    return is(name, "fix")                                        ? &o->fixed
           : is(name, "free")                                     ? &o->freed
           : is(name, "operator") && strchr(text, '=')            ? &o->operators
           : is(name, "likelihood")                               ? &o->likelihoods
           : is(name, "input")                                    ? &o->inputs
           : is(name, "force-kernel")                             ? &o->kernels
           : is(name, "panels")                                   ? &o->panels
           : is(name, "only")                                     ? &o->only
           : is(name, "replicate")                                ? request ? &o->request.replicates : &o->replicates
           : is(name, "command")                                  ? &o->command
           : is(name, "model-name")                               ? &o->model_names
           : is(name, "output")                                   ? &o->request.outputs
           : is(name, "period") && !lf_option_lists(option, text) ? &o->periods
                                                                  : &o->texts;
}

/* An option by its name or, of a switch, "no-NAME". */
static lf_status find_option(lf_context *ctx, const lf_verb *verb, const char *name, size_t *index, int *no)
{
    *no = strncmp(name, "no-", 3) == 0;
    *index = lf_verb_index(verb, *no ? name + 3 : name);
    if (*index < verb->count && (!*no || is(verb->option(*index)->type, "switch"))) {
        return LF_OK;
    }
    const char **names = calloc(verb->count, sizeof *names);
    for (size_t i = 0; names && i < verb->count; i++) {
        names[i] = verb->option(i)->name;
    }
    const char *nearest = names ? lf_nearest(name, names, verb->count) : NULL;
    free(names);
    return lf_fail(ctx, LF_ERROR_ARGUMENT,
                   nearest ? "%s has no option '%s'; did you mean '%s'?" : "%s has no option '%s'", verb->noun, name,
                   nearest);
}

/* Remembers a setting as "NAME=VALUE". */
static lf_status remember(lf_context *ctx, lf_options *o, const char *name, const char *text)
{
    size_t size = strlen(name) + strlen(text) + 2;
    char *setting = malloc(size);
    if (setting) {
        snprintf(setting, size, "%s=%s", name, text);
    }
    lf_status status = setting && list_add(&o->given, setting) ? LF_OK : lf_no_memory(ctx);
    free(setting);
    return status;
}

lf_status lf_options_set(lf_context *ctx, lf_options *o, const char *name, const char *value)
{
    if (!o || !name) {
        return lf_missing(ctx, o ? "name" : "options");
    }
    size_t index;
    int no;
    lf_status status = find_option(ctx, o->verb, name, &index, &no);
    if (status) {
        return status;
    }
    const lf_option *option = o->verb->option(index);
    int is_switch = is(option->type, "switch");
    if (!value && !is_switch && !is(option->type, "flag")) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "--%s needs a value: %s", option->name, option->argument);
    }
    if (is_switch && o->value[index]) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "give either --%s or --no-%s, not both", option->name, option->name);
    }
    const char *text = no ? "no" : value ? value : "yes";
    double number;
    uint64_t count;
    status = lf_option_parse(ctx, option, text, &number, &count);
    const char *copy = status ? NULL : list_add(list_of(o, option, text), text);
    if (!status && !copy) {
        status = lf_no_memory(ctx);
    }
    o->shape.output_operators = (const char *const *)o->operators.item;
    LF_TRY(status, lf_option_store(ctx, o, option->name, copy, number, count));
    LF_TRY(status, remember(ctx, o, option->name, copy));
    o->value[index] = status ? o->value[index] : copy;
    return status;
}

lf_status lf_options_set_model(lf_context *ctx, lf_options *options, const lf_model *model)
{
    lf_model *copy;
    lf_status status = lf_model_copy(ctx, model, &copy);
    if (!status) {
        lf_model_free(options->init_model);
        options->init_model = copy;
    }
    return status;
}

lf_status lf_fit_options_set_command(lf_context *ctx, lf_options *options, size_t count, const char *const *words)
{
    list_clear(&options->command);
    options->command = (lf_option_list){0};
    for (size_t i = 0; i < count; i++) {
        if (!list_add(&options->command, words[i])) {
            return lf_no_memory(ctx);
        }
    }
    return LF_OK;
}

/* ---- what goes together ---- */

/* A model to start from, or equations, determine the structure. */
static lf_status check_structure(lf_context *ctx, const lf_options *o)
{
    static const char *const shape[] = {"operator", "forces",  "force-kernel", "copies", "private", "private-kernel",
                                        "period",   "initial", "offset",       "scale",  "input",   "origin",
                                        NULL};
    int equations = o->equations || o->equations_model, init = o->init || o->init_model;
    for (size_t i = 0; init && shape[i]; i++) {
        if (lf_options_text(o, shape[i])) {
            return lf_fail(ctx, LF_ERROR_ARGUMENT, "--%s cannot go with --init: the model %s%sdetermines it", shape[i],
                           o->init ? o->init : "", o->init ? " " : "");
        }
    }
    for (size_t i = 0; equations && shape[i + 1]; i++) { /* all but the origin */
        if (lf_options_text(o, shape[i])) {
            return lf_fail(ctx, LF_ERROR_ARGUMENT, "--%s cannot go with --equations: %s determines it", shape[i],
                           o->equations ? o->equations : "their text");
        }
    }
    if (equations && init) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "give either --equations or --init: a model file has its equations");
    }
    if (o->shape.kernels && (o->select_forces || (o->shape.forces && (size_t)o->shape.forces < o->kernels.count))) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "--forces %s: --force-kernel is given %zu times, once for each force",
                       lf_options_text(o, "forces"), o->kernels.count);
    }
    return LF_OK;
}

static lf_status check_validation(lf_context *ctx, const lf_options *o)
{
    if (lf_options_text(o, "threshold") && !(o->threshold > 0)) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "--threshold %g: Z must be greater than 0", o->threshold);
    }
    if (o->rolling && o->folds) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "give either --cross-validate or --rolling");
    }
    if ((o->span || o->request.step) && !o->rolling) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "--%s needs --rolling T0", o->span ? "span" : "step");
    }
    return o->no_refit && (o->init || o->init_model)
               ? lf_fail(ctx, LF_ERROR_ARGUMENT,
                         "--init is for the fits of --cross-validate or --rolling, without --no-refit")
               : LF_OK;
}

lf_status lf_options_check(lf_context *ctx, const lf_options *o)
{
    if (o->verb == &lf_validate_verb) {
        return check_validation(ctx, o);
    }
    if (o->verb == &lf_request_verb) {
        return lf_request_check(ctx, &o->request);
    }
    const char *engine = o->engine.engine;
    int exact =
        !engine || !(is(engine, "dtc") || is(engine, "variational") || is(engine, "fitc") || is(engine, "pitc"));
    lf_status status = check_structure(ctx, o);
    if (status) {
        return status;
    }
    if (o->engine.inducing && exact) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "--inducing needs --engine variational, dtc, fitc or pitc");
    }
    if (!o->engine.inducing && (o->learn_inducing || o->inducing_noise != 0)) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "--learn-inducing and --inducing-noise need --inducing K");
    }
    if (lf_options_text(o, "checkpoint-every") && !(o->checkpoint_seconds > 0)) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "--checkpoint-every %g: it must be more than 0 seconds",
                       o->checkpoint_seconds);
    }
    if (lf_options_text(o, "max-seconds") && !(o->max_seconds > 0)) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "--max-seconds %g: it must be more than 0 seconds", o->max_seconds);
    }
    if (o->resume && !o->checkpoint) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "--resume needs --checkpoint FILE");
    }
    return LF_OK;
}

lf_status lf_options_are(lf_context *ctx, const lf_options *options, const char *verb)
{
    return !options || !options->verb || is(options->verb->name, verb)
               ? LF_OK
               : lf_fail(ctx, LF_ERROR_ARGUMENT, "options of '%s' are given where those of '%s' are needed",
                         options->verb->name, verb);
}

/* ---- the names of before ---- */

const char *lf_fit_options_get(const lf_options *options, const char *name) { return lf_options_text(options, name); }
