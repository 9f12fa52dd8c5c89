/* The panels of a report: outputs and forces of every replicate, then states, rates and known inputs, then residuals of outputs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "page/report.h"

/* The words of the option, and whether they are panels where it is not given. */
enum { OUTPUTS, FORCES, RATES, STATES, INPUTS, RESIDUALS, KINDS };
static const struct {
    const char *word;
    lf_kind kind;
    int usual;
} kinds[KINDS] = {[OUTPUTS] = {"outputs", LF_KIND_OUTPUT, 1}, [FORCES] = {"forces", LF_KIND_FORCE, 1},
                  [RATES] = {"rates", LF_KIND_RATE, 0},       [STATES] = {"states", LF_KIND_STATE, 1},
                  [INPUTS] = {"inputs", LF_KIND_KNOWN, 1},    [RESIDUALS] = {"residuals", LF_KIND_OUTPUT, 1}};

/* What has a panel. */
typedef struct choice {
    const lf_options *options; /* NULL: the defaults */
    int wanted[KINDS];
    int count[KINDS]; /* how many there are in the model */
} choice;

static int contains(const lf_option_list *list, const char *word)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->item[i], word) == 0) {
            return 1;
        }
    }
    return 0;
}

int lf_report_has_named_replicates(const lf_report *report)
{
    const lf_names *names = &report->posterior->replicates;
    return names->count > 1 || (names->count == 1 && *names->name[0]);
}

int lf_report_hides_force(const lf_report *report, int force)
{
    return lf_model_force_is_white(report->model, force) || /* it has no values */
           (!report->settings.all_forces && lf_model_force_is_idle(report->model, force));
}

static void name_of(const lf_model *model, lf_kind kind, int index, size_t size, char *name)
{
    switch (kind) {
    case LF_KIND_FORCE:
        lf_model_force_name(model, index, size, name);
        break;
    case LF_KIND_STATE:
        lf_model_state_name(model, index, size, name);
        break;
    case LF_KIND_KNOWN:
        snprintf(name, size, "%s", lf_model_name(model, LF_KIND_KNOWN, (size_t)index));
        break;
    default:
        snprintf(name, size, "%s", lf_model_name(model, LF_KIND_OUTPUT, (size_t)index));
    }
}

/* As predictions number it. */
static int target_of(const lf_model *model, int k, int index)
{
    const int first[KINDS] = {[FORCES] = model->output_count,
                              [RATES] = model->output_count + model->force_count,
                              [STATES] = 2 * model->output_count + model->force_count};
    return k == INPUTS || k == RESIDUALS ? -1 : first[k] + index;
}

/* Whether something has a panel, and what its name is. */
static int is_chosen(const lf_report *report, const choice *c, int k, int index, size_t size, char *name)
{
    int named = c->options && c->options->only.count > 0;
    name_of(report->model, kinds[k].kind, index, size, name);
    if (named && !contains(&c->options->only, name)) {
        return 0;
    }
    return k != FORCES ||
           !(named ? lf_model_force_is_white(report->model, index) : lf_report_hides_force(report, index));
}

/* The rows of an output and a replicate, -1: all, which are consecutive. */
static void find_rows(const lf_report *report, lf_report_panel *panel)
{
    for (size_t i = 0; i < report->n; i++) {
        const lf_report_row *row = &report->rows[i];
        if (row->output == panel->index && (panel->replicate < 0 || row->replicate == panel->replicate)) {
            panel->first = panel->count ? panel->first : i;
            panel->count++;
            panel->training += !row->test;
            panel->test += row->test != 0;
        }
    }
}

/* Adds a panel; without room for it, it is counted. */
static void add(lf_report *report, const choice *c, int k, int index, int replicate)
{
    lf_report_panel panel = {.kind = kinds[k].kind,
                             .index = index,
                             .residuals = k == RESIDUALS,
                             .target = target_of(report->model, k, index),
                             .replicate = replicate,
                             .place = report->target_panels};
    const lf_option_list *only = c->options ? &c->options->replicates : NULL;
    const char *own = replicate < 0 ? "" : report->posterior->replicates.name[replicate];
    if (!is_chosen(report, c, k, index, sizeof panel.name, panel.name) ||
        (only && only->count > 0 && replicate >= 0 && !contains(only, own))) {
        return;
    }
    if (report->panel) {
        if (panel.kind == LF_KIND_OUTPUT) {
            find_rows(report, &panel);
        }
        report->panel[report->panel_count] = panel;
    }
    report->panel_count++;
    report->target_panels += panel.target >= 0;
}

