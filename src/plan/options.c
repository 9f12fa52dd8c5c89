/* Options of a fit by name: text is checked (option_values.c) and stored in its field. */
#include "plan/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"

lf_status lf_fit_options_create(lf_context *ctx, lf_fit_options **options)
{
    *options = calloc(1, sizeof **options);
    if (!*options) {
        return lf_no_memory(ctx);
    }
    (*options)->engine.size = sizeof(lf_engine_options);
    return LF_OK;
}

static void list_clear(lf_option_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->item[i]);
    }
    free(list->item);
}

void lf_fit_options_free(lf_fit_options *options)
{
    if (!options) {
        return;
    }
    list_clear(&options->fixed);
    list_clear(&options->freed);
    list_clear(&options->operators);
    list_clear(&options->inputs);
    list_clear(&options->kernels);
    list_clear(&options->periods);
    list_clear(&options->command);
    list_clear(&options->texts);
    lf_model_free(options->init_model);
    lf_model_free(options->equations_model);
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

/* Position of an option in the table. */
static size_t index_of(const lf_option *option) { return (size_t)(option - lf_fit_option(0)); }

int lf_fit_options_given(const lf_fit_options *options, const char *name)
{
    return options->given[index_of(lf_fit_option_find(name))];
}

const char *lf_fit_options_get(const lf_fit_options *options, const char *name)
{
    const lf_option *option = lf_fit_option_find(name);
    return option ? options->value[index_of(option)] : NULL;
}

static int is(const char *text, const char *word) { return text && strcmp(text, word) == 0; }

/* ---- fields ---- */

static const char *const prior_names[] = {
    [LF_PRIOR_DEFAULT] = "auto", [LF_PRIOR_WEAK] = "weak", [LF_PRIOR_FIRM] = "firm", [LF_PRIOR_NONE] = "none"};

static lf_status set_operator(lf_context *ctx, lf_fit_options *o, const char *text)
{
    if (strchr(text, '=')) {
        return LF_OK; /* it is in the list of the shape */
    }
    if (o->shape.operator_type || o->select_operator) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "--operator %s: an operator for all outputs is given already", text);
    }
    o->select_operator = is(text, "auto");
    o->shape.operator_type = o->select_operator ? NULL : text;
    return LF_OK;
}

static lf_status set_force_kernel(lf_context *ctx, lf_fit_options *o, const char *text)
{
    int several = o->kernels.count > 1;
    if (several && (o->select_kernel || is(text, "auto"))) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT,
                       "--force-kernel %s: auto compares kernels of all forces and cannot go with another one", text);
    }
    o->select_kernel = is(text, "auto");
    o->shape.force_kernel = o->select_kernel ? NULL : text;
    o->shape.kernels = several ? (const char *const *)o->kernels.item : NULL;
    return LF_OK;
}

/* "auto" and "none" are not in the list of periods. */
static lf_status set_period(lf_context *ctx, lf_fit_options *o, const char *text)
{
    const lf_option *option = lf_fit_option_find("period");
    const char *before = lf_fit_options_get(o, "period");
    if (before && (lf_option_lists(option, text) || lf_option_lists(option, before))) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "--period %s: auto and none cannot go with another --period", text);
    }
    o->no_periods = is(text, "none");
    return LF_OK;
}

/* The text is owned by the options, or "yes" or "no". */
static lf_status set_field(lf_context *ctx, lf_fit_options *o, const char *name, const char *text, double number,
                           uint64_t count)
{
    const struct {
        const char *name, **text;
        size_t *count;
        double *number;
        int *flag;
    } fields[] = {{"copies", .flag = &o->shape.copies},
                  {"initial", .text = &o->shape.initial},
                  {"private", .text = &o->shape.private_forces},
                  {"private-kernel", .text = &o->shape.private_kernel},
                  {"offset", .text = &o->shape.offset},
                  {"scale", .text = &o->shape.scale},
                  {"equations", .text = &o->equations},
                  {"init", .text = &o->init},
                  {"origin", .text = &o->origin},
                  {"horizon", .text = &o->horizon},
                  {"restarts", .count = &o->restarts},
                  {"max-iterations", .count = &o->max_iterations},
                  {"errors", .text = &o->errors},
                  {"calibrate", .text = &o->calibrate},
                  {"checkpoint", .text = &o->checkpoint},
                  {"checkpoint-every", .number = &o->checkpoint_seconds},
                  {"resume", .flag = &o->resume},
                  {"engine", .text = &o->engine.engine},
                  {"nodes", .text = &o->engine.nodes},
                  {"features", .count = &o->engine.features},
                  {"tolerance", .number = &o->engine.tolerance},
                  {"inducing", .count = &o->engine.inducing},
                  {"inducing-inputs", .text = &o->engine.inducing_inputs},
                  {"learn-inducing", .flag = &o->learn_inducing},
                  {"inducing-noise", .number = &o->inducing_noise},
                  {"threads", .count = &o->threads},
                  {"device", .text = &o->engine.device},
                  {"memory", .text = &o->memory}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (!is(name, fields[i].name)) {
            continue;
        }
        if (fields[i].text) {
            *fields[i].text = text;
        } else if (fields[i].count) {
            *fields[i].count = (size_t)count;
        } else if (fields[i].number) {
            *fields[i].number = number;
        } else {
            *fields[i].flag = count ? (int)count : is(text, "yes");
        }
        return LF_OK;
    }
    if (is(name, "operator")) {
        return set_operator(ctx, o, text);
    }
    if (is(name, "forces")) {
        o->select_forces = is(text, "auto");
        o->shape.forces = (int)count;
    } else if (is(name, "force-kernel")) {
        return set_force_kernel(ctx, o, text);
    } else if (is(name, "period")) {
        return set_period(ctx, o, text);
    } else if (is(name, "posterior")) {
        o->no_posterior = is(text, "no");
    } else if (is(name, "prior")) {
        for (int kind = LF_PRIOR_DEFAULT; kind <= LF_PRIOR_NONE; kind++) {
            o->prior = is(text, prior_names[kind]) ? (lf_prior_kind)kind : o->prior;
        }
    } else if (is(name, "seed")) {
        o->seed_value = count;
        o->seed = &o->seed_value;
    }
    return LF_OK;
}

