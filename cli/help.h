/* Help texts and manual pages, both made from the option tables of the commands. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

#include "options.h"

/* Prints the help of a command (NULL: of the program) on standard output. Returns an exit status. */
int cli_print_help(const cli_command *command);

/* Prints the operands and required options, "MODEL (--at INPUTS.csv | --grid N)", each through `word`, which may add
 * markup. */
typedef void (*cli_word_function)(FILE *stream, const char *option, const char *argument);
void cli_print_required(FILE *stream, const cli_command *command, cli_word_function word);

/* Prints the manual page of a command (NULL: of the program) in man(7) macros. */
int cli_print_manual(FILE *stream, const cli_command *command);

/* Descriptions of data files, model files and exit statuses; paragraphs are separated by an empty line. */
extern const char cli_data_text[], cli_model_text[], cli_status_text[];

#endif
