/* Curves over one input: a panel for every output, force or state with mean, 95 % band and data, one for every known input, and one legend. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "options/model_parts.h"
#include "options/session.h"
#include "plot/figure.h"
#include "plot/layout.h"
#include "plot/plot.h"
#include "plot/time_ticks.h"

enum {
    MAX_PANELS = 16,
    TICK = 90 /* between two dates */
};

/* The tables of a target in a replicate; NULL: it has none of this kind. */
typedef struct series {
    lf_table *curve, *rows, *readings;
} series;

typedef struct curves {
    cli_drawing *plot;
    cli_target *target;    /* (outputs + forces) */
    int count;             /* outputs + forces */
    int replicates, named; /* number drawn; whether they have names */
    series *each;          /* (targets, replicates) */
    int has_curves;        /* not only known inputs are drawn */
    int held_out;          /* whether any row marked test is drawn */
    int error_bars;        /* whether any row has a known standard error */
    int few;               /* whether the data are few enough for large dots */
    cli_layout layout;
    lf_label input;
} curves;

static series *series_of(const curves *c, int t, int replicate) { return &c->each[t * c->replicates + replicate]; }

static void note_errors(lf_context *ctx, curves *c, const lf_table *rows)
{
    const double *y = cli_plot_numbers(ctx, rows, "y"), *upper = cli_plot_numbers(ctx, rows, "upper");
    for (size_t i = 0; y && upper && i < lf_table_rows(rows); i++) {
        c->error_bars |= upper[i] > y[i];
    }
}

static int fetch(lf_context *ctx, curves *c)
{
    int status = CLI_DONE;
    c->each = calloc((size_t)(c->count * c->replicates) + 1, sizeof *c->each);
    for (int i = 0; c->each && status == CLI_DONE && i < c->count * c->replicates; i++) {
        cli_target target = c->target[i / c->replicates];
        int replicate = i % c->replicates, known = target.kind == LF_KIND_KNOWN;
        status = cli_plot_table(ctx, c->plot, target, replicate, 0, known ? "readings" : "curve",
                                known ? &c->each[i].readings : &c->each[i].curve);
        if (status == CLI_DONE && target.kind == LF_KIND_OUTPUT) {
            status = cli_plot_table(ctx, c->plot, target, replicate, 0, "rows", &c->each[i].rows);
            note_errors(ctx, c, c->each[i].rows);
        }
        c->has_curves |= !known;
    }
    return c->each ? status : cli_no_memory();
}

/* Styles of the elements of a panel, also used by the legend. */
static void band_style(FILE *script, const char *colour)
{
    fprintf(script, "with filledcurves fs transparent solid 0.2 noborder fc rgb \"%s\"", colour);
}

static void mean_style(FILE *script, const char *colour) { fprintf(script, "with lines lw 1.6 lc rgb \"%s\"", colour); }

/* Held-out rows are thin open circles, so that the band and the mean remain visible beneath and above them. */
static void points_style(FILE *script, const curves *c, int held_out, const char *colour)
{
    double size = (held_out ? 0.5 : 0.32) * (c->few ? 1.7 : 1);
    fprintf(script, "pt %d ps %.2f lw 0.7 lc rgb \"%s\"", held_out ? 6 : 7, size, colour);
}

/* Without replicates, training rows are dark and held-out rows orange, on a blue curve; otherwise each replicate has
 * its colour. */
static const char *points_colour(const curves *c, int held_out, int replicate)
{
    return c->named ? cli_figure_colour(replicate) : held_out ? "#D55E00" : "#333333";
}

/* Prints the gnuplot block $curveR of replicate R in panel t: x, lower and upper end of the band, mean. Widens low … high by the band. */
static void print_curve(lf_context *ctx, const curves *c, FILE *script, int t, int replicate, double *low, double *high)
{
    const lf_table *curve = series_of(c, t, replicate)->curve;
    const double *x = cli_plot_numbers(ctx, curve, "x"), *mean = cli_plot_numbers(ctx, curve, "mean"),
                 *lower = cli_plot_numbers(ctx, curve, "lower_new"), *upper = cli_plot_numbers(ctx, curve, "upper_new");
    fprintf(script, "$curve%d << END\n", replicate);
    for (size_t i = 0; x && mean && lower && upper && i < lf_table_rows(curve); i++) {
        fprintf(script, "%.12g %.12g %.12g %.12g\n", x[i], lower[i], upper[i], mean[i]);
        *low = fmin(*low, lower[i]);
        *high = fmax(*high, upper[i]);
    }
    fputs("END\n", script);
}

