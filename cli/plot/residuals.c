/* Errors of predictions from earlier rows: for every output their autocorrelation and their cumulative periodogram, with the limits
 * that they keep in 95 % of the cases where the model is right. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "options/model_parts.h"
#include "plot/figure.h"
#include "plot/plot.h"
#include "show/result_table.h"

enum {
    MAX_ROWS = 8,
    WIDTH = 880,
    LEFT = 78,
    RIGHT = 26,
    TOP = 10,
    HEADING = 26,
    HEIGHT = 170,
    AXIS = 48,
    LEAST = 60 /* width and height of a panel */
};

/* Where panels lie: autocorrelations on the left, periodograms on the right. */
typedef struct grid {
    int rows, width, height; /* of a cell */
    int top;
} grid;

static int lay_out(const cli_settings *settings, int rows, grid *g, int *width, int *height)
{
    cli_figure_size(settings, width, height);
    g->rows = rows;
    g->top = TOP + cli_figure_title_height(settings);
    *width = *width > 0 ? *width : WIDTH;
    *height = *height > 0 ? *height : g->top + rows * (HEADING + HEIGHT + AXIS);
    g->width = *width / 2;
    g->height = (*height - g->top) / rows;
    if (g->width < LEFT + RIGHT + LEAST || g->height < HEADING + AXIS + LEAST) {
        return cli_figure_too_small(settings, "these panels", 2 * (LEFT + RIGHT + LEAST),
                                    g->top + rows * (HEADING + AXIS + LEAST));
    }
    return CLI_DONE;
}

static void place(const cli_figure *figure, const grid *g, int row, int column, const char *name, const char *what)
{
    char text[CLI_LABEL_SIZE + 64];
    cli_figure_place(figure, (cli_panel){.left = column * g->width + LEFT,
                                         .top = g->top + row * g->height + HEADING,
                                         .width = g->width - LEFT - RIGHT,
                                         .height = g->height - HEADING - AXIS});
    snprintf(text, sizeof text, "%s: %s", name, what);
    cli_figure_heading(figure->script, text);
}

static void draw_autocorrelation(lf_context *ctx, FILE *script, const lf_table *lags)
{
    const double *lag = cli_plot_numbers(ctx, lags, "lag"), *r = cli_plot_numbers(ctx, lags, "autocorrelation"),
                 *limit = cli_plot_numbers(ctx, lags, "upper");
    size_t count = lag && r && limit ? lf_table_rows(lags) : 0;
    double most = 0.25;
    fputs("$bars << END\n", script);
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, fmax(1.2 * limit[i], fabs(r[i])));
        fprintf(script, "%.0f %.6g\n", lag[i], r[i]);
    }
    fprintf(script,
            "END\nset xrange [0:%zu]\nset yrange [%.6g:%.6g]\nset xtics autofreq\nset ytics autofreq\n"
            "plot $bars with impulses lw 2.5 lc rgb \"%s\", %.6g lc rgb \"#555555\" dt 2, %.6g lc rgb \"#555555\" dt "
            "2, 0 lc "
            "rgb \"#999999\"\n",
            count + 1, -1.05 * most, 1.05 * most, cli_figure_colour(0), count ? limit[0] : 0, count ? -limit[0] : 0);
}

static void draw_periodogram(lf_context *ctx, FILE *script, const lf_table *power)
{
    const double *frequency = cli_plot_numbers(ctx, power, "frequency"), *share = cli_plot_numbers(ctx, power, "share"),
                 *upper = cli_plot_numbers(ctx, power, "upper");
    size_t count = frequency && share && upper ? lf_table_rows(power) : 0;
    double end = count ? frequency[count - 1] : 1, bound = count ? upper[0] : 0;
    fputs("$power << END\n", script);
    for (size_t i = 0; i < count; i++) {
        fprintf(script, "%.8g %.6g\n", frequency[i], share[i]);
    }
    fprintf(script,
            "END\nset xrange [0:%.8g]\nset yrange [0:1]\nset xtics autofreq\nset ytics 0.25\n"
            "plot x/%.8g lc rgb \"#999999\", x/%.8g+%.6g lc rgb \"#555555\" dt 2, x/%.8g-%.6g lc rgb \"#555555\" dt 2, "
            "$power with lines lw 1.6 lc rgb \"%s\"\n",
            end, end, end, bound, end, bound, cli_figure_colour(0));
}

