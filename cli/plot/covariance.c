/* The prior covariance matrix as a colour map, with lines between the outputs; optionally with the covariance of
 * features beside it, as in Guarnizo and Alvarez (2018). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "options/model_parts.h"
#include "options/session.h"
#include "plot/figure.h"
#include "plot/plot.h"

enum {
    MAX_ROWS = 2000,
    MAX_NAMES = 12, /* along an axis; with more outputs only some are named */
    SIDE = 340,
    LEAST = 60,
    GAP = 36, /* between two matrices */
    TOP = 34,
    MARGIN = 24,
    SCALE = 90,
    LETTER = 8,
    MAX_LETTERS = 40
};

typedef struct matrices {
    cli_drawing *plot;
    cli_points points;
    double *exact, *features; /* (n, n); features NULL without --engine features */
    double largest;           /* largest absolute value in either */
    int side;                 /* of a matrix in the figure */
    int top;
    int names;   /* width reserved for the names of the outputs */
    int upright; /* the names below the matrix are vertical, for lack of width */
} matrices;

/* Evenly spaced points over the range of the data or of the stored posterior. */
static int make_grid(lf_context *ctx, matrices *m)
{
    cli_drawing *plot = m->plot;
    lf_posterior *posterior = NULL;
    lf_data *rows = NULL;
    cli_points grid = {0};
    size_t even = 400 / (size_t)plot->output_count, n = plot->settings->grid;
    n = n ? n : even > 100 ? 100 : even < 5 ? 5 : even;
    int status = CLI_DONE, known = plot->table != NULL;
    if (cli_count(plot->model, LF_KIND_INPUT) > 1) {
        return cli_fail("%s: has %d inputs, so the inputs of the covariance must be listed with --at INPUTS.csv",
                        plot->settings->model, cli_count(plot->model, LF_KIND_INPUT));
    }
    if (plot->table) {
        status = cli_select(ctx, plot->model, plot->settings->data, plot->table, "outputs", &rows);
        status = status ? status : cli_drop_before_start(ctx, plot->settings, plot->model, plot->settings->data, &rows);
        lf_data_info info = {.size = sizeof info, .low = plot->low, .high = plot->high};
        status = status ? status : cli_check(ctx, lf_data_info_get(ctx, rows, plot->model, &info));
        lf_data_free(rows);
    } else if (cli_about(plot->model).has_posterior) {
        status = cli_check(ctx, lf_posterior_restore(ctx, plot->model, &posterior));
        known = status == CLI_DONE && cli_stored_limits(plot->model, posterior, plot->low, plot->high);
        lf_posterior_free(posterior);
    }
    if (status == CLI_DONE && !known) {
        status = cli_fail("%s: the range of inputs for the covariance is unknown; give --at INPUTS.csv or --data DATA",
                          plot->settings->model);
    }
    status = status ? status : cli_points_grid(1, plot->low, plot->high, n, &grid);
    for (int i = 0; status == CLI_DONE && i < plot->output_count; i++) {
        status = cli_points_append(&m->points, &grid, plot->output[i], 1, 1);
    }
    cli_points_free(&grid);
    return status;
}

static int is_selected(const cli_drawing *plot, int output)
{
    for (int i = 0; i < plot->output_count; i++) {
        if (plot->output[i] == output) {
            return 1;
        }
    }
    return 0;
}

/* The rows of the file, sorted by output, so that each output has one block. */
static int read_points(lf_context *ctx, matrices *m)
{
    cli_drawing *plot = m->plot;
    lf_data *inputs = NULL;
    cli_points rows = {0}, all = {0}, row = {.n = 1};
    int outputs = cli_count(plot->model, LF_KIND_OUTPUT);
    int status = cli_read_inputs(ctx, plot->settings, plot->model, 0, &inputs);
    status = status ? status : cli_refuse_replicates(plot->settings, inputs);
    status = status ? status : cli_points_from_inputs(plot->model, inputs, 0, &rows);
    status = status ? status : cli_points_append(&all, &rows, 0, outputs, 1);
    row.input_dim = rows.input_dim;
    for (int d = 0; status == CLI_DONE && d < outputs; d++) {
        for (size_t i = 0; status == CLI_DONE && i < all.n; i++) {
            if (all.target[i] == d && is_selected(plot, d)) {
                row.x = all.x + i * (size_t)all.input_dim;
                row.target = all.target + i;
                status = cli_points_append(&m->points, &row, 0, 1, 1);
            }
        }
    }
    cli_points_free(&rows);
    cli_points_free(&all);
    lf_data_free(inputs);
    return status;
}

