/* What the scripts for the different shells share. */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include <stdio.h>

#include "options/options.h"

int cli_takes_value(const cli_option *option);
int cli_takes_file(const cli_option *option);
/* "a, b, c" as "a b c". */
void cli_print_values(FILE *stream, const char *values);
/* The first clause of a help text, cut at a word where it is long. */
void cli_short_help(const char *help, char *text, size_t size);
/* What 'latentforce help' accepts: commands and topics. */
void cli_print_topics(FILE *stream);

/* One script each; `sets` holds the options of every command, in the order of cli_commands. */
void cli_print_bash_completion(FILE *stream, const cli_option_set *sets);
void cli_print_zsh_completion(FILE *stream, const cli_option_set *sets);
void cli_print_fish_completion(FILE *stream, const cli_option_set *sets);

#endif
