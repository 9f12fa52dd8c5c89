/* Rows move between processes by broadcasts of packed rows, a part at a time: the sender leaves out what nobody wants, and every process
 * keeps what belongs to it. */
#include "data/share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "model/access.h"

enum { PART = 1 << 15, WINDOWS = 64 };

/* Which rows are sent, and which process keeps them. */
typedef struct route {
    double low, span, share; /* of a sample; share 1: all rows */
    double *rows,
        few; /* (outputs) of all processes, and the number up to which all rows of an output are in the sample */
    lf_distribution distribution;
    int *owner; /* (outputs or replicates) */
} route;

static int is_sent(const route *r, const lf_data *data, size_t row)
{
    if (!(r->share < 1) || (data->output[row] >= 0 && r->rows[data->output[row]] <= r->few)) {
        return 1;
    }
    if (data->input_dim > 1) {
        return (double)lf_data_row_fingerprint(data, row) < r->share * 0x1p64;
    }
    double at = WINDOWS * (data->x[row] - r->low) / r->span;
    return at - floor(at) < r->share;
}

static int is_kept(const route *r, int rank, int output, int replicate)
{
    return r->distribution == LF_WHOLE        ? 1
           : r->distribution == LF_BY_OUTPUTS ? r->owner[output < 0 ? 0 : output] == rank
                                              : r->owner[replicate < 0 ? 0 : replicate] == rank;
}

/* Numbers of a packed row: output, replicate, x (p), y, sd, width, split. */
static size_t packed_size(const lf_data *data) { return (size_t)data->input_dim + 6; }

static void pack_row(const lf_data *data, size_t row, double *packed)
{
    size_t p = (size_t)data->input_dim;
    packed[0] = data->output[row];
    packed[1] = data->replicate[row];
    memcpy(packed + 2, data->x + row * p, p * sizeof *packed);
    packed[2 + p] = data->y[row];
    packed[3 + p] = data->sd[row];
    packed[4 + p] = data->width ? data->width[row] : 0;
    packed[5 + p] = data->split[row];
}

static lf_status append_row(lf_context *ctx, const double *packed, lf_data *to)
{
    size_t p = (size_t)to->input_dim;
    lf_observation row = {.output = (int)packed[0],
                          .replicate = (int)packed[1],
                          .x = packed + 2,
                          .y = packed[2 + p],
                          .sd = packed[3 + p],
                          .width = packed[4 + p]};
    lf_status status = lf_data_append(ctx, to, &row);
    if (!status) {
        to->split[to->n - 1] = (int32_t)packed[5 + p];
    }
    return status;
}

/* The rows of one process reach the others. `part` (PART, numbers of a row). */
static lf_status send_rows(lf_context *ctx, const lf_data *data, const route *r, int root, double *part, lf_data *to)
{
    size_t numbers = packed_size(data), next = 0, count;
    int mine = lf_process_rank(ctx) == root;
    lf_status kept = LF_OK, status;
    do {
        count = 0;
        while (mine && next < data->n && count < PART) {
            if (is_sent(r, data, next)) {
                pack_row(data, next, part + count++ * numbers);
            }
            next++;
        }
        int more = mine && next < data->n;
        size_t head[2] = {count, (size_t)more};
        status = lf_broadcast(ctx, root, sizeof head, head);
        count = head[0];
        LF_TRY(status, lf_broadcast(ctx, root, count * numbers * sizeof *part, part));
        for (size_t i = 0; !status && !kept && i < count; i++) {
            const double *row = part + i * numbers;
            if (is_kept(r, lf_process_rank(ctx), (int)row[0], (int)row[1])) {
                kept = append_row(ctx, row, to);
            }
        }
        next = head[1] ? next : data->n;
        count = head[1];
    } while (!status && count);
    return status ? status : kept;
}

static lf_status move_rows(lf_context *ctx, const lf_data *data, const route *r, lf_data **moved)
{
    lf_data *to = NULL;
    double *part = lf_doubles(PART, packed_size(data));
    lf_status status = lf_data_like(ctx, data, &to);
    status = status || part ? status : lf_no_memory(ctx);
    status = lf_agree(ctx, status);
    for (int root = 0; !status && root < lf_process_count(ctx); root++) {
        status = lf_agree(ctx, send_rows(ctx, data, r, root, part, to));
    }
    free(part);
    if (status) {
        lf_data_free(to);
        return status;
    }
    to->shared = (int)r->distribution;
    lf_data_shrink(to);
    *moved = to;
    return LF_OK;
}

lf_status lf_data_total(lf_context *ctx, const lf_data *data, size_t *total)
{
    double n = (double)data->n;
    lf_status status = data->shared ? lf_sum(ctx, LF_OK, 1, &n) : LF_OK;
    *total = (size_t)n;
    return status;
}

