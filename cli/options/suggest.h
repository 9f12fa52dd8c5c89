/* Messages for words of the command line that are not known: each names the word that was probably meant. */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include "options/options.h"

/* Each prints an error and returns CLI_USAGE. */
int cli_unknown_command(const char *word);
int cli_unknown_option(const cli_command *command, const cli_option_set *set, const char *word);
/* For a value of an option whose values are listed; `typed` is the option as it was given. */
int cli_unknown_value(const cli_command *command, const cli_option *option, const char *typed, const char *value);

/* Whether the word stands in the list "a, b, c". */
int cli_is_listed(const char *list, const char *word);

#endif
