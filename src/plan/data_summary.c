/* Spans, gaps, sizes and noise of training rows.
 *
 * Noise of a series: y_i minus the straight line through its two neighbours, whose variance is (1 + a^2 + b^2) times the
 * noise where the curve is straight between them (Gasser, Sroka and Jennen-Steinmetz 1986); the median over the series
 * keeps jumps out. */
#include "plan/data_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "data/data.h"
#include "model/access.h"

enum { GRID = 400 }; /* points of the even grid, at most */

typedef struct observation {
    int output, replicate;
    double x, y;
    size_t row; /* makes the order complete */
} observation;

static int compare_observations(const void *left, const void *right)
{
    const observation *a = left, *b = right;
    if (a->output != b->output) {
        return a->output < b->output ? -1 : 1;
    }
    if (a->replicate != b->replicate) {
        return a->replicate < b->replicate ? -1 : 1;
    }
    if (a->x != b->x) {
        return a->x < b->x ? -1 : 1;
    }
    if (a->y != b->y) { /* readings at one time: their order in the file says nothing */
        return a->y < b->y ? -1 : 1;
    }
    return a->row < b->row ? -1 : a->row > b->row;
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* Reorders the values. */
static double median(double *values, size_t n)
{
    if (n == 0) {
        return 0;
    }
    qsort(values, n, sizeof *values, compare_doubles);
    return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

double lf_data_summary_span(const lf_data_summary *summary)
{
    double span = summary->high[0] - summary->low[0];
    return span > 0 ? span : 1;
}

static void summarise_inputs(const lf_data *data, lf_data_summary *summary)
{
    size_t p = (size_t)data->input_dim;
    summary->begin = INFINITY;
    for (size_t i = 0; i < data->n; i++) {
        summary->begin = fmin(summary->begin, data->x[i * p] - (data->width ? data->width[i] : 0));
    }
    for (size_t k = 0; k < p; k++) {
        double sum = 0, squares = 0;
        summary->low[k] = INFINITY;
        summary->high[k] = -INFINITY;
        for (size_t i = 0; i < data->n; i++) {
            double x = data->x[i * p + k];
            summary->low[k] = fmin(summary->low[k], x);
            summary->high[k] = fmax(summary->high[k], x);
            sum += x;
        }
        for (size_t i = 0; i < data->n; i++) {
            double away = data->x[i * p + k] - sum / (double)data->n;
            squares += away * away;
        }
        summary->spread[k] = sqrt(squares / (double)data->n);
        summary->spread[k] = summary->spread[k] > 0 ? summary->spread[k] : 1;
    }
}

/* The rows of one output, sorted: their mean, sd and first value. */
static void summarise_output(const observation *rows, size_t n, lf_output_summary *output)
{
    double sum = 0, squares = 0, first = 0;
    size_t series = 0;
    for (size_t i = 0; i < n; i++) {
        sum += rows[i].y;
        if (i == 0 || rows[i].replicate != rows[i - 1].replicate) {
            first += rows[i].y;
            series++;
        }
    }
    output->n = n;
    output->mean = n ? sum / (double)n : 0;
    output->first = series ? first / (double)series : 0;
    for (size_t i = 0; i < n; i++) {
        squares += (rows[i].y - output->mean) * (rows[i].y - output->mean);
    }
    output->sd = n ? sqrt(squares / (double)n) : 0;
    /* Rounding alone is no variation. */
    output->sd = output->sd > 1e-12 * fabs(output->mean) ? output->sd : 0;
}

/* Noise of the rows of one output; `work` (n). */
static double noise_of(const observation *rows, size_t n, double *work)
{
    size_t count = 0;
    double sum = 0;
    for (size_t i = 1; i + 1 < n; i++) {
        const observation *a = &rows[i - 1], *b = &rows[i], *c = &rows[i + 1];
        if (a->replicate != c->replicate) {
            continue;
        }
        double right = c->x > a->x ? (b->x - a->x) / (c->x - a->x) : 0.5, left = 1 - right;
        double away = b->y - left * a->y - right * c->y;
        work[count] = away * away / (1 + left * left + right * right);
        sum += work[count++];
    }
    double typical = median(work, count) / 0.454936423119573; /* the median of chi-squared with 1 degree of freedom */
    return typical > 0 || count == 0 ? typical : sum / (double)count;
}

static double median_gap(const observation *rows, size_t n, double *work)
{
    size_t count = 0;
    for (size_t i = 1; i < n; i++) {
        int same = rows[i].output == rows[i - 1].output && rows[i].replicate == rows[i - 1].replicate;
        if (same && rows[i].x > rows[i - 1].x) {
            work[count++] = rows[i].x - rows[i - 1].x;
        }
    }
    return median(work, count);
}

/* One series of n >= 1 sorted rows at `count` even points from low to high; constant beyond its ends. seen: whether a row is within reach. */
static void interpolate(const observation *rows, size_t n, double low, double high, size_t count, double reach,
                        double *values, char *seen)
{
    size_t next = 0;
    for (size_t g = 0; g < count; g++) {
        double x = count > 1 ? low + (high - low) * (double)g / (double)(count - 1) : low;
        while (next < n && rows[next].x < x) {
            next++;
        }
        seen[g] = (next < n && rows[next].x - x <= reach) || (next > 0 && x - rows[next - 1].x <= reach);
        if (next == 0 || next == n) {
            values[g] = rows[next == 0 ? 0 : n - 1].y;
        } else {
            const observation *a = &rows[next - 1], *b = &rows[next];
            values[g] = a->y + (b->y - a->y) * (x - a->x) / (b->x - a->x);
        }
    }
}

double lf_data_summary_timescale(const lf_data_summary *summary, const double *series)
{
    size_t n = summary->grid_count, replicates = summary->replicate_count;
    double step = n > 1 ? lf_data_summary_span(summary) / (double)(n - 1) : lf_data_summary_span(summary), mean = 0,
           variance = 0;
    double longest = lf_data_summary_span(summary) / 3, before = 1;
    for (size_t i = 0; i < n * replicates; i++) {
        mean += series[i] / (double)(n * replicates);
    }
    for (size_t i = 0; i < n * replicates; i++) {
        variance += (series[i] - mean) * (series[i] - mean);
    }
    for (size_t lag = 1; variance > 0 && lag < n; lag++) {
        double product = 0, level = exp(-1);
        for (size_t r = 0; r < replicates; r++) {
            for (size_t i = r * n; i + lag < (r + 1) * n; i++) {
                product += (series[i] - mean) * (series[i + lag] - mean);
            }
        }
        double correlation = product / variance;
        if (correlation <= level) {
            double part = (before - level) / (before - correlation);
            return fmin(fmax(((double)lag - 1 + part) * step, fmin(summary->gap, longest)), longest);
        }
        before = correlation;
    }
    return longest;
}

/* Fills the standardised series of one output from its rows. */
static void fill_series(const lf_data_summary *summary, const observation *rows, size_t n, double *series, char *seen)
{
    const lf_output_summary *output = &summary->outputs[n ? rows[0].output : 0];
    double step = lf_data_summary_span(summary) / fmax((double)summary->grid_count - 1, 1),
           reach = 0.5 * (1 + 1e-6) * fmax(step, summary->gap);
    for (size_t start = 0, end; start < n; start = end) {
        for (end = start + 1; end < n && rows[end].replicate == rows[start].replicate;) {
            end++;
        }
        size_t first = (size_t)rows[start].replicate * summary->grid_count;
        double *values = series + first;
        interpolate(rows + start, end - start, summary->low[0], summary->high[0], summary->grid_count, reach, values,
                    seen + first);
        for (size_t g = 0; g < summary->grid_count; g++) {
            values[g] = output->sd > 0 ? (values[g] - output->mean) / output->sd : 0;
            seen[first + g] = seen[first + g] && output->sd > 0;
        }
    }
}

static lf_status summarise_rows(lf_context *ctx, observation *rows, size_t n, lf_data_summary *summary)
{
    double *work = lf_doubles(n, 1);
    size_t length = summary->replicate_count * summary->grid_count;
    summary->series = summary->input_dim == 1 ? lf_doubles((size_t)summary->output_count, length) : NULL;
    summary->seen = summary->input_dim == 1 ? calloc((size_t)summary->output_count * length + 1, 1) : NULL;
    if (!work || (summary->input_dim == 1 && (!summary->series || !summary->seen))) {
        free(work);
        return lf_no_memory(ctx);
    }
    if (summary->input_dim == 1) {
        summary->gap = median_gap(rows, n, work);
        summary->gap = summary->gap > 0 ? summary->gap : lf_data_summary_span(summary);
    }
    size_t start = 0;
    for (int d = 0; d < summary->output_count; d++) {
        lf_output_summary *output = &summary->outputs[d];
        size_t end = start;
        while (end < n && rows[end].output == d) {
            end++;
        }
        summarise_output(rows + start, end - start, output);
        if (summary->input_dim == 1) {
            double *series = summary->series + (size_t)d * length;
            output->noise = noise_of(rows + start, end - start, work);
            fill_series(summary, rows + start, end - start, series, summary->seen + (size_t)d * length);
            output->timescale = lf_data_summary_timescale(summary, series);
        } else {
            output->noise = 0.3 * output->sd * output->sd; /* neighbours are far apart */
        }
        start = end;
    }
    free(work);
    return LF_OK;
}

/* The number of a row's output. */
static lf_status find_output(lf_context *ctx, const lf_data *data, const lf_model *model, size_t row, int *output)
{
    if (data->output[row] < 0 || !isfinite(data->y[row])) {
        return lf_fail(ctx, LF_ERROR_DATA, "row %zu has no output or no value", row);
    }
    const char *name = data->outputs.name[data->output[row]];
    *output = model ? lf_model_find_output(model, name) : data->output[row];
    return *output >= 0 ? LF_OK : lf_fail(ctx, LF_ERROR_DATA, "output '%s' of the data is not in the model", name);
}

lf_status lf_data_summary_create(lf_context *ctx, const lf_data *data, const lf_model *model, lf_data_summary *summary)
{
    *summary =
        (lf_data_summary){.input_dim = data->input_dim,
                          .output_count = model ? (int)lf_model_count(model, LF_KIND_OUTPUT) : data->outputs.count,
                          .replicate_count = data->replicates.count > 0 ? (size_t)data->replicates.count : 1};
    if (data->n == 0) {
        return lf_fail(ctx, LF_ERROR_DATA, "there are no rows to fit");
    }
    summary->grid_count = data->n < GRID ? data->n : GRID;
    summary->low = lf_doubles((size_t)data->input_dim, 1);
    summary->high = lf_doubles((size_t)data->input_dim, 1);
    summary->spread = lf_doubles((size_t)data->input_dim, 1);
    summary->outputs = calloc((size_t)summary->output_count + 1, sizeof *summary->outputs);
    observation *rows = calloc(data->n, sizeof *rows);
    lf_status status = LF_OK;
    if (!summary->low || !summary->high || !summary->spread || !summary->outputs || !rows) {
        status = lf_no_memory(ctx);
    }
    for (size_t i = 0; !status && i < data->n; i++) {
        int output = 0;
        status = find_output(ctx, data, model, i, &output);
        rows[i] = (observation){.output = output,
                                .replicate = data->replicate[i] < 0 ? 0 : data->replicate[i],
                                .x = data->x[i * (size_t)data->input_dim],
                                .y = data->y[i],
                                .row = i};
    }
    if (!status) {
        summarise_inputs(data, summary);
        qsort(rows, data->n, sizeof *rows, compare_observations);
        status = summarise_rows(ctx, rows, data->n, summary);
    }
    free(rows);
    if (status) {
        lf_data_summary_clear(summary);
    }
    return status;
}

void lf_data_summary_clear(lf_data_summary *summary)
{
    free(summary->low);
    free(summary->high);
    free(summary->spread);
    free(summary->outputs);
    free(summary->series);
    free(summary->seen);
    *summary = (lf_data_summary){0};
}
