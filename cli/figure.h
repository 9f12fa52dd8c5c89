/* A figure drawn by gnuplot, which is started as a separate program. */
#ifndef CLI_FIGURE_H
#define CLI_FIGURE_H

#include <stdio.h>

#include "base/output_file.h"
#include "latentforce.h"

/* A figure in the making: what is printed to `script` goes to gnuplot, what gnuplot prints becomes the file. */
typedef struct cli_figure {
    FILE *script;
    lf_output_file file;
    int width, height; /* in units of 1/96 inch, which are the pixels of an svg */
} cli_figure;

/* Where a panel stands, in the units of width and height, from the upper left corner. */
typedef struct cli_panel {
    int left, top, width, height;
} cli_panel;

/* All that return int return an exit status and print what went wrong. */

/* Refuses names that do not end in .png, .svg or .pdf. */
int cli_figure_check(const char *path);
/* Whether gnuplot can be started. */
int cli_figure_possible(void);

/* Every figure that was begun is ended: then the file appears whole, or is left as it was. */
int cli_figure_begin(lf_context *ctx, const char *path, int width, int height, cli_figure *figure);
int cli_figure_end(lf_context *ctx, cli_figure *figure);

/* A name as a string of gnuplot: what it holds is shown and never interpreted. */
void cli_figure_text(FILE *script, const char *text);
/* The next plot fills this panel: its axes stand on the panel's edges. */
void cli_figure_place(const cli_figure *figure, cli_panel panel);
/* `text` above the panel, from its left edge on. */
void cli_figure_heading(FILE *script, const char *text);

/* Colours that people with any kind of colour vision tell apart, as "#rrggbb" (Okabe and Ito), dark ones first. */
enum { CLI_COLOURS = 6 };
const char *cli_figure_colour(int index);

#endif
