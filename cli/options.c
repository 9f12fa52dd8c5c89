/* The parser: walks argv against the table of a command and stores values at the offsets the table names. */
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

enum { MAX_OPTIONS = 64, MAX_WORD = 64 };

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

static int unknown_option(const cli_command *command, const char *word)
{
    const char *names[MAX_OPTIONS];
    size_t count = 0;
    for (const cli_option *option = command->options; option->name && count < MAX_OPTIONS - 1; option++) {
        names[count++] = option->name;
    }
    names[count++] = "--help";
    const char *nearest = cli_nearest(word, names, count);
    if (nearest) {
        return cli_usage_error(command->name, "unknown option '%s'; did you mean '%s'?", word, nearest);
    }
    return cli_usage_error(command->name, "unknown option '%s'", word);
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
static const cli_option *find_option(const cli_command *command, const char *word, const char **value)
{
    size_t length = strcspn(word, "=");
    *value = word[length] ? word + length + 1 : NULL;
    for (const cli_option *option = command->options; option->name; option++) {
        if (strncmp(option->name, word, length) == 0 && option->name[length] == '\0') {
            return option;
        }
    }
    return NULL;
}

static int check_choices(const cli_command *command, const bool *given)
{
    for (const cli_option *first = command->options; first->name; first++) {
        const cli_option *chosen = NULL, *other = NULL;
        if (first->choice == 0) {
            continue;
        }
        for (const cli_option *option = command->options; option->name; option++) {
            if (option->choice != first->choice) {
                continue;
            }
            other = option != first ? option : other;
            if (given[option - command->options]) {
                if (chosen) {
                    return cli_usage_error(command->name, "give either %s or %s, not both", chosen->name, option->name);
                }
                chosen = option;
            }
        }
        if (!chosen && other) {
            return cli_usage_error(command->name, "give either %s %s or %s %s", first->name, first->argument,
                                   other->name, other->argument);
        }
        if (!chosen) {
            return cli_usage_error(command->name, "%s %s is missing", first->name, first->argument);
        }
    }
    return CLI_DONE;
}

/* Standard input can be read only once. */
static int check_standard_input(const cli_command *command, const cli_settings *settings)
{
    int count = 0;
    const cli_option *const tables[] = {command->operands, command->options};
    for (size_t table = 0; table < 2; table++) {
        for (const cli_option *option = tables[table]; option->name; option++) {
            if (option->kind == CLI_INPUT) {
                const char *path = *(const char *const *)((const char *)settings + option->offset);
                count += path && strcmp(path, "-") == 0;
            }
        }
    }
    return count > 1 ? cli_usage_error(command->name, "only one file can be '-' (standard input)") : CLI_DONE;
}

static int parse_option(const cli_command *command, int *argc, char *const **argv, bool *given, cli_settings *settings)
{
    const char *word = **argv, *value;
    const cli_option *option = find_option(command, word, &value);
    if (!option) {
        return unknown_option(command, word);
    }
    if (given[option - command->options] && option->kind != CLI_LIST) {
        return cli_usage_error(command->name, "%s is given twice", option->name);
    }
    given[option - command->options] = true;
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
    return store(command, option, value, settings);
}

int cli_parse(const cli_command *command, int argc, char *const *argv, cli_settings *settings)
{
    bool given[MAX_OPTIONS] = {false}, options_ended = false;
    const cli_option *operand = command->operands;
    int status = CLI_DONE;
    for (; argc > 0 && status == CLI_DONE; argc--, argv++) {
        const char *word = *argv;
        if (!options_ended && strcmp(word, "--") == 0) {
            options_ended = true;
        } else if (!options_ended && strcmp(word, "--help") == 0) {
            settings->help = 1;
            return CLI_DONE;
        } else if (!options_ended && word[0] == '-' && word[1]) {
            status = parse_option(command, &argc, &argv, given, settings);
        } else if (!operand->name) {
            status = cli_usage_error(command->name, "'%s' is one argument too many", word);
        } else {
            status = store(command, operand++, word, settings);
        }
    }
    if (status == CLI_DONE && operand->name && !operand->optional) {
        status = cli_usage_error(command->name, "%s is missing", operand->name);
    }
    status = status ? status : check_choices(command, given);
    return status ? status : check_standard_input(command, settings);
}
