/* The verdict on a fit in sentences: convergence, shares, idle forces, residuals, parameters. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predict/verdict.h"

static double number(const lf_verdict_evidence *e, const char *key)
{
    const json_t *value = json_object_get(e->provenance, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static void tell_convergence(const lf_verdict_evidence *e)
{
    const json_t *converged = json_object_get(e->provenance, "converged");
    const char *reason = json_string_value(json_object_get(e->provenance, "reason"));
    double iterations = number(e, "iterations");
    if (!json_is_boolean(converged) || isnan(iterations)) {
        return;
    }
    if (json_is_true(converged)) {
        lf_remark_add(e->remarks, "good", NULL, "The fit converged after %.0f iteration%s.", iterations,
                      iterations == 1 ? "" : "s");
        return;
    }
    const char *colon = reason ? strstr(reason, ": ") : NULL;
    int stuck = reason && strstr(reason, "no step");
    lf_remark_begin(e->remarks, "warning", NULL);
    lf_remark_text(e->remarks, "The fit did not converge after %.0f iterations", iterations);
    if (reason) {
        lf_remark_text(e->remarks, " (%s)", colon ? colon + 2 : reason);
    }
    if (stuck) {
        lf_remark_text(e->remarks, ": compare it with more starts (--restarts 4).");
    } else {
        lf_remark_text(e->remarks, ": run it longer with --max-iterations %.0f.", fmax(2 * iterations, 500));
    }
}

static void tell_size(const lf_verdict_evidence *e)
{
    double rows = number(e, "rows"), parameters = number(e, "parameters");
    if (parameters > rows) {
        int simple = e->model->force_count <= 1 && !e->model->outputs[0].has_private;
        lf_remark_add(e->remarks, "warning", NULL,
                      "%.0f rows do not determine %.0f parameters: %sfix some with --fix, or add rows.", rows,
                      parameters, simple ? "" : "use fewer (--forces 1 --no-private), ");
    }
}

/* ---- shares ---- */

static double percent(double share) { return fmin(fmax(100 * share, 0), 100); }

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static void list_shares(const lf_verdict_evidence *e, int count)
{
    int listed = 0;
    lf_remark_text(e->remarks, e->model->output_count > 1 ? "Shared forces explain " : "The forces explain ");
    for (int d = 0; d < e->model->output_count; d++) {
        double share = e->diagnosis->outputs[d].shared;
        if (!isnan(share)) {
            lf_remark_text(e->remarks, "%s%.*f %% of %s", lf_list_separator(listed, count),
                           share > 0.99 && share < 0.9995 ? 1 : 0, percent(share), lf_verdict_name(e, d));
            listed++;
        }
    }
}

static void summarise_shares(const lf_verdict_evidence *e, int count)
{
    double *shares = calloc((size_t)count, sizeof *shares);
    int found = 0, least = -1;
    for (int d = 0; shares && d < e->model->output_count; d++) {
        double share = e->diagnosis->outputs[d].shared;
        if (!isnan(share)) {
            shares[found++] = percent(share);
            least = least < 0 || share < e->diagnosis->outputs[least].shared ? d : least;
        }
    }
    if (shares) {
        qsort(shares, (size_t)count, sizeof *shares, compare_doubles);
        lf_remark_text(e->remarks,
                       "Shared forces explain between %.0f and %.0f %% of the %d outputs (half of them %.0f %% "
                       "or more; least of all %s)",
                       shares[0], shares[count - 1], count, shares[count / 2], lf_verdict_name(e, least));
    }
    free(shares);
}

static int is_private(const lf_verdict_evidence *e, int d)
{
    const lf_output_diagnosis *output = &e->diagnosis->outputs[d];
    return output->shared < 0.5 && output->private_force + output->start > 0.5;
}

static int is_noise(const lf_verdict_evidence *e, int d)
{
    const lf_output_diagnosis *output = &e->diagnosis->outputs[d];
    return output->shared < 0.5 && output->noise > 0.5;
}

int lf_verdict_list(const lf_verdict_evidence *e, int (*test)(const lf_verdict_evidence *e, int d), const char *before,
                    const char *after)
{
    enum { MOST = 5 };
    int count = 0, listed = 0;
    for (int d = 0; d < e->model->output_count; d++) {
        count += test(e, d) != 0;
    }
    for (int d = 0; d < e->model->output_count && listed < MOST; d++) {
        if (test(e, d)) {
            int shown = count > MOST ? MOST + 1 : count;
            lf_remark_text(e->remarks, "%s%s%s", listed ? "" : before, lf_list_separator(listed, shown),
                           lf_verdict_name(e, d));
            listed++;
        }
    }
    if (count > MOST) {
        lf_remark_text(e->remarks, " and %d more", count - MOST);
    }
    if (count) {
        lf_remark_text(e->remarks, "%s", after);
    }
    return count;
}

typedef struct part_list {
    int listed, negative;
} part_list;

/* "NAME 60 %" with a separator in front. */
static void list_part(const lf_verdict_evidence *e, part_list *parts, const char *name, double share)
{
    if (fabs(share) >= 0.005) {
        parts->negative = parts->negative || share < 0;
        lf_remark_text(e->remarks, "%s%s %.0f %%", parts->listed++ ? ", " : "", name, 100 * share);
    }
}