static int compute_matrix(lf_context *ctx, const matrices *m, const lf_engine_options *engine_options, double **K)
{
    lf_points *points = NULL;
    *K = calloc(m->points.n * m->points.n + 1, sizeof **K);
    int status = *K ? cli_points_make(ctx, m->plot->model, &m->points, &points) : cli_no_memory();
    status = status ? status : cli_check(ctx, lf_covariance(ctx, m->plot->model, points, engine_options, *K));
    lf_points_free(points);
    return status;
}

static int compute(lf_context *ctx, matrices *m)
{
    lf_engine_options engine_options = cli_engine_options(m->plot->settings), exact = {.size = sizeof exact};
    const char *engine = engine_options.engine ? engine_options.engine : "dense";
    int features = strcmp(engine, "features") == 0 || strcmp(engine, "lowrank") == 0;
    if (!features && strcmp(engine, "dense") != 0 && strcmp(engine, "auto") != 0) {
        return cli_usage_error("plot", "--engine '%s': a covariance is drawn for the engines dense and features only",
                               engine);
    }
    if (m->points.n == 0 || m->points.n > MAX_ROWS) {
        return cli_fail("a covariance of %zu rows cannot be drawn (1 to %d); choose fewer with --grid N, "
                        "--at INPUTS.csv or --output-name NAME",
                        m->points.n, MAX_ROWS);
    }
    int status = compute_matrix(ctx, m, features ? &exact : &engine_options, &m->exact);
    if (status == CLI_DONE && features) {
        status = compute_matrix(ctx, m, &engine_options, &m->features);
    }
    for (size_t i = 0; status == CLI_DONE && i < m->points.n * m->points.n; i++) {
        m->largest = fmax(m->largest, fmax(fabs(m->exact[i]), features ? fabs(m->features[i]) : 0));
    }
    return status;
}

static double frobenius(const matrices *m)
{
    double sum = 0;
    for (size_t i = 0; i < m->points.n * m->points.n; i++) {
        sum += (m->exact[i] - m->features[i]) * (m->exact[i] - m->features[i]);
    }
    return sqrt(sum);
}

/* The approximate width of the longest name. */
static int room_for_names(const cli_drawing *plot)
{
    int longest = 0;
    for (int i = 0; i < plot->output_count; i++) {
        int length = 0;
        for (const char *name = cli_name(plot->model, LF_KIND_OUTPUT, plot->output[i]); *name; name++) {
            length += (*name & 0xC0) != 0x80; /* not a continuation byte of UTF-8 */
        }
        longest = length > longest ? length : longest;
    }
    return LETTER * (longest < MAX_LETTERS ? longest : MAX_LETTERS);
}

/* A name at the middle of its block. It is a label, because gnuplot interprets the text of a tic as a format. */
static void print_name(const matrices *m, FILE *script, const char *name, double middle, int names_left)
{
    fputs("set label ", script);
    cli_figure_text(script, name);
    fprintf(script, " at first %.6g, graph 0 noenhanced %s\n", middle,
            m->upright ? "rotate by 90 right offset 0,-0.5" : "center offset 0,-1");
    if (names_left) {
        fputs("set label ", script);
        cli_figure_text(script, name);
        fprintf(script, " at graph 0, first %.6g right offset -1,0 noenhanced\n", middle);
    }
}

/* The names of the blocks and the lines between them. */
static void print_blocks(const matrices *m, FILE *script, int names_left)
{
    const cli_points *points = &m->points;
    double n = (double)points->n;
    int block = 0, every = (m->plot->output_count + MAX_NAMES - 1) / MAX_NAMES;
    fputs("unset arrow\n", script);
    for (size_t first = 0, next; first < points->n; first = next, block++) {
        for (next = first; next < points->n && points->target[next] == points->target[first];) {
            next++;
        }
        double middle = (double)(first + next - 1) / 2, edge = (double)next - 0.5;
        if (block % every == 0) {
            print_name(m, script, cli_name(m->plot->model, LF_KIND_OUTPUT, points->target[first]), middle, names_left);
        }
        if (next < points->n) {
            double width = every > 1 ? 0.2 : 0.8;
            fprintf(script,
                    "set arrow from %.6g,-0.5 to %.6g,%.6g nohead front lw %g\n"
                    "set arrow from -0.5,%.6g to %.6g,%.6g nohead front lw %g\n",
                    edge, edge, n - 0.5, width, edge, n - 0.5, edge, width);
        }
    }
}