static void label_axis(const cli_drawing *plot, FILE *script, int timed)
{
    char text[CLI_LABEL_SIZE + 64];
    const char *unit = cli_input(plot->model, 0).unit;
    snprintf(text, sizeof text, "frequency, in cycles per %s", !timed ? "row" : *unit ? unit : "unit of the input");
    cli_plot_axis_label(script, 'x', NULL, text, 0);
}

/* The tables of an output. */
typedef struct pair {
    cli_target target;
    lf_table *lags, *power;
    int timed; /* rows are evenly spaced */
} pair;

static int draw(lf_context *ctx, const cli_drawing *plot, const pair *pairs, int rows)
{
    cli_figure figure;
    grid g = {0};
    int width, height, status = lay_out(plot->settings, rows, &g, &width, &height);
    status = status ? status : cli_figure_begin(ctx, plot->settings, width, height, &figure);
    if (status != CLI_DONE) {
        return status;
    }
    fputs("unset key\nset samples 200\nset format y \"%g\"\nset grid lc rgb \"#e6e6e6\" lt 1\n", figure.script);
    for (int row = 0; row < rows; row++) {
        const char *name = cli_name(plot->model, LF_KIND_OUTPUT, pairs[row].target.index);
        place(&figure, &g, row, 0, name, "autocorrelation");
        cli_plot_axis_label(figure.script, 'x', NULL, "lag, in rows", 0);
        draw_autocorrelation(ctx, figure.script, pairs[row].lags);
        place(&figure, &g, row, 1, name, "cumulative periodogram");
        label_axis(plot, figure.script, pairs[row].timed);
        draw_periodogram(ctx, figure.script, pairs[row].power);
    }
    return cli_figure_end(ctx, &figure);
}

/* Whether the frequencies of an output are per unit of the input. */
static int find_spacing(lf_context *ctx, const cli_drawing *plot, pair *p)
{
    lf_table *numbers = NULL;
    int status = cli_plot_table(ctx, plot, p->target, -1, 1, "diagnosis", &numbers);
    const double *value = cli_plot_numbers(ctx, numbers, "value");
    for (size_t i = 0; value && i < lf_table_rows(numbers); i++) {
        if (strcmp(cli_word_at(ctx, numbers, "name", i), "spacing") == 0) {
            p->timed = isfinite(value[i]);
        }
    }
    lf_table_free(numbers);
    return status;
}

/* The outputs that have a periodogram, of which the first MAX_ROWS are drawn. */
static int collect(lf_context *ctx, const cli_drawing *plot, pair *pairs, int *found)
{
    int status = CLI_DONE;
    for (int i = 0; status == CLI_DONE && i < plot->output_count; i++) {
        pair p = {.target = {LF_KIND_OUTPUT, plot->output[i]}};
        status = cli_plot_table(ctx, plot, p.target, -1, 1, "periodogram", &p.power);
        int has = status == CLI_DONE && p.power && lf_table_rows(p.power) > 0, drawn = has && *found < MAX_ROWS;
        if (drawn) {
            status = cli_plot_table(ctx, plot, p.target, -1, 1, "autocorrelation", &p.lags);
            status = status ? status : find_spacing(ctx, plot, &p);
            pairs[*found] = p;
        } else {
            lf_table_free(p.power);
        }
        *found += has;
    }
    return status;
}

int cli_plot_residuals(lf_context *ctx, cli_drawing *plot)
{
    pair pairs[MAX_ROWS] = {0};
    int found = 0, count, none;
    cli_target *target = cli_plot_targets(plot, INT_MAX, &count, &none);
    int status = target ? cli_plot_report(ctx, plot, count, target, INT_MAX, 2, 1) : cli_no_memory();
    status = status ? status : collect(ctx, plot, pairs, &found);
    if (status == CLI_DONE && found == 0) {
        status =
            cli_fail("%s: no output has 20 training rows, which the tests of its residuals need", plot->settings->data);
    }
    if (status == CLI_DONE && found > MAX_ROWS) {
        cli_plot_note(plot, "%d of %d outputs are drawn; choose with --only", MAX_ROWS, found);
    }
    status = status ? status : draw(ctx, plot, pairs, found < MAX_ROWS ? found : MAX_ROWS);
    for (int i = 0; i < MAX_ROWS; i++) {
        lf_table_free(pairs[i].lags);
        lf_table_free(pairs[i].power);
    }
    free(target);
    return status;
}
