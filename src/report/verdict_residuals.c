/* Sentences about outputs whose residuals do not look like noise: one for each test that fails, with the output that fails it most. */
#include <math.h>
#include <string.h>

#include "base/timestamp.h"
#include "report/verdict.h"

#define STRONG 0.5 /* a correlation of errors that changes predictions, and not only constants */

static const lf_output_diagnosis *of(const lf_verdict_evidence *e, int d) { return &e->diagnosis->outputs[d]; }
static int is_autocorrelated(const lf_verdict_evidence *e, int d) { return of(e, d)->autocorrelated; }
static int is_not_white(const lf_verdict_evidence *e, int d)
{
    return of(e, d)->not_white && !of(e, d)->autocorrelated;
}
static double worst_correlation(const lf_output_diagnosis *output);
/* Errors that depend on each other so much that the model misses a part of the output. */
static int is_missed(const lf_verdict_evidence *e, int d)
{
    return of(e, d)->autocorrelated && !of(e, d)->interpolated && worst_correlation(of(e, d)) >= STRONG;
}
/* Unequal scatter makes all residuals together look like a few outliers; outliers where a known input jumps, and what a model misses, look
 * like unequal scatter: one of them is told. */
static int has_jumps(const lf_verdict_evidence *e, int d) { return of(e, d)->not_normal && of(e, d)->jump_input >= 0; }
static int is_uneven(const lf_verdict_evidence *e, int d)
{
    return of(e, d)->uneven_scatter && !has_jumps(e, d) && !is_missed(e, d);
}
static int is_not_normal(const lf_verdict_evidence *e, int d) { return of(e, d)->not_normal && !is_uneven(e, d); }
static int is_too_narrow(const lf_verdict_evidence *e, int d) { return of(e, d)->too_narrow; }
static int is_interpolated(const lf_verdict_evidence *e, int d)
{
    return of(e, d)->interpolated && !of(e, d)->constant && of(e, d)->noise >= 0;
}
/* Without noise, constant, or of a few rows. */
static int is_not_judged(const lf_verdict_evidence *e, int d)
{
    return of(e, d)->rows && isnan(of(e, d)->normality_p) && !of(e, d)->constant && !is_interpolated(e, d);
}

/* The largest autocorrelation, of which the lag follows. */
static size_t worst_lag(const lf_output_diagnosis *output)
{
    size_t worst = 0;
    for (size_t k = 1; k < output->lag_count; k++) {
        worst = fabs(output->autocorrelation[k]) > fabs(output->autocorrelation[worst]) ? k : worst;
    }
    return worst;
}

/* How far an output fails a test. */
static double worst_correlation(const lf_output_diagnosis *output)
{
    return output->lag_count ? fabs(output->autocorrelation[worst_lag(output)]) : 0;
}
static double periodogram_of(const lf_output_diagnosis *output) { return output->periodogram; }
static double scatter_of(const lf_output_diagnosis *output) { return output->scatter_ratio; }
static double outlier_of(const lf_output_diagnosis *output) { return fabs(output->largest_residual); }
static double missed_of(const lf_output_diagnosis *output) { return 1 - output->coverage95; }

/* "35 % of their variance at periods around 1 d, expected 6 %". */
static void add_peak(const lf_verdict_evidence *e, const lf_output_diagnosis *output)
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

/* "t = 12.5": a place along the input. */
static void add_place(const lf_verdict_evidence *e, const char *before, double x)
{
    char at[LF_TIMESTAMP_SIZE], heading[128];
    lf_model_format_input(e->model, 0, x, sizeof at, at);
    lf_model_input_heading(e->model, 0, sizeof heading, heading);
    lf_remark_text(e->remarks, "%s%s = %s", before, heading, at);
}

static void detail_autocorrelation(const lf_verdict_evidence *e, int d)
{
    const lf_output_diagnosis *output = of(e, d);
    size_t worst = worst_lag(output);
    if (output->lag_count && output->innovations) {
        lf_remark_text(e->remarks, "correlation %.2f at lag %zu, expected within +-%.2f",
                       output->autocorrelation[worst], worst + 1, 1.96 / sqrt((double)output->innovations));
    }
    if (output->not_white && output->peak_share > 0) {
        lf_remark_text(e->remarks, "; ");
        add_peak(e, output);
    }
}