/* The plot command: bands, then data, then means. has_points (2, replicates): which series of points exist. */
static void print_plot(const curves *c, FILE *script, int has_points[2][CLI_COLOURS])
{
    for (int r = 0; r < c->replicates; r++) {
        fprintf(script, r ? ", $curve%d " : "plot $curve%d ", r);
        band_style(script, cli_figure_colour(r));
    }
    for (int held_out = 0; held_out < 2; held_out++) {
        for (int r = 0; r < c->replicates; r++) {
            if (has_points[held_out][r]) {
                fprintf(script, ", $%s%d %s ", held_out ? "test" : "train", r,
                        c->error_bars ? "using 1:2:3:4 with yerrorbars" : "using 1:2 with points");
                points_style(script, c, held_out, points_colour(c, held_out, r));
            }
        }
    }
    for (int r = 0; r < c->replicates; r++) {
        fprintf(script, ", $curve%d using 1:4 ", r);
        mean_style(script, cli_figure_colour(r));
    }
    fputc('\n', script);
}

/* The number of digits that distinguishes numbers at a distance of `step`. */
static int digits_for(double low, double high, double step)
{
    double digits = 1 + ceil(log10(fmax(fabs(low), fabs(high)) / step));
    return digits <= 6 ? 6 : digits >= 12 ? 12 : (int)digits;
}

/* The vertical axis has two to six tics at a spacing of 2, 5 or 10 times a power of ten. */
static void print_axis(FILE *script, double low, double high)
{
    if (low > high) { /* nothing is drawn */
        low = 0;
        high = 1;
    }
    double span = fmax(high - low, 1e-9 * fmax(fabs(high), fabs(low)) + 1e-300);
    double power = pow(10, floor(log10(span / 5))), share = span / 5 / power;
    double step = power * (share <= 2 ? 2 : share <= 5 ? 5 : 10);
    fprintf(script, "set yrange [%.15g:%.15g]\nset ytics %.10g\nset format y \"%%.%dg\"\n", low - 0.06 * span,
            high + 0.06 * span, step, digits_for(low, high, step));
}

/* Numbers or dates; only the lowest panel of a column has labels. */
static void print_input_axis(const curves *c, FILE *script, int lowest, int width)
{
    const cli_drawing *plot = c->plot;
    double low = plot->low[0], high = plot->high[0];
    char label[CLI_LABEL_SIZE];
    if (c->input.dated) {
        cli_time_ticks(script, 'x', &c->input, low, high, width / TICK, lowest);
    } else {
        fprintf(script, lowest ? "set format x \"%%.%dg\"\n" : "set format x \"\" # %d\n",
                digits_for(low, high, (high - low) / 10));
    }
    fputs("unset xlabel\n", script);
    if (lowest) {
        cli_input_label(plot->model, 0, label);
        cli_plot_axis_label(script, 'x', plot->settings->xlabel, label, c->input.dated);
    }
}

/* Widens low … high by a column of a table. */
static void cover(lf_context *ctx, const lf_table *table, const char *name, double *low, double *high)
{
    const double *value = cli_plot_numbers(ctx, table, name);
    for (size_t i = 0; value && i < lf_table_rows(table); i++) {
        *low = fmin(*low, value[i]);
        *high = fmax(*high, value[i]);
    }
}

/* A known input: its readings as a line, steps or impulses. */
static void draw_input(lf_context *ctx, const curves *c, FILE *script, int t)
{
    const char *hold = cli_known(c->plot->model, c->target[t].index).between;
    int impulses = strcmp(hold, "impulse") == 0;
    double low = impulses ? 0 : INFINITY, high = impulses ? 0 : -INFINITY;
    for (int r = 0; r < c->replicates; r++) {
        const lf_table *readings = series_of(c, t, r)->readings;
        const double *x = cli_plot_numbers(ctx, readings, "x"), *value = cli_plot_numbers(ctx, readings, "value");
        fprintf(script, "$curve%d << END\n", r);
        for (size_t i = 0; x && value && i < lf_table_rows(readings); i++) {
            fprintf(script, "%.12g %.12g\n", x[i], value[i]);
        }
        fputs("END\n", script);
        cover(ctx, readings, "value", &low, &high);
    }
    print_axis(script, low, high);
    for (int r = 0; r < c->replicates; r++) {
        fprintf(script, "%s $curve%d using 1:2 with %s lw 1.6 lc rgb \"%s\"", r ? "," : "plot", r,
                impulses                        ? "impulses"
                : strcmp(hold, "constant") == 0 ? "steps"
                                                : "lines",
                cli_figure_colour(r));
    }
    fputc('\n', script);
}

/* The vertical axis covers the band and the data, but not the error bars, because a large one would compress the rest. */
static void draw_target(lf_context *ctx, curves *c, FILE *script, int t)
{
    int has_points[2][CLI_COLOURS] = {{0}};
    double low = INFINITY, high = -INFINITY;
    for (int r = 0; r < c->replicates; r++) {
        const lf_table *rows = series_of(c, t, r)->rows;
        print_curve(ctx, c, script, t, r, &low, &high);
        cover(ctx, rows, "y", &low, &high);
        for (int held_out = 0; rows && held_out < 2; held_out++) {
            has_points[held_out][r] = cli_plot_points(ctx, c->plot, script, rows, c->target[t], r, held_out) > 0;
            c->held_out |= held_out && has_points[held_out][r];
        }
    }
    print_axis(script, low, high);
    print_plot(c, script, has_points);
}