static void print_matrix(FILE *script, const double *K, size_t n)
{
    fputs("$K << END\n", script);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            fprintf(script, j ? " %.5g" : "%.5g", K[i * n + j]);
        }
        fputc('\n', script);
    }
    fputs("END\n", script);
}

static void draw_matrix(const matrices *m, const cli_figure *figure, int column, const char *heading)
{
    FILE *script = figure->script;
    size_t n = m->points.n;
    cli_figure_place(figure, (cli_panel){.left = MARGIN + m->names + column * (m->side + GAP),
                                         .top = m->top,
                                         .width = m->side,
                                         .height = m->side});
    fputs("unset label\n", script);
    cli_figure_heading(script, heading);
    print_blocks(m, script, column == 0);
    print_matrix(script, column ? m->features : m->exact, n);
    fputs(column || !m->features ? "set colorbox\n" : "unset colorbox\n", script);
    fprintf(script, "set xrange [-0.5:%.6g]\nset yrange [%.6g:-0.5]\nplot $K matrix with image\n", (double)n - 0.5,
            (double)n - 0.5);
}

/* Sets the side of a matrix, as it fits into --size, and the size of the figure. */
static int lay_out(matrices *m, int *width, int *height)
{
    const cli_settings *settings = m->plot->settings;
    int count = m->features ? 2 : 1;
    cli_figure_size(settings, width, height);
    m->names = room_for_names(m->plot);
    m->top = TOP + cli_figure_title_height(settings);
    m->upright = m->names > (*width > 0 ? LEAST : SIDE) / m->plot->output_count;
    int around = MARGIN + m->names + (count - 1) * GAP + SCALE;
    int below = m->top + MARGIN + (m->upright ? m->names : 16);
    if (*width == 0) {
        m->side = SIDE;
        *width = around + count * SIDE;
        *height = below + SIDE;
        return CLI_DONE;
    }
    int across = (*width - around) / count, down = *height - below;
    m->side = across < down ? across : down;
    return m->side < LEAST ? cli_figure_too_small(settings, "the covariance", around + count * LEAST, below + LEAST)
                           : CLI_DONE;
}

static int draw(lf_context *ctx, matrices *m)
{
    cli_figure figure;
    int width, height, status = lay_out(m, &width, &height);
    status = status ? status : cli_figure_begin(ctx, m->plot->settings, width, height, &figure);
    if (status != CLI_DONE) {
        return status;
    }
    /* Diverging palette, white at zero. */
    fputs("set palette defined (-3 \"#053061\", -2 \"#2166ac\", -1 \"#92c5de\", 0 \"#f7f7f7\", 1 \"#f4a582\", 2 "
          "\"#b2182b\", "
          "3 \"#67001f\")\nset border 15\nunset xtics\nunset ytics\n",
          figure.script);
    fprintf(figure.script, "set cbrange [%.6g:%.6g]\n", -m->largest, m->largest);
    draw_matrix(m, &figure, 0, "exact");
    if (m->features) {
        const cli_settings *settings = m->plot->settings;
        char number[48] = "", heading[200];
        if (settings->features > 0) {
            snprintf(number, sizeof number, ", S = %zu", settings->features);
        }
        snprintf(heading, sizeof heading, "%.60s features%s, Frobenius error %.4g",
                 settings->nodes ? settings->nodes : "auto", number, frobenius(m));
        draw_matrix(m, &figure, 1, heading);
    }
    return cli_figure_end(ctx, &figure);
}

int cli_plot_covariance(lf_context *ctx, cli_drawing *plot)
{
    matrices m = {.plot = plot};
    int status = plot->settings->at ? read_points(ctx, &m) : make_grid(ctx, &m);
    status = status ? status : compute(ctx, &m);
    status = status ? status : draw(ctx, &m);
    free(m.exact);
    free(m.features);
    cli_points_free(&m.points);
    return status;
}
