/* The live line, the trace and Ctrl-C. */
#include "show/fit_progress.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/output_file.h"
#include "message.h"
#include "show/formats.h"

static volatile sig_atomic_t asked_to_stop;

static void ask_to_stop(int signal_number)
{
    (void)signal_number;
    asked_to_stop = 1;
}

/* For the rest of the program: a signal that comes while the model is written, or afterwards, changes nothing; a second one ends it. */
static void install_signal_handlers(void)
{
    struct sigaction action = {.sa_handler = ask_to_stop, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL); /* mpirun passes it on and lets the program take its time, unlike the others */
}

int cli_progress_begin(const cli_settings *settings, cli_progress *progress)
{
    *progress = (cli_progress){.terminal = isatty(STDERR_FILENO), .last = -1};
    progress->live = settings->progress || (progress->terminal && !settings->quiet);
    if (settings->trace) {
        progress->trace = fopen(settings->trace, "w");
        if (!progress->trace) {
            return cli_fail("%s: cannot be written: %s", settings->trace, lf_error_text(errno));
        }
        fputs("start,iteration,evaluations,objective,gradient_norm,seconds\n", progress->trace);
    }
    asked_to_stop = 0;
    install_signal_handlers();
    return CLI_DONE;
}

static void write_trace(FILE *trace, const lf_progress *at)
{
    fprintf(trace, "%zu,%zu,%zu,", at->item + 1, at->iteration, at->evaluations);
    cli_csv_number(trace, at->objective);
    fputc(',', trace);
    cli_csv_number(trace, at->gradient_norm);
    fprintf(trace, ",%.3f\n", at->seconds);
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

/* The line for one stage of the fit; its length. */
static int write_line(char *line, size_t size, const lf_progress *at)
{
    char spent[32], left[32];
    format_time(spent, sizeof spent, at->seconds);
    format_time(left, sizeof left, at->remaining);
    if (strcmp(at->stage, "errors") == 0) {
        return snprintf(line, size, "standard errors: %zu of %zu, %s, about %s left", at->item + 1, at->items, spent,
                        left);
    }
    if (strcmp(at->stage, "series") == 0) {
        return snprintf(line, size, "%zu of %zu fits, %s, about %s left", at->item, at->items, spent, left);
    }
    int selection = strcmp(at->stage, "selection") == 0;
    return snprintf(line, size, "%s %zu of %zu, iteration %zu, objective %.6g, gradient %.2g, %s, about %s left",
                    selection ? "candidate" : "start", at->item + 1, at->items, at->iteration, at->objective,
                    at->gradient_norm, spent, left);
}

int cli_progress_report(void *user, const lf_progress *at)
{
    cli_progress *progress = user;
    double pause = progress->terminal ? 0.2 : 2;
    if (progress->trace && strcmp(at->stage, "fit") == 0) {
        write_trace(progress->trace, at);
    }
    if (progress->stage != at->stage) {
        progress->stage = at->stage;
        progress->last = -1;
    }
    if (progress->live && (progress->last < 0 || at->seconds - progress->last >= pause)) {
        char line[256];
        int length = write_line(line, sizeof line, at);
        fprintf(stderr, progress->terminal ? "\r%-*s" : "%-*s\n", progress->terminal ? (int)progress->length : 0, line);
        fflush(stderr);
        progress->length = (size_t)length;
        progress->last = at->seconds;
    }
    return asked_to_stop;
}

void cli_progress_end(const cli_settings *settings, cli_progress *progress)
{
    if (progress->terminal && progress->length > 0) {
        fprintf(stderr, "\r%*s\r", (int)progress->length, "");
    }
    if (progress->trace) {
        int error = lf_flush(progress->trace);
        error = fclose(progress->trace) && !error ? errno : error;
        progress->trace = NULL;
        if (error && !settings->quiet) { /* the fit is worth more than its trace */
            fprintf(stderr, "latentforce: warning: %s: could not be written to its end: %s\n", settings->trace,
                    lf_error_text(error));
        }
    }
}
