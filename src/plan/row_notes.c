/* Training rows from which nothing can be learned are refused with a remedy. Rows that tell little, and readings of known inputs that a fit would
 * use silently and that are often mistakes, get a note: replicates without doses, doses that repeat, long gaps. */
#include "plan/row_notes.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/plural.h"
#include "data/data.h"

/* ---- rows of outputs ---- */

#define LEAST_STEP 1e-9 /* between neighbouring inputs, relative to their size: their differences then keep 7 digits */

/* Whether all rows have the same inputs. */
static int has_one_input(const lf_data *data)
{
    size_t p = (size_t)data->input_dim;
    for (size_t i = p; i < data->n * p; i++) {
        if (data->x[i] != data->x[i % p]) {
            return 0;
        }
    }
    return 1;
}

static void note_short_outputs(lf_context *ctx, const lf_data *data, const lf_data_summary *summary)
{
    for (int d = 0; d < summary->output_count; d++) {
        size_t n = summary->outputs[d].n;
        const char *name = data->outputs.name[d];
        if (n == 1 || n == 2) {
            lf_note(ctx,
                    "output '%s' has only %zu training row%s: its constants come from the prior alone; leave it out, "
                    "or give it more rows",
                    name, n, lf_plural((size_t)n));
        }
    }
}

lf_status lf_check_training_rows(lf_context *ctx, const lf_data *data)
{
    if (data->n == 1) {
        return lf_fail(ctx, LF_ERROR_DATA,
                       "there is only one training row; a fit needs rows at several inputs for each output");
    }
    if (data->n > 1 && has_one_input(data)) {
        return lf_fail(
            ctx, LF_ERROR_DATA,
            "all %zu training rows have the same input, x = %.10g; a fit needs rows at several inputs: check "
            "which column holds the input",
            data->n, data->x[0]);
    }
    return LF_OK;
}

void lf_note_training_rows(lf_context *ctx, const lf_data *data, const lf_data_summary *summary)
{
    double size = fmax(fabs(summary->low[0]), fabs(summary->high[0]));
    note_short_outputs(ctx, data, summary);
    if (data->input_dim == 1 && summary->gap < LEAST_STEP * size) {
        lf_note(ctx,
                "the inputs are near %.4g in steps of about %.2g, which floating-point numbers resolve to %.0f digits "
                "only: subtract the first input from all of them",
                size, summary->gap, fmax(floor(log10(summary->gap / (DBL_EPSILON * size))), 0));
    }
}

/* ---- readings of known inputs ---- */

enum { FEW = 10 };                    /* gaps, from which a step can be told */
static const double long_gap = 10;    /* of steps */
static const double same_step = 0.01; /* relative */

typedef struct reading {
    int replicate;
    double t, y;
} reading;

static int compare_readings(const void *left, const void *right)
{
    const reading *a = left, *b = right;
    return a->replicate != b->replicate ? (a->replicate < b->replicate ? -1 : 1)
           : a->t != b->t               ? (a->t < b->t ? -1 : 1)
                                        : (a->y > b->y) - (a->y < b->y);
}

