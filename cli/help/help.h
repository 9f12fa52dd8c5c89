/* Help texts, manual pages and completion, all made from the option tables of the commands. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

#include "options/options.h"

/* Prints the help of a command (NULL: of the program) on standard output. Returns an exit status. */
int cli_print_help(const cli_command *command);
/* The engine options of a command. */
int cli_print_engine_help(const cli_command *command);

/* Prints the operands and required options, "MODEL (--at INPUTS.csv | --grid N)", each through `word`, which may add
 * markup. */
typedef void (*cli_word_function)(FILE *stream, const char *option, const char *argument);
void cli_print_required(FILE *stream, const cli_command *command, cli_word_function word);
/* A word without markup. */
void cli_plain_word(FILE *stream, const char *option, const char *argument);

/* Prints the manual page of a command (NULL: of the program) in man(7) macros. */
int cli_print_manual(FILE *stream, const cli_command *command);

/* The shells with completion, "bash, zsh, fish". */
extern const char cli_shells[];
/* Prints the completion of the program for one of them. */
int cli_print_completion(FILE *stream, const char *shell);

/* A topic of 'latentforce help'. */
typedef struct cli_topic {
    const char *name, *summary;
    const char *title; /* of its section in the manual page */
    const char
        *text; /* paragraphs, separated by an empty line; lines that begin with two spaces are kept as they are */
} cli_topic;
/* Until name NULL. */
extern const cli_topic cli_topics[];
/* By name or synonym; NULL when there is none. */
const cli_topic *cli_find_topic(const char *name);
/* Prints a topic, which must exist. */
int cli_print_topic(const char *name);

/* Description of exit statuses. */
extern const char cli_status_text[];

#endif
