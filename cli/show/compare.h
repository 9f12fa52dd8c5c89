/* What latentforce compare finds about each model, and how it is shown. */
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include "latentforce.h"
#include "options/settings.h"

typedef struct cli_comparison {
    const char *path;   /* of the model */
    const char *engine; /* that evaluated it */
    size_t rows, parameters;
    double log_density, bic;
    lf_score held_out; /* n = 0: none */
    size_t place;      /* on the command line; the order of equal results */
} cli_comparison;

/* Sorts the results, best first, and prints them. Returns an exit status. */
int cli_print_comparison(const cli_settings *settings, size_t count, cli_comparison *results);

#endif
