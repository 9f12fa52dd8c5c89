/* How a fit went, as JSON in the model. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "fit/pipeline.h"
#include "model/model.h"

static json_t *number(double value)
{
    int whole = fabs(value) < 1e15 && value == floor(value);
    return whole ? json_integer((json_int_t)value) : isfinite(value) ? json_real(value) : json_null();
}

/* The list, or NULL after releasing it if `bad`. */
static json_t *list_unless(json_t *list, int bad)
{
    if (bad) {
        json_decref(list);
    }
    return bad ? NULL : list;
}

static int append_word(json_t *list, const char *text, size_t length)
{
    errno = 0;
    json_t *word = json_stringn(text, length);
    /* a word that is not UTF-8 has no place in JSON */
    return word || errno == ENOMEM ? json_array_append_new(list, word) : 0;
}

/* The words, then those of `more`, which has spaces between them. */
static json_t *write_command(const lf_option_list *words, const char *more)
{
    json_t *list = json_array();
    int bad = !list;
    for (size_t i = 0; i < words->count; i++) {
        bad |= append_word(list, words->item[i], strlen(words->item[i]));
    }
    for (size_t length; *more; more += length + (more[length] == ' ')) {
        length = strcspn(more, " ");
        bad |= append_word(list, more, length);
    }
    return list_unless(list, bad);
}

static int append_setting(json_t *list, const char *name, size_t name_length, const char *value, size_t value_length)
{
    char setting[256];
    int size = snprintf(setting, sizeof setting, "%.*s=%.*s", (int)name_length, name, (int)value_length, value);
    return append_word(list, setting, (size_t)size < sizeof setting ? (size_t)size : sizeof setting - 1);
}

/* The options that say what is fitted, as "NAME=VALUE", then those of the structure, "--NAME VALUE …". */
static json_t *write_options(const lf_options *options, const char *more)
{
    json_t *list = json_array();
    int bad = !list;
    for (size_t i = 0; i < options->given.count; i++) {
        const char *setting = options->given.item[i];
        const lf_option *option = lf_fit_option_find_part(setting, strcspn(setting, "="));
        if (option && !option->about_machine) {
            bad |= append_word(list, setting, strlen(setting));
        }
    }
    if (options->init_model && !options->init) {
        bad |= append_setting(list, "init", 4, "", 0);
    }
    while (*more) {
        size_t name = strcspn(more, " "), value = strcspn(more + name + (more[name] == ' '), " ");
        const char *text = more + name + (more[name] == ' ');
        bad |= name > 2 && append_setting(list, more + 2, name - 2, text, value);
        more = text + value + (text[value] == ' ');
    }
    return list_unless(list, bad);
}

static json_t *write_candidates(const lf_fit_result *result)
{
    json_t *list = json_array();
    int bad = !list;
    for (size_t i = 0; i < result->candidate_count; i++) {
        const lf_candidate *c = &result->candidates[i];
        bad |= json_array_append_new(
            list, json_pack("{s:s,s:s,s:s?,s:o,s:o,s:o,s:o,s:o}", "operator", c->operator_type, "force_kernel",
                            c->force_kernel, "private_kernel", c->private_kernel, "forces", number(c->forces),
                            "parameters", number((double)c->parameters), "log_likelihood", number(c->log_likelihood),
                            "log_prior", number(c->log_prior), "score", number(c->score)));
    }
    return list_unless(list, bad);
}

/* What the stages did, without their seconds. */
static json_t *write_stages(const lf_reports *reports)
{
    json_t *list = json_array();
    int bad = !list;
    for (size_t i = 0; i < reports->count; i++) {
        const lf_stage_report *r = reports->each[i];
        bad |= json_array_append_new(list, json_pack("{s:s,s:o,s:s,s:s}", "stage", r->name, "evaluations",
                                                     number((double)r->evaluations), "decision", r->decision, "reason",
                                                     r->reason));
    }
    return list_unless(list, bad);
}