static void draw_panel(lf_context *ctx, curves *c, const cli_figure *figure, int t)
{
    const cli_drawing *plot = c->plot;
    const cli_block *b = t < c->layout.outputs.count ? &c->layout.outputs : &c->layout.forces;
    int index = b == &c->layout.outputs ? t : t - c->layout.outputs.count, lowest = index + b->columns >= b->count;
    FILE *script = figure->script;
    char text[CLI_LABEL_SIZE];
    cli_panel panel = cli_layout_panel(&c->layout, b, index);
    cli_figure_place(figure, panel);
    cli_plot_name(plot, c->target[t], text);
    cli_figure_heading(script, text);
    print_input_axis(c, script, lowest, panel.width);
    fputs("unset ylabel\n", script);
    if (plot->settings->ylabel && (b == &c->layout.outputs || c->layout.outputs.count == 0)) {
        cli_plot_axis_label(script, 'y', plot->settings->ylabel, "", 0);
    }
    if (c->target[t].kind == LF_KIND_KNOWN) {
        draw_input(ctx, c, script, t);
    } else {
        draw_target(ctx, c, script, t);
    }
}

/* At the top, in a panel without axes. */
static void draw_legend(const curves *c, const cli_figure *figure)
{
    FILE *script = figure->script;
    const char *neutral = c->named ? "#666666" : cli_figure_colour(0);
    cli_figure_place(figure, cli_layout_legend(&c->layout));
    fputs("unset label\nunset border\nunset tics\nunset xlabel\nunset ylabel\nset yrange [0:1]\n"
          "set key at graph 0.5, graph 0.5 center center horizontal Left reverse samplen 2 width 1\nplot ",
          script);
    for (int r = 0; r < c->replicates; r++) {
        fputs(r ? ", NaN " : "NaN ", script);
        mean_style(script, cli_figure_colour(r));
        fputs(" title ", script);
        cli_figure_text(script, c->named        ? lf_posterior_name(c->plot->posterior, (size_t)r)
                                : c->has_curves ? "mean"
                                                : "readings");
    }
    if (c->has_curves) {
        fputs(", NaN ", script);
        band_style(script, neutral);
        fputs(" title \"95 % band\"", script);
    }
    for (int held_out = 0; c->plot->table && c->layout.outputs.count > 0 && held_out <= c->held_out; held_out++) {
        fputs(", NaN with points ", script);
        points_style(script, c, held_out, c->named ? neutral : points_colour(c, held_out, 0));
        fputs(held_out ? " title \"held-out data\"" : " title \"training data\"", script);
    }
    fputc('\n', script);
}

static int draw(lf_context *ctx, curves *c)
{
    cli_figure figure;
    int status = cli_figure_begin(ctx, c->plot->settings, c->layout.width, c->layout.height, &figure);
    if (status != CLI_DONE) {
        return status;
    }
    fprintf(figure.script, "set bars 0\nset xrange [%.15g:%.15g]\nset grid lc rgb \"#e6e6e6\" lt 1\n", c->plot->low[0],
            c->plot->high[0]);
    for (int t = 0; t < c->count; t++) {
        draw_panel(ctx, c, &figure, t);
    }
    draw_legend(c, &figure);
    return cli_figure_end(ctx, &figure);
}

int cli_plot_curves(lf_context *ctx, cli_drawing *plot)
{
    curves c = {.plot = plot, .named = cli_has_named_replicates(plot->posterior), .input = cli_input(plot->model, 0)};
    int outputs, forces, all = (int)cli_posterior(plot->posterior).replicates;
    c.target = cli_plot_targets(plot, MAX_PANELS, &outputs, &forces);
    c.replicates = all < CLI_COLOURS ? all : CLI_COLOURS;
    if (c.replicates < all) {
        cli_plot_note(plot, "%d of %d replicates are drawn, '%s' and those after it are not", c.replicates, all,
                      lf_posterior_name(plot->posterior, (size_t)c.replicates));
    }
    c.count = outputs + forces;
    int status =
        c.target ? cli_layout_create(plot->settings, outputs, forces, c.input.dated, &c.layout) : cli_no_memory();
    size_t grid = plot->settings->grid    ? plot->settings->grid
                  : c.layout.columns == 1 ? 800
                  : c.layout.columns == 2 ? 500
                                          : 300;
    status = status ? status : cli_plot_report(ctx, plot, c.count, c.target, c.replicates, grid, 0);
    status = status ? status : fetch(ctx, &c);
    size_t rows = plot->info.training + plot->info.test;
    c.few = rows < 60 * (size_t)cli_count(plot->model, LF_KIND_OUTPUT) * (size_t)all;
    status = status ? status : draw(ctx, &c);
    for (int i = 0; c.each && i < c.count * c.replicates; i++) {
        lf_table_free(c.each[i].curve);
        lf_table_free(c.each[i].rows);
        lf_table_free(c.each[i].readings);
    }
    free(c.each);
    free(c.target);
    return status;
}
