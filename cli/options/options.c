/* The parser: walks argv against the table of a command and stores values at the offsets the table names. */
#include "options/options.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "options/file_kind.h"
#include "options/file_pattern.h"
#include "options/suggest.h"

/* Most a count may be: keeps sizes computed from it far from overflow. */
#define MAX_COUNT 10000000ull

typedef struct parser {
    lf_context *ctx;
    const cli_command *command;
    cli_option_set set;
    bool given[CLI_MOST_OPTIONS];
    cli_settings *settings;
    cli_named_file *file; /* (file_count) to be read */
    size_t file_count, file_capacity;
    cli_named_file result[CLI_MOST_OPTIONS]; /* to be written */
    size_t result_count;
} parser;

/* An operand or option, and the word that named it. */
typedef struct parsed {
    const cli_option *option;
    const char *typed; /* "-o" or "--output"; an operand: its name in the table */
} parsed;

static int store_whole_number(const parser *p, parsed what, const char *text, void *field)
{
    const cli_option *option = what.option;
    unsigned long long maximum = option->kind == CLI_SEED ? UINT64_MAX : option->maximum ? option->maximum : MAX_COUNT;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (strspn(text, "0123456789") != strlen(text) || !*text || *end || errno || value < option->minimum ||
        value > maximum) {
        return cli_usage_error(p->command->name, "%s '%s': %s must be a whole number from %zu to %llu", what.typed,
                               text, option->argument, option->minimum, maximum);
    }
    if (option->kind == CLI_COUNT) {
        *(size_t *)field = (size_t)value;
    } else {
        *(uint64_t *)field = value;
    }
    return CLI_DONE;
}

static int store_number(const parser *p, parsed what, const char *text, double *field)
{
    char *end;
    *field = strtod(text, &end);
    if (!*text || *end || !isfinite(*field)) {
        return cli_usage_error(p->command->name, "%s '%s': %s must be a number", what.typed, text,
                               what.option->argument);
    }
    if (what.option->kind == CLI_SHARE && !(*field > 0 && *field < 1)) {
        return cli_usage_error(p->command->name, "%s '%s': %s must be between 0 and 1", what.typed, text,
                               what.option->argument);
    }
    return CLI_DONE;
}

static int store(const parser *p, parsed what, const char *text)
{
    void *field = (char *)p->settings + what.option->offset;
    switch (what.option->kind) {
    case CLI_FLAG:
        *(int *)field = 1;
        return CLI_DONE;
    case CLI_TEXT:
    case CLI_INPUT:
    case CLI_MODEL:
    case CLI_EQUATIONS:
    case CLI_RESULT:
    case CLI_NEW_MODEL:
        *(const char **)field = text;
        return CLI_DONE;
    case CLI_SHARE:
    case CLI_NUMBER:
        return store_number(p, what, text, field);
    case CLI_LIST:
    case CLI_INPUTS:
    case CLI_MODELS:
        return cli_list_add(field, text) ? CLI_DONE : cli_no_memory();
    case CLI_COUNT:
    case CLI_SEED:
        break;
    }
    return store_whole_number(p, what, text, field);
}

/* The library checks the values of its options. */
static int store_in_library(const parser *p, const cli_option *option, const char *value)
{
    lf_status status = lf_options_set(p->ctx, p->settings->fit, option->name + 2, value);
    return status && status != LF_ERROR_MEMORY ? cli_usage_error(p->command->name, "%s", lf_context_message(p->ctx))
                                               : cli_check(p->ctx, status);
}

static int add_file(parser *p, const cli_option *option, const char *path)
{
    if (p->file_count == p->file_capacity) {
        size_t capacity = 2 * p->file_capacity + 8;
        cli_named_file *grown = realloc(p->file, capacity * sizeof *grown);
        if (!grown) {
            return cli_no_memory();
        }
        p->file = grown;
        p->file_capacity = capacity;
    }
    p->file[p->file_count++] = (cli_named_file){.option = option, .path = path};
    return CLI_DONE;
}

/* Checks what holds for every kind of value, then stores it. */
static int take_value(parser *p, parsed what, const char *value)
{
    const cli_option *option = what.option;
    if (value && !*value) {
        return cli_usage_error(p->command->name, "%s is empty", what.typed);
    }
    if (option->kind == CLI_TEXT && option->values && !option->open && !cli_is_listed(option->values, value)) {
        return cli_unknown_value(p->command, option, what.typed, value);
    }
    if (cli_reads_file(option->kind) && add_file(p, option, value) != CLI_DONE) {
        return CLI_FAILED;
    }
    if (cli_writes_file(option->kind)) {
        p->result[p->result_count++] = (cli_named_file){.option = option, .path = value};
    }
    int status = option->from_library ? store_in_library(p, option, value) : CLI_DONE;
    return status || (option->from_library && !option->has_field) ? status : store(p, what, value);
}

/* Data files may be given by a pattern. */
static int take(parser *p, parsed what, const char *value)
{
    cli_settings *settings = p->settings;
    if (what.option->kind != CLI_INPUTS || !cli_is_pattern(value)) {
        return take_value(p, what, value);
    }
    size_t first = settings->matches.count;
    int status = cli_match_files(p->command->name, what.typed, value, settings);
    for (size_t i = first; i < settings->matches.count && status == CLI_DONE; i++) {
        status = take_value(p, what, settings->matches.item[i]);
    }
    return status;
}

static int is_list(cli_kind kind) { return kind == CLI_LIST || kind == CLI_INPUTS || kind == CLI_MODELS; }

