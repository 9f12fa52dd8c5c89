/* Tables of the panels of a report. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/table.h"
#include "page/report.h"

/* Mean, sd, the interval of an output itself, and that of a new observation. */
static void add_curve(const lf_report *report, const lf_report_panel *panel, lf_latent f, lf_table *table)
{
    double bounds[4];
    lf_latent mean = lf_report_mean(report, panel, f);
    lf_report_bounds(report, panel, f, bounds);
    lf_table_add_number(table, mean.mean);
    lf_table_add_number(table, sqrt(mean.variance));
    for (int k = 0; k < 4; k++) {
        lf_table_add_number(table, bounds[k]);
    }
}

/* One input. An interval of an output itself, and one of a new observation, with noise. */
static lf_status curve_table(lf_context *ctx, lf_report *report, const lf_report_panel *panel, lf_table **table)
{
    static const lf_table_heading headings[] = {
        {"x", LF_NUMBERS},     {"mean", LF_NUMBERS},      {"sd", LF_NUMBERS},       {"lower", LF_NUMBERS},
        {"upper", LF_NUMBERS}, {"lower_new", LF_NUMBERS}, {"upper_new", LF_NUMBERS}};
    lf_status status = lf_report_predict_grid(ctx, report);
    LF_TRY(status, lf_table_create(ctx, sizeof headings / sizeof *headings, headings, table));
    for (size_t i = 0; !status && i < report->points; i++) {
        size_t at = panel->place * report->points + i;
        lf_table_add_number(*table, report->grid[i]);
        add_curve(report, panel, (lf_latent){report->mean[at], report->variance[at]}, *table);
    }
    return status;
}

/* Two inputs; the second runs fastest. */
static lf_status map_table(lf_context *ctx, lf_report *report, const lf_report_panel *panel, lf_table **table)
{
    static const lf_table_heading headings[] = {
        {"x1", LF_NUMBERS}, {"x2", LF_NUMBERS}, {"mean", LF_NUMBERS}, {"sd", LF_NUMBERS}};
    lf_status status = lf_report_predict_grid(ctx, report);
    LF_TRY(status, lf_table_create(ctx, sizeof headings / sizeof *headings, headings, table));
    for (size_t i = 0; !status && i < report->points; i++) {
        size_t at = panel->place * report->points + i;
        lf_table_add_number(*table, report->grid[2 * i]);
        lf_table_add_number(*table, report->grid[2 * i + 1]);
        lf_latent mean = lf_report_mean(report, panel, (lf_latent){report->mean[at], report->variance[at]});
        lf_table_add_number(*table, mean.mean);
        lf_table_add_number(*table, sqrt(mean.variance));
    }
    return status;
}

/* "x", or "x1", …, then the value with the interval of its own error, and with several inputs what is predicted there. */
static lf_status create_rows(lf_context *ctx, int inputs, lf_table **table)
{
    enum { OTHERS = 6 };
    static const lf_table_heading others[OTHERS] = {{"y", LF_NUMBERS},   {"lower", LF_NUMBERS}, {"upper", LF_NUMBERS},
                                                    {"split", LF_WORDS}, {"mean", LF_NUMBERS},  {"sd", LF_NUMBERS}};
    size_t p = (size_t)inputs, count = p + (p > 1 ? OTHERS : OTHERS - 2);
    lf_table_heading *headings = calloc(count, sizeof *headings);
    char(*names)[16] = calloc(p, sizeof *names);
    for (size_t k = 0; headings && names && k < p; k++) {
        snprintf(names[k], sizeof names[k], p > 1 ? "x%zu" : "x", k + 1);
        headings[k] = (lf_table_heading){names[k], LF_NUMBERS};
    }
    for (size_t k = p; headings && k < count; k++) {
        headings[k] = others[k - p];
    }
    lf_status status = headings && names ? lf_table_create(ctx, count, headings, table) : lf_no_memory(ctx);
    free(headings);
    free(names);
    return status;
}

