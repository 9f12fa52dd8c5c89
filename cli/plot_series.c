/* Parts of the figures of latentforce plot: the panels, their names and labels, their data. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "figure.h"
#include "message.h"
#include "plot.h"
#include "session.h"

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
        cli_note(NULL, note);
    }
}

void cli_plot_name(const cli_drawing *plot, int target, char text[CLI_LABEL_SIZE])
{
    int outputs = lf_model_output_count(plot->model);
    if (target < outputs) {
        cli_label(lf_model_output_name(plot->model, target), lf_model_output(plot->model, target).unit, text);
    } else {
        lf_model_force_name(plot->model, target - outputs, CLI_LABEL_SIZE, text);
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
    int first_force = lf_model_output_count(plot->model);
    *outputs = !plot->outputs ? 0 : plot->output_count < maximum ? plot->output_count : maximum;
    *forces = !plot->forces ? 0 : plot->force_count < maximum ? plot->force_count : maximum;
    int *target = calloc((size_t)(*outputs + *forces) + 1, sizeof *target);
    for (int i = 0; target && i < *outputs; i++) {
        target[i] = plot->output[i];
    }
    for (int i = 0; target && i < *forces; i++) {
        target[*outputs + i] = first_force + plot->force[i];
    }
    if (plot->outputs && plot->output_count > maximum) {
        cli_plot_note(plot, "%d of %d outputs are drawn, '%s' and those after it are not; choose with --only", maximum,
                      plot->output_count, lf_model_output_name(plot->model, plot->output[maximum]));
    }
    if (plot->forces && plot->force_count > maximum) {
        char name[CLI_LABEL_SIZE];
        lf_model_force_name(plot->model, plot->force[maximum], sizeof name, name);
        cli_plot_note(plot, "%d of %d forces are drawn, %.200s and those after it are not; choose with --only", maximum,
                      plot->force_count, name);
    }
    return target;
}

/* Whether row i of the data belongs to this output and replicate, and is (or is not) a test row. */
static int belongs(const cli_drawing *plot, size_t i, int target, int replicate, int held_out)
{
    return plot->rows.target[i] == target && (plot->rows.replicate ? plot->rows.replicate[i] : 0) == replicate &&
           cli_is_test(lf_data_row(plot->data, i)) == held_out;
}

size_t cli_plot_points(const cli_drawing *plot, FILE *script, int target, int replicate, int held_out)
{
    size_t count = 0, seen = 0;
    for (size_t i = 0; i < plot->rows.n; i++) {
        count += (size_t)belongs(plot, i, target, replicate, held_out);
    }
    if (count == 0) {
        return 0;
    }
    size_t step = (count + MAX_POINTS - 1) / MAX_POINTS;
    if (step > 1) {
        cli_plot_note(plot, "'%s': one of every %zu of %zu %s rows is drawn", lf_model_output_name(plot->model, target),
                      step, count, held_out ? "test" : "training");
    }
    fprintf(script, "$%s%d << END\n", held_out ? "test" : "train", replicate);
    for (size_t i = 0; i < plot->rows.n; i++) {
        if (belongs(plot, i, target, replicate, held_out) && seen++ % step == 0) {
            lf_row row = lf_data_row(plot->data, i);
            fprintf(script, "%.12g %.12g %.12g\n", row.x[0], plot->rows.input_dim == 1 ? row.y : row.x[1],
                    1.96 * row.sd);
        }
    }
    fputs("END\n", script);
    return count;
}
