/* The panels of a report: curves at evenly spaced inputs and at the rows that are drawn, maps, and readings of known inputs. */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "page/document.h"
#include "predict/readings.h"

/* A point of a chart. */
typedef struct vertex {
    double x, mean, variance; /* of f */
    const lf_report_row *row; /* the row drawn there, or NULL */
    double bounds[4];         /* through a link: of the output itself and of a new observation, else not used */
} vertex;

typedef struct chart {
    const lf_report *report;
    const lf_report_panel *panel;
    double noise; /* variance of a new observation about the output */
    int link;     /* readings are not in the units of f */
    size_t count;
    vertex *vertices; /* (count) sorted by x */
} chart;

static int compare_vertices(const void *left, const void *right)
{
    const vertex *a = left, *b = right;
    if (a->x != b->x) {
        return a->x < b->x ? -1 : 1;
    }
    if (!a->row || !b->row) {
        return (a->row != NULL) - (b->row != NULL);
    }
    return a->row < b->row ? -1 : a->row > b->row;
}

/* The vertices of a chart: of one input those of the grid, and the rows that are drawn. */
static lf_status fill_chart(lf_context *ctx, chart *c)
{
    const lf_report *report = c->report;
    const lf_report_panel *panel = c->panel;
    size_t points = report->model->input_dim == 1 ? report->points : 0;
    char *keep = calloc(panel->count + 1, 1);
    c->vertices = calloc(points + panel->count + 1, sizeof *c->vertices);
    lf_status status = keep && c->vertices ? lf_report_thin_rows(ctx, report, panel, keep) : lf_no_memory(ctx);
    for (size_t k = 0; !status && k < points; k++) {
        size_t at = panel->place * points + k;
        c->vertices[c->count++] =
            (vertex){.x = report->grid[k], .mean = report->mean[at], .variance = report->variance[at]};
    }
    for (size_t i = 0; !status && i < panel->count; i++) {
        const lf_report_row *row = &report->rows[panel->first + i];
        if (keep[i]) {
            c->vertices[c->count++] =
                (vertex){.x = row->x[0], .mean = row->mean, .variance = row->variance, .row = row};
        }
    }
    if (!status) {
        qsort(c->vertices, c->count, sizeof *c->vertices, compare_vertices);
    }
    for (size_t k = 0; !status && c->link && report->model->input_dim == 1 && k < c->count; k++) {
        vertex *v = &c->vertices[k];
        lf_report_bounds(report, panel, (lf_latent){v->mean, v->variance}, v->bounds);
    }
    free(keep);
    return status;
}

typedef double (*number_of)(const chart *c, const vertex *v);
static double input_of(const chart *c, const vertex *v) { return (void)c, v->x; }
static double mean_of(const chart *c, const vertex *v)
{
    return lf_report_mean(c->report, c->panel, (lf_latent){v->mean, v->variance}).mean;
}
static double lower_of(const chart *c, const vertex *v) { return (void)c, v->bounds[0]; }
static double upper_of(const chart *c, const vertex *v) { return (void)c, v->bounds[1]; }
static double new_lower_of(const chart *c, const vertex *v) { return (void)c, v->bounds[2]; }
static double new_upper_of(const chart *c, const vertex *v) { return (void)c, v->bounds[3]; }
static double value_of(const chart *c, const vertex *v) { return (void)c, v->row->y; }
static double test_of(const chart *c, const vertex *v) { return (void)c, v->row->test; }
static double first_of(const chart *c, const vertex *v) { return (void)c, v->row->x[0]; }
static double second_of(const chart *c, const vertex *v) { return (void)c, v->row->x[1]; }
/* Without a link intervals are symmetric, so that half of each keeps the page small: of the output itself, of a new observation, of the error of a row. */
static double half(const chart *c, double variance) { return c->report->settings.reach * sqrt(variance); }
static double band_of(const chart *c, const vertex *v) { return half(c, v->variance); }
static double new_band_of(const chart *c, const vertex *v)
{
    const lf_output *output = c->panel->kind == LF_KIND_OUTPUT ? &c->report->model->outputs[c->panel->index] : NULL;
    if (!output || !output->likelihood) {
        return half(c, v->variance + c->noise);
    }
    double lower, upper;
    lf_reading reading = lf_reading_of(output, 0, 0);
    lf_reading_interval(output->likelihood, &reading, (lf_latent){v->mean, v->variance}, c->report->settings.level, 0,
                        &lower, &upper);
    return 0.5 * (upper - lower);
}
static double error_of(const chart *c, const vertex *v) { return c->report->settings.reach * v->row->sd; }

/* A list with one number per vertex, or per vertex with a row. */
static void describe_column(lf_document *d, const chart *c, const char *key, int rows_only, int digits,
                            number_of number)
{
    lf_document_open(d, key, '[');
    for (size_t k = 0; k < c->count; k++) {
        if (c->vertices[k].row || !rows_only) {
            lf_document_rounded(d, NULL, number(c, &c->vertices[k]), digits);
        }
    }
    lf_document_close(d);
}

static void describe_bands(lf_document *d, const chart *c)
{
    if (c->link) {
        describe_column(d, c, "lower", 0, 5, lower_of);
        describe_column(d, c, "upper", 0, 5, upper_of);
        describe_column(d, c, "new_lower", 0, 5, new_lower_of);
        describe_column(d, c, "new_upper", 0, 5, new_upper_of);
        return;
    }
    describe_column(d, c, "band", 0, 4, band_of);
    if (c->panel->kind == LF_KIND_OUTPUT) {
        describe_column(d, c, "new_band", 0, 4, new_band_of);
    }
}