static void detail_periodogram(const lf_verdict_evidence *e, int d)
{
    if (of(e, d)->peak_share > 0) {
        add_peak(e, of(e, d));
    } else {
        lf_remark_text(e->remarks, "their cumulative periodogram is %.2f away from that of noise",
                       of(e, d)->periodogram);
    }
}

static void detail_shape(const lf_verdict_evidence *e, int d)
{
    const lf_output_diagnosis *output = of(e, d);
    lf_remark_text(e->remarks, "skewness %.1f, excess kurtosis %.1f, expected 0", output->skewness,
                   output->excess_kurtosis);
    if (isfinite(output->largest_at) && e->model->input_dim == 1) {
        lf_remark_text(e->remarks, "; the largest is %.1f standard deviations", output->largest_residual);
        add_place(e, ", at ", output->largest_at);
    }
}

static void detail_scatter(const lf_verdict_evidence *e, int d)
{
    const lf_output_diagnosis *output = of(e, d);
    if (isfinite(output->scatter_ratio)) {
        lf_remark_text(e->remarks, "%.0f times as large", output->scatter_ratio);
    } else {
        lf_remark_text(e->remarks, "much larger");
    }
    add_place(e, " around ", output->scatter_most_at);
    add_place(e, " as around ", output->scatter_least_at);
}

static void detail_coverage(const lf_verdict_evidence *e, int d)
{
    lf_remark_text(e->remarks, "they cover %.0f %% of the readings when each is left out", 100 * of(e, d)->coverage95);
}

/* Whether constants are what the model is about: those of equations, or of an operator that was asked for. */
static int has_wanted_constants(const lf_verdict_evidence *e)
{
    return e->model->system || json_is_true(json_object_get(e->provenance, "operator_given"));
}

/* The known input that jumps where an output has its outliers. */
static void add_jumps(const lf_verdict_evidence *e)
{
    for (int d = 0; d < e->model->output_count; d++) {
        if (is_not_normal(e, d) && of(e, d)->jump_input >= 0) {
            const char *input = e->model->known[of(e, d)->jump_input].name;
            lf_remark_text(e->remarks,
                           " The outliers are where %s jumps, which is taken as linear between its readings: if it is "
                           "constant from one to the next, say so (%s%s%sconstant).",
                           input, e->model->system ? "input " : "--input ", input, e->model->system ? " " : "=");
            return;
        }
    }
}

/* A sentence for all outputs that fail a test: "BEFORE a, b and c AFTER (b: DETAIL): ADVICE". */
typedef struct failed_test {
    lf_output_test test;
    double (*size)(const lf_output_diagnosis *output);
    void (*detail)(const lf_verdict_evidence *e, int d);
    const char *before, *after;
    lf_remark_kind kind;
} failed_test;

static int add_failure(const lf_verdict_evidence *e, const failed_test *t, const char *severity, const char *advice)
{
    int worst = -1, count = lf_verdict_count(e, t->test);
    for (int d = 0; d < e->model->output_count; d++) {
        if (t->test(e, d) && (worst < 0 || t->size(of(e, d)) > t->size(of(e, worst)))) {
            worst = d;
        }
    }
    if (count) {
        lf_remark_begin(e->remarks, t->kind, severity, count == 1 ? lf_verdict_name(e, worst) : NULL);
        lf_verdict_list(e, t->test, t->before, t->after);
        lf_remark_text(e->remarks, " (");
        if (count > 1) {
            lf_remark_text(e->remarks, "most of all %s: ", lf_verdict_name(e, worst));
        }
        t->detail(e, worst);
        lf_remark_text(e->remarks, ")%s", advice);
    }
    return count;
}

/* What to change, and whether the rest is described. */
static const char *remedy_of_dependence(const lf_verdict_evidence *e, int missed)
{
    int lacks_private = e->model->output_count > 1 && !e->model->outputs[0].has_private;
    return e->model->system
               ? ": the equations or the forces do not describe all of it, and the constants may be wrong. "
                 "Add a force or a state to the equations."
           : missed && lacks_private
               ? ": the model misses a part of it, and the constants may be wrong. Give each output a private force: "
                 "leave out --no-private"
           : missed || has_wanted_constants(e)
               ? ": the equation or the forces do not describe all of it, and the constants may be wrong. Compare "
                 "other "
                 "models: --operator auto --force-kernel auto"
               : ": forecasts of the next readings could be better. Compare other models: --operator auto "
                 "--force-kernel auto";
}

