/* Help in plain text and as manual pages, both made from the tables of the commands. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

#include "options.h"

/* Prints the help of one command (NULL: of the program) on standard output; returns an exit status. */
int cli_print_help(const cli_command *command);

/* "MODEL (--at INPUTS.csv | --grid N)": what cannot be left out, words through `word`, which may add markup. */
typedef void (*cli_word_function)(FILE *stream, const char *option, const char *argument);
void cli_print_needed(FILE *stream, const cli_command *command, cli_word_function word);

/* The manual page of one command (NULL: of the program), man(7). */
int cli_print_manual(FILE *stream, const cli_command *command);

/* What files hold and what exit statuses mean; paragraphs separated by an empty line. */
extern const char cli_data_text[], cli_model_text[], cli_status_text[];

#endif