lf_status lf_fit_options_set(lf_context *ctx, lf_fit_options *o, const char *name, const char *value)
{
    int no = strncmp(name, "no-", 3) == 0;
    const lf_option *option = lf_fit_option_find(no ? name + 3 : name);
    if (!option || (no && !is(option->type, "switch"))) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "a fit has no option '%s'", name);
    }
    int valueless = is(option->type, "flag") || is(option->type, "switch");
    if (!value && !valueless) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "--%s needs a value: %s", option->name, option->argument);
    }
    const char *text = no ? "no" : value ? value : "yes";
    unsigned char *given = &o->given[index_of(option)];
    if (is(option->type, "switch") && *given) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "give either --%s or --no-%s, not both", option->name, option->name);
    }
    double number;
    uint64_t count;
    lf_status status = lf_option_parse(ctx, option, text, &number, &count);
    lf_option_list *list = is(name, "fix")                                        ? &o->fixed
                           : is(name, "free")                                     ? &o->freed
                           : is(name, "operator") && strchr(text, '=')            ? &o->operators
                           : is(name, "input")                                    ? &o->inputs
                           : is(name, "force-kernel")                             ? &o->kernels
                           : is(name, "period") && !lf_option_lists(option, text) ? &o->periods
                                                                                  : &o->texts;
    const char *copy = status ? NULL : list_add(list, text);
    if (!status && !copy) {
        status = lf_no_memory(ctx);
    }
    o->shape.output_operators = (const char *const *)o->operators.item;
    LF_TRY(status, set_field(ctx, o, option->name, copy, number, count));
    *given = status ? *given : 1;
    o->value[index_of(option)] = status ? o->value[index_of(option)] : copy;
    return status;
}

lf_status lf_fit_options_set_model(lf_context *ctx, lf_fit_options *options, const lf_model *model)
{
    lf_model *copy;
    lf_status status = lf_model_copy(ctx, model, &copy);
    if (!status) {
        lf_model_free(options->init_model);
        options->init_model = copy;
    }
    return status;
}

lf_status lf_fit_options_set_command(lf_context *ctx, lf_fit_options *options, size_t count, const char *const *words)
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

void lf_fit_options_set_progress(lf_fit_options *options, lf_progress_function progress, void *user)
{
    options->progress = progress;
    options->user = user;
}

/* ---- what goes together ---- */

lf_status lf_fit_options_check(lf_context *ctx, const lf_fit_options *o)
{
    static const char *const shape[] = {"operator", "forces",  "force-kernel", "copies", "private", "private-kernel",
                                        "period",   "initial", "offset",       "scale",  "input",   "origin",
                                        NULL};
    const char *engine = o->engine.engine;
    int exact =
        !engine || !(is(engine, "dtc") || is(engine, "variational") || is(engine, "fitc") || is(engine, "pitc"));
    for (size_t i = 0; (o->init || o->init_model) && shape[i]; i++) {
        if (lf_fit_options_given(o, shape[i])) {
            return lf_fail(ctx, LF_ERROR_ARGUMENT, "--%s cannot go with --init: the model %s%sdetermines it", shape[i],
                           o->init ? o->init : "", o->init ? " " : "");
        }
    }
    int equations = o->equations || o->equations_model;
    for (size_t i = 0; equations && shape[i + 1]; i++) { /* all but the origin */
        if (lf_fit_options_given(o, shape[i])) {
            return lf_fail(ctx, LF_ERROR_ARGUMENT, "--%s cannot go with --equations: %s determines it", shape[i],
                           o->equations ? o->equations : "their text");
        }
    }
    if (equations && (o->init || o->init_model)) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "give either --equations or --init: a model file has its equations");
    }
    if (o->shape.kernels && (o->select_forces || (o->shape.forces && (size_t)o->shape.forces < o->kernels.count))) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "--forces %s: --force-kernel is given %zu times, once for each force",
                       lf_fit_options_get(o, "forces"), o->kernels.count);
    }
    if (o->engine.inducing && exact) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "--inducing needs --engine variational, dtc, fitc or pitc");
    }
    if (!o->engine.inducing && (o->learn_inducing || o->inducing_noise != 0)) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "--learn-inducing and --inducing-noise need --inducing K");
    }
    if (lf_fit_options_given(o, "checkpoint-every") && !(o->checkpoint_seconds > 0)) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "--checkpoint-every %g: it must be more than 0 seconds",
                       o->checkpoint_seconds);
    }
    if (o->resume && !o->checkpoint) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "--resume needs --checkpoint FILE");
    }
    return LF_OK;
}