static int add_dependence(const lf_verdict_evidence *e)
{
    int missed = lf_verdict_count(e, is_missed), warns = missed || has_wanted_constants(e);
    const failed_test correlated = {is_autocorrelated,      worst_correlation,
                                    detail_autocorrelation, "One-step-ahead errors of ",
                                    " are autocorrelated",  missed ? LF_REMARK_PREDICTIONS : LF_REMARK_CONSTANTS},
                      coloured = {is_not_white,     periodogram_of,     detail_periodogram, "One-step-ahead errors of ",
                                  " are not white", LF_REMARK_CONSTANTS};
    return add_failure(e, &correlated, warns ? "warning" : "note", remedy_of_dependence(e, missed)) +
           add_failure(e, &coloured, has_wanted_constants(e) ? "warning" : "note", remedy_of_dependence(e, 0));
}

static int add_outliers(const lf_verdict_evidence *e)
{
    static const failed_test t = {is_not_normal,       outlier_of,        detail_shape,
                                  "The residuals of ", " are not normal", LF_REMARK_PREDICTIONS};
    int count = add_failure(
        e, &t, "warning",
        ": outliers or jumps, which widen the intervals and shift constants. Check these rows; "
        "leave wrong readings empty, or fit with --likelihood student, which gives outliers little weight.");
    if (count) {
        add_jumps(e);
    }
    return count;
}

static int add_scatter(const lf_verdict_evidence *e)
{
    static const failed_test t = {is_uneven,
                                  scatter_of,
                                  detail_scatter,
                                  "The scatter of ",
                                  " is not the same along the rows",
                                  LF_REMARK_PREDICTIONS};
    return add_failure(
        e, &t, "warning",
        ": the model has one noise for all rows, so intervals are too wide where readings are calm and "
        "too narrow elsewhere. If the scatter grows with the level, fit the logarithm; otherwise give the "
        "standard error of each reading in a column sd.");
}

static int add_coverage(const lf_verdict_evidence *e)
{
    static const failed_test t = {is_too_narrow,        missed_of,          detail_coverage,
                                  "95 % intervals of ", " look too narrow", LF_REMARK_PREDICTIONS};
    return add_failure(e, &t, "warning",
                       e->model->system ? ". The equations may lack a force or a state, or the noise is fixed too low."
                                        : ". Compare other models: --operator auto --force-kernel auto");
}

static void add_interpolation(const lf_verdict_evidence *e)
{
    int count = lf_verdict_count(e, is_interpolated);
    if (count) {
        lf_remark_begin(e->remarks, LF_REMARK_PREDICTIONS, "note", NULL);
        lf_verdict_list(e, is_interpolated, "The noise of ", " is next to 0");
        lf_remark_text(e->remarks,
                       ": the curve passes through every reading, and residuals say nothing. If the readings "
                       "have errors, give their standard error in a column sd.");
    }
}

void lf_verdict_residuals(const lf_verdict_evidence *e)
{
    size_t judged = 0;
    double covered = 0;
    int failures = add_coverage(e) + add_scatter(e) + add_outliers(e) + add_dependence(e);
    add_interpolation(e);
    for (int d = 0; d < e->model->output_count; d++) {
        const lf_output_diagnosis *output = of(e, d);
        int counts = !isnan(output->normality_p) && !output->constant;
        judged += counts ? output->rows : 0;
        covered += counts ? output->coverage95 * (double)output->rows : 0;
    }
    if (lf_verdict_count(e, is_not_judged)) {
        lf_remark_add(e->remarks, LF_REMARK_HARMLESS, "note", NULL,
                      "The residuals of outputs with fewer than 20 rows or without noise are not judged.");
    } else if (!failures && judged) {
        lf_remark_add(e->remarks, LF_REMARK_FINE, "good", NULL,
                      "The residuals look like noise, and 95 %% intervals cover %.0f %% of the readings when each is "
                      "left out.",
                      100 * covered / (double)judged);
    }
}
