/* Unknown commands, options and values: the message names what was probably meant. */
#include "options/suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "help/help.h"
#include "message.h"
#include "options/file_kind.h"

enum { MAX_WORD = 64, MAX_WORDS = 2 * CLI_MOST_OPTIONS };

/* Options of the program itself, accepted after every command too. */
static const char *const program_options[] = {"--help", "--help-engines", "--version"};
enum { PROGRAM_OPTIONS = sizeof program_options / sizeof *program_options };

int cli_is_listed(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at && length; at = strchr(at, ',') ? strchr(at, ',') + 2 : NULL) {
        if (strcspn(at, ",") == length && strncmp(at, word, length) == 0) {
            return 1;
        }
    }
    return 0;
}

/* The option as it should be spelt: "-output", "--Force_Kernel=eq" -> "--output", "--force-kernel". */
static void spell(const char *word, char *spelt, size_t size)
{
    size_t used = (size_t)snprintf(spelt, size, "--");
    for (word += strspn(word, "-"); *word && *word != '=' && used + 1 < size; word++) {
        spelt[used++] = *word == '_' ? '-' : (char)tolower((unsigned char)*word);
    }
    spelt[used] = '\0';
}

/* " fit, predict and score": the commands that have this option. Returns their number. */
static size_t list_owners(const char *name, char *text, size_t size)
{
    const char *owners[MAX_WORDS];
    size_t count = 0, used = 0;
    for (size_t i = 0; cli_commands[i] && count < MAX_WORDS; i++) {
        cli_option_set set;
        if (cli_option_set_create(cli_commands[i], &set)) {
            if (cli_option_find(&set, name, strlen(name))) {
                owners[count++] = cli_commands[i]->name;
            }
            cli_option_set_clear(&set);
        }
    }
    text[0] = '\0';
    for (size_t i = 0; i < count && used < size; i++) {
        int written = snprintf(text + used, size - used, "%s%s",
                               i == 0          ? ""
                               : i + 1 < count ? ", "
                                               : " and ",
                               owners[i]);
        used += written > 0 ? (size_t)written : 0;
    }
    return count;
}

/* The shortest of the words that begin with a part; NULL when there is none or the part is too short to tell. */
static const char *complete(const char *part, const char *const *words, size_t count)
{
    const char *best = NULL;
    for (size_t i = 0; i < count && strlen(part) > 4; i++) {
        if (strncmp(words[i], part, strlen(part)) == 0 && (!best || strlen(words[i]) < strlen(best))) {
            best = words[i];
        }
    }
    return best;
}

int cli_unknown_option(const cli_command *command, const cli_option_set *set, const char *word)
{
    const char *names[CLI_MOST_OPTIONS + PROGRAM_OPTIONS];
    char spelt[MAX_WORD], owners[512];
    size_t count = 0;
    for (const cli_option *option = set->option; option->name; option++) {
        names[count++] = option->name;
    }
    for (size_t i = 0; i < PROGRAM_OPTIONS; i++) {
        names[count++] = program_options[i];
    }
    spell(word, spelt, sizeof spelt);
    const char *meant = NULL;
    for (size_t i = 0; i < count; i++) {
        meant = strcmp(names[i], spelt) == 0 ? names[i] : meant;
    }
    if (!meant && list_owners(spelt, owners, sizeof owners) > 0) {
        return cli_usage_error(command->name, "'%s' is an option of %s, not of %s", word, owners, command->name);
    }
    const cli_option *joined = word[0] == '-' && word[1] != '-' ? cli_option_find(set, word, 2) : NULL;
    int names_file = joined && joined->argument && strpbrk(word, "./");
    meant = meant || names_file ? meant : complete(spelt, names, count);
    meant = meant || names_file ? meant : lf_nearest(spelt, names, count);
    if (!meant && joined && joined->argument) {
        return cli_usage_error(command->name, "unknown option '%s'; did you mean '%s %s'?", word, joined->short_name,
                               word + 2);
    }
    if (meant) {
        return cli_usage_error(command->name, "unknown option '%s'; did you mean '%s'?", word, meant);
    }
    return cli_usage_error(command->name, "unknown option '%s'", word);
}

int cli_unknown_value(const cli_command *command, const cli_option *option, const char *typed, const char *value)
{
    char copy[512];
    const char *words[MAX_WORDS];
    size_t count = 0;
    snprintf(copy, sizeof copy, "%s", option->values);
    for (char *word = strtok(copy, ", "); word && count < MAX_WORDS; word = strtok(NULL, ", ")) {
        words[count++] = word;
    }
    const char *nearest = lf_nearest(value, words, count);
    if (nearest) {
        return cli_usage_error(command->name, "%s '%s': expected %s; did you mean '%s'?", typed, value, option->values,
                               nearest);
    }
    return cli_usage_error(command->name, "%s '%s': expected %s", typed, value, option->values);
}

/* An option where a command belongs. */
static int option_without_command(const char *word)
{
    char spelt[MAX_WORD], owners[512];
    spell(word, spelt, sizeof spelt);
    const char *nearest = lf_nearest(spelt, program_options, PROGRAM_OPTIONS);
    if (nearest) {
        return cli_usage_error(NULL, "unknown option '%s'; did you mean '%s'?", word, nearest);
    }
    if (list_owners(spelt, owners, sizeof owners) > 0) {
        return cli_usage_error(NULL, "'%s' stands before the command; it is an option of %s: latentforce COMMAND %s",
                               word, owners, spelt);
    }
    return cli_usage_error(NULL, "unknown option '%s'", word);
}

int cli_unknown_command(const char *word)
{
    const char *names[MAX_WORDS];
    size_t count = 0;
    if (word[0] == '-') {
        return option_without_command(word);
    }
    switch (cli_file_kind(word)) {
    case CLI_FILE_DATA:
        return cli_usage_error(NULL, "%s is a data file, not a command: latentforce fit %s -o model.json", word, word);
    case CLI_FILE_MODEL:
        return cli_usage_error(NULL, "%s is a model file, not a command: latentforce show %s", word, word);
    case CLI_FILE_EQUATIONS:
        return cli_usage_error(
            NULL, "%s is a file of equations, not a command: latentforce fit DATA --equations %s -o model.json", word,
            word);
    case CLI_FILE_UNKNOWN:
        break;
    }
    for (size_t i = 0; cli_commands[i] && count < MAX_WORDS; i++) {
        names[count++] = cli_commands[i]->name;
    }
    const char *nearest = lf_nearest(word, names, count);
    if (nearest) {
        return cli_usage_error(NULL, "unknown command '%s'; did you mean '%s'?", word, nearest);
    }
    if (cli_find_topic(word)) {
        return cli_usage_error(NULL, "unknown command '%s'; did you mean 'help %s'?", word, word);
    }
    return cli_usage_error(NULL, "unknown command '%s'", word);
}