lf_status lf_data_limits(lf_context *ctx, const lf_data *data, const lf_model *model, double *low, double *high)
{
    size_t p = (size_t)data->input_dim;
    double *limits = lf_doubles(2, p); /* -low, high */
    lf_status status = limits ? LF_OK : lf_no_memory(ctx);
    for (size_t k = 0; !status && k < 2 * p; k++) {
        limits[k] = -(double)INFINITY;
    }
    for (size_t i = 0; !status && i < data->n; i++) {
        const char *name = data->output[i] < 0 ? "" : data->outputs.name[data->output[i]];
        for (size_t k = 0; (!model || lf_model_find_known(model, name) < 0) && k < p; k++) {
            limits[k] = fmax(limits[k], -data->x[i * p + k]);
            limits[p + k] = fmax(limits[p + k], data->x[i * p + k]);
        }
    }
    status = data->shared ? lf_largest(ctx, status, 2 * p, limits) : status;
    for (size_t k = 0; !status && k < p; k++) {
        low[k] = -limits[k];
        high[k] = limits[p + k];
    }
    free(limits);
    return status;
}

lf_status lf_data_ends(lf_context *ctx, const lf_data *data, const lf_model *model, double *last)
{
    size_t count = data->replicates.count > 0 ? (size_t)data->replicates.count : 1;
    for (size_t r = 0; r < count; r++) {
        last[r] = -(double)INFINITY;
    }
    for (size_t i = 0; i < data->n; i++) {
        const char *name = data->output[i] < 0 ? "" : data->outputs.name[data->output[i]];
        double *end = &last[data->replicate[i] < 0 ? 0 : data->replicate[i]];
        if (!model || lf_model_find_known(model, name) < 0) {
            *end = fmax(*end, data->x[i * (size_t)data->input_dim]);
        }
    }
    return data->shared ? lf_largest(ctx, LF_OK, count, last) : LF_OK;
}

/* rows (outputs or replicates, at least one): the numbers of their rows, of all processes. To be freed, also after a failure. */
static lf_status count_rows(lf_context *ctx, const lf_data *data, int by_output, double **rows)
{
    int names = by_output ? data->outputs.count : data->replicates.count;
    size_t count = names > 0 ? (size_t)names : 1;
    *rows = lf_doubles(count, 1);
    for (size_t i = 0; *rows && i < data->n; i++) {
        int index = by_output ? data->output[i] : data->replicate[i];
        (*rows)[index < 0 ? 0 : index]++;
    }
    return lf_sum(ctx, *rows ? LF_OK : lf_no_memory(ctx), count, *rows);
}

/* Whole outputs or replicates, one after the other, such that processes have about as many rows each. */
static lf_status assign_owners(lf_context *ctx, const lf_data *data, route *r)
{
    int by_output = r->distribution == LF_BY_OUTPUTS, processes = lf_process_count(ctx);
    int names = by_output ? data->outputs.count : data->replicates.count, count = names > 0 ? names : 1;
    double *rows, total = 0, before = 0;
    lf_status status = count_rows(ctx, data, by_output, &rows);
    r->owner = calloc((size_t)count, sizeof *r->owner);
    status = lf_agree(ctx, status || r->owner ? status : lf_no_memory(ctx));
    for (int i = 0; !status && i < count; i++) {
        total += rows[i];
    }
    for (int i = 0; !status && i < count && total > 0; i++) {
        r->owner[i] = (int)fmin(processes - 1, floor(processes * (before + 0.5 * rows[i]) / total));
        before += rows[i];
    }
    free(rows);
    return status;
}

lf_status lf_data_redistribute(lf_context *ctx, const lf_data *data, lf_distribution distribution, lf_data **other)
{
    route r = {.share = 1, .distribution = distribution};
    *other = NULL;
    lf_status status = distribution == LF_WHOLE ? LF_OK : assign_owners(ctx, data, &r);
    LF_TRY(status, move_rows(ctx, data, &r, other));
    free(r.owner);
    return status;
}

lf_status lf_data_sample(lf_context *ctx, const lf_data *data, size_t most, lf_data **sample)
{
    size_t total;
    double low = 0, high = 0;
    *sample = NULL;
    lf_status status = lf_data_total(ctx, data, &total);
    if (!status && data->input_dim == 1) {
        status = lf_data_limits(ctx, data, NULL, &low, &high);
    }
    route r = {.low = low,
               .span = high > low ? high - low : 1,
               .share = total > most ? (double)most / (double)total : 1,
               .distribution = LF_WHOLE};
    if (!status && r.share < 1) {
        status = count_rows(ctx, data, 1, &r.rows);
        r.few = 0.125 * (double)most / fmax(1, data->outputs.count);
    }
    LF_TRY(status, move_rows(ctx, data, &r, sample));
    free(r.rows);
    return status;
}
