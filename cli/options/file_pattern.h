/* Patterns of file names, for the data files of a command: 'part-*.csv.gz', quoted so that the shell leaves it to the program. */
#ifndef CLI_FILE_PATTERN_H
#define CLI_FILE_PATTERN_H

#include "options/settings.h"

/* Whether a word is no file, and contains *, ? or [. */
int cli_is_pattern(const char *word);
/* Adds the files that match, sorted, to settings->matches. A pattern without a match is an error; `typed` names the operand or option. */
int cli_match_files(const char *command, const char *typed, const char *pattern, cli_settings *settings);

#endif
