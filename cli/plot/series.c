/* Parts of the figures of latentforce plot: what is drawn, names and labels. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "options/model_parts.h"
#include "options/session.h"
#include "plot/figure.h"
#include "plot/plot.h"

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

void cli_plot_name(const cli_drawing *plot, cli_target target, char text[CLI_LABEL_SIZE])
{
    const lf_model *model = plot->model;
    if (target.kind == LF_KIND_KNOWN) {
        cli_label(cli_name(model, LF_KIND_KNOWN, target.index), cli_known(model, target.index).unit, text);
    } else if (target.kind == LF_KIND_OUTPUT) {
        cli_label(cli_name(model, LF_KIND_OUTPUT, target.index), cli_output(model, target.index).unit, text);
    } else if (target.kind == LF_KIND_FORCE) {
        snprintf(text, CLI_LABEL_SIZE, "%s", cli_name(model, LF_KIND_FORCE, target.index));
    } else {
        snprintf(text, CLI_LABEL_SIZE, "%s", cli_name(model, LF_KIND_STATE, target.index));
    }
}

int cli_plot_first(const lf_model *model, cli_other kind)
{
    const int counts[] = {cli_count(model, LF_KIND_FORCE), cli_count(model, LF_KIND_STATE),
                          cli_count(model, LF_KIND_KNOWN)};
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

static cli_target target_of(const lf_model *model, int number)
{
    static const lf_kind kinds[] = {
        [CLI_FORCE] = LF_KIND_FORCE, [CLI_STATE] = LF_KIND_STATE, [CLI_KNOWN] = LF_KIND_KNOWN};
    cli_other kind = cli_plot_kind(model, number);
    return (cli_target){kinds[kind], number - cli_plot_first(model, kind)};
}

void cli_plot_axis_label(FILE *script, char axis, const char *given, const char *text, int dated)
{
    fprintf(script, "set %clabel ", axis);
    cli_figure_text(script, given ? given : text);
    fprintf(script, " noenhanced offset %s\n", axis == 'y' ? "1,0" : dated ? "0,-0.7" : "0,0.4");
}

cli_target *cli_plot_targets(const cli_drawing *plot, int maximum, int *outputs, int *forces)
{
    *outputs = !plot->outputs ? 0 : plot->output_count < maximum ? plot->output_count : maximum;
    *forces = !plot->forces ? 0 : plot->force_count < maximum ? plot->force_count : maximum;
    cli_target *target = calloc((size_t)(*outputs + *forces) + 1, sizeof *target);
    for (int i = 0; target && i < *outputs; i++) {
        target[i] = (cli_target){LF_KIND_OUTPUT, plot->output[i]};
    }
    for (int i = 0; target && i < *forces; i++) {
        target[*outputs + i] = target_of(plot->model, plot->force[i]);
    }
    if (plot->outputs && plot->output_count > maximum) {
        cli_plot_note(plot, "%d of %d outputs are drawn, '%s' and those after it are not; choose with --only", maximum,
                      plot->output_count, cli_name(plot->model, LF_KIND_OUTPUT, plot->output[maximum]));
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
