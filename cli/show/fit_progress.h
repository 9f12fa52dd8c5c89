/* What a person sees of a fit while it goes on: a live line, a trace file, and Ctrl-C, which ends it in good order. */
#ifndef CLI_FIT_PROGRESS_H
#define CLI_FIT_PROGRESS_H

#include <stdio.h>

#include "latentforce.h"
#include "options/settings.h"

typedef struct cli_progress {
    FILE *trace;       /* NULL: none */
    int live;          /* print the line */
    int terminal;      /* standard error is one: the line is written over itself */
    const char *stage; /* of the fit, at the last report */
    double last;       /* seconds of the stage at which it was last printed; negative: never */
    size_t length;     /* of the line that stands there */
} cli_progress;

/* Opens the trace, and lets SIGINT and SIGTERM ask for an end; a second one kills. Returns an exit status. */
int cli_progress_begin(const cli_settings *settings, cli_progress *progress);
/* An lf_progress_function. */
int cli_progress_report(void *user, const lf_progress *at);
/* Clears the line. */
void cli_progress_end(const cli_settings *settings, cli_progress *progress);

#endif
