/* Maps over two inputs: for every output or force a map of the mean and, beside it, of the standard deviation, with the
 * inputs of the data. */
#include <math.h>
#include <stdlib.h>

#include "figure.h"
#include "message.h"
#include "plot.h"

enum {
    MAX_ROWS = 4,
    MAX_POINTS = 500,
    WIDTH = 880,
    CELL = WIDTH / 2, /* mean on the left, standard deviation on the right */
    LEFT = 62,
    RIGHT = 92, /* width of the colour scale */
    TOP = 30,
    HEADING = 26,
    HEIGHT = 240,
    AXIS = 46
};

/* A sequential, perceptually uniform palette (after viridis). */
static const char palette[] = "set palette defined (0 \"#440154\", 1 \"#46327e\", 2 \"#365c8d\", 3 \"#277f8e\", "
                              "4 \"#1fa187\", 5 \"#4ac16d\", 6 \"#a0da39\", 7 \"#fde725\")\n";

#define TRAIN_STYLE "pt 6 ps 0.6 lc rgb \"black\""
#define TEST_STYLE "pt 2 ps 0.7 lw 0.9 lc rgb \"#D55E00\""

typedef struct maps {
    cli_drawing *plot;
    int *target, count;
    size_t n;          /* points along each input */
    cli_points points; /* (count, n, n), the second input runs fastest */
    double *mean, *sd; /* the same */
    int held_out;      /* whether any row marked test is drawn */
} maps;

static int predict(lf_context *ctx, maps *m)
{
    cli_points grid = {0};
    int status = cli_points_grid(2, m->plot->low, m->plot->high, m->n, &grid);
    for (int t = 0; status == CLI_DONE && t < m->count; t++) {
        status = cli_points_append(&m->points, &grid, m->target[t], 1, 1);
    }
    cli_points_free(&grid);
    m->mean = calloc(m->points.n + 1, sizeof *m->mean);
    m->sd = calloc(m->points.n + 1, sizeof *m->sd);
    if (status == CLI_DONE && (!m->mean || !m->sd)) {
        status = cli_no_memory();
    }
    lf_points view = cli_points_view(&m->points);
    status = status ? status : cli_check(ctx, lf_predict(m->plot->posterior, &view, m->mean, m->sd, NULL));
    for (size_t i = 0; status == CLI_DONE && i < m->points.n; i++) {
        m->sd[i] = sqrt(fmax(m->sd[i], 0));
    }
    return status;
}

/* Prints the gnuplot block $map: x1, x2 and the value at every point of the grid. */
static void print_values(const maps *m, FILE *script, int t, const double *value)
{
    size_t first = (size_t)t * m->n * m->n;
    fputs("$map << END\n", script);
    for (size_t i = first; i < first + m->n * m->n; i++) {
        fprintf(script, "%.12g %.12g %.8g\n", m->points.x[2 * i], m->points.x[2 * i + 1], value[i]);
    }
    fputs("END\n", script);
}

/* Row t, column 0: the mean; column 1: the standard deviation. */
static void draw_panel(maps *m, const cli_figure *figure, int t, int column)
{
    FILE *script = figure->script;
    char text[32], heading[512];
    int train = cli_plot_points(m->plot, script, m->target[t], 0, 0) > 0;
    int test = cli_plot_points(m->plot, script, m->target[t], 0, 1) > 0;
    m->held_out |= test;
    snprintf(heading, sizeof heading, column ? "%s, standard deviation" : "%s, mean",
             cli_plot_name(m->plot, m->target[t], text));
    cli_figure_place(figure, (cli_panel){.left = column * CELL + LEFT,
                                         .top = TOP + t * (HEADING + HEIGHT + AXIS) + HEADING,
                                         .width = CELL - LEFT - RIGHT,
                                         .height = HEIGHT});
    cli_figure_heading(script, heading);
    print_values(m, script, t, column ? m->sd : m->mean);
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
    cli_figure_place(figure, (cli_panel){.left = LEFT, .top = 2, .width = WIDTH - LEFT - RIGHT, .height = TOP - 4});
    fputs("unset label\nunset border\nunset tics\nunset xlabel\nunset ylabel\n"
          "set key at graph 0.5, graph 0.5 center center horizontal Left reverse samplen 2 width 1\n"
          "plot NaN with points " TRAIN_STYLE " title \"training data\"",
          figure->script);
    fputs(m->held_out ? ", NaN with points " TEST_STYLE " title \"held-out data\"\n" : "\n", figure->script);
}

static int draw(lf_context *ctx, maps *m)
{
    cli_figure figure;
    const double *low = m->plot->low, *high = m->plot->high;
    int height = TOP + m->count * (HEADING + HEIGHT + AXIS);
    int status = cli_figure_begin(ctx, m->plot->settings->output, WIDTH, height, &figure);
    if (status != CLI_DONE) {
        return status;
    }
    fputs(palette, figure.script);
    fprintf(figure.script,
            "set border 15\nset xrange [%.15g:%.15g]\nset yrange [%.15g:%.15g]\nset xlabel \"x1\" offset 0,0.4\n"
            "set ylabel \"x2\" offset 1,0\nset colorbox\n",
            low[0], high[0], low[1], high[1]);
    for (int t = 0; t < m->count; t++) {
        draw_panel(m, &figure, t, 0);
        draw_panel(m, &figure, t, 1);
    }
    if (m->plot->data && m->target[0] < lf_model_output_count(m->plot->model)) {
        draw_legend(m, &figure);
    }
    return cli_figure_end(ctx, &figure);
}

int cli_plot_map(lf_context *ctx, cli_drawing *plot)
{
    maps m = {.plot = plot, .n = plot->settings->grid ? plot->settings->grid : 60};
    int outputs, forces;
    if (m.n > MAX_POINTS) {
        return cli_fail("--grid %zu: a map is drawn with at most %d points along each input", m.n, MAX_POINTS);
    }
    if (lf_posterior_replicate_count(plot->posterior) > 1) {
        cli_plot_note(plot, "the map shows the first replicate, '%s'", lf_posterior_replicate_name(plot->posterior, 0));
    }
    m.target = cli_plot_targets(plot, MAX_ROWS, &outputs, &forces);
    m.count = outputs + forces;
    int status = m.target ? predict(ctx, &m) : cli_no_memory();
    status = status ? status : draw(ctx, &m);
    free(m.mean);
    free(m.sd);
    free(m.target);
    cli_points_free(&m.points);
    return status;
}
