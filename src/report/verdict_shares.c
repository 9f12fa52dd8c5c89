/* Sentences about what explains the outputs: shares of parts, outputs that nothing explains, idle forces. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/verdict.h"

#define NOTHING 0.9 /* noise: the rest explains next to nothing */
#define CANCELS 2.0 /* cancellation of parts that is told */
enum {
    MOST_LISTED = 6, /* outputs of which each share is listed */
    MOST_PARTS = 2,  /* outputs of which each part is listed */
    NAME_SIZE = 200
};

static const lf_output_diagnosis *of(const lf_verdict_evidence *e, int d) { return &e->diagnosis->outputs[d]; }
static int is_known(const lf_verdict_evidence *e, int d) { return !isnan(of(e, d)->shared); }
static int is_constant(const lf_verdict_evidence *e, int d) { return of(e, d)->constant; }
static int is_unexplained(const lf_verdict_evidence *e, int d) { return of(e, d)->noise > NOTHING; }
static int is_noise(const lf_verdict_evidence *e, int d)
{
    return of(e, d)->shared < 0.5 && of(e, d)->noise > 0.5 && of(e, d)->noise <= NOTHING;
}
static int is_private(const lf_verdict_evidence *e, int d)
{
    return of(e, d)->shared < 0.5 && of(e, d)->private_force + of(e, d)->start > 0.5;
}

/* ---- one output: all of its parts ---- */

typedef struct part {
    char name[NAME_SIZE];
    double share;
} part;

static int compare_parts(const void *left, const void *right)
{
    double a = ((const part *)left)->share, b = ((const part *)right)->share;
    return a > b ? -1 : a < b;
}

/* "gains", "force 2" or "force 2 (cycle of 24 h)". */
static void name_force(const lf_model *model, int q, char *name)
{
    const lf_force *force = &model->forces[q];
    const char *unit = lf_model_axis(model, 0)->unit;
    double period = 0;
    for (int i = 0; lf_force_is_composed(force) && i < force->term_count; i++) {
        period = fmax(period, force->terms[i].modulation ? force->terms[i].period : 0);
    }
    int used =
        force->name ? snprintf(name, NAME_SIZE, "%s", force->name) : snprintf(name, NAME_SIZE, "force %d", q + 1);
    if (period > 0 && used > 0 && used < NAME_SIZE) {
        snprintf(name + used, (size_t)(NAME_SIZE - used), " (cycle of %.4g%s%s)", period, unit ? " " : "",
                 unit ? unit : "");
    }
}

/* Parts are numbered: known inputs, forces, and then these. */
static const char *const others[] = {"white forces", "private force", "initial state", "noise"};
enum { OTHERS = sizeof others / sizeof *others };

static void name_part(const lf_model *model, int k, char *name)
{
    int K = model->known_count, Q = model->force_count;
    if (k >= K && k < K + Q) {
        name_force(model, k - K, name);
    } else {
        snprintf(name, NAME_SIZE, "%s", k < K ? model->known[k].name : others[k - K - Q]);
    }
}

static double share_of(const lf_verdict_evidence *e, int d, int k)
{
    const lf_output_diagnosis *output = of(e, d);
    int K = e->model->known_count, Q = e->model->force_count;
    const double rest[OTHERS] = {output->process, output->private_force, output->start, output->noise};
    double share = k < K ? output->inputs[k] : k < K + Q ? output->forces[k - K] : rest[k - K - Q];
    return isfinite(share) ? share : 0;
}

/* The parts of an output, or their averages over all outputs (d = -1). */
static void collect_parts(const lf_verdict_evidence *e, int d, int count, part *parts)
{
    int known = d < 0 ? lf_verdict_count(e, is_known) : 1;
    for (int k = 0; k < count; k++) {
        name_part(e->model, k, parts[k].name);
        for (int i = 0; i < e->model->output_count; i++) {
            parts[k].share += (d < 0 ? is_known(e, i) : i == d) ? share_of(e, i, k) / known : 0;
        }
    }
}

