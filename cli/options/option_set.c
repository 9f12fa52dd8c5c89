/* The options of a command: its table, completed from the library's table, with the options that every command has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/options.h"

const cli_section cli_sections[] = {
    {NULL, "Options"},      {"model", "The model"},       {"fit", "The fit"}, {"reading", "Reading data"},
    {"machine", "Running"}, {CLI_ENGINE_GROUP, "Engine"}, {NULL, NULL}};

/* Options with a short name, by either name. */
static const struct {
    const char *short_name, *name;
} short_names[] = {{"-o", "--output"}, {"-q", "--quiet"}};

/* Options of every command. */
static const cli_option output_option = CLI_OUTPUT_OPTION, quiet_option = CLI_QUIET_OPTION;

int cli_in_section(const cli_option *option, const cli_section *section)
{
    const char *group = NULL;
    for (const cli_section *known = cli_sections; known->title; known++) {
        if (option->group && known->group && strcmp(option->group, known->group) == 0) {
            group = known->group;
        }
    }
    return group == section->group;
}

const cli_command *cli_find_command(const char *name)
{
    for (size_t i = 0; cli_commands[i]; i++) {
        if (strcmp(cli_commands[i]->name, name) == 0) {
            return cli_commands[i];
        }
    }
    return NULL;
}

static int has_type(const lf_option *option, const char *type) { return strcmp(option->type, type) == 0; }

static cli_kind kind_of(const lf_option *option)
{
    static const struct {
        const char *type;
        cli_kind kind;
    } kinds[] = {{"flag", CLI_FLAG},     {"switch", CLI_FLAG}, {"count", CLI_COUNT}, {"share", CLI_SHARE},
                 {"number", CLI_NUMBER}, {"seed", CLI_SEED},   {"list", CLI_LIST}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (has_type(option, kinds[i].type)) {
            return kinds[i].kind;
        }
    }
    if (!has_type(option, "file")) {
        return CLI_TEXT;
    }
    return strcmp(option->argument, "MODEL") == 0 ? CLI_MODEL
           : option->about_machine                ? CLI_RESULT /* a checkpoint */
                                                  : CLI_EQUATIONS;
}

/* "before" "middle" "after" as one text that the set owns; NULL when there is no memory. */
static const char *join(cli_option_set *set, const char *before, const char *middle, const char *after)
{
    size_t size = strlen(before) + strlen(middle) + strlen(after) + 1;
    char *text = set->text_count < sizeof set->text / sizeof *set->text ? malloc(size) : NULL;
    if (text) {
        snprintf(text, size, "%s%s%s", before, middle, after);
        set->text[set->text_count++] = text;
    }
    return text;
}

static const char *help_of(cli_option_set *set, const lf_option *option, int no)
{
    if (no || !option->fallback) {
        return no ? option->no_help : option->help;
    }
    const char *start = join(set, option->help, " (default: ", option->fallback);
    return start ? join(set, start, ")", "") : NULL;
}

/* Adds an option of the library, or its "no-" form. */
static int add_library_option(cli_option_set *set, size_t *count, const lf_option *option, cli_option like, int no)
{
    if (*count == CLI_MOST_OPTIONS) {
        return 0;
    }
    cli_option *added = &set->option[(*count)++];
    *added = like;
    added->name = join(set, no ? "--no-" : "--", option->name, "");
    added->argument = option->argument;
    added->help = help_of(set, option, no);
    added->values = option->values;
    added->group = option->group;
    added->kind = kind_of(option);
    added->open = has_type(option, "kernel") || has_type(option, "size");
    added->minimum = option->minimum;
    added->maximum = option->maximum;
    return added->name && added->help;
}

/* Adds an option of the program; one with a short name has both. */
static int add_option(cli_option_set *set, size_t *count, const cli_option *option)
{
    if (*count == CLI_MOST_OPTIONS) {
        return 0;
    }
    cli_option *added = &set->option[(*count)++];
    *added = *option;
    for (size_t i = 0; i < sizeof short_names / sizeof *short_names; i++) {
        if (strcmp(option->name, short_names[i].short_name) == 0 || strcmp(option->name, short_names[i].name) == 0) {
            added->short_name = short_names[i].short_name;
            added->name = short_names[i].name;
        }
    }
    return 1;
}

/* Adds the option of a verb with this name. */
static int add_named_option(cli_option_set *set, size_t *count, const char *verb, const cli_option *like)
{
    lf_option from = {.size = sizeof from};
    size_t i = 0;
    while (lf_option_get(NULL, verb, i, &from) == LF_OK && strcmp(from.name, like->name + 2) != 0) {
        i++;
    }
    return i < lf_option_count(verb) && add_library_option(set, count, &from, *like, 0);
}

static int add_fit_options(cli_option_set *set, size_t *count, cli_option like)
{
    int done = 1;
    for (size_t i = 0; done && i < lf_option_count("fit"); i++) {
        lf_option from = {.size = sizeof from};
        done = lf_option_get(NULL, "fit", i, &from) == LF_OK && add_library_option(set, count, &from, like, 0) &&
               (!has_type(&from, "switch") || add_library_option(set, count, &from, like, 1));
    }
    return done;
}

int cli_option_set_create(const cli_command *command, cli_option_set *set)
{
    size_t count = 0;
    int done = 1;
    *set = (cli_option_set){0};
    for (const cli_option *option = command->options; done && option->name; option++) {
        if (option->for_reading) {
            done = add_named_option(set, &count, "read", option);
        } else if (!option->from_library) {
            done = add_option(set, &count, option);
        } else if (*option->name) {
            done = add_named_option(set, &count, "fit", option);
        } else {
            done = add_fit_options(set, &count, *option);
        }
    }
    if (done && !cli_option_find(set, "--output", strlen("--output"))) {
        done = add_option(set, &count, &output_option);
    }
    if (done && !cli_option_find(set, "--quiet", strlen("--quiet"))) {
        done = add_option(set, &count, &quiet_option);
    }
    if (!done) {
        cli_option_set_clear(set);
    }
    return done;
}

void cli_option_set_clear(cli_option_set *set)
{
    for (size_t i = 0; i < set->text_count; i++) {
        free(set->text[i]);
    }
    *set = (cli_option_set){0};
}

const cli_option *cli_option_find(const cli_option_set *set, const char *name, size_t length)
{
    for (const cli_option *option = set->option; option->name; option++) {
        const char *const names[] = {option->name, option->short_name};
        for (size_t i = 0; i < 2; i++) {
            if (names[i] && strlen(names[i]) == length && strncmp(names[i], name, length) == 0) {
                return option;
            }
        }
    }
    return NULL;
}

int cli_has_output(const cli_command *command)
{
    for (const cli_option *option = command->options; option->name; option++) {
        if (strcmp(option->name, "-o") == 0 || strcmp(option->name, "--output") == 0) {
            return 1;
        }
    }
    return 0;
}
