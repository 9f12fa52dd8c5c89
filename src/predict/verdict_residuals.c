/* Sentences about outputs whose residuals do not look like noise. */
#include <math.h>

#include "base/timestamp.h"
#include "predict/verdict.h"

enum { FEW = 3 }; /* outputs that get a sentence each */

static int is_autocorrelated(const lf_verdict_evidence *e, int d) { return e->diagnosis->outputs[d].autocorrelated; }
static int is_not_white(const lf_verdict_evidence *e, int d)
{
    return e->diagnosis->outputs[d].not_white && !e->diagnosis->outputs[d].autocorrelated;
}
static int is_not_normal(const lf_verdict_evidence *e, int d) { return e->diagnosis->outputs[d].not_normal; }
static int is_too_narrow(const lf_verdict_evidence *e, int d) { return e->diagnosis->outputs[d].too_narrow; }

/* "35 % of their variance at periods around 1 d, expected 6 %". */
static void tell_peak(const lf_verdict_evidence *e, const lf_output_diagnosis *output)
{
    static const char *const sides[] = {"below", "around", "beyond"};
    const char *unit = lf_model_axis(e->model, 0)->unit;
    int timed = isfinite(output->spacing);
    lf_remark_text(e->remarks, "%.0f %% of their variance at periods %s %.2g%s%s, expected %.0f %%",
                   100 * output->peak_share, sides[output->peak_side + 1],
                   output->peak_period * (timed ? output->spacing : 1), timed && !unit ? "" : " ",
                   !timed ? "rows"
                   : unit ? unit
                          : "",
                   100 * output->peak_expected);
}

static void tell_autocorrelation(const lf_verdict_evidence *e, int d)
{
    const lf_output_diagnosis *output = &e->diagnosis->outputs[d];
    const char *name = lf_verdict_name(e, d);
    size_t worst = 0;
    for (size_t k = 1; k < output->lag_count; k++) {
        worst = fabs(output->autocorrelation[k]) > fabs(output->autocorrelation[worst]) ? k : worst;
    }
    if (output->lag_count && output->innovations) {
        lf_remark_begin(e->remarks, "warning", name);
        lf_remark_text(e->remarks,
                       "The residuals of %s are autocorrelated (correlation %.2f at lag %zu, expected within +-%.2f",
                       name, output->autocorrelation[worst], worst + 1, 1.96 / sqrt((double)output->innovations));
        if (output->not_white && output->peak_share > 0) {
            lf_remark_text(e->remarks, "; ");
            tell_peak(e, output);
        }
        lf_remark_text(e->remarks,
                       "): the equation or the forces do not describe %s; do not trust the constants of %s.", name,
                       name);
    }
}

static void tell_periodogram(const lf_verdict_evidence *e, int d)
{
    const lf_output_diagnosis *output = &e->diagnosis->outputs[d];
    const char *name = lf_verdict_name(e, d);
    lf_remark_begin(e->remarks, "warning", name);
    lf_remark_text(e->remarks, "The residuals of %s are not white (", name);
    if (output->peak_share > 0) {
        tell_peak(e, output);
    } else {
        lf_remark_text(e->remarks, "their cumulative periodogram is %.2f away from that of noise", output->periodogram);
    }
    lf_remark_text(e->remarks,
                   "): a force or a state of the equations may be missing; do not trust the constants of %s.", name);
}

