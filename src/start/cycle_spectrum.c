/* From rows to a pooled spectrum. Each series loses its straight trend. Its periodogram is divided by its own smooth background, because
 * rough and trending series have most of their power at low frequencies, where it is no cycle. */
#include "start/cycle_spectrum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/gamma_function.h"
#include "base/memory.h"
#include "data/data.h"
#include "start/lomb_scargle.h"
#include "start/spectral_background.h"

enum {
    LEAST_ROWS = 12,
    LONGEST = 1 << 17,
    SHORTEST = 1 << 12,
    MOST = 1 << 21
}; /* of transforms; of all of them together */

typedef struct reading {
    int output, replicate;
    double t, y;
    size_t row; /* makes the order complete */
} reading;

/* The readings first … first + n - 1. */
typedef struct series {
    int output;
    size_t first, n;
} series;

static int compare_readings(const void *left, const void *right)
{
    const reading *a = left, *b = right;
    if (a->output != b->output) {
        return a->output < b->output ? -1 : 1;
    }
    if (a->replicate != b->replicate) {
        return a->replicate < b->replicate ? -1 : 1;
    }
    if (a->t != b->t) {
        return a->t < b->t ? -1 : 1;
    }
    return a->row < b->row ? -1 : a->row > b->row;
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* What is computed on the way. */
typedef struct work {
    size_t n, series_count;
    reading *readings; /* (n) sorted */
    series *series;    /* (series_count) with enough rows */
    double *gap;       /* (D) typical gaps of the outputs; 0: too few rows */
    double *t, *y;     /* (n) of one series */
} work;

static void clear(work *w)
{
    free(w->readings);
    free(w->series);
    free(w->gap);
    free(w->t);
    free(w->y);
}

/* The series of `count` outputs, and typical gaps of these. */
static void find_series(work *w, int count, lf_cycle_spectrum *spectrum)
{
    size_t start = 0;
    for (int d = 0; d < count; d++) {
        size_t gaps = 0;
        for (size_t end; start < w->n && w->readings[start].output == d; start = end) {
            size_t times = 1;
            for (end = start + 1; end < w->n && w->readings[end].output == d &&
                                  w->readings[end].replicate == w->readings[start].replicate;
                 end++) {
                times += w->readings[end].t > w->readings[end - 1].t;
            }
            if (times < LEAST_ROWS) {
                continue;
            }
            w->series[w->series_count++] = (series){d, start, end - start};
            spectrum->span = fmax(spectrum->span, w->readings[end - 1].t - w->readings[start].t);
            for (size_t i = start + 1; i < end; i++) {
                double between = w->readings[i].t - w->readings[i - 1].t;
                if (between > 0) {
                    w->t[gaps++] = between;
                }
            }
        }
        qsort(w->t, gaps, sizeof *w->t, compare_doubles);
        w->gap[d] = gaps ? w->t[gaps / 2] : 0;
    }
}

/* Copies a series without its straight trend to t and y (n). */
static void detrend(const work *w, const series *s)
{
    const reading *r = &w->readings[s->first];
    double n = (double)s->n, t = 0, y = 0, tt = 0, ty = 0;
    for (size_t i = 0; i < s->n; i++) {
        t += (r[i].t - r[0].t) / n;
        y += r[i].y / n;
    }
    for (size_t i = 0; i < s->n; i++) {
        double away = r[i].t - r[0].t - t;
        tt += away * away;
        ty += away * (r[i].y - y);
    }
    for (size_t i = 0; i < s->n; i++) {
        w->t[i] = r[i].t - r[0].t;
        w->y[i] = r[i].y - y - ty / tt * (w->t[i] - t);
    }
}

/* power (D, F) of the outputs: averages over their series, which count by their rows. */
static int find_powers(const work *w, const lf_lomb_scargle *l, lf_cycle_spectrum *spectrum)
{
    double *one = lf_doubles(l->count, 1), *rows = lf_doubles((size_t)spectrum->output_count, 1);
    int done = one && rows;
    for (size_t i = 0; done && i < w->series_count; i++) {
        rows[w->series[i].output] += (double)w->series[i].n;
        spectrum->replicates[w->series[i].output]++;
    }
    for (size_t i = 0; done && i < w->series_count; i++) {
        const series *s = &w->series[i];
        double *power = &spectrum->power[(size_t)s->output * spectrum->count];
        detrend(w, s);
        lf_lomb_scargle_power(l, s->n, w->t, w->y, one);
        for (size_t k = 0; k < spectrum->count; k++) {
            power[k] += one[k] * (double)s->n / rows[s->output];
        }
    }
    free(one);
    free(rows);
    return done;
}

/* background (D, F): medians, and from these averages of the gamma distribution that the power of independent replicates follows. */
static int find_backgrounds(lf_cycle_spectrum *s)
{
    for (size_t d = 0; d < (size_t)s->output_count; d++) {
        double *background = &s->background[d * s->count], a = s->replicates[d], largest = 0;
        for (size_t k = 0; k < s->limit[d]; k++) {
            largest = fmax(largest, s->power[d * s->count + k]);
        }
        s->limit[d] = largest > 0 ? s->limit[d] : 0; /* an output that does not vary says nothing */
        if (s->limit[d] > 0 && !lf_spectral_background(s->limit[d], &s->power[d * s->count], background)) {
            return 0;
        }
        double factor = s->limit[d] > 0 ? a / lf_gamma_quantile(a, 0.5) : 1;
        for (size_t k = 0; k < s->limit[d]; k++) {
            background[k] *= factor;
        }
    }
    return 1;
}

/* Excess and its distribution in noise. Outputs depend on each other in ways that are not known. The shape of the distribution follows from
 * its lower quartiles, which lines leave alone. */
static int pool(const work *w, lf_cycle_spectrum *s)
{
    double *sorted = lf_doubles(s->count, 1);
    size_t n = 0;
    if (!sorted) {
        return 0;
    }
    for (size_t k = 1; k < s->count; k++) {
        double outputs = 0;
        for (int d = 0; d < s->output_count; d++) {
            if (k < s->limit[d]) {
                s->excess[k] += s->power[(size_t)d * s->count + k] / s->background[(size_t)d * s->count + k];
                s->shape[k] += s->replicates[d];
                outputs++;
            }
        }
        s->excess[k] /= fmax(outputs, 1);
        if (k >= LF_OVERSAMPLING) {
            sorted[n++] = s->excess[k];
        }
    }
    qsort(sorted, n, sizeof *sorted, compare_doubles);
    double median = sorted[n / 2], ratio = median / fmax(sorted[n / 4], 1e-300), low = 1,
           high = (double)w->series_count;
    for (int i = 0; i < 30; i++) { /* the ratio of the quartiles falls with the shape */
        double middle = 0.5 * (low + high);
        if (lf_gamma_quantile(middle, 0.5) / lf_gamma_quantile(middle, 0.75) > ratio) {
            low = middle;
        } else {
            high = middle;
        }
    }
    double factor = median > 0 ? lf_gamma_quantile(low, 0.5) / low / median : 0;
    for (size_t k = 1; k < s->count; k++) {
        s->shape[k] = fmin(s->shape[k], 0.5 * (low + high));
        s->excess[k] *= factor;
    }
    free(sorted);
    return 1;
}

/* Transforms for the shortest gap, bounded in their total length. */
static int create_transform(const work *w, const lf_cycle_spectrum *s, lf_lomb_scargle *l)
{
    double gap = INFINITY;
    size_t most = LONGEST;
    for (int d = 0; d < s->output_count; d++) {
        gap = w->gap[d] > 0 ? fmin(gap, w->gap[d]) : gap;
    }
    while (most > SHORTEST && most * w->series_count > MOST) {
        most /= 2;
    }
    return lf_lomb_scargle_create(s->span, gap, most, l);
}

static int transform(work *w, lf_cycle_spectrum *s)
{
    lf_lomb_scargle l;
    size_t outputs = (size_t)s->output_count;
    if (!create_transform(w, s, &l)) {
        return 0;
    }
    s->frequency = l.frequency;
    for (size_t d = 0; d < outputs; d++) {
        double shortest = w->gap[d] > 0 ? 1 / (2 * w->gap[d] * l.frequency) : 0;
        s->limit[d] = (size_t)fmin((double)l.count, ceil(shortest));
        s->count = s->limit[d] > s->count ? s->limit[d] : s->count;
    }
    s->replicates = lf_doubles(outputs, 1);
    s->power = lf_doubles(outputs, s->count);
    s->background = lf_doubles(outputs, s->count);
    s->excess = lf_doubles(s->count, 1);
    s->shape = lf_doubles(s->count, 1);
    int done = s->replicates && s->power && s->background && s->excess && s->shape && find_powers(w, &l, s) &&
               find_backgrounds(s) && pool(w, s);
    lf_lomb_scargle_clear(&l);
    return done;
}

lf_status lf_cycle_spectrum_create(lf_context *ctx, const lf_data *data, lf_cycle_spectrum *spectrum)
{
    size_t outputs = (size_t)data->outputs.count;
    *spectrum = (lf_cycle_spectrum){.output_count = data->outputs.count};
    if (data->input_dim > 1 || data->n < LEAST_ROWS) {
        return LF_OK;
    }
    work w = {
        .n = data->n, .readings = calloc(data->n, sizeof *w.readings), .series = calloc(data->n, sizeof *w.series)};
    w.gap = lf_doubles(outputs, 1);
    w.t = lf_doubles(data->n, 1);
    w.y = lf_doubles(data->n, 1);
    spectrum->limit = calloc(outputs + 1, sizeof *spectrum->limit);
    int done = w.readings && w.series && w.gap && w.t && w.y && spectrum->limit;
    for (size_t i = 0; done && i < data->n; i++) {
        w.readings[i] = (reading){data->output[i], data->replicate[i], data->x[i], data->y[i], i};
    }
    if (done) {
        qsort(w.readings, w.n, sizeof *w.readings, compare_readings);
        find_series(&w, data->outputs.count, spectrum);
        int possible = w.series_count > 0 && isfinite(spectrum->span) && isfinite(1 / spectrum->span);
        done = !possible || transform(&w, spectrum);
    }
    clear(&w);
    if (!done) {
        lf_cycle_spectrum_clear(spectrum);
        return lf_no_memory(ctx);
    }
    return LF_OK;
}

void lf_cycle_spectrum_clear(lf_cycle_spectrum *spectrum)
{
    free(spectrum->limit);
    free(spectrum->replicates);
    free(spectrum->power);
    free(spectrum->background);
    free(spectrum->excess);
    free(spectrum->shape);
    *spectrum = (lf_cycle_spectrum){0};
}