/* The ranges that were searched, by parameter: [low, high], null where there is no limit. */
static json_t *write_searched(const lf_fit_result *result, const lf_model *model)
{
    json_t *object = json_object();
    int bad = !object;
    for (size_t i = 0; !bad && i < model->parameter_count; i++) {
        if (!isnan(result->searched_lower[i])) {
            bad = json_object_set_new(
                object, model->parameters[i].name,
                json_pack("[o,o]", number(result->searched_lower[i]), number(result->searched_upper[i])));
        }
    }
    return list_unless(object, bad);
}

lf_status lf_fit_add_provenance(lf_pipeline *f)
{
    const lf_structure *s = &f->structure;
    const lf_fit_result *result = f->result;
    lf_model *model = f->optimum.model;
    json_t *p = json_object();
    int bad = !p;
    if (f->plan.command->count) {
        bad |= json_object_set_new(p, "command", write_command(f->plan.command, s->words));
    }
    bad |= json_object_set_new(p, "options", write_options(f->options, s->words));
    if (*s->words) {
        bad |= json_object_set_new(p, s->for_time ? "within_time" : "within_memory", json_string(s->words));
    }
    if (result->first_rows) {
        bad |= json_object_set_new(p, "first_rows", number((double)result->first_rows));
    }
    const struct {
        const char *key;
        json_t *value;
    } members[] = {{"version", json_string(lf_version())},         {"engine", json_string(result->engine)},
                   {"nodes", json_string(result->nodes)},          {"columns", number((double)result->columns)},
                   {"rows", number((double)result->rows)},         {"log_likelihood", number(result->log_likelihood)},
                   {"log_prior", number(result->log_prior)},       {"parameters", number((double)result->free_count)},
                   {"start", number((double)result->restart + 1)}, {"iterations", number((double)result->iterations)},
                   {"converged", json_boolean(result->converged)}, {"reason", json_string(result->reason)}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        bad |= json_object_set_new(p, members[i].key, members[i].value);
    }
    if (result->searched_lower) {
        bad |= json_object_set_new(p, "searched", write_searched(result, model));
    }
    const char *operator_type = lf_options_text(f->options, "operator");
    if (operator_type && strcmp(operator_type, "auto") != 0) {
        bad |= json_object_set_new(p, "operator_given", json_true());
    }
    if (result->bound_count) {
        json_t *bounds = json_array();
        for (size_t i = 0; i < result->bound_count; i++) {
            bad |= json_array_append_new(bounds, json_string(model->parameters[result->bound[i]].name));
        }
        bad |= json_object_set_new(p, "on_bounds", bounds);
    }
    if (result->undetermined_count) {
        json_t *names = json_array();
        for (size_t i = 0; i < result->undetermined_count; i++) {
            bad |= json_array_append_new(names, json_string(model->parameters[result->undetermined[i]].name));
        }
        bad |= json_object_set_new(p, "undetermined", names);
    }
    if (result->combinations) {
        bad |= json_object_set_new(p, "determined_combinations", json_string(result->combinations));
    }
    if (result->held_out_windows) {
        bad |= json_object_set_new(p, "calibration",
                                   json_pack("{s:o,s:o,s:o}", "windows", number((double)result->held_out_windows),
                                             "rows", number((double)result->held_out_rows), "coverage",
                                             number(result->held_out_coverage)));
    }
    if (result->candidate_count) {
        bad |= json_object_set_new(p, "candidates", write_candidates(result));
    }
    bad |= json_object_set_new(p, "stages", write_stages(f->reports));
    if (result->iterations) {
        json_t *trace = json_array();
        for (size_t i = 0; i < result->iterations; i++) {
            bad |= json_array_append_new(trace, number(result->trace[i]));
        }
        bad |= json_object_set_new(p, "trace", trace);
    }
    if (bad) {
        json_decref(p);
        return lf_no_memory(f->ctx);
    }
    json_decref(model->provenance);
    model->provenance = p;
    return LF_OK;
}
