/* Errors of predictions from earlier rows: for every output their autocorrelation and their cumulative periodogram, with the limits
 * that they keep in 95 % of the cases where the model is right. */
#include <math.h>
#include <stdlib.h>

#include "message.h"
#include "plot/figure.h"
#include "plot/plot.h"

enum {
    MAX_ROWS = 8,
    MAX_LAGS = 40,
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

/* The sum over pairs of the same replicate at a lag, of errors less their average. */
static double products(const lf_output_diagnosis *o, double average, size_t lag)
{
    double sum = 0;
    for (size_t i = 0; i + lag < o->innovations; i++) {
        int same = o->error_replicates[i] == o->error_replicates[i + lag];
        sum += same ? (o->errors[i] - average) * (o->errors[i + lag] - average) : 0;
    }
    return sum;
}

static void draw_autocorrelation(FILE *script, const lf_output_diagnosis *o)
{
    size_t lags = o->innovations / 4 < MAX_LAGS ? o->innovations / 4 : MAX_LAGS;
    double average = 0, limit = 1.96 / sqrt((double)o->innovations), most = fmax(0.25, 1.2 * limit);
    for (size_t i = 0; i < o->innovations; i++) {
        average += o->errors[i] / (double)o->innovations;
    }
    double total = products(o, average, 0);
    fputs("$bars << END\n", script);
    for (size_t lag = 1; lag <= lags; lag++) {
        double r = total > 0 ? products(o, average, lag) / total : 0;
        most = fmax(most, fabs(r));
        fprintf(script, "%zu %.6g\n", lag, r);
    }
    fprintf(script,
            "END\nset xrange [0:%zu]\nset yrange [%.6g:%.6g]\nset xtics autofreq\nset ytics autofreq\n"
            "plot $bars with impulses lw 2.5 lc rgb \"%s\", %.6g lc rgb \"#555555\" dt 2, %.6g lc rgb \"#555555\" dt "
            "2, 0 lc "
            "rgb \"#999999\"\n",
            lags + 1, -1.05 * most, 1.05 * most, cli_figure_colour(0), limit, -limit);
}

/* Frequencies are in cycles per unit of the input where rows are evenly spaced. */
static void draw_periodogram(FILE *script, const lf_output_diagnosis *o)
{
    double unit = isfinite(o->spacing) ? o->spacing : 1, end = (double)o->frequency_count * o->frequency_step / unit;
    size_t step = o->frequency_count / 2000 + 1;
    fputs("$power << END\n0 0\n", script);
    for (size_t j = 0; j < o->frequency_count; j++) {
        if (j % step == 0 || j + 1 == o->frequency_count) {
            fprintf(script, "%.8g %.6g\n", (double)(j + 1) * o->frequency_step / unit, o->cumulative[j]);
        }
    }
    fprintf(script,
            "END\nset xrange [0:%.8g]\nset yrange [0:1]\nset xtics autofreq\nset ytics 0.25\n"
            "plot x/%.8g lc rgb \"#999999\", x/%.8g+%.6g lc rgb \"#555555\" dt 2, x/%.8g-%.6g lc rgb \"#555555\" dt 2, "
            "$power with lines lw 1.6 lc rgb \"%s\"\n",
            end, end, end, o->periodogram_bound, end, o->periodogram_bound, cli_figure_colour(0));
}

static void label_axis(const cli_drawing *plot, FILE *script, int timed)
{
    char text[CLI_LABEL_SIZE + 64];
    const char *unit = lf_model_input(plot->model, 0).unit;
    snprintf(text, sizeof text, "frequency, in cycles per %s", !timed ? "row" : *unit ? unit : "unit of the input");
    cli_plot_axis_label(script, 'x', NULL, text, 0);
}

static int draw(lf_context *ctx, const cli_drawing *plot, const lf_diagnosis *diagnosis, int rows)
{
    cli_figure figure;
    grid g = {0};
    int width, height, status = lay_out(plot->settings, rows, &g, &width, &height);
    status = status ? status : cli_figure_begin(ctx, plot->settings, width, height, &figure);
    if (status != CLI_DONE) {
        return status;
    }
    fputs("unset key\nset samples 200\nset format y \"%g\"\nset grid lc rgb \"#e6e6e6\" lt 1\n", figure.script);
    for (int i = 0, row = 0; row < rows; i++) {
        const lf_output_diagnosis *o = &diagnosis->outputs[plot->output[i]];
        const char *name = lf_model_output_name(plot->model, plot->output[i]);
        if (o->frequency_count == 0) {
            continue;
        }
        place(&figure, &g, row, 0, name, "autocorrelation");
        cli_plot_axis_label(figure.script, 'x', NULL, "lag, in rows", 0);
        draw_autocorrelation(figure.script, o);
        place(&figure, &g, row, 1, name, "cumulative periodogram");
        label_axis(plot, figure.script, isfinite(o->spacing));
        draw_periodogram(figure.script, o);
        row++;
    }
    return cli_figure_end(ctx, &figure);
}

int cli_plot_residuals(lf_context *ctx, cli_drawing *plot)
{
    lf_diagnosis *diagnosis = NULL;
    int rows = 0, status = cli_check(ctx, lf_diagnose_residuals(plot->posterior, plot->table, &diagnosis));
    for (int i = 0; status == CLI_DONE && i < plot->output_count; i++) {
        rows += diagnosis->outputs[plot->output[i]].frequency_count > 0;
    }
    if (status == CLI_DONE && rows == 0) {
        status =
            cli_fail("%s: no output has 20 training rows, which the tests of its residuals need", plot->settings->data);
    }
    if (status == CLI_DONE && rows > MAX_ROWS) {
        cli_plot_note(plot, "%d of %d outputs are drawn; choose with --only", MAX_ROWS, rows);
    }
    status = status ? status : draw(ctx, plot, diagnosis, rows < MAX_ROWS ? rows : MAX_ROWS);
    lf_diagnosis_free(diagnosis);
    return status;
}
