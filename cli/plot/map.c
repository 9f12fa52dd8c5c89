/* Maps over two inputs: for every output or force a map of the mean and, beside it, of the standard deviation, with the
 * inputs of the data. */
#include <math.h>
#include <stdlib.h>

#include "message.h"
#include "options/model_parts.h"
#include "plot/figure.h"
#include "plot/plot.h"
#include "plot/time_ticks.h"

enum {
    MAX_ROWS = 4,
    MAX_POINTS = 500,
    WIDTH = 880,
    LEFT = 62,
    RIGHT = 92, /* width of the colour scale */
    TOP = 30,
    HEADING = 26,
    HEIGHT = 240,
    AXIS = 46,
    LEAST = 60, /* width and height of a map */
    TICK = 90   /* between two dates */
};

/* A sequential, perceptually uniform palette (after viridis). */
static const char palette[] = "set palette defined (0 \"#440154\", 1 \"#46327e\", 2 \"#365c8d\", 3 \"#277f8e\", "
                              "4 \"#1fa187\", 5 \"#4ac16d\", 6 \"#a0da39\", 7 \"#fde725\")\n";

#define TRAIN_STYLE "pt 6 ps 0.6 lc rgb \"black\""
#define TEST_STYLE "pt 2 ps 0.7 lw 0.9 lc rgb \"#D55E00\""

typedef struct maps {
    cli_drawing *plot;
    cli_target *target;
    int count;
    size_t n;               /* points along each input */
    lf_table **map, **rows; /* (count) */
    int held_out;           /* whether any row marked test is drawn */
    int width, height;      /* of a cell: the mean is on the left, the standard deviation on the right */
    int top;                /* of the first row */
    int axis;               /* height of the labels below a map */
} maps;

/* Prints the gnuplot block $map: x1, x2 and the value at every point of the grid. */
static void print_values(lf_context *ctx, FILE *script, const lf_table *map, const char *what)
{
    const double *x1 = cli_plot_numbers(ctx, map, "x1"), *x2 = cli_plot_numbers(ctx, map, "x2"),
                 *value = cli_plot_numbers(ctx, map, what);
    fputs("$map << END\n", script);
    for (size_t i = 0; x1 && x2 && value && i < lf_table_rows(map); i++) {
        fprintf(script, "%.12g %.12g %.8g\n", x1[i], x2[i], value[i]);
    }
    fputs("END\n", script);
}

/* Row t, column 0: the mean; column 1: the standard deviation. */
static void draw_panel(lf_context *ctx, maps *m, const cli_figure *figure, int t, int column)
{
    const lf_table *rows = m->rows[t];
    FILE *script = figure->script;
    char text[CLI_LABEL_SIZE], heading[CLI_LABEL_SIZE + 32];
    int train = cli_plot_points(ctx, m->plot, script, rows, m->target[t], 0, 0) > 0;
    int test = cli_plot_points(ctx, m->plot, script, rows, m->target[t], 0, 1) > 0;
    m->held_out |= test;
    cli_plot_name(m->plot, m->target[t], text);
    snprintf(heading, sizeof heading, column ? "%s, standard deviation" : "%s, mean", text);
    cli_figure_place(figure, (cli_panel){.left = column * m->width + LEFT,
                                         .top = m->top + t * m->height + HEADING,
                                         .width = m->width - LEFT - RIGHT,
                                         .height = m->height - HEADING - m->axis});
    cli_figure_heading(script, heading);
    print_values(ctx, script, m->map[t], column ? "sd" : "mean");
    fputs("plot $map with image", script);
    fputs(
        train
            ? ", $train0 using 1:2 with points pt 7 ps 0.6 lc rgb \"white\", $train0 using 1:2 with points " TRAIN_STYLE
            : "",
        script);
    fputs(test ? ", $test0 using 1:2 with points " TEST_STYLE : "", script);
    fputc('\n', script);
}

/* At the top, the meaning of the symbols. */
static void draw_legend(const maps *m, const cli_figure *figure)
{
    cli_figure_place(
        figure,
        (cli_panel){.left = LEFT, .top = m->top - TOP + 2, .width = 2 * m->width - LEFT - RIGHT, .height = TOP - 4});
    fputs("unset label\nunset border\nunset tics\nunset xlabel\nunset ylabel\n"
          "set key at graph 0.5, graph 0.5 center center horizontal Left reverse samplen 2 width 1\n"
          "plot NaN with points " TRAIN_STYLE " title \"training data\"",
          figure->script);
    fputs(m->held_out ? ", NaN with points " TEST_STYLE " title \"held-out data\"\n" : "\n", figure->script);
}

