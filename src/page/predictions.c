/* What is predicted for a report: the rows, a grid for each panel, and the residuals of the training rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "data/data.h"
#include "page/report.h"
#include "predict/predict.h"

enum { PORTION = 8192 }; /* of points, where memory is needed for rows times points */

static lf_status predict(lf_report *report, const lf_point_list *points, double *mean, double *variance)
{
    size_t p = (size_t)report->model->input_dim;
    size_t portion = lf_engine_is_able(report->posterior->scaled.class, LF_HAS_STATES) ? points->n : PORTION;
    lf_status status = LF_OK;
    for (size_t start = 0; !status && start < points->n; start += portion) {
        lf_point_list part = *points;
        part.n = points->n - start < portion ? points->n - start : portion;
        part.target += start;
        part.replicate += start;
        part.x += start * p;
        part.width += points->width ? start : 0;
        status = lf_predict_list(report->posterior, &part, mean + start, variance + start, NULL);
    }
    return status;
}

/* Arrays of points, which the caller fills. */
typedef struct point_arrays {
    size_t n;
    int *target, *replicate; /* (n) */
    double *x, *width;       /* (n, p), (n) */
    double *mean, *variance; /* (n) */
} point_arrays;

static lf_status allocate(lf_context *ctx, size_t n, size_t p, int widths, point_arrays *a)
{
    *a = (point_arrays){.n = n};
    a->target = calloc(n + 1, sizeof *a->target);
    a->replicate = calloc(n + 1, sizeof *a->replicate);
    a->x = lf_doubles(n + 1, p);
    a->width = widths ? lf_doubles(n + 1, 1) : NULL;
    a->mean = lf_doubles(n + 1, 1);
    a->variance = lf_doubles(n + 1, 1);
    return a->target && a->replicate && a->x && (a->width || !widths) && a->mean && a->variance ? LF_OK
                                                                                                : lf_no_memory(ctx);
}

static void clear(point_arrays *a)
{
    free(a->target);
    free(a->replicate);
    free(a->x);
    free(a->width);
    free(a->mean);
    free(a->variance);
}

static lf_point_list list_of(const point_arrays *a, int shorten)
{
    return (lf_point_list){
        .n = a->n, .target = a->target, .replicate = a->replicate, .x = a->x, .width = a->width, .shorten = shorten};
}

lf_status lf_report_predict_rows(lf_context *ctx, lf_report *report)
{
    size_t p = (size_t)report->model->input_dim;
    point_arrays a;
    if (report->predicted || report->n == 0) {
        return LF_OK;
    }
    lf_status status = allocate(ctx, report->n, p, report->data->width != NULL, &a);
    for (size_t i = 0; !status && i < report->n; i++) {
        const lf_report_row *row = &report->rows[i];
        a.target[i] = row->output;
        a.replicate[i] = row->replicate;
        memcpy(a.x + i * p, row->x, p * sizeof *row->x);
        if (a.width) {
            a.width[i] = row->width;
        }
    }
    lf_point_list points = list_of(&a, 0);
    LF_TRY(status, predict(report, &points, a.mean, a.variance));
    for (size_t i = 0; !status && i < report->n; i++) {
        report->rows[i].mean = a.mean[i];
        report->rows[i].variance = a.variance[i];
    }
    report->predicted = !status;
    clear(&a);
    return status;
}

/* The inputs of a curve, or of a map, whose second input runs fastest. */
static double *make_grid(const lf_report *report, size_t points)
{
    size_t p = (size_t)report->model->input_dim, n = report->settings.grid;
    double *x = lf_doubles(points + 1, p);
    for (size_t i = 0; x && i < points; i++) {
        const size_t step[2] = {p == 1 ? i : i / n, i % n};
        for (size_t k = 0; k < p; k++) {
            double share = (double)step[k] / (double)(n - 1);
            x[i * p + k] = (1 - share) * report->low[k] + share * report->high[k];
        }
    }
    return x;
}

lf_status lf_report_predict_grid(lf_context *ctx, lf_report *report)
{
    size_t p = (size_t)report->model->input_dim, n = report->settings.grid;
    size_t each = n == 0 ? 0 : p == 1 ? n : n * n;
    point_arrays a;
    if (report->grid) {
        return LF_OK;
    }
    double *grid = make_grid(report, each);
    lf_status status = allocate(ctx, each * report->target_panels, p, 0, &a);
    status = status || grid ? status : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < report->panel_count; i++) {
        const lf_report_panel *panel = &report->panel[i];
        for (size_t k = 0; panel->target >= 0 && k < each; k++) {
            size_t at = panel->place * each + k;
            a.target[at] = panel->target;
            a.replicate[at] = panel->replicate;
            memcpy(a.x + at * p, grid + k * p, p * sizeof *grid);
        }
    }
    lf_point_list points = list_of(&a, 1);
    LF_TRY(status, predict(report, &points, a.mean, a.variance));
    if (status) {
        free(grid);
    } else {
        report->grid = grid;
        report->points = each;
        report->mean = a.mean;
        report->variance = a.variance;
        a.mean = a.variance = NULL;
    }
    clear(&a);
    return status;
}

int lf_report_has_link(const lf_report *report, const lf_report_panel *panel)
{
    return panel->kind == LF_KIND_OUTPUT && lf_target_has_link(report->model, panel->index);
}

lf_latent lf_report_mean(const lf_report *report, const lf_report_panel *panel, lf_latent f)
{
    if (!lf_report_has_link(report, panel)) {
        return f;
    }
    const lf_output *output = &report->model->outputs[panel->index];
    lf_reading reading = lf_reading_of(output, 0, 0);
    lf_moments moments = output->likelihood->moments(&reading, f.mean, f.variance);
    return (lf_latent){moments.mean, moments.variance};
}

void lf_report_bounds(const lf_report *report, const lf_report_panel *panel, lf_latent f, double bounds[4])
{
    const lf_output *output = panel->kind == LF_KIND_OUTPUT ? &report->model->outputs[panel->index] : NULL;
    double noise = output ? lf_model_noise_variance(report->model, panel->index) : 0, level = report->settings.level;
    double half = report->settings.reach * sqrt(f.variance),
           half_new = report->settings.reach * sqrt(f.variance + noise);
    if (output && output->likelihood) {
        lf_reading reading = lf_reading_of(output, 0, 0);
        lf_reading_interval(output->likelihood, &reading, f, level, 1, &bounds[0], &bounds[1]);
        lf_reading_interval(output->likelihood, &reading, f, level, 0, &bounds[2], &bounds[3]);
        return;
    }
    bounds[0] = f.mean - half;
    bounds[1] = f.mean + half;
    bounds[2] = f.mean - half_new;
    bounds[3] = f.mean + half_new;
}

lf_status lf_report_diagnose(lf_context *ctx, lf_report *report)
{
    (void)ctx; /* the posterior has one */
    return report->diagnosis || lf_report_count(report, 0) == 0
               ? LF_OK
               : lf_diagnose_residuals(report->posterior, report->table, &report->diagnosis);
}
