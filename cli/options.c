/* The parser: walks argv against the table of a command and stores values at the offsets the table names. */
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

enum { MAX_WORD = 64 };

/* Most a count may be: keeps sizes computed from it far from overflow. */
#define MAX_COUNT 10000000ull

const cli_command *cli_find_command(const char *name)
{
    for (size_t i = 0; cli_commands[i]; i++) {
        if (strcmp(cli_commands[i]->name, name) == 0) {
            return cli_commands[i];
        }
    }
    return NULL;
}

/* Levenshtein distance between two short words. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t n = strlen(b), row[MAX_WORD + 1];
    if (n > MAX_WORD) {
        return MAX_WORD;
    }
    for (size_t j = 0; j <= n; j++) {
        row[j] = j;
    }
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 1; j <= n; j++) {
            size_t changed = diagonal + (a[i] != b[j - 1]);
            size_t dropped = row[j] + 1, added = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = dropped < added ? dropped : added;
            row[j] = changed < row[j] ? changed : row[j];
        }
    }
    return row[n];
}

const char *cli_nearest(const char *word, const char *const *words, size_t count)
{
    const char *best = NULL;
    size_t least = 1 + strlen(word) / 3;
    for (size_t i = 0; i < count; i++) {
        size_t distance = edit_distance(word, words[i]);
        if (distance <= least) {
            best = words[i];
            least = distance;
        }
    }
    return best;
}

/* ---- the options of a command ---- */

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
    return CLI_TEXT;
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
    const char *start = no ? option->no_help : join(set, option->help, " (default: ", option->fallback);
    return no || !start ? start : join(set, start, ")", "");
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
    added->kind = kind_of(option);
    added->minimum = option->minimum;
    added->maximum = option->maximum;
    return added->name && added->help;
}