/* "Qh 92 %, initial state 5 %, noise 0.3 %": parts below half a per cent are left out, but the noise. */
static void list_parts(const lf_verdict_evidence *e, int d)
{
    int count = e->model->known_count + e->model->force_count + OTHERS, listed = 0;
    part *parts = calloc((size_t)count, sizeof *parts);
    char percent[LF_PERCENT_SIZE];
    if (!parts) {
        e->remarks->failed = 1;
        return;
    }
    collect_parts(e, d, count, parts);
    double noise = parts[count - 1].share;
    qsort(parts, (size_t)count - 1, sizeof *parts, compare_parts);
    for (int k = 0; k + 1 < count; k++) {
        if (parts[k].share >= 0.005) {
            lf_remark_text(e->remarks, "%s%s %s %%", listed++ ? ", " : "", parts[k].name,
                           lf_percent(parts[k].share, percent));
        }
    }
    lf_remark_text(e->remarks, "%snoise %s %%", listed ? ", " : "", lf_percent(noise, percent));
    free(parts);
}

static void add_parts(const lf_verdict_evidence *e, int d)
{
    int good =
        d < 0 ? lf_verdict_count(e, is_noise) + lf_verdict_count(e, is_unexplained) == 0 : !(of(e, d)->noise >= 0.5);
    double cancellation = d < 0 ? 0 : of(e, d)->cancellation;
    lf_remark_begin(e->remarks, LF_REMARK_SHARES, good ? "good" : "note", d < 0 ? NULL : lf_verdict_name(e, d));
    if (d < 0) {
        lf_remark_text(e->remarks, "Variance of the %d outputs, on average: ", e->model->output_count);
    } else {
        int direct = lf_likelihood_is_direct(lf_output_likelihood(&e->model->outputs[d]));
        lf_remark_text(e->remarks, "Variance of %s%s: ", lf_verdict_name(e, d),
                       direct ? "" : ", on the scale of its link");
    }
    list_parts(e, d);
    if (cancellation > CANCELS) {
        lf_remark_text(e->remarks, "; parts cancel each other, their variances add up to %.*f times that of %s",
                       cancellation < 10 ? 1 : 0, cancellation, lf_verdict_name(e, d));
    }
    if (d < 0) {
        lf_verdict_list(e, is_noise, "; mostly noise: ", "");
    }
    lf_remark_text(e->remarks, e->diagnosis->from_prior
                                   ? " (variances of the model: its engine does not split predictions into parts)."
                                   : ".");
}

/* ---- several outputs: what the shared forces explain ---- */

static void list_shares(const lf_verdict_evidence *e, int count)
{
    int listed = 0;
    char percent[LF_PERCENT_SIZE];
    lf_remark_text(e->remarks, "Shared forces explain ");
    for (int d = 0; d < e->model->output_count; d++) {
        if (is_known(e, d)) {
            lf_remark_text(e->remarks, "%s%s %% of %s", lf_list_separator(listed, count),
                           lf_percent(of(e, d)->shared, percent), lf_verdict_name(e, d));
            listed++;
        }
    }
}

static void summarise_shares(const lf_verdict_evidence *e)
{
    int least = -1, most = -1;
    char low[LF_PERCENT_SIZE], high[LF_PERCENT_SIZE];
    for (int d = 0; d < e->model->output_count; d++) {
        if (is_known(e, d)) {
            least = least < 0 || of(e, d)->shared < of(e, least)->shared ? d : least;
            most = most < 0 || of(e, d)->shared > of(e, most)->shared ? d : most;
        }
    }
    lf_percent(of(e, least)->shared, low);
    lf_percent(of(e, most)->shared, high);
    lf_remark_text(e->remarks, "Shared forces explain %s to %s %% of the variance of the %d outputs (lowest: %s)", low,
                   high, e->model->output_count, lf_verdict_name(e, least));
}

/* "; on average private forces 2 %, initial state 0.3 %, noise 1 %": where the rest is. */
static void add_rest(const lf_verdict_evidence *e)
{
    double private_force = 0, start = 0, noise = 0, count = 0;
    char percent[LF_PERCENT_SIZE];
    for (int d = 0; d < e->model->output_count; d++) {
        if (is_known(e, d)) {
            private_force += of(e, d)->private_force;
            start += of(e, d)->start;
            noise += of(e, d)->noise;
            count++;
        }
    }
    const struct {
        const char *name;
        double share;
    } rest[] = {{"private forces", private_force / count}, {"initial states", start / count}, {"noise", noise / count}};
    lf_remark_text(e->remarks, "; the rest, on average: ");
    for (int i = 0, listed = 0; i < 3; i++) {
        if (rest[i].share >= 0.0005 || i == 2) {
            lf_remark_text(e->remarks, "%s%s %s %%", listed++ ? ", " : "", rest[i].name,
                           lf_percent(rest[i].share, percent));
        }
    }
}

