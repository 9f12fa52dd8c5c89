/* The parts of a report: rows with their predictions, and the JSON that the scripts of the page draw from. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <stdio.h>

#include "latentforce.h"
#include "points.h"
#include "settings.h"

/* One row of the data, in the order in which charts and autocorrelations want them. */
typedef struct cli_report_row {
    size_t index; /* in the data */
    int output, replicate, test;
    double x; /* the first input */
    double y, sd;
    double mean, variance; /* of f */
    double noise;          /* variance of y about f */
} cli_report_row;

typedef struct cli_report {
    lf_context *ctx;
    const cli_settings *settings;
    const lf_model *model;
    lf_posterior *posterior;
    int stored;           /* the posterior is the one in the model file */
    size_t n;             /* rows; 0 without data */
    cli_report_row *rows; /* (n), sorted by output, replicate and x */
    double low, high;     /* between which charts are drawn; one input */
} cli_report;

/* All return an exit status and print what went wrong. */

/* Fills in rows, posterior and limits. */
int cli_report_gather(cli_report *report);
/* Mean and variance (n) at the points, in portions that bound the memory it takes. */
int cli_report_predict(const cli_report *report, const cli_points *points, double *mean, double *variance);

/* Members of an object, each followed by a comma: "forces", "outputs" with constants, scores and residuals, "overall". */
int cli_report_write_model(const cli_report *report, FILE *stream);
/* The member "charts": a list with every output and force of every replicate. */
int cli_report_write_charts(const cli_report *report, FILE *stream);
/* An object with the standardised residuals of the training rows among `rows`, which are those of one output; null
 * without any. */
int cli_report_write_residuals(const cli_report_row *rows, size_t n, FILE *stream);

/* Whether the parts of a page that the program does not hold itself can be read. */
int cli_report_check_parts(const cli_settings *settings);
/* The page about `json`, with everything it needs inside. */
int cli_report_write_page(const cli_settings *settings, const char *json, FILE *stream);

/* A number with as many digits as a chart can use; null for what is not finite. */
void cli_report_number(FILE *stream, double value, int digits);

#endif
