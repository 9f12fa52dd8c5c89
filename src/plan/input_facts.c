/* Sizes and first values of known inputs. In each replicate with rows of outputs, the readings count from its first row, where a reading is
 * interpolated, to its last one; impulses count from the beginning, except those of 0. */
#include "plan/input_facts.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "data/data.h"
#include "points/known_series.h"

/* The readings of an input that count, of all replicates: their number, sum, sum of first values, and squares. */
typedef struct sums {
    double n, sum, first, replicates, squares;
} sums;

/* The outputs of one replicate are read in this time. */
typedef struct stretch {
    double begin, end;
} stretch;

static size_t replicate_of(const lf_data *data, size_t row)
{
    return data->replicate[row] < 0 ? 0 : (size_t)data->replicate[row];
}

/* The value at a time; the first one before all readings. */
static double value_at(const lf_known_series *series, lf_hold hold, double t)
{
    size_t next = 0;
    while (next < series->n && series->t[next] <= t) {
        next++;
    }
    size_t before = next ? next - 1 : 0;
    double value = series->v[before];
    if (hold == LF_HOLD_LINEAR && next > 0 && next < series->n) {
        double share = (t - series->t[before]) / (series->t[next] - series->t[before]);
        value += share * (series->v[next] - value);
    }
    return value;
}

/* The first pass finds the mean, about which the second one finds the squares. */
static void add_reading(sums *s, int pass, int impulses, double v)
{
    if (pass == 0) {
        s->n++;
        s->sum += v;
    } else {
        double away = impulses ? v : v - s->sum / s->n;
        s->squares += away * away;
    }
}

static void add_series(const lf_known_series *series, lf_hold hold, const stretch *rows, int pass, sums *s)
{
    int impulses = hold == LF_HOLD_IMPULSE;
    if (!impulses && series->n > 0) {
        double first = value_at(series, hold, rows->begin);
        add_reading(s, pass, 0, first);
        s->first += pass ? 0 : first;
        s->replicates += pass ? 0 : 1;
    }
    for (size_t i = 0; i < series->n; i++) {
        int counts = impulses ? series->v[i] != 0 : series->t[i] > rows->begin;
        if (counts && series->t[i] <= rows->end) {
            add_reading(s, pass, impulses, series->v[i]);
        }
    }
}

/* rows (replicates): when the outputs of each are read; begin after end: never. */
static void find_stretches(const lf_data *data, const lf_model *model, size_t replicates, stretch *rows)
{
    for (size_t r = 0; r < replicates; r++) {
        rows[r] = (stretch){INFINITY, -(double)INFINITY};
    }
    for (size_t i = 0; i < data->n; i++) {
        if (data->output[i] >= 0 && lf_model_find_known(model, data->outputs.name[data->output[i]]) < 0) {
            stretch *s = &rows[replicate_of(data, i)];
            s->begin = fmin(s->begin, lf_data_begin(data, model, i));
            s->end = fmax(s->end, data->x[i]);
        }
    }
}

lf_status lf_input_facts_find(lf_context *ctx, const lf_data *data, const lf_model *model, lf_input_facts *facts)
{
    size_t replicates = data->replicates.count > 0 ? (size_t)data->replicates.count : 1;
    int count = model->known_count;
    if (count == 0) {
        return LF_OK;
    }
    stretch *rows = calloc(replicates, sizeof *rows);
    lf_known_set *sets = calloc(replicates, sizeof *sets);
    sums *found = calloc((size_t)count, sizeof *found);
    lf_status status = rows && sets && found ? LF_OK : lf_no_memory(ctx);
    if (!status) {
        find_stretches(data, model, replicates, rows);
    }
    for (size_t r = 0; !status && r < replicates; r++) {
        status = lf_known_set_create(ctx, count, &sets[r]);
        LF_TRY(status, lf_known_set_read(ctx, model, data, data->replicates.count ? (int)r : -1, &sets[r]));
    }
    for (int pass = 0; !status && pass < 2; pass++) {
        for (size_t r = 0; r < replicates; r++) {
            for (int k = 0; k < count && rows[r].begin <= rows[r].end; k++) {
                add_series(&sets[r].series[k], model->known[k].hold, &rows[r], pass, &found[k]);
            }
        }
    }
    for (int k = 0; !status && k < count; k++) {
        const sums *s = &found[k];
        double mean = s->n > 0 ? s->sum / s->n : 0, sd = s->n > 0 ? sqrt(s->squares / s->n) : 0;
        double size = sd > 1e-6 * fabs(mean) ? sd : fabs(mean);
        facts[k] =
            (lf_input_facts){.first = s->replicates > 0 ? s->first / s->replicates : 0, .size = size > 0 ? size : 1};
    }
    for (size_t r = 0; sets && r < replicates; r++) {
        lf_known_set_clear(&sets[r]);
    }
    free(sets);
    free(rows);
    free(found);
    return status;
}