/* The shorter name of an option. */
static const char *label(const cli_option *option) { return option->short_name ? option->short_name : option->name; }

/* cli_usage_error for a choice of which no option was given: "give either --at INPUTS.csv or --grid N". */
static int missing_choice(const parser *p, const cli_option *first)
{
    char list[512] = "";
    size_t length = 0, count = 0;
    for (const cli_option *option = first; option->name && length < sizeof list; option++) {
        if (option->choice == first->choice) {
            length +=
                (size_t)snprintf(list + length, sizeof list - length, "%s%s%s%s", count ? " or " : "", label(option),
                                 option->argument ? " " : "", option->argument ? option->argument : "");
            count++;
        }
    }
    return count == 1 ? cli_usage_error(p->command->name, "%s is missing", list)
                      : cli_usage_error(p->command->name, "give either %s", list);
}

static int check_choices(const parser *p)
{
    for (const cli_option *first = p->set.option; first->name; first++) {
        const cli_option *chosen = NULL;
        for (const cli_option *option = p->set.option; first->choice && option->name; option++) {
            if (option->choice != first->choice || !p->given[option - p->set.option]) {
                continue;
            }
            if (chosen && (!chosen->together || chosen->together != option->together)) {
                return cli_usage_error(p->command->name, "give either %s or %s, not both", chosen->name, option->name);
            }
            chosen = option;
        }
        if (first->choice && !chosen) {
            return missing_choice(p, first);
        }
    }
    return CLI_DONE;
}

/* Standard input can be read only once. */
static int check_standard_input(const parser *p)
{
    int count = 0;
    for (size_t i = 0; i < p->file_count; i++) {
        count += strcmp(p->file[i].path, "-") == 0;
    }
    return count > 1 ? cli_usage_error(p->command->name, "only one file can be '-' (standard input)") : CLI_DONE;
}

static int parse_option(parser *p, int *argc, char *const **argv)
{
    const char *command = p->command->name, *word = **argv;
    size_t length = strcspn(word, "=");
    const char *value = word[length] ? word + length + 1 : NULL;
    const cli_option *option = cli_option_find(&p->set, word, length);
    if (!option) {
        return cli_unknown_option(p->command, &p->set, word);
    }
    int is_short = option->short_name && strlen(option->short_name) == length;
    parsed what = {.option = option, .typed = is_short ? option->short_name : option->name};
    bool *given = &p->given[option - p->set.option];
    if (*given && !is_list(option->kind)) {
        return cli_usage_error(command, "%s is given twice", what.typed);
    }
    *given = true;
    if (option->kind == CLI_FLAG && value) {
        return cli_usage_error(command, "%s takes no value", what.typed);
    }
    if (option->kind != CLI_FLAG && !value) {
        /* A word that looks like an option is not taken as a value; --name=VALUE can say such a value. */
        if (*argc < 2 || strncmp((*argv)[1], "--", 2) == 0) {
            return cli_usage_error(command, "%s needs a value: %s %s", what.typed, what.typed, option->argument);
        }
        value = (*argv)[1];
        (*argv)++;
        (*argc)--;
    }
    return take(p, what, value);
}

/* Whether the word asks for a text instead of work. */
static int asks_for_text(const char *word, cli_settings *settings)
{
    const struct {
        const char *word;
        int *field;
    } questions[] = {{"-h", &settings->help},    {"--help", &settings->help},
                     {"-v", &settings->version}, {"--version", &settings->version},
                     {"-V", &settings->version}, {"--help-engines", &settings->help_engines}};
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        if (strcmp(word, questions[i].word) == 0) {
            *questions[i].field = 1;
            return 1;
        }
    }
    return 0;
}

static int parse(parser *p, int argc, char *const *argv)
{
    bool options_ended = false;
    const char *command = p->command->name;
    const cli_option *operand = p->command->operands;
    int status = CLI_DONE, list_given = 0;
    for (; argc > 0 && status == CLI_DONE; argc--, argv++) {
        const char *word = *argv;
        if (!options_ended && strcmp(word, "--") == 0) {
            options_ended = true;
        } else if (!options_ended && asks_for_text(word, p->settings)) {
            return CLI_DONE;
        } else if (!options_ended && word[0] == '-' && word[1]) {
            status = parse_option(p, &argc, &argv);
        } else if (!operand->name) {
            status = cli_usage_error(
                command, "'%s' is one argument too many%s", word,
                p->settings->data_files.count ? "; with several data files, write --data before each" : "");
        } else {
            status = take(p, (parsed){.option = operand, .typed = operand->name}, word);
            list_given = is_list(operand->kind);
            operand += !list_given;
        }
    }
    if (status == CLI_DONE) {
        status = cli_check_files(p->command, p->settings, p->file, p->file_count);
    }
    if (status == CLI_DONE && operand->name && !operand->optional && !list_given) {
        status = cli_usage_error(command, "%s is missing", operand->name);
    }
    status = status ? status : check_choices(p);
    status = status ? status : check_standard_input(p);
    return status ? status : cli_check_results(p->command, p->file, p->file_count, p->result, p->result_count);
}

int cli_parse(lf_context *ctx, const cli_command *command, int argc, char *const *argv, cli_settings *settings)
{
    parser *p = calloc(1, sizeof *p);
    if (!p) {
        return cli_no_memory();
    }
    *p = (parser){.ctx = ctx, .command = command, .settings = settings};
    int status = cli_option_set_create(command, &p->set) ? parse(p, argc, argv) : cli_no_memory();
    cli_option_set_clear(&p->set);
    free(p->file);
    free(p);
    return status;
}
