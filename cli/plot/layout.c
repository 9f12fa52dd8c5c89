/* Where the panels of curves lie in a figure. */
#include "plot/layout.h"

#include <stdio.h>

#include "base/plural.h"
#include "message.h"

enum {
    LEGEND = 40,
    HEADING = 24, /* above a panel */
    AXIS = 46,
    DATES = 16, /* for the second line of dates */
    LEFT = 78,
    RIGHT = 26,
    LEAST_HEIGHT = 30, /* of a panel */
    LEAST_WIDTH = 90
};

static int columns_for(int count) { return count <= 5 ? 1 : count <= 10 ? 2 : 4; }

static cli_block lay_block(const cli_layout *layout, int count, int *top)
{
    cli_block b = {.count = count, .columns = layout->columns < count ? layout->columns : count, .top = *top};
    b.rows = count > 0 ? (count + b.columns - 1) / b.columns : 0;
    *top += b.rows * (HEADING + layout->panel_height) + (count > 0 ? layout->axis : 0);
    return b;
}

/* Sets the blocks and the height that they take. */
static void lay_blocks(cli_layout *layout, int outputs, int forces)
{
    layout->height = layout->title + LEGEND;
    layout->outputs = lay_block(layout, outputs, &layout->height);
    layout->forces = lay_block(layout, forces, &layout->height);
}

/* Fewer columns, and panels as high as they fit. */
static int fill_size(const cli_settings *settings, int outputs, int forces, int width, int height, cli_layout *layout)
{
    while (layout->columns > 1 && width / layout->columns < LEFT + RIGHT + 2 * LEAST_WIDTH) {
        layout->columns--;
    }
    layout->width = width;
    layout->panel_height = 0;
    lay_blocks(layout, outputs, forces);
    int rows = layout->outputs.rows + layout->forces.rows, rest = height - layout->height;
    layout->panel_height = rows > 0 ? rest / rows : rest;
    if (width / layout->columns < LEFT + RIGHT + LEAST_WIDTH || layout->panel_height < LEAST_HEIGHT) {
        char what[64];
        snprintf(what, sizeof what, "%d panel%s", outputs + forces, lf_plural((size_t)(outputs + forces)));
        return cli_figure_too_small(settings, what, layout->columns * (LEFT + RIGHT + LEAST_WIDTH),
                                    layout->height + rows * LEAST_HEIGHT);
    }
    return CLI_DONE;
}

int cli_layout_create(const cli_settings *settings, int outputs, int forces, int dated, cli_layout *layout)
{
    int columns = columns_for(outputs > 0 ? outputs : forces), width, height, status = CLI_DONE;
    *layout = (cli_layout){.width = columns == 1   ? 760
                                    : columns == 2 ? 1000
                                                   : 1280,
                           .columns = columns,
                           .panel_height = columns == 1 ? 120 : 100,
                           .title = cli_figure_title_height(settings),
                           .axis = AXIS + (dated ? DATES : 0)};
    cli_figure_size(settings, &width, &height);
    if (width > 0) {
        status = fill_size(settings, outputs, forces, width, height, layout);
    }
    lay_blocks(layout, outputs, forces);
    layout->height = height > 0 ? height : layout->height;
    return status;
}

cli_panel cli_layout_panel(const cli_layout *layout, const cli_block *block, int index)
{
    int cell = layout->width / block->columns, row = index / block->columns;
    return (cli_panel){.left = (index % block->columns) * cell + LEFT,
                       .top = block->top + row * (HEADING + layout->panel_height) + HEADING,
                       .width = cell - LEFT - RIGHT,
                       .height = layout->panel_height};
}

cli_panel cli_layout_legend(const cli_layout *layout)
{
    return (cli_panel){
        .left = LEFT, .top = layout->title + 4, .width = layout->width - LEFT - RIGHT, .height = LEGEND - 8};
}