/* Of models with known inputs or given by equations: the parts of one output. */
static void tell_parts(const lf_verdict_evidence *e, int d)
{
    const lf_output_diagnosis *output = &e->diagnosis->outputs[d];
    part_list parts = {0};
    lf_remark_begin(e->remarks, output->noise < 0.5 ? "good" : "note", lf_verdict_name(e, d));
    lf_remark_text(e->remarks, "Variance of %s: ", lf_verdict_name(e, d));
    for (int k = 0; k < e->model->known_count; k++) {
        list_part(e, &parts, e->model->known[k].name, output->inputs[k]);
    }
    for (int q = 0; q < e->model->force_count; q++) {
        char name[40];
        snprintf(name, sizeof name, "force %d", q + 1);
        list_part(e, &parts, e->model->forces[q].name ? e->model->forces[q].name : name, output->forces[q]);
    }
    if (!isnan(output->process)) {
        list_part(e, &parts, "white forces", output->process);
    }
    list_part(e, &parts, "private force", output->private_force);
    list_part(e, &parts, "start", output->start);
    lf_remark_text(e->remarks, "%snoise %s%.*f %%%s.", parts.listed ? ", " : "", output->noise < 1e-4 ? "below " : "",
                   output->noise < 0.01 ? 2 : 0, 100 * fmax(output->noise, 1e-4),
                   parts.negative ? "; a negative share offsets the others" : "");
}

static void tell_shares(const lf_verdict_evidence *e)
{
    enum { MOST = 6 };
    int known = 0, poor = 0;
    for (int d = 0; d < e->model->output_count; d++) {
        known += !isnan(e->diagnosis->outputs[d].shared);
        poor += is_private(e, d) || is_noise(e, d);
    }
    if (e->model->system || e->model->known_count) {
        for (int d = 0; d < e->model->output_count && d < MOST; d++) {
            if (!isnan(e->diagnosis->outputs[d].shared)) {
                tell_parts(e, d);
            }
        }
        return;
    }
    if (!known || e->model->force_count == 0) {
        return;
    }
    lf_remark_begin(e->remarks, poor ? "note" : "good", NULL);
    (known > MOST ? summarise_shares : list_shares)(e, known);
    lf_verdict_list(e, is_private, "; mostly on their own: ", "");
    lf_verdict_list(e, is_noise, "; mostly noise: ", "");
    lf_remark_text(e->remarks, e->diagnosis->from_prior ? ", by their variances before the data." : ".");
}

/* The force that acts and of whose cycle force q is a copy, for other phases; -1: there is none. */
static int original_cycle(const lf_verdict_evidence *e, int q)
{
    const lf_force *force = &e->model->forces[q];
    int leader = lf_force_is_composed(force) && force->terms[0].modulation
                     ? e->model->parameters[force->first_parameter].tied_to
                     : -1;
    for (int p = 0; leader >= 0 && p < e->diagnosis->force_count; p++) {
        if (e->model->forces[p].first_parameter == leader && !e->diagnosis->idle[p]) {
            return p;
        }
    }
    return -1;
}

static void tell_idle(const lf_verdict_evidence *e)
{
    int count = 0, listed = 0;
    for (int q = 0; q < e->diagnosis->force_count; q++) {
        int original = e->diagnosis->idle[q] ? original_cycle(e, q) : -1;
        if (original >= 0) {
            lf_remark_begin(e->remarks, "note", NULL);
            lf_remark_text(e->remarks,
                           "Force %d is idle: the outputs share the phase of force %d, which it could shift.", q + 1,
                           original + 1);
        }
        count += e->diagnosis->idle[q] && original < 0;
    }
    if (!count) {
        return;
    }
    lf_remark_begin(e->remarks, "note", NULL);
    lf_remark_text(e->remarks, count == 1 ? "Force " : "Forces ");
    for (int q = 0; q < e->diagnosis->force_count; q++) {
        if (e->diagnosis->idle[q] && original_cycle(e, q) < 0) {
            const char *separator = lf_list_separator(listed++, count), *name = e->model->forces[q].name;
            if (name) {
                lf_remark_text(e->remarks, "%s%s", separator, name);
            } else {
                lf_remark_text(e->remarks, "%s%d", separator, q + 1);
            }
        }
    }
    lf_remark_text(e->remarks, count == 1 ? " is idle: it explains" : " are idle: each explains");
    lf_remark_text(e->remarks, " less than 1 %% of every output.");
}

lf_status lf_verdict_create(lf_context *ctx, const lf_model *model, lf_verdict **verdict)
{
    lf_diagnosis *diagnosis = NULL;
    lf_remarks remarks = {0};
    *verdict = NULL;
    lf_status status = lf_diagnosis_restore(ctx, model, &diagnosis);
    const lf_verdict_evidence e = {
        .model = model, .provenance = model->provenance, .diagnosis = diagnosis, .remarks = &remarks};
    if (!status) {
        tell_convergence(&e);
        if (diagnosis) {
            tell_shares(&e);
            tell_idle(&e);
            lf_verdict_residuals(&e);
        }
        tell_size(&e);
        status = model->provenance ? lf_verdict_parameters(ctx, &e) : LF_OK;
    }
    status = lf_remarks_finish(ctx, status, &remarks, verdict);
    lf_diagnosis_free(diagnosis);
    return status;
}
