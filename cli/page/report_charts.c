/* The charts of a report: for every output or force and every replicate the posterior at evenly spaced inputs and at
 * the rows that are drawn. */
#include <math.h>
#include <stdlib.h>

#include "message.h"
#include "options/model_parts.h"
#include "page/report.h"

void cli_report_number(FILE *stream, double value, int digits)
{
    if (isfinite(value)) {
        fprintf(stream, "%.*g", digits, value);
    } else {
        fputs("null", stream);
    }
}

/* Limits per chart, so that the page stays small with many charts. */
typedef struct budget {
    size_t grid; /* number of inputs */
    size_t rows; /* most training rows, and most test rows */
    size_t map;  /* inputs along each side of a map; 0: there is none */
} budget;

static size_t clamp(size_t low, size_t value, size_t high) { return value < low ? low : value > high ? high : value; }

/* A point of a chart. */
typedef struct vertex {
    double x, mean, variance;
    const cli_report_row *row; /* the row drawn there, or NULL */
} vertex;

typedef struct chart {
    int target, replicate;
    const cli_report_row *rows; /* (n) of this output and replicate */
    size_t n;
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

/* The vertices of a chart: those of the grid, which are `points` from `start` on, and the rows that are drawn. mean
 * (2, points): means, then variances. */
static int fill_chart(const cli_report *report, const budget *most, const cli_points *points, const double *mean,
                      size_t start, chart *c)
{
    char *keep = calloc(c->n + 1, 1);
    c->vertices = calloc(most->grid + c->n + 1, sizeof *c->vertices);
    int status = keep && c->vertices ? cli_report_thin(c->rows, c->n, report->low[0], report->high[0], most->rows, keep)
                                     : cli_no_memory();
    for (size_t k = start; status == CLI_DONE && k < start + most->grid; k++) {
        c->vertices[c->count++] = (vertex){.x = points->x[k], .mean = mean[k], .variance = mean[points->n + k]};
    }
    for (size_t i = 0; status == CLI_DONE && i < c->n; i++) {
        const cli_report_row *row = &c->rows[i];
        if (keep[i]) {
            c->vertices[c->count++] =
                (vertex){.x = row->x[0], .mean = row->mean, .variance = row->variance, .row = row};
        }
    }
    qsort(c->vertices, c->count, sizeof *c->vertices, compare_vertices);
    free(keep);
    return status;
}

static double input_of(const vertex *p) { return p->x; }
static double mean_of(const vertex *p) { return p->mean; }
static double sd_of(const vertex *p) { return sqrt(p->variance); }
static double value_of(const vertex *p) { return p->row ? p->row->y : (double)NAN; }
static double test_of(const vertex *p) { return p->row->test; }
static double error_of(const vertex *p) { return p->row->sd; }
static double first_of(const vertex *p) { return p->row->x[0]; }
static double second_of(const vertex *p) { return p->row->x[1]; }

/* A list with one number per vertex, or per vertex with a row. */
static void write_column(const chart *c, FILE *stream, const char *key, int rows_only, int digits,
                         double (*number)(const vertex *))
{
    const char *separator = "";
    fprintf(stream, ",\"%s\":[", key);
    for (size_t k = 0; k < c->count; k++) {
        if (c->vertices[k].row || !rows_only) {
            fputs(separator, stream);
            cli_report_number(stream, number(&c->vertices[k]), digits);
            separator = ",";
        }
    }
    fputc(']', stream);
}

static void write_rows(const chart *c, FILE *stream)
{
    int errors = 0;
    const char *separator = "";
    fputs(",\"at\":[", stream);
    for (size_t k = 0; k < c->count; k++) {
        if (c->vertices[k].row) {
            fprintf(stream, "%s%zu", separator, k);
            separator = ",";
            errors = errors || c->vertices[k].row->sd > 0;
        }
    }
    fputc(']', stream);
    write_column(c, stream, "y", 1, 7, value_of);
    write_column(c, stream, "test", 1, 1, test_of);
    if (errors) {
        write_column(c, stream, "error", 1, 4, error_of);
    }
}

/* Enough digits to resolve a millionth of the range, whatever the offset. */
static int input_digits(const cli_report *report)
{
    double ratio = fmax(fabs(report->low[0]), fabs(report->high[0])) / (report->high[0] - report->low[0]);
    return isfinite(ratio) && ratio > 0 ? (int)fmin(fmax(7 + ceil(log10(ratio)), 7), 17) : 17;
}

static int write_chart(const cli_report *report, const budget *most, const chart *c, FILE *stream)
{
    int p = cli_count(report->model, LF_KIND_INPUT), status = CLI_DONE;
    fprintf(stream, "{\"target\":%d,\"replicate\":%d,\"rows\":%zu", c->target, c->replicate, c->n);
    if (p == 1) {
        write_column(c, stream, "x", 0, input_digits(report), input_of);
    } else if (p == 2) {
        write_column(c, stream, "x1", 1, 9, first_of);
        write_column(c, stream, "x2", 1, 9, second_of);
    }
    write_column(c, stream, "mean", 0, 7, mean_of);
    write_column(c, stream, "sd", 0, 4, sd_of);
    write_rows(c, stream);
    if (most->map > 0) {
        fputs(",\"map\":", stream);
        status = cli_report_write_map(report, c->target, c->replicate, most->map, stream);
    }
    fputc('}', stream);
    return status;
}

/* The posterior on a grid for the charts of some targets: *mean (2, points), means and then variances. */
static int predict_grid(const cli_report *report, int first, int targets, size_t grid, cli_points *points,
                        double **mean)
{
    cli_points rows = {0};
    int replicates = lf_posterior_replicate_count(report->posterior);
    int status = cli_points_grid(1, report->low, report->high, grid, &rows);
    status = status ? status : cli_points_append(points, &rows, first, targets, replicates);
    for (size_t i = 0; status == CLI_DONE && i < points->n; i++) { /* a white force has no values: nothing is drawn */
        int white =
            lf_model_force_is_white(report->model, points->target[i] - cli_count(report->model, LF_KIND_OUTPUT));
        points->target[i] = white ? 0 : points->target[i];
    }
    cli_points_free(&rows);
    *mean = calloc(2 * points->n + 1, sizeof **mean);
    status = status || *mean ? status : cli_no_memory();
    return status ? status : cli_report_predict(report, points, *mean, *mean + points->n);
}

/* The rows of a chart, which are consecutive, by bisection. */
static void find_rows(const cli_report *report, int target, int replicate, chart *c)
{
    size_t low = 0, high = report->n;
    while (low < high) { /* the first row not before (target, replicate) */
        size_t middle = low + (high - low) / 2;
        const cli_report_row *row = &report->rows[middle];
        int before = row->output < target || (row->output == target && row->replicate < replicate);
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    *c = (chart){.target = target, .replicate = replicate, .rows = report->rows + low};
    while (low + c->n < report->n && c->rows[c->n].output == target && c->rows[c->n].replicate == replicate) {
        c->n++;
    }
}

int cli_report_hides_force(const cli_report *report, int force)
{
    return lf_model_force_is_white(report->model, force) || /* it has no values */
           (!report->settings->all_forces && lf_model_force_is_idle(report->model, force));
}

/* The charts of `count` targets from `first` on, of every replicate. On the page they are numbered from `shown` on. */
static int write_targets(const cli_report *report, const budget *most, int first, int shown, int count, int *written,
                         FILE *stream)
{
    int outputs = cli_count(report->model, LF_KIND_OUTPUT),
        replicates = lf_posterior_replicate_count(report->posterior);
    cli_points points = {0};
    double *mean = NULL;
    int status = most->grid ? predict_grid(report, first, count, most->grid, &points, &mean) : CLI_DONE;
    for (size_t k = 0; status == CLI_DONE && k < (size_t)count * (size_t)replicates; k++) {
        chart c;
        int target = shown + (int)(k % (size_t)count), force = target - outputs;
        if (first == 0 && force >= 0 && cli_report_hides_force(report, force)) {
            continue;
        }
        find_rows(report, target, (int)(k / (size_t)count), &c);
        status = fill_chart(report, most, &points, mean, k * most->grid, &c);
        fputs((*written)++ ? ",\n" : "", stream);
        status = status ? status : write_chart(report, most, &c, stream);
        free(c.vertices);
    }
    cli_points_free(&points);
    free(mean);
    return status;
}

/* Charts over one input, maps over two; of more inputs, the rows with their predictions. */
int cli_report_write_charts(const cli_report *report, FILE *stream)
{
    int p = cli_count(report->model, LF_KIND_INPUT), outputs = cli_count(report->model, LF_KIND_OUTPUT);
    int forces = cli_count(report->model, LF_KIND_FORCE), states = cli_count(report->model, LF_KIND_STATE), written = 0;
    int targets = outputs + (report->has_range ? forces : 0);
    size_t count = (size_t)(targets + states) * (size_t)lf_posterior_replicate_count(report->posterior) + 1;
    budget most = {.grid = p == 1 ? clamp(200, 30000 / count, 1000) : 0,
                   .rows = clamp(200, 120000 / count, 4000),
                   .map = p == 2 && report->has_range ? clamp(15, (size_t)sqrt(60000 / (double)count), 50) : 0};
    fputs("\"charts\":[\n", stream);
    int status = write_targets(report, &most, 0, 0, targets, &written, stream);
    if (status == CLI_DONE && states) {
        status = write_targets(report, &most, 2 * outputs + forces, targets, states, &written, stream);
    }
    fputs("],\n", stream);
    return status ? status : cli_report_write_inputs(report, most.rows, stream);
}
