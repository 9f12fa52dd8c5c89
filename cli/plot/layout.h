/* Where the panels of curves lie in a figure: outputs, forces below them, a legend above. */
#ifndef CLI_PLOT_LAYOUT_H
#define CLI_PLOT_LAYOUT_H

#include "plot/figure.h"

/* A rectangular arrangement of panels of one size. */
typedef struct cli_block {
    int count, columns, rows, top;
} cli_block;

typedef struct cli_layout {
    int width, height; /* of the figure */
    int columns;
    int panel_height;
    int title; /* height of the title */
    int axis;  /* height of the labels below the lowest panel of a column */
    cli_block outputs, forces;
} cli_layout;

/* The panels have a size of their own, or fill --size. Prints an error and returns an exit status. */
int cli_layout_create(const cli_settings *settings, int outputs, int forces, int dated, cli_layout *layout);
cli_panel cli_layout_panel(const cli_layout *layout, const cli_block *block, int index);
cli_panel cli_layout_legend(const cli_layout *layout);

#endif