static void tell_normality(const lf_verdict_evidence *e, int d)
{
    const lf_output_diagnosis *output = &e->diagnosis->outputs[d];
    const char *name = lf_verdict_name(e, d);
    lf_remark_begin(e->remarks, "warning", name);
    lf_remark_text(e->remarks, "The residuals of %s are not normal (skewness %.1f, excess kurtosis %.1f, expected 0",
                   name, output->skewness, output->excess_kurtosis);
    if (isfinite(output->largest_at) && e->model->input_dim == 1) {
        char at[LF_TIMESTAMP_SIZE], heading[128];
        lf_model_format_input(e->model, 0, output->largest_at, sizeof at, at);
        lf_model_input_heading(e->model, 0, sizeof heading, heading);
        lf_remark_text(e->remarks, "; the largest is %.1f standard deviations, at %s = %s", output->largest_residual,
                       heading, at);
    }
    lf_remark_text(e->remarks, "): outliers or jumps; do not trust the constants of %s.", name);
    if (output->jump_input >= 0) {
        const char *input = e->model->known[output->jump_input].name;
        lf_remark_text(e->remarks,
                       " The outliers are where %s jumps, which is taken as linear between its readings: if it is "
                       "constant from one to the next, say so (%s%s%sconstant).",
                       input, e->model->system ? "input " : "--input ", input, e->model->system ? " " : "=");
    }
}

static void tell_coverage(const lf_verdict_evidence *e, int d)
{
    lf_remark_add(e->remarks, "warning", lf_verdict_name(e, d),
                  "95 %% intervals of %s cover %.0f %% of its readings when each is left out: they look too narrow.",
                  lf_verdict_name(e, d), 100 * e->diagnosis->outputs[d].coverage95);
}

/* A sentence for each output that fails a test or, where many fail, one for all of them. */
static int tell_failures(const lf_verdict_evidence *e, int (*test)(const lf_verdict_evidence *e, int d),
                         void (*tell)(const lf_verdict_evidence *e, int d), const char *what, const char *advice)
{
    int count = 0, D = e->model->output_count;
    for (int d = 0; d < D; d++) {
        count += test(e, d) != 0;
    }
    for (int d = 0; d < D && count <= FEW; d++) {
        if (test(e, d)) {
            tell(e, d);
        }
    }
    if (count > FEW) {
        lf_remark_begin(e->remarks, "warning", NULL);
        lf_remark_text(e->remarks, "%s", what);
        if (count < D) {
            lf_remark_text(e->remarks, " %d of %d outputs", count, D);
            lf_verdict_list(e, test, " (", ")");
        } else {
            lf_remark_text(e->remarks, " all %d outputs", D);
        }
        lf_remark_text(e->remarks, " %s", advice);
    }
    return count;
}

void lf_verdict_residuals(const lf_verdict_evidence *e)
{
    size_t rows = 0, judged = 0;
    double covered = 0;
    int failures = tell_failures(e, is_autocorrelated, tell_autocorrelation, "The residuals of",
                                 "are autocorrelated: the equation or the forces do not describe them; do not trust "
                                 "the constants of these outputs.") +
                   tell_failures(e, is_not_white, tell_periodogram, "The residuals of",
                                 "are not white: forces or states of the equations may be missing; do not trust the "
                                 "constants of these outputs.") +
                   tell_failures(e, is_not_normal, tell_normality, "The residuals of",
                                 "are not normal: outliers or jumps; do not trust the constants of these outputs.") +
                   tell_failures(e, is_too_narrow, tell_coverage, "95 % intervals of",
                                 "look too narrow: they cover less than 90 % of the readings when each is left out.");
    for (int d = 0; d < e->model->output_count; d++) {
        const lf_output_diagnosis *output = &e->diagnosis->outputs[d];
        rows += output->rows;
        judged += isnan(output->normality_p) ? 0 : output->rows;
        covered += isnan(output->coverage95) ? 0 : output->coverage95 * (double)output->rows;
    }
    if (!failures && judged && judged == rows) {
        lf_remark_add(e->remarks, "good", NULL,
                      "The residuals look like noise, and 95 %% intervals cover %.0f %% of the readings when each is "
                      "left out.",
                      100 * covered / (double)rows);
    } else if (judged < rows) {
        lf_remark_add(e->remarks, "note", NULL,
                      "The residuals of outputs with fewer than 20 rows or without noise are not judged.");
    }
}
