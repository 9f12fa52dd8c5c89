/* Errors and notes go to standard error; standard output is for results only. */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include "latentforce.h"

/* Exit statuses, which most functions of the program return. */
enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* Prints "latentforce: error: …"; returns CLI_FAILED. */
int cli_fail(const char *format, ...) LF_PRINTF(1, 2);

/* From here on errors are not printed but held: of several processes one prints what all have to say. */
void cli_hold_errors(void);
/* Prints the first of them, if there is one. */
void cli_print_held_error(void);

/* cli_fail for a failed allocation. */
int cli_no_memory(void);

/* Converts a status of the library into an exit status; prints the message of the library after a failure. */
int cli_check(const lf_context *ctx, lf_status status);

/* Prints the error and a reference to the help of `command` (NULL: of the program); returns CLI_USAGE. */
int cli_usage_error(const char *command, const char *format, ...) LF_PRINTF(2, 3);

/* An lf_log_function that prints "latentforce: note: …". */
void cli_note(void *user, lf_level level, const char *note);

/* Flushes standard output; fails if anything could not be written. */
int cli_flush(void);

#endif
