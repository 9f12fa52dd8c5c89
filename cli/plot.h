/* What the figures of latentforce plot share. */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include <stdio.h>

#include "latentforce.h"
#include "points.h"
#include "settings.h"

typedef struct cli_drawing {
    const cli_settings *settings;
    lf_model *model;
    lf_data *data;           /* NULL: none was given */
    lf_posterior *posterior; /* NULL for a covariance */
    cli_points rows;         /* output and replicate of every row of data, as the model and the posterior number them */
    double low[2], high[2];  /* limits of the inputs, (p) */
    int *output;             /* (output_count) the outputs to draw */
    int output_count;
    int outputs, forces; /* which of them are wanted */
} cli_drawing;

/* Each draws one figure into settings->output and returns an exit status. */
int cli_plot_curves(lf_context *ctx, cli_drawing *plot);
int cli_plot_map(lf_context *ctx, cli_drawing *plot);
int cli_plot_covariance(lf_context *ctx, cli_drawing *plot);

/* The targets to draw, outputs before forces, (the sum of the counts), to be released with free; NULL without memory. Of
 * either at most `most` are drawn, with a note that names the first one left out. */
int *cli_plot_targets(const cli_drawing *plot, int most, int *outputs, int *forces);
/* The name of a target; `text` has room for that of a force. */
const char *cli_plot_name(const cli_drawing *plot, int target, char text[32]);
/* Prints the data of an output (one input: x and y; two inputs: where they are; half of the 95 % interval of y) as the block $trainR or $testR of replicate R,
 * thinned where they are too many to be told apart; returns how many there are. */
size_t cli_plot_points(const cli_drawing *plot, FILE *script, int target, int replicate, int held_out);
/* Tells a person, unless --quiet. */
void cli_plot_note(const cli_drawing *plot, const char *format, ...) LF_PRINTF(2, 3);

#endif