static void add_all(lf_report *report, const choice *c)
{
    int replicates = report->posterior->replicates.count;
    report->panel_count = report->target_panels = 0;
    for (int r = 0; r < replicates; r++) {
        for (int k = OUTPUTS; k <= FORCES; k++) {
            for (int i = 0; c->wanted[k] && i < c->count[k]; i++) {
                add(report, c, k, i, r);
            }
        }
    }
    static const int others[] = {STATES, RATES};
    for (int o = 0; o < 2; o++) {
        for (int r = 0; r < replicates; r++) {
            for (int i = 0; c->wanted[others[o]] && i < c->count[others[o]]; i++) {
                add(report, c, others[o], i, r);
            }
        }
    }
    for (int i = 0; c->wanted[INPUTS] && i < c->count[INPUTS]; i++) {
        for (int r = 0; r < replicates; r++) {
            add(report, c, INPUTS, i, r);
        }
    }
    for (int i = 0; c->wanted[RESIDUALS] && i < c->count[RESIDUALS]; i++) {
        add(report, c, RESIDUALS, i, -1);
    }
}

/* ---- what the options ask for ---- */

static lf_status take_kinds(lf_context *ctx, const lf_report *report, choice *c)
{
    const lf_option_list *asked = c->options ? &c->options->panels : NULL;
    const lf_model *model = report->model;
    int over_time = model->input_dim == 1;
    for (size_t i = 0; asked && i < asked->count; i++) {
        int k = 0;
        while (k < KINDS && strcmp(asked->item[i], kinds[k].word) != 0) {
            k++;
        }
        if (k == KINDS) {
            return lf_fail(ctx, LF_ERROR_ARGUMENT,
                           "--panels '%s': expected outputs, forces, rates, states, inputs or residuals",
                           asked->item[i]);
        }
        c->wanted[k] = 1;
    }
    for (int k = 0; k < KINDS; k++) {
        c->wanted[k] = asked && asked->count > 0 ? c->wanted[k] : kinds[k].usual;
    }
    c->count[OUTPUTS] = model->output_count;
    c->count[FORCES] = report->has_range ? model->force_count : 0; /* without a range there is nothing to draw */
    c->count[RATES] = over_time ? model->output_count : 0;
    c->count[STATES] = over_time ? lf_model_state_count(model) : 0;
    c->count[INPUTS] = over_time ? model->known_count : 0;
    c->count[RESIDUALS] = lf_report_count(report, 0) > 0 ? model->output_count : 0;
    return LF_OK;
}

/* Refuses names that nothing has. */
static lf_status check_names(lf_context *ctx, const lf_report *report, const choice *c)
{
    const lf_options *o = c->options;
    for (size_t i = 0; o && i < o->only.count; i++) {
        int found = 0;
        char name[256];
        for (int k = 0; k < KINDS; k++) {
            for (int index = 0; !found && index < c->count[k]; index++) {
                name_of(report->model, kinds[k].kind, index, sizeof name, name);
                found = strcmp(name, o->only.item[i]) == 0;
            }
        }
        if (!found) {
            return lf_fail(ctx, LF_ERROR_ARGUMENT,
                           "--only '%s': is neither an output nor a force, a state or a known input of %s",
                           o->only.item[i], lf_report_model_name(report));
        }
    }
    for (size_t i = 0; o && i < o->replicates.count; i++) {
        if (lf_posterior_find_replicate(report->posterior, o->replicates.item[i]) < 0) {
            return lf_fail(ctx, LF_ERROR_ARGUMENT, "--replicate '%s': is not one of the replicates of %s",
                           o->replicates.item[i], lf_report_model_name(report));
        }
    }
    return LF_OK;
}

/* Fewer points of each panel where there are many, so that the page stays small. */
static void set_budget(lf_report *report, const choice *c)
{
    lf_report_settings *s = &report->settings;
    size_t p = (size_t)report->model->input_dim, targets = (size_t)(c->count[OUTPUTS] + c->count[FORCES]);
    size_t count = (targets + (size_t)c->count[STATES]) * (size_t)report->posterior->replicates.count + 1;
    size_t least = p == 1 ? 200 : 15, most = p == 1 ? 1000 : 50;
    size_t side = p == 1 ? 30000 / count : (size_t)sqrt(60000 / (double)count);
    s->grid = s->grid ? s->grid : side < least ? least : side > most ? most : side;
    s->grid = p > 2 || !report->has_range ? 0 : s->grid;
    size_t rows = 120000 / count;
    s->rows = s->rows ? s->rows : rows < 200 ? 200 : rows > 4000 ? 4000 : rows;
}

lf_status lf_report_list_panels(lf_context *ctx, lf_report *report, const lf_options *options)
{
    choice c = {.options = options};
    lf_status status = take_kinds(ctx, report, &c);
    LF_TRY(status, check_names(ctx, report, &c));
    if (status) {
        return status;
    }
    set_budget(report, &c);
    add_all(report, &c);
    report->panel = calloc(report->panel_count + 1, sizeof *report->panel);
    if (!report->panel) {
        report->panel_count = 0;
        return lf_no_memory(ctx);
    }
    add_all(report, &c);
    return LF_OK;
}
