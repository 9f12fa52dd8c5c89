/* How the program tells a person that something is wrong; stdout is kept for results. */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include "latentforce.h"

/* Exit statuses, also what every step of a command returns. */
enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* Prints "latentforce: error: …"; returns CLI_FAILED. */
int cli_fail(const char *format, ...) LF_PRINTF(1, 2);

/* cli_fail for a failed allocation. */
int cli_no_memory(void);

/* Turns a status of the library into an exit status, printing the library's sentence when it failed. */
int cli_check(const lf_context *ctx, lf_status status);

/* Prints the error and where to read about `command` (NULL: the program); returns CLI_USAGE. */
int cli_usage_error(const char *command, const char *format, ...) LF_PRINTF(2, 3);

/* An lf_log_function that prints "latentforce: note: …". */
void cli_note(void *user, const char *note);

/* Sees to it that all of standard output was written. */
int cli_flush(void);

#endif
