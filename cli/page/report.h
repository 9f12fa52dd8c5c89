/* The parts of a report: rows with their predictions, and the JSON from which the scripts of the page draw. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <stdio.h>

#include "latentforce.h"
#include "options/points.h"
#include "options/settings.h"

/* One row of the data with its prediction. */
typedef struct cli_report_row {
    size_t index; /* in the data */
    int output, replicate, test;
    double x[2]; /* the first two inputs */
    double y, sd;
    double mean, variance; /* of f */
    double noise;          /* variance of y about f */
} cli_report_row;

typedef struct cli_report {
    lf_context *ctx;
    const cli_settings *settings;
    const lf_model *model;
    lf_posterior *posterior;
    int stored;              /* the posterior comes from the model file */
    size_t n;                /* number of rows; 0 without data */
    cli_report_row *rows;    /* (n), sorted by output, replicate and x */
    double low[2], high[2];  /* range of the charts or maps; one or two inputs */
    int has_range;           /* it is known */
    lf_diagnosis *diagnosis; /* of the training rows; NULL without data */
} cli_report;

/* Functions that return int print an error and return an exit status. */

/* Collects the posterior, the rows and the range of the charts. */
int cli_report_collect(cli_report *report);
/* mean (n) and variance (n) at the points, in portions that limit the memory needed. */
int cli_report_predict(const cli_report *report, const cli_points *points, double *mean, double *variance);

/* The members "forces", "outputs" (with constants, scores and residuals) and "overall", each followed by a comma. */
int cli_report_write_model(const cli_report *report, FILE *stream);
/* The members "known_inputs" and "equations" (null without), each followed by a comma. */
int cli_report_write_equations(const cli_report *report, FILE *stream);
/* [value, standard error]; null where unknown. The second: of the parameter "OWNER.WHAT". */
void cli_report_pair(FILE *stream, double value, double error);
void cli_report_named(const cli_report *report, FILE *stream, const char *owner, const char *what);
/* The members "charts": a list with every output, force and state of every replicate, without idle forces unless --all-forces is
 * given, and "input_charts". */
int cli_report_write_charts(const cli_report *report, FILE *stream);
/* Whether a force is left out because it is idle. */
int cli_report_hides_force(const cli_report *report, int force);
/* An object with mean and standard deviation of a target (output or force) on a grid of n x n inputs; two inputs. */
int cli_report_write_map(const cli_report *report, int target, int replicate, size_t n, FILE *stream);
/* An object with statistics of the standardised residuals of the training rows of an output; null if there are none. */
int cli_report_write_residuals(const lf_output_diagnosis *output, FILE *stream);

/* An object with autocorrelation and cumulative periodogram of the errors of an output; null if there are none. */
void cli_report_write_innovations(const lf_output_diagnosis *output, FILE *stream);
/* The member "input_charts": the readings of every known input of every replicate, at most about `most`. */
int cli_report_write_inputs(const cli_report *report, size_t most, FILE *stream);
/* keep (n): marks the rows that are drawn, at most about `most` training and as many test rows. low … high: range of the inputs. */
int cli_report_thin(const cli_report_row *rows, size_t n, double low, double high, size_t most, char *keep);

/* Checks that the parts of the page that are not built into the program can be read. */
int cli_report_check_parts(const cli_settings *settings);
/* Writes the page for `json`, complete with styles and scripts. */
int cli_report_write_page(const cli_settings *settings, const char *json, FILE *stream);

/* A number with limited digits; null if it is not finite. */
void cli_report_number(FILE *stream, double value, int digits);

#endif