static lf_status rows_table(lf_context *ctx, lf_report *report, const lf_report_panel *panel, lf_table **table)
{
    int p = report->model->input_dim;
    char *keep = calloc(panel->count + 1, 1);
    lf_status status = keep ? create_rows(ctx, p, table) : lf_no_memory(ctx);
    LF_TRY(status, lf_report_thin_rows(ctx, report, panel, keep));
    if (p > 1) {
        LF_TRY(status, lf_report_predict_rows(ctx, report));
    }
    for (size_t i = 0; !status && i < panel->count; i++) {
        const lf_report_row *row = &report->rows[panel->first + i];
        double reach = report->settings.reach * row->sd;
        for (int k = 0; keep[i] && k < p; k++) {
            lf_table_add_number(*table, row->x[k]);
        }
        if (keep[i]) {
            lf_table_add_number(*table, row->y);
            lf_table_add_number(*table, row->y - reach);
            lf_table_add_number(*table, row->y + reach);
            lf_table_add_word(*table, row->test ? "test" : "train");
        }
        if (keep[i] && p > 1) {
            lf_latent mean = lf_report_mean(report, panel, (lf_latent){row->mean, row->variance});
            lf_table_add_number(*table, mean.mean);
            lf_table_add_number(*table, sqrt(mean.variance));
        }
    }
    free(keep);
    return status;
}

static lf_status readings_table(lf_context *ctx, lf_report *report, const lf_report_panel *panel, lf_table **table)
{
    static const lf_table_heading headings[] = {{"x", LF_NUMBERS}, {"value", LF_NUMBERS}};
    double *x = NULL, *y = NULL;
    size_t n = 0, total;
    lf_status status = lf_report_readings(ctx, report, panel, &n, &x, &y, &total);
    LF_TRY(status, lf_table_create(ctx, 2, headings, table));
    for (size_t i = 0; !status && i < n; i++) {
        lf_table_add_number(*table, x[i]);
        lf_table_add_number(*table, y[i]);
    }
    free(x);
    free(y);
    return status;
}

/* Which panels have which tables. */
typedef lf_status (*lf_panel_table)(lf_context *ctx, lf_report *report, const lf_report_panel *panel, lf_table **table);
static const struct {
    const char *what;
    int inputs;                   /* of the model; 0: any */
    int target, known, residuals; /* of which panels */
    lf_panel_table make;
} tables[] = {{"curve", 1, 1, 0, 0, curve_table},
              {"map", 2, 1, 0, 0, map_table},
              {"rows", 0, 1, 0, 0, rows_table},
              {"readings", 1, 0, 1, 0, readings_table},
              {"errors", 1, 0, 0, 1, lf_errors_table},
              {"autocorrelation", 0, 0, 0, 1, lf_autocorrelation_table},
              {"periodogram", 1, 0, 0, 1, lf_periodogram_table},
              {"quantiles", 0, 0, 0, 1, lf_quantiles_table},
              {"diagnosis", 0, 0, 0, 1, lf_diagnosis_table}};

static int has_table(const lf_report *report, const lf_report_panel *panel, size_t i)
{
    int known = panel->kind == LF_KIND_KNOWN, p = report->model->input_dim;
    return (tables[i].inputs == 0 || tables[i].inputs == p) && (panel->residuals ? tables[i].residuals
                                                                : known          ? tables[i].known
                                                                                 : tables[i].target);
}

lf_status lf_report_table(lf_context *ctx, lf_report *report, size_t panel, const char *what, lf_table **table)
{
    enum { COUNT = sizeof tables / sizeof *tables };
    char expected[200] = "";
    *table = NULL;
    if (!report || panel >= report->panel_count) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "there is no panel %zu of %zu", panel, report ? report->panel_count : 0);
    }
    const lf_report_panel *of = &report->panel[panel];
    for (size_t i = 0; i < COUNT; i++) {
        if (!has_table(report, of, i)) {
            continue;
        }
        if (what && strcmp(tables[i].what, what) == 0) {
            lf_status status = tables[i].make(ctx, report, of, table);
            LF_TRY(status, lf_table_check(ctx, *table));
            if (status) {
                lf_table_free(*table);
                *table = NULL;
            }
            return status;
        }
        size_t used = strlen(expected);
        snprintf(expected + used, sizeof expected - used, used ? ", %s" : "%s", tables[i].what);
    }
    return lf_fail(ctx, LF_ERROR_ARGUMENT, "panel %zu (%s) has no table '%s'; expected %s", panel, of->name,
                   what ? what : "", expected);
}
