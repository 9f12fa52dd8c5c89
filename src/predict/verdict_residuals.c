/* Sentences about outputs whose residuals do not look like noise. */
#include <math.h>

#include "predict/verdict.h"

enum { FEW = 3 }; /* outputs that get a sentence each */

static int is_autocorrelated(const lf_verdict_evidence *e, int d) { return e->diagnosis->outputs[d].autocorrelated; }
static int is_not_white(const lf_verdict_evidence *e, int d)
{
    const lf_output_diagnosis *output = &e->diagnosis->outputs[d];
    return !output->autocorrelated && output->periodogram_p < 0.001 && output->periodogram >= 0.15;
}
static int is_not_normal(const lf_verdict_evidence *e, int d) { return e->diagnosis->outputs[d].not_normal; }
static int is_too_narrow(const lf_verdict_evidence *e, int d) { return e->diagnosis->outputs[d].too_narrow; }

static void tell_autocorrelation(const lf_verdict_evidence *e, int d)
{
    const lf_output_diagnosis *output = &e->diagnosis->outputs[d];
    size_t worst = 0;
    for (size_t k = 1; k < output->lag_count; k++) {
        worst = fabs(output->autocorrelation[k]) > fabs(output->autocorrelation[worst]) ? k : worst;
    }
    if (output->lag_count && output->innovations) {
        lf_remark_add(
            e->remarks, "warning", lf_verdict_name(e, d),
            "The residuals of %s are autocorrelated (correlation %.2f at lag %zu, expected within +-%.2f): the "
            "equation or the forces do not describe %s; do not trust the constants of %s.",
            lf_verdict_name(e, d), output->autocorrelation[worst], worst + 1, 1.96 / sqrt((double)output->innovations),
            lf_verdict_name(e, d), lf_verdict_name(e, d));
    }
}

static void tell_normality(const lf_verdict_evidence *e, int d)
{
    const lf_output_diagnosis *output = &e->diagnosis->outputs[d];
    lf_remark_add(e->remarks, "warning", lf_verdict_name(e, d),
                  "The residuals of %s are not normal (skewness %.1f, excess kurtosis %.1f, expected 0): outliers or "
                  "jumps; do not trust the constants of %s.",
                  lf_verdict_name(e, d), output->skewness, output->excess_kurtosis, lf_verdict_name(e, d));
}

static void tell_periodogram(const lf_verdict_evidence *e, int d)
{
    lf_remark_add(e->remarks, "warning", lf_verdict_name(e, d),
                  "The residuals of %s are not white: their cumulative periodogram is %.2f away from that of noise "
                  "(p = %.1g); the equation or the forces miss slow or fast parts of %s.",
                  lf_verdict_name(e, d), e->diagnosis->outputs[d].periodogram, e->diagnosis->outputs[d].periodogram_p,
                  lf_verdict_name(e, d));
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
                                 "are not white by their cumulative periodograms: the equation or the forces miss slow "
                                 "or fast parts of them.") +
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