/* The maps have a size of their own, or fill --size. */
static int lay_out(maps *m)
{
    const cli_settings *settings = m->plot->settings;
    int width, height;
    cli_figure_size(settings, &width, &height);
    m->top = TOP + cli_figure_title_height(settings);
    m->axis = AXIS + (cli_input(m->plot->model, 0).dated ? 16 : 0);
    m->width = width > 0 ? width / 2 : WIDTH / 2;
    m->height = height > 0 ? (height - m->top) / m->count : HEADING + HEIGHT + m->axis;
    if (m->width < LEFT + RIGHT + LEAST || m->height < HEADING + m->axis + LEAST) {
        return cli_figure_too_small(settings, "these maps", 2 * (LEFT + RIGHT + LEAST),
                                    m->top + m->count * (HEADING + m->axis + LEAST));
    }
    return CLI_DONE;
}

/* Label of an axis, and its tics if it has dates. */
static void print_input_axis(const maps *m, FILE *script, int input, const char *given, int room)
{
    lf_label info = cli_input(m->plot->model, input);
    char label[CLI_LABEL_SIZE];
    cli_input_label(m->plot->model, input, label);
    cli_plot_axis_label(script, input ? 'y' : 'x', given, label, info.dated);
    if (info.dated) {
        cli_time_ticks(script, input ? 'y' : 'x', &info, m->plot->low[input], m->plot->high[input], room / TICK, 1);
    }
}

static int draw(lf_context *ctx, maps *m)
{
    cli_figure figure;
    const double *low = m->plot->low, *high = m->plot->high;
    const cli_settings *settings = m->plot->settings;
    int status = cli_figure_begin(ctx, settings, 2 * m->width, m->top + m->count * m->height, &figure);
    if (status != CLI_DONE) {
        return status;
    }
    fputs(palette, figure.script);
    fprintf(figure.script, "set border 15\nset xrange [%.15g:%.15g]\nset yrange [%.15g:%.15g]\nset colorbox\n", low[0],
            high[0], low[1], high[1]);
    print_input_axis(m, figure.script, 0, settings->xlabel, m->width - LEFT - RIGHT);
    print_input_axis(m, figure.script, 1, settings->ylabel, m->height);
    for (int t = 0; t < m->count; t++) {
        draw_panel(ctx, m, &figure, t, 0);
        draw_panel(ctx, m, &figure, t, 1);
    }
    if (m->plot->table && m->target[0].kind == LF_KIND_OUTPUT) {
        draw_legend(m, &figure);
    }
    return cli_figure_end(ctx, &figure);
}

static int fetch(lf_context *ctx, maps *m)
{
    m->map = calloc((size_t)m->count + 1, sizeof *m->map);
    m->rows = calloc((size_t)m->count + 1, sizeof *m->rows);
    int status = m->map && m->rows ? CLI_DONE : cli_no_memory();
    for (int t = 0; status == CLI_DONE && t < m->count; t++) {
        status = cli_plot_table(ctx, m->plot, m->target[t], 0, 0, "map", &m->map[t]);
        status = status ? status : cli_plot_table(ctx, m->plot, m->target[t], 0, 0, "rows", &m->rows[t]);
    }
    return status;
}

int cli_plot_map(lf_context *ctx, cli_drawing *plot)
{
    maps m = {.plot = plot, .n = plot->settings->grid ? plot->settings->grid : 60};
    int outputs, forces;
    if (m.n > MAX_POINTS) {
        return cli_fail("--grid %zu: a map is drawn with at most %d points along each input", m.n, MAX_POINTS);
    }
    if ((int)cli_posterior(plot->posterior).replicates > 1) {
        cli_plot_note(plot, "the map shows the first replicate, '%s'", lf_posterior_name(plot->posterior, 0));
    }
    m.target = cli_plot_targets(plot, MAX_ROWS, &outputs, &forces);
    m.count = outputs + forces;
    int status = m.target ? lay_out(&m) : cli_no_memory();
    status = status ? status : cli_plot_report(ctx, plot, m.count, m.target, 1, m.n, 0);
    status = status ? status : fetch(ctx, &m);
    status = status ? status : draw(ctx, &m);
    for (int t = 0; t < m.count; t++) {
        lf_table_free(m.map ? m.map[t] : NULL);
        lf_table_free(m.rows ? m.rows[t] : NULL);
    }
    free(m.map);
    free(m.rows);
    free(m.target);
    return status;
}
