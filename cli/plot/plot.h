/* Functions and data that the figures of latentforce plot share. */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include <stdio.h>

#include "latentforce.h"
#include "options/points.h"
#include "options/settings.h"
#include "show/quantity.h"

typedef struct cli_drawing {
    const cli_settings *settings;
    lf_model *model;
    lf_data *table;          /* all rows of --data; NULL without it */
    lf_posterior *posterior; /* NULL for a covariance */
    lf_report *report;       /* the panels; NULL before cli_plot_report() */
    lf_report_info info;     /* of the report */
    double low[2], high[2];  /* limits of the inputs, (p) */
    int *output;             /* (output_count) the outputs to draw */
    int *
        force; /* (force_count) what is drawn below them: forces from 0 on, then the states, then the known inputs of the model */
    int output_count, force_count;
    int outputs, forces; /* whether outputs, and whether the others are drawn */
} cli_drawing;

/* What a panel is about: an output, a force, a state or a known input of the model. */
typedef struct cli_target {
    lf_kind kind;
    int index;
} cli_target;

/* The kinds of what is drawn below the outputs, and the first number of each; that of CLI_OTHERS is how many there are. */
typedef enum cli_other { CLI_FORCE, CLI_STATE, CLI_KNOWN, CLI_OTHERS } cli_other;
int cli_plot_first(const lf_model *model, cli_other kind);
cli_other cli_plot_kind(const lf_model *model, int number);

/* Each draws one figure into settings->output and returns an exit status. */
int cli_plot_curves(lf_context *ctx, cli_drawing *plot);
int cli_plot_map(lf_context *ctx, cli_drawing *plot);
int cli_plot_covariance(lf_context *ctx, cli_drawing *plot);
int cli_plot_residuals(lf_context *ctx, cli_drawing *plot);

/* Chooses outputs and forces by --only or --output-name and, where --what is not given, whether either is drawn. Idle forces
 * are left out, with a note, unless --only names them or --all-forces is given. Prints an error and returns an exit status. */
int cli_plot_choose(lf_context *ctx, cli_drawing *plot);
/* The targets to draw (outputs + forces), outputs first and known inputs last; the caller frees them. NULL when there is no memory. At most
 * `maximum` of outputs and of the others are drawn; a note names the first one left out. */
cli_target *cli_plot_targets(const cli_drawing *plot, int maximum, int *outputs, int *forces);
/* The name of a target with its unit. */
void cli_plot_name(const cli_drawing *plot, cli_target target, char text[CLI_LABEL_SIZE]);
/* Prints the label of an axis: --xlabel or --ylabel if it is given, else `text`. dated: tics have two lines. */
void cli_plot_axis_label(FILE *script, char axis, const char *given, const char *text, int dated);

/* Makes the report with the panels of the targets, in the first `replicates` replicates, with curves or maps of `grid` inputs, and sets the limits of the
 * inputs. `residuals`: with the residuals of the targets instead. Prints an error and returns an exit status. */
int cli_plot_report(lf_context *ctx, cli_drawing *plot, int count, const cli_target *target, int replicates,
                    size_t grid, int residuals);
/* A table of a panel, which the caller frees: of a target and a replicate, or of the residuals of an output. */
int cli_plot_table(lf_context *ctx, const cli_drawing *plot, cli_target target, int replicate, int residuals,
                   const char *what, lf_table **table);
/* A column of numbers (rows). */
const double *cli_plot_numbers(lf_context *ctx, const lf_table *table, const char *column);
/* Prints the rows of an output as the gnuplot block $trainR or $testR of replicate R: the first two columns and the limits of their errors. A note says
 * where only some of them are drawn. Returns their number. */
size_t cli_plot_points(lf_context *ctx, const cli_drawing *plot, FILE *script, const lf_table *rows, cli_target target,
                       int replicate, int held_out);
/* Prints a note, unless --quiet. */
void cli_plot_note(const cli_drawing *plot, const char *format, ...) LF_PRINTF(2, 3);

#endif