static void add_shared(const lf_verdict_evidence *e, int known)
{
    int poor = lf_verdict_count(e, is_private) + lf_verdict_count(e, is_noise) + lf_verdict_count(e, is_unexplained);
    lf_remark_begin(e->remarks, LF_REMARK_SHARES, poor ? "note" : "good", NULL);
    if (known > MOST_LISTED) {
        summarise_shares(e);
    } else {
        list_shares(e, known);
    }
    add_rest(e);
    lf_verdict_list(e, is_private, "; mostly on their own: ", "");
    lf_verdict_list(e, is_noise, "; mostly noise: ", "");
    lf_remark_text(e->remarks, e->diagnosis->from_prior
                                   ? " (variances of the model: its engine does not split predictions into parts)."
                                   : ".");
}

/* ---- nothing to explain, and nothing explained ---- */

static void add_constant(const lf_verdict_evidence *e)
{
    int count = lf_verdict_count(e, is_constant), all = count == e->model->output_count;
    if (count) {
        lf_remark_begin(e->remarks, all ? LF_REMARK_NOTHING : LF_REMARK_SHARES, all ? "warning" : "note", NULL);
        lf_verdict_list(e, is_constant, "", count == 1 ? " is constant" : " are constant");
        lf_remark_text(e->remarks, ": there is nothing to explain. %s",
                       all ? "Check the columns that were read as outputs: --outputs A,B"
                           : "To leave a column out: --drop NAME");
    }
}

static void add_unexplained(const lf_verdict_evidence *e)
{
    int count = lf_verdict_count(e, is_unexplained);
    double least = 1;
    char percent[LF_PERCENT_SIZE];
    for (int d = 0; d < e->model->output_count; d++) {
        least = is_unexplained(e, d) ? fmin(least, of(e, d)->noise) : least;
    }
    if (count) {
        lf_remark_begin(e->remarks, LF_REMARK_NOTHING, "warning", NULL);
        lf_verdict_list(e, is_unexplained, "The model explains next to nothing of ", "");
        lf_remark_text(e->remarks,
                       " (noise %s%s %%): predictions are little more than the average. Check the time column, or try "
                       "a known cycle with --period TIME, or --operator auto",
                       count == 1 ? "" : "at least ", lf_percent(least, percent));
    }
}

/* ---- idle forces ---- */

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

static void add_idle(const lf_verdict_evidence *e)
{
    int count = 0, listed = 0;
    for (int q = 0; q < e->diagnosis->force_count; q++) {
        int original = e->diagnosis->idle[q] ? original_cycle(e, q) : -1;
        if (original >= 0) {
            lf_remark_add(
                e->remarks, LF_REMARK_HARMLESS, "note", NULL,
                "Force %d is idle: it would allow other phases of the cycle of force %d, but all outputs have "
                "the same phase.",
                q + 1, original + 1);
        }
        count += e->diagnosis->idle[q] && original < 0;
    }
    if (!count) {
        return;
    }
    lf_remark_begin(e->remarks, LF_REMARK_HARMLESS, "note", NULL);
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
    lf_remark_text(e->remarks, " less than 1 %% of every output and can be left out.");
}

void lf_verdict_shares(const lf_verdict_evidence *e)
{
    int known = lf_verdict_count(e, is_known), outputs = e->model->output_count;
    add_constant(e);
    add_unexplained(e);
    if (known && (e->model->system || e->model->known_count || outputs == 1)) {
        for (int d = 0; d < outputs && outputs <= MOST_PARTS; d++) {
            if (is_known(e, d)) {
                add_parts(e, d);
            }
        }
        if (outputs > MOST_PARTS) {
            add_parts(e, -1);
        }
    } else if (known && e->model->force_count) {
        add_shared(e, known);
    }
    add_idle(e);
}
