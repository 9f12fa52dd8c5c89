/* The live line, the trace and Ctrl-C. */
#include "fit_progress.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "formats.h"
#include "message.h"

static volatile sig_atomic_t asked_to_stop;

static void ask_to_stop(int signal_number)
{
    (void)signal_number;
    asked_to_stop = 1;
}

static void listen_to(int signal_number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

int cli_progress_begin(const cli_settings *settings, cli_progress *progress)
{
    *progress = (cli_progress){.terminal = isatty(STDERR_FILENO), .last = -1};
    progress->live = settings->progress || (progress->terminal && !settings->quiet);
    if (settings->trace) {
        progress->trace = fopen(settings->trace, "w");
        if (!progress->trace) {
            return cli_fail("%s: cannot be written: %s", settings->trace, strerror(errno));
        }
        fputs("start,iteration,evaluations,objective,gradient_norm,seconds\n", progress->trace);
    }
    asked_to_stop = 0;
    listen_to(SIGINT, ask_to_stop);
    listen_to(SIGTERM, ask_to_stop);
    return CLI_DONE;
}

static void write_trace(FILE *trace, const lf_progress *moment)
{
    fprintf(trace, "%zu,%zu,%zu,", moment->restart + 1, moment->iteration, moment->evaluations);
    cli_csv_number(trace, moment->objective);
    fputc(',', trace);
    cli_csv_number(trace, moment->gradient_norm);
    fprintf(trace, ",%.3f\n", moment->seconds);
    fflush(trace); /* it is there to be watched */
}

/* "12 s", "3 min", "2 h" */
static void format_time(char *text, size_t size, double seconds)
{
    if (seconds < 120) {
        snprintf(text, size, "%.0f s", seconds);
    } else if (seconds < 7200) {
        snprintf(text, size, "%.0f min", seconds / 60);
    } else {
        snprintf(text, size, "%.1f h", seconds / 3600);
    }
}

int cli_progress_tell(void *user, const lf_progress *moment)
{
    cli_progress *progress = user;
    double pause = progress->terminal ? 0.2 : 2;
    if (progress->trace) {
        write_trace(progress->trace, moment);
    }
    if (progress->live && (progress->last < 0 || moment->seconds - progress->last >= pause)) {
        char line[256], spent[32], left[32];
        format_time(spent, sizeof spent, moment->seconds);
        format_time(left, sizeof left, moment->remaining);
        int length = snprintf(line, sizeof line,
                              "start %zu of %zu, iteration %zu, objective %.6g, gradient %.2g, %s, about %s left",
                              moment->restart + 1, moment->restarts, moment->iteration, moment->objective,
                              moment->gradient_norm, spent, left);
        fprintf(stderr, progress->terminal ? "\r%-*s" : "%-*s\n", progress->terminal ? (int)progress->length : 0, line);
        fflush(stderr);
        progress->length = (size_t)length;
        progress->last = moment->seconds;
    }
    return asked_to_stop;
}

int cli_progress_end(const cli_settings *settings, cli_progress *progress)
{
    if (progress->terminal && progress->length > 0) {
        fprintf(stderr, "\r%*s\r", (int)progress->length, "");
    }
    listen_to(SIGINT, SIG_DFL);
    listen_to(SIGTERM, SIG_DFL);
    if (progress->trace) {
        int broken = ferror(progress->trace);
        broken = fclose(progress->trace) || broken;
        progress->trace = NULL;
        if (broken) {
            return cli_fail("%s: could not be written to its end: %s", settings->trace, strerror(errno));
        }
    }
    return CLI_DONE;
}
