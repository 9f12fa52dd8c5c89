/* Which outputs, forces, states and known inputs latentforce plot draws: those of --only, or those of --output-name, the forces that act and
 * the others of the kind of the figure. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "options/model_parts.h"
#include "plot/plot.h"

static int contains(const int *list, int count, int value)
{
    for (int i = 0; i < count; i++) {
        if (list[i] == value) {
            return 1;
        }
    }
    return 0;
}

static void add_output(cli_drawing *plot, int output)
{
    if (!contains(plot->output, plot->output_count, output)) {
        plot->output[plot->output_count++] = output;
    }
}

static void add_force(cli_drawing *plot, int force)
{
    if (!contains(plot->force, plot->force_count, force)) {
        plot->force[plot->force_count++] = force;
    }
}

/* The name of a force, a state or a known input. */
static void name_other(const lf_model *model, int number, size_t size, char *text)
{
    cli_other kind = cli_plot_kind(model, number);
    int index = number - cli_plot_first(model, kind);
    if (kind == CLI_FORCE) {
        snprintf(text, size, "%s", cli_name(model, LF_KIND_FORCE, index));
    } else if (kind == CLI_STATE) {
        snprintf(text, size, "%s", cli_name(model, LF_KIND_STATE, index));
    } else {
        snprintf(text, size, "%s", cli_name(model, LF_KIND_KNOWN, index));
    }
}

/* Adds the output, or else the force, the state or the known input of this name; returns 0 if there is none. */
static int add_named(cli_drawing *plot, const char *name, size_t length)
{
    for (int d = 0; d < cli_count(plot->model, LF_KIND_OUTPUT); d++) {
        const char *output = cli_name(plot->model, LF_KIND_OUTPUT, d);
        if (strlen(output) == length && strncmp(output, name, length) == 0) {
            add_output(plot, d);
            return 1;
        }
    }
    for (int q = 0; q < cli_plot_first(plot->model, CLI_OTHERS); q++) {
        char other[256];
        name_other(plot->model, q, sizeof other, other);
        if (strlen(other) == length && strncmp(other, name, length) == 0) {
            add_force(plot, q);
            return 1;
        }
    }
    return 0;
}

/* An item of --only: a name, which may contain commas, or a list of names. */
static int add_item(cli_drawing *plot, const char *item)
{
    if (add_named(plot, item, strlen(item))) {
        return CLI_DONE;
    }
    for (const char *name = item;; name++) {
        name += strspn(name, " ");
        size_t length = strcspn(name, ",");
        if (!add_named(plot, name, length)) {
            return cli_fail("--only '%.*s': is neither an output nor a force, a state or a known input of %s; "
                            "'latentforce show' lists them",
                            (int)length, name, plot->settings->model);
        }
        name += length;
        if (!*name) {
            return CLI_DONE;
        }
    }
}

static int choose_only(cli_drawing *plot)
{
    const cli_list *only = &plot->settings->only;
    const char *what = plot->settings->what;
    if (plot->settings->output_names.count > 0) {
        return cli_usage_error("plot", "give either --only or --output-name, not both");
    }
    for (size_t i = 0; i < only->count; i++) {
        int status = add_item(plot, only->item[i]);
        if (status != CLI_DONE) {
            return status;
        }
    }
    static const char *const kinds[] = {"a force", "a state", "a known input"}, *const figures[] = {"forces", "states",
                                                                                                    "inputs"};
    for (int i = 0; what && i < plot->force_count; i++) {
        cli_other kind = cli_plot_kind(plot->model, plot->force[i]);
        if (strcmp(what, figures[kind]) != 0) {
            char name[256];
            name_other(plot->model, plot->force[i], sizeof name, name);
            return cli_fail("--only %s: is %s, which --what %s does not draw", name, kinds[kind], what);
        }
    }
    if (what && !plot->outputs && plot->output_count > 0) {
        return cli_fail("--only '%s': is an output, which --what %s does not draw",
                        cli_name(plot->model, LF_KIND_OUTPUT, plot->output[0]), what);
    }
    if (!what) {
        plot->outputs = plot->output_count > 0;
        plot->forces = plot->force_count > 0;
    }
    return CLI_DONE;
}

static int choose_outputs(cli_drawing *plot)
{
    const cli_list *names = &plot->settings->output_names;
    for (size_t i = 0; i < names->count; i++) {
        int output = cli_find(plot->model, LF_KIND_OUTPUT, names->item[i]);
        if (output < 0) {
            return cli_fail("--output-name '%s': is not an output of %s; 'latentforce show' lists the outputs",
                            names->item[i], plot->settings->model);
        }
        add_output(plot, output);
    }
    for (int d = 0; names->count == 0 && d < cli_count(plot->model, LF_KIND_OUTPUT); d++) {
        add_output(plot, d);
    }
    return CLI_DONE;
}

/* Every force that acts; all of them with --all-forces. */
static int choose_forces(lf_context *ctx, cli_drawing *plot)
{
    int forces = cli_count(plot->model, LF_KIND_FORCE), first_idle = -1, white = 0;
    cli_force *force;
    int status = cli_forces(ctx, plot->model, &force);
    if (status) {
        free(force);
        return status;
    }
    for (int q = 0; q < forces; q++) {
        if (force[q].white) { /* it has no values */
            white++;
        } else if (plot->settings->all_forces || !force[q].idle) {
            add_force(plot, q);
        } else if (first_idle < 0) {
            first_idle = q;
        }
    }
    free(force);
    int idle = forces - white - plot->force_count; /* nothing else is in the list yet */
    if (white == forces && plot->forces && !plot->outputs) {
        return cli_fail("%s: has no forces to draw: a white force has no value at an instant; draw the outputs that it "
                        "drives (--what outputs)",
                        plot->settings->model);
    }
    if (!plot->forces || idle == 0) {
        return CLI_DONE;
    }
    if (plot->force_count == 0 && !plot->outputs) {
        return cli_fail("%s: every force is idle: it explains less than 1 %% of every output; --all-forces draws them",
                        plot->settings->model);
    }
    char name[256];
    snprintf(name, sizeof name, "%s", cli_name(plot->model, LF_KIND_FORCE, first_idle));
    if (idle == 1) {
        cli_plot_note(plot, "%s is idle and not drawn; --all-forces draws it", name);
    } else {
        cli_plot_note(plot, "%d forces are idle and not drawn, %s is the first; --all-forces draws them", idle, name);
    }
    return CLI_DONE;
}

int cli_plot_choose(lf_context *ctx, cli_drawing *plot)
{
    plot->output = calloc((size_t)cli_count(plot->model, LF_KIND_OUTPUT) + 1, sizeof *plot->output);
    plot->force = calloc((size_t)cli_plot_first(plot->model, CLI_OTHERS) + 1, sizeof *plot->force);
    if (!plot->output || !plot->force) {
        return cli_no_memory();
    }
    if (plot->settings->only.count > 0) {
        return choose_only(plot);
    }
    const char *what = plot->settings->what;
    int status = choose_outputs(plot);
    if (status == CLI_DONE && (!what || strcmp(what, "forces") == 0)) {
        status = choose_forces(ctx, plot);
    }
    cli_other kind = what && strcmp(what, "states") == 0 ? CLI_STATE : CLI_KNOWN;
    int wanted = !what || strcmp(what, "states") == 0 || strcmp(what, "inputs") == 0;
    for (int i = cli_plot_first(plot->model, kind); wanted && i < cli_plot_first(plot->model, kind + 1); i++) {
        add_force(plot, i);
    }
    return status;
}