int cli_option_set_create(const cli_command *command, cli_option_set *set)
{
    size_t count = 0;
    int done = 1;
    *set = (cli_option_set){0};
    for (const cli_option *option = command->options; done && option->name; option++) {
        if (!option->from_library) {
            done = count < CLI_MOST_OPTIONS;
            set->option[count] = *option;
            count += (size_t)done;
        } else if (*option->name) {
            done = add_library_option(set, &count, lf_fit_option_find(option->name + 2), *option, 0);
        }
        for (size_t i = 0; option->from_library && !*option->name && done && lf_fit_option(i); i++) {
            const lf_option *from = lf_fit_option(i);
            done = add_library_option(set, &count, from, *option, 0) &&
                   (!has_type(from, "switch") || add_library_option(set, &count, from, *option, 1));
        }
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

/* ---- parsing ---- */

typedef struct parser {
    lf_context *ctx;
    const cli_command *command;
    cli_option_set set;
    bool given[CLI_MOST_OPTIONS];
    cli_settings *settings;
} parser;

static int unknown_option(const parser *p, const char *word)
{
    const char *names[CLI_MOST_OPTIONS + 1];
    size_t count = 0;
    for (const cli_option *option = p->set.option; option->name; option++) {
        names[count++] = option->name;
    }
    names[count++] = "--help";
    const char *nearest = cli_nearest(word, names, count);
    if (nearest) {
        return cli_usage_error(p->command->name, "unknown option '%s'; did you mean '%s'?", word, nearest);
    }
    return cli_usage_error(p->command->name, "unknown option '%s'", word);
}

static int store_whole_number(const cli_command *command, const cli_option *option, const char *text, void *field)
{
    unsigned long long maximum = option->kind == CLI_SEED ? UINT64_MAX : option->maximum ? option->maximum : MAX_COUNT;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (strspn(text, "0123456789") != strlen(text) || !*text || *end || errno || value < option->minimum ||
        value > maximum) {
        return cli_usage_error(command->name, "%s '%s': %s must be a whole number from %zu to %llu", option->name, text,
                               option->argument, option->minimum, maximum);
    }
    if (option->kind == CLI_COUNT) {
        *(size_t *)field = (size_t)value;
    } else {
        *(uint64_t *)field = value;
    }
    return CLI_DONE;
}

static int append(const cli_command *command, const cli_option *option, const char *text, cli_list *list)
{
    size_t room = sizeof list->item / sizeof list->item[0] - 1;
    if (!*text || list->count == room) {
        return *text ? cli_usage_error(command->name, "%s is given more than %zu times", option->name, room)
                     : cli_usage_error(command->name, "%s is empty", option->name);
    }
    list->item[list->count++] = text;
    return CLI_DONE;
}

static int store(const cli_command *command, const cli_option *option, const char *text, cli_settings *settings)
{
    void *field = (char *)settings + option->offset;
    char *end;
    switch (option->kind) {
    case CLI_FLAG:
        *(int *)field = 1;
        return CLI_DONE;
    case CLI_TEXT:
    case CLI_INPUT:
        if (!*text) {
            return cli_usage_error(command->name, "%s is empty", option->name);
        }
        *(const char **)field = text;
        return CLI_DONE;
    case CLI_SHARE:
    case CLI_NUMBER:
        *(double *)field = strtod(text, &end);
        if (!*text || *end || !isfinite(*(double *)field)) {
            return cli_usage_error(command->name, "%s '%s': %s must be a number", option->name, text, option->argument);
        }
        if (option->kind == CLI_SHARE && !(*(double *)field > 0 && *(double *)field < 1)) {
            return cli_usage_error(command->name, "%s '%s': %s must be between 0 and 1", option->name, text,
                                   option->argument);
        }
        return CLI_DONE;
    case CLI_LIST:
        return append(command, option, text, field);
    case CLI_COUNT:
    case CLI_SEED:
        break;
    }
    return store_whole_number(command, option, text, field);
}

/* The option that a word of the command line names, and where "=VALUE" starts in it (NULL: nowhere). */
static const cli_option *find_option(const parser *p, const char *word, const char **value)
{
    size_t length = strcspn(word, "=");
    *value = word[length] ? word + length + 1 : NULL;
    for (const cli_option *option = p->set.option; option->name; option++) {
        if (strncmp(option->name, word, length) == 0 && option->name[length] == '\0') {
            return option;
        }
    }
    return NULL;
}

/* cli_usage_error for a choice of which no option was given: "give either --at INPUTS.csv or --grid N". */
static int missing_choice(const parser *p, const cli_option *first)
{
    char list[512] = "";
    size_t length = 0, count = 0;
    for (const cli_option *option = first; option->name && length < sizeof list; option++) {
        if (option->choice == first->choice) {
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%s %s", count ? " or " : "",
                                       option->name, option->argument);
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
    const cli_command *command = p->command;
    int count = 0;
    const cli_option *const tables[] = {command->operands, p->set.option};
    for (size_t table = 0; table < 2; table++) {
        for (const cli_option *option = tables[table]; option->name; option++) {
            if (option->kind == CLI_INPUT) {
                const char *path = *(const char *const *)((const char *)p->settings + option->offset);
                count += path && strcmp(path, "-") == 0;
            }
        }
    }
    return count > 1 ? cli_usage_error(command->name, "only one file can be '-' (standard input)") : CLI_DONE;
}

/* The library checks the values of its options. */
static int store_in_library(const parser *p, const cli_option *option, const char *value)
{
    if (lf_fit_options_set(p->ctx, p->settings->fit, option->name + 2, value) != LF_OK) {
        return cli_usage_error(p->command->name, "%s", lf_message(p->ctx));
    }
    return CLI_DONE;
}

static int parse_option(parser *p, int *argc, char *const **argv)
{
    const cli_command *command = p->command;
    const char *word = **argv, *value;
    const cli_option *option = find_option(p, word, &value);
    if (!option) {
        return unknown_option(p, word);
    }
    bool *given = &p->given[option - p->set.option];
    if (*given && option->kind != CLI_LIST) {
        return cli_usage_error(command->name, "%s is given twice", option->name);
    }
    *given = true;
    if (option->kind == CLI_FLAG && value) {
        return cli_usage_error(command->name, "%s takes no value", option->name);
    }
    if (option->kind != CLI_FLAG && !value) {
        /* A word that looks like an option is not taken as a value; --name=VALUE can say such a value. */
        if (*argc < 2 || strncmp((*argv)[1], "--", 2) == 0) {
            return cli_usage_error(command->name, "%s needs a value: %s %s", option->name, option->name,
                                   option->argument);
        }
        value = (*argv)[1];
        (*argv)++;
        (*argc)--;
    }
    int status = option->from_library ? store_in_library(p, option, value) : CLI_DONE;
    return status || (option->from_library && !option->has_field) ? status : store(command, option, value, p->settings);
}

static int parse(parser *p, int argc, char *const *argv)
{
    bool options_ended = false;
    const cli_command *command = p->command;
    const cli_option *operand = command->operands, *listed = NULL; /* listed: the list that has begun */
    int status = CLI_DONE;
    for (; argc > 0 && status == CLI_DONE; argc--, argv++) {
        const char *word = *argv;
        if (!options_ended && strcmp(word, "--") == 0) {
            options_ended = true;
        } else if (!options_ended && strcmp(word, "--help") == 0) {
            p->settings->help = 1;
            return CLI_DONE;
        } else if (!options_ended && word[0] == '-' && word[1]) {
            status = parse_option(p, &argc, &argv);
        } else if (!operand->name) {
            status = cli_usage_error(command->name, "'%s' is one argument too many", word);
        } else if (operand->kind == CLI_LIST) {
            listed = operand;
            status = store(command, operand, word, p->settings);
        } else {
            status = store(command, operand++, word, p->settings);
        }
    }
    if (status == CLI_DONE && operand->name && operand != listed && !operand->optional) {
        status = cli_usage_error(command->name, "%s is missing", operand->name);
    }
    status = status ? status : check_choices(p);
    return status ? status : check_standard_input(p);
}

int cli_parse(lf_context *ctx, const cli_command *command, int argc, char *const *argv, cli_settings *settings)
{
    parser p = {.ctx = ctx, .command = command, .settings = settings};
    int status = cli_option_set_create(command, &p.set) ? parse(&p, argc, argv) : cli_no_memory();
    cli_option_set_clear(&p.set);
    return status;
}
