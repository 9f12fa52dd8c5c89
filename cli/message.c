/* Errors and notes on standard error, in a fixed form for scripts: "latentforce: error: …". */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/output_file.h"
#include "show/visible.h"

static void print_error(const char *format, va_list arguments) LF_PRINTF(1, 0);

/* No allocation: the error may be that there is no memory. */
enum { ERROR_SIZE = 8192 };
static int holding;
static char held[ERROR_SIZE]; /* the first error since then */

static void print_text(char *text)
{
    fputs("latentforce: error: ", stderr);
    for (char *line = text, *end; line; line = end) { /* indented lines show where the error is in a text */
        end = strstr(line, "\n    ");
        if (end) {
            *end++ = '\0';
        }
        cli_put_visible(stderr, line);
        fputc('\n', stderr);
    }
}

static void print_error(const char *format, va_list arguments)
{
    char text[ERROR_SIZE];
    vsnprintf(text, sizeof text, format, arguments);
    if (!holding) {
        print_text(text);
    } else if (!*held) {
        memcpy(held, text, sizeof held);
    }
}

void cli_hold_errors(void) { holding = 1; }

void cli_print_held_error(void)
{
    if (*held) {
        print_text(held);
    }
}

int cli_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_error(format, arguments);
    va_end(arguments);
    return CLI_FAILED;
}

int cli_no_memory(void) { return cli_fail("out of memory"); }

int cli_check(const lf_context *ctx, lf_status status)
{
    if (status == LF_OK) {
        return CLI_DONE;
    }
    const char *message = lf_context_message(ctx);
    return cli_fail("%s", *message ? message : lf_status_text(status));
}

int cli_usage_error(const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_error(format, arguments);
    va_end(arguments);
    if (holding) {
        return CLI_USAGE;
    }
    if (command) {
        fprintf(stderr, "see 'latentforce %s --help'\n", command);
    } else {
        fputs("see 'latentforce help'\n", stderr);
    }
    return CLI_USAGE;
}

int cli_flush(void)
{
    int error = lf_flush(stdout);
    return error ? cli_fail("<stdout>: cannot be written: %s", lf_error_text(error)) : CLI_DONE;
}

void cli_note(void *user, lf_level level, const char *note)
{
    (void)user;
    fputs(level == LF_LEVEL_WARNING ? "latentforce: note: warning: " : "latentforce: note: ", stderr);
    cli_put_visible(stderr, note);
    fputc('\n', stderr);
}
