/* Parts of the figures of latentforce plot: the panels, their names and labels, their data. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "options/session.h"
#include "plot/figure.h"
#include "plot/plot.h"
#include "plot/thin.h"

/* Points of one series in a panel: more cannot be distinguished and make the files large. */
enum { MAX_POINTS = 2000 };

void cli_plot_note(const cli_drawing *plot, const char *format, ...)
{
    char note[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(note, sizeof note, format, arguments);
    va_end(arguments);
    if (!plot->settings->quiet) {
        cli_note(NULL, LF_LEVEL_NOTE, note);
    }
}

void cli_plot_name(const cli_drawing *plot, int target, char text[CLI_LABEL_SIZE])
{
    int outputs = lf_model_output_count(plot->model), state = target - 2 * outputs - lf_model_force_count(plot->model);
    if (target < 0) {
        cli_label(lf_model_known_name(plot->model, -1 - target), lf_model_known_unit(plot->model, -1 - target), text);
    } else if (target < outputs) {
        cli_label(lf_model_output_name(plot->model, target), lf_model_output(plot->model, target).unit, text);
    } else if (state < 0) {
        lf_model_force_name(plot->model, target - outputs, CLI_LABEL_SIZE, text);
    } else {
        lf_model_state_name(plot->model, state, CLI_LABEL_SIZE, text);
    }
}

int cli_plot_first(const lf_model *model, cli_other kind)
{
    const int counts[] = {lf_model_force_count(model), lf_model_state_count(model), lf_model_known_count(model)};
    int first = 0;
    for (int k = 0; k < (int)kind; k++) {
        first += counts[k];
    }
    return first;
}

cli_other cli_plot_kind(const lf_model *model, int number)
{
    return number < cli_plot_first(model, CLI_STATE)   ? CLI_FORCE
           : number < cli_plot_first(model, CLI_KNOWN) ? CLI_STATE
                                                       : CLI_KNOWN;
}

/* The target of lf_points, or -1 - k of known input k. */
static int target_of(const lf_model *model, int number)
{
    int outputs = lf_model_output_count(model), forces = lf_model_force_count(model);
    switch (cli_plot_kind(model, number)) {
    case CLI_FORCE:
        return outputs + number;
    case CLI_STATE:
        return 2 * outputs + forces + number - cli_plot_first(model, CLI_STATE);
    default:
        return -1 - (number - cli_plot_first(model, CLI_KNOWN));
    }
}

void cli_plot_axis_label(FILE *script, char axis, const char *given, const char *text, int dated)
{
    fprintf(script, "set %clabel ", axis);
    cli_figure_text(script, given ? given : text);
    fprintf(script, " noenhanced offset %s\n", axis == 'y' ? "1,0" : dated ? "0,-0.7" : "0,0.4");
}

int *cli_plot_targets(const cli_drawing *plot, int maximum, int *outputs, int *forces)
{
    *outputs = !plot->outputs ? 0 : plot->output_count < maximum ? plot->output_count : maximum;
    *forces = !plot->forces ? 0 : plot->force_count < maximum ? plot->force_count : maximum;
    int *target = calloc((size_t)(*outputs + *forces) + 1, sizeof *target);
    for (int i = 0; target && i < *outputs; i++) {
        target[i] = plot->output[i];
    }
    for (int i = 0; target && i < *forces; i++) {
        target[*outputs + i] = target_of(plot->model, plot->force[i]);
    }
    if (plot->outputs && plot->output_count > maximum) {
        cli_plot_note(plot, "%d of %d outputs are drawn, '%s' and those after it are not; choose with --only", maximum,
                      plot->output_count, lf_model_output_name(plot->model, plot->output[maximum]));
    }
    if (plot->forces && plot->force_count > maximum) {
        char name[CLI_LABEL_SIZE];
        cli_plot_name(plot, target_of(plot->model, plot->force[maximum]), name);
        cli_plot_note(
            plot, "%d of %d forces, states and inputs are drawn, %.200s and those after it are not; choose with --only",
            maximum, plot->force_count, name);
    }
    return target;
}

/* Whether row i of the data belongs to this output and replicate, and is (or is not) a test row. */
static int belongs(const cli_drawing *plot, size_t i, int target, int replicate, int held_out)
{
    return plot->rows.target[i] == target && (plot->rows.replicate ? plot->rows.replicate[i] : 0) == replicate &&
           cli_is_test(lf_data_row(plot->data, i)) == held_out;
}

/* Marks the rows of a series that are drawn, of a map by their number: its rows have no order along an input. Returns how many there are. */
static size_t choose_points(const cli_drawing *plot, int target, int replicate, int held_out, char *keep)
{
    size_t count = 0, drawn = 0, n = plot->rows.n;
    int along = plot->rows.input_dim == 1;
    cli_point *points = malloc((n + 1) * sizeof *points);
    for (size_t i = 0; points && i < n; i++) {
        if (belongs(plot, i, target, replicate, held_out)) {
            lf_observation row = lf_data_row(plot->data, i);
            points[count] = (cli_point){along ? row.x[0] : (double)count, row.y, i};
            count++;
        }
    }
    if (points && count) {
        cli_thin(count, points, along ? plot->low[0] : 0, along ? plot->high[0] : (double)count, MAX_POINTS, keep);
    }
    for (size_t i = 0; i < n; i++) {
        drawn += (size_t)keep[i];
    }
    if (drawn < count) {
        cli_plot_note(plot, "'%s': %zu of %zu %s rows are drawn, the least and the largest of each short interval",
                      lf_model_output_name(plot->model, target), drawn, count, held_out ? "test" : "training");
    }
    free(points);
    return count;
}

size_t cli_plot_points(const cli_drawing *plot, FILE *script, int target, int replicate, int held_out)
{
    char *keep = calloc(plot->rows.n + 1, 1);
    size_t count = keep ? choose_points(plot, target, replicate, held_out, keep) : 0;
    if (count == 0) {
        free(keep);
        return 0;
    }
    fprintf(script, "$%s%d << END\n", held_out ? "test" : "train", replicate);
    for (size_t i = 0; i < plot->rows.n; i++) {
        if (keep[i]) {
            lf_observation row = lf_data_row(plot->data, i);
            fprintf(script, "%.12g %.12g %.12g\n", row.x[0], plot->rows.input_dim == 1 ? row.y : row.x[1],
                    1.96 * row.sd);
        }
    }
    fputs("END\n", script);
    free(keep);
    return count;
}

/* ---- known inputs ---- */

static void print_reading(FILE *script, double x, double value, double *low, double *high)
{
    *low = fmin(*low, value);
    *high = fmax(*high, value);
    fprintf(script, "%.12g %.12g\n", x, value);
}

void cli_plot_readings(const cli_drawing *plot, FILE *script, int known, int replicate, double *low, double *high)
{
    const char *hold = lf_model_known_between(plot->model, known);
    int impulses = strcmp(hold, "impulse") == 0, linear = strcmp(hold, "linear") == 0;
    double from = plot->low[0], to = plot->high[0];
    const double *x, *v;
    size_t n = lf_posterior_readings(plot->posterior, replicate, known, &x, &v);
    fprintf(script, "$curve%d << END\n", replicate);
    for (size_t i = 0; i < n; i++) {
        const double ends[] = {from, to};
        for (int k = 0; k < 2; k++) { /* where the range begins and ends, between two readings */
            if (!impulses && i > 0 && x[i - 1] < ends[k] && x[i] > ends[k]) {
                double share = linear ? (ends[k] - x[i - 1]) / (x[i] - x[i - 1]) : 0;
                print_reading(script, ends[k], v[i - 1] + share * (v[i] - v[i - 1]), low, high);
            }
        }
        if (x[i] >= from && x[i] <= to) {
            print_reading(script, x[i], v[i], low, high);
        }
    }
    if (n > 0 && !impulses && !linear && x[n - 1] < to) { /* the last reading holds */
        print_reading(script, to, v[n - 1], low, high);
    }
    fputs("END\n", script);
}
