/* Figures drawn by gnuplot, which runs as a separate program. */
#ifndef CLI_FIGURE_H
#define CLI_FIGURE_H

#include <stdio.h>

#include "base/output_file.h"
#include "latentforce.h"
#include "options/settings.h"

/* A figure being drawn: `script` is the input of gnuplot, and the output of gnuplot becomes the file. */
typedef struct cli_figure {
    FILE *script;
    lf_output_file file;
    int width, height; /* in units of 1/96 inch, which are the pixels of an svg */
} cli_figure;

/* The position of a panel from the upper left corner, in the units of width and height. */
typedef struct cli_panel {
    int left, top, width, height;
} cli_panel;

/* Unless stated otherwise, functions that return int print an error and return an exit status. */

/* Fails for names that do not end in .png, .svg or .pdf, and for a --size that cannot be read. */
int cli_figure_check(const cli_settings *settings);
/* The size of --size in units of 1/96 inch; 0 x 0 if it is not given. */
void cli_figure_size(const cli_settings *settings, int *width, int *height);
/* Height that the title takes at the top; 0 without --title. */
int cli_figure_title_height(const cli_settings *settings);
/* Fails with the least size at which `what` can be drawn. */
int cli_figure_too_small(const cli_settings *settings, const char *what, int width, int height);
/* Whether gnuplot can be started: 1 or 0. */
int cli_figure_possible(void);

/* Opens the file settings->output and prints the title. A figure that was begun must be ended. The end puts the complete file in place; after a failure the file is
 * unchanged. */
int cli_figure_begin(lf_context *ctx, const cli_settings *settings, int width, int height, cli_figure *figure);
int cli_figure_end(lf_context *ctx, cli_figure *figure);

/* Prints a text as a gnuplot string that is displayed literally. */
void cli_figure_text(FILE *script, const char *text);
/* Places the next plot: its axes are the edges of the panel. */
void cli_figure_place(const cli_figure *figure, cli_panel panel);
/* Prints a heading above the panel, aligned with its left edge. */
void cli_figure_heading(FILE *script, const char *text);

/* Colours as "#rrggbb" that are distinguishable with all kinds of colour vision (Okabe and Ito), dark ones first. */
enum { CLI_COLOURS = 6 };
const char *cli_figure_colour(int index);

#endif