static int compare_numbers(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static const char *replicate_name(const lf_data *data, int replicate)
{
    return replicate >= 0 && replicate < data->replicates.count ? data->replicates.name[replicate] : "";
}

/* Equal doses at one time. */
static void note_repeated(lf_context *ctx, const lf_data *data, const char *name, size_t n, const reading *r)
{
    size_t count = 0, first = 0;
    for (size_t i = 1; i < n; i++) {
        if (r[i].replicate == r[i - 1].replicate && r[i].t == r[i - 1].t && r[i].y == r[i - 1].y && r[i].y != 0) {
            first = count++ ? first : i;
        }
    }
    if (count) {
        char at[LF_TIMESTAMP_SIZE];
        lf_axis_format(&data->axes[0], r[first].t, at);
        lf_note(
            ctx,
            "the impulses of '%s' are repeated at %zu time%s, the first at %s%s%s%s: equal ones at one time are taken "
            "as one; if both were given, write their sum in one row",
            name, count, lf_plural((size_t)count), at, data->replicates.count ? " of replicate '" : "",
            replicate_name(data, r[first].replicate), data->replicates.count ? "'" : "");
    }
}

/* The widest gap of an input that is read at regular times. */
static lf_status note_gap(lf_context *ctx, const lf_data *data, const char *name, lf_hold hold, size_t n,
                          const reading *r)
{
    double *gaps = lf_doubles(n, 1), widest = 0;
    size_t count = 0, equal = 0, at = 0;
    if (!gaps) {
        return lf_no_memory(ctx);
    }
    for (size_t i = 1; i < n; i++) {
        double gap = r[i].replicate == r[i - 1].replicate ? r[i].t - r[i - 1].t : 0;
        if (gap > 0) {
            gaps[count++] = gap;
        }
        if (gap > widest) {
            widest = gap;
            at = i;
        }
    }
    qsort(gaps, count, sizeof *gaps, compare_numbers);
    double step = count ? gaps[count / 2] : 0;
    for (size_t i = 0; i < count; i++) {
        equal += fabs(gaps[i] - step) <= same_step * step;
    }
    free(gaps);
    if (count >= FEW && 4 * equal >= 3 * count && widest >= long_gap * step) {
        char from[LF_TIMESTAMP_SIZE], to[LF_TIMESTAMP_SIZE];
        lf_axis_format(&data->axes[0], r[at - 1].t, from);
        lf_axis_format(&data->axes[0], r[at].t, to);
        lf_note(ctx, "the input '%s' has no reading between %s and %s, %.3g steps: it is taken as %s there", name, from,
                to, widest / step, hold == LF_HOLD_CONSTANT ? "constant" : "a straight line");
    }
    return LF_OK;
}

lf_status lf_note_readings(lf_context *ctx, const lf_data *data, int column, lf_hold hold)
{
    reading *r = calloc(data->n + 1, sizeof *r);
    size_t n = 0;
    if (!r) {
        return lf_no_memory(ctx);
    }
    for (size_t i = 0; i < data->n; i++) {
        if (data->output[i] == column && data->input_dim == 1) {
            r[n++] = (reading){data->replicate[i], data->x[i], data->y[i]};
        }
    }
    qsort(r, n, sizeof *r, compare_readings);
    lf_status status = LF_OK;
    if (hold == LF_HOLD_IMPULSE) {
        note_repeated(ctx, data, data->outputs.name[column], n, r);
    } else {
        status = note_gap(ctx, data, data->outputs.name[column], hold, n, r);
    }
    free(r);
    return status;
}

lf_status lf_note_replicates(lf_context *ctx, const lf_data *data, const int *hold)
{
    size_t columns = (size_t)data->outputs.count, replicates = (size_t)data->replicates.count;
    size_t *read = calloc((columns + 1) * (replicates + 1), sizeof *read);
    if (!read) {
        return lf_no_memory(ctx);
    }
    for (size_t i = 0; i < data->n; i++) {
        if (data->replicate[i] >= 0 && data->output[i] >= 0) {
            read[(size_t)data->replicate[i] * columns + (size_t)data->output[i]]++;
        }
    }
    for (size_t r = 0; r < replicates; r++) {
        size_t outputs = 0, inputs = 0;
        for (size_t c = 0; c < columns; c++) {
            *(hold[c] < 0 ? &outputs : &inputs) += read[r * columns + c];
        }
        if (outputs == 0 && inputs > 0) {
            lf_note(ctx, "the replicate '%s' has readings of known inputs and of no output, and is not used",
                    data->replicates.name[r]);
        }
        for (size_t c = 0; outputs > 0 && c < columns; c++) {
            if (hold[c] == LF_HOLD_IMPULSE && read[r * columns + c] == 0) {
                lf_note(ctx, "the replicate '%s' has no readings of '%s': its impulses are 0", data->replicates.name[r],
                        data->outputs.name[c]);
            }
        }
    }
    free(read);
    return LF_OK;
}