static void describe_rows(lf_document *d, const chart *c)
{
    int errors = 0;
    lf_document_open(d, "at", '[');
    for (size_t k = 0; k < c->count; k++) {
        if (c->vertices[k].row) {
            lf_document_count(d, NULL, k);
            errors = errors || c->vertices[k].row->sd > 0;
        }
    }
    lf_document_close(d);
    describe_column(d, c, "y", 1, 7, value_of);
    describe_column(d, c, "test", 1, 1, test_of);
    if (errors) {
        describe_column(d, c, "error", 1, 4, error_of);
    }
}

/* Enough digits to resolve a millionth of the range, whatever the offset. */
static int input_digits(const lf_report *report)
{
    double ratio = fmax(fabs(report->low[0]), fabs(report->high[0])) / (report->high[0] - report->low[0]);
    return isfinite(ratio) && ratio > 0 ? (int)fmin(fmax(7 + ceil(log10(ratio)), 7), 17) : 17;
}

static void describe_map(lf_document *d, const chart *c)
{
    const lf_report *report = c->report;
    size_t first = c->panel->place * report->points;
    lf_latent at;
    lf_document_open(d, "map", '{');
    lf_document_count(d, "n", report->settings.grid);
    for (int end = 0; end < 2; end++) {
        const double *limit = end ? report->high : report->low;
        lf_document_open(d, end ? "high" : "low", '[');
        lf_document_rounded(d, NULL, limit[0], 9);
        lf_document_rounded(d, NULL, limit[1], 9);
        lf_document_close(d);
    }
    lf_document_open(d, "mean", '[');
    for (size_t i = first; i < first + report->points; i++) {
        at = lf_report_mean(report, c->panel, (lf_latent){report->mean[i], report->variance[i]});
        lf_document_rounded(d, NULL, at.mean, 5);
    }
    lf_document_close(d);
    lf_document_open(d, "sd", '[');
    for (size_t i = first; i < first + report->points; i++) {
        at = lf_report_mean(report, c->panel, (lf_latent){report->mean[i], report->variance[i]});
        lf_document_rounded(d, NULL, sqrt(at.variance), 4);
    }
    lf_document_close(d);
    lf_document_close(d);
}

/* On the page outputs, forces and states are counted in this order. */
static int number_on_page(const lf_model *model, const lf_report_panel *panel)
{
    return panel->kind == LF_KIND_OUTPUT  ? panel->index
           : panel->kind == LF_KIND_FORCE ? model->output_count + panel->index
                                          : model->output_count + model->force_count + panel->index;
}

static lf_status describe_chart(lf_context *ctx, lf_document *d, const lf_report *report, const lf_report_panel *panel)
{
    int p = report->model->input_dim, output = panel->kind == LF_KIND_OUTPUT;
    chart c = {.report = report,
               .panel = panel,
               .noise = output ? lf_model_noise_variance(report->model, panel->index) : 0,
               .link = lf_report_has_link(report, panel)};
    lf_status status = fill_chart(ctx, &c);
    lf_document_line(d, 0);
    lf_document_open(d, NULL, '{');
    lf_document_integer(d, "target", number_on_page(report->model, panel));
    lf_document_integer(d, "replicate", panel->replicate);
    lf_document_count(d, "rows", panel->count);
    if (p == 1) {
        describe_column(d, &c, "x", 0, input_digits(report), input_of);
    } else if (p == 2) {
        describe_column(d, &c, "x1", 1, 9, first_of);
        describe_column(d, &c, "x2", 1, 9, second_of);
    }
    describe_column(d, &c, "mean", 0, 7, mean_of);
    if (p == 1) {
        describe_bands(d, &c);
    }
    describe_rows(d, &c);
    if (p == 2 && report->has_range) {
        describe_map(d, &c);
    }
    lf_document_close(d);
    free(c.vertices);
    return status;
}

static lf_status describe_input(lf_context *ctx, lf_document *d, const lf_report *report, const lf_report_panel *panel)
{
    double *x = NULL, *y = NULL;
    size_t n = 0, total;
    lf_status status = lf_report_readings(ctx, report, panel, &n, &x, &y, &total);
    if (status) {
        return status;
    }
    lf_document_line(d, 0);
    lf_document_open(d, NULL, '{');
    lf_document_integer(d, "known", panel->index);
    lf_document_integer(d, "replicate", panel->replicate);
    lf_document_count(d, "rows", total);
    lf_document_open(d, "x", '[');
    for (size_t i = 0; i < n; i++) {
        lf_document_rounded(d, NULL, x[i], 15);
    }
    lf_document_close(d);
    lf_document_open(d, "y", '[');
    for (size_t i = 0; i < n; i++) {
        lf_document_rounded(d, NULL, y[i], 7);
    }
    lf_document_close(d);
    lf_document_close(d);
    free(x);
    free(y);
    return LF_OK;
}

lf_status lf_report_describe_panels(lf_context *ctx, lf_document *d, lf_report *report)
{
    lf_status status = lf_report_predict_grid(ctx, report);
    lf_document_line(d, 0);
    lf_document_open(d, "charts", '[');
    lf_document_break(d);
    for (size_t i = 0; !status && i < report->panel_count; i++) {
        const lf_report_panel *panel = &report->panel[i];
        if (panel->target >= 0 && panel->kind != LF_KIND_RATE) {
            status = describe_chart(ctx, d, report, panel);
        }
    }
    lf_document_close(d);
    lf_document_line(d, 0);
    lf_document_open(d, "input_charts", '[');
    lf_document_break(d);
    for (size_t i = 0; !status && i < report->panel_count; i++) {
        if (report->panel[i].kind == LF_KIND_KNOWN) {
            status = describe_input(ctx, d, report, &report->panel[i]);
        }
    }
    lf_document_close(d);
    return status;
}
