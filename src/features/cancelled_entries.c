/* The rows of a tile are sorted by time once; the entries of a node are then the first of them. Nodes are taken together up to a number
 * of entries, so that memory is bounded. */
#include "features/cancelled_entries.h"

#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "features/wave_response.h"

enum { TOGETHER = 1 << 18, CHUNK = 64 };

/* The entries of the nodes first … end - 1: those of node s are start[s - first] … start[s - first + 1] - 1. */
typedef struct entries {
    size_t first, end, count;
    size_t *start; /* (S + 1) */
    size_t *index; /* (2 count) of Re in V, then of Im */
    double *value; /* (2 count) */
} entries;

static void clear_entries(entries *e)
{
    free(e->start);
    free(e->index);
    free(e->value);
    *e = (entries){0};
}

typedef struct timed_row {
    double t;
    size_t row;
} timed_row;

static int by_time(const void *a, const void *b)
{
    const timed_row *x = a, *y = b;
    return x->t != y->t ? (x->t > y->t) - (x->t < y->t) : (x->row > y->row) - (x->row < y->row);
}

/* Sorts the rows of the tile, once. */
static lf_status sort_rows(lf_context *ctx, lf_device_rows *r)
{
    size_t n = r->response.n;
    if (r->early_count == n) {
        return LF_OK;
    }
    timed_row *rows = malloc((n + 1) * sizeof *rows);
    if (!rows) {
        return lf_no_memory(ctx);
    }
    int sorted = 1;
    for (size_t i = 0; i < n; i++) {
        rows[i] = (timed_row){r->response.t[i], i};
        sorted = sorted && (i == 0 || rows[i - 1].t <= rows[i].t);
    }
    if (!sorted) {
        qsort(rows, n, sizeof *rows, by_time);
    }
    for (size_t i = 0; i < n; i++) {
        r->early[i] = rows[i].row;
        r->early_times[i] = rows[i].t;
    }
    r->early_count = n;
    free(rows);
    return LF_OK;
}

/* The number of rows before a time. */
static size_t rows_before(const lf_device_rows *r, double time)
{
    size_t low = 0, high = r->early_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        *(r->early_times[middle] < time ? &low : &high) = r->early_times[middle] < time ? middle + 1 : middle;
    }
    return low;
}

/* Whether a row of the tile comes before a safe time. */
static int has_entries(const lf_device_rows *r, size_t S, const double *safe)
{
    double earliest = r->response.n ? r->response.t[0] : 0, latest = safe && S ? safe[0] : earliest;
    for (size_t i = 0; i < r->response.n; i++) {
        earliest = r->response.t[i] < earliest ? r->response.t[i] : earliest;
    }
    for (size_t s = 0; s < S; s++) {
        latest = safe[s] > latest ? safe[s] : latest;
    }
    return r->response.from_rest && earliest < latest;
}

/* The entries of the next nodes; the first time e is zeroed. Their count is 0 where there are no more. */
static lf_status next_entries(lf_context *ctx, lf_device_rows *r, size_t S, const double *safe, entries *e)
{
    if (!e->start) {
        e->start = calloc(S + 1, sizeof *e->start);
        lf_status status = e->start ? sort_rows(ctx, r) : lf_no_memory(ctx);
        if (status) {
            return status;
        }
    }
    free(e->index);
    free(e->value);
    e->index = NULL;
    e->value = NULL;
    e->first = e->end;
    e->count = 0;
    while (e->end < S && e->count < TOGETHER) {
        e->count += rows_before(r, safe[e->end]);
        e->end++;
        e->start[e->end - e->first] = e->count;
    }
    e->index = calloc(2 * e->count + 1, sizeof *e->index);
    e->value = lf_doubles(e->count, 2);
    if (!e->index || !e->value) {
        return lf_no_memory(ctx);
    }
    for (size_t s = e->first; s < e->end; s++) {
        size_t from = e->start[s - e->first], to = e->start[s - e->first + 1];
        for (size_t k = from; k < to; k++) {
            e->index[k] = s * r->rows + r->early[k - from];
            e->index[e->count + k] = (S + s) * r->rows + r->early[k - from];
        }
    }
    return LF_OK;
}

lf_status lf_cancelled_put(lf_context *ctx, lf_device_rows *r, const lf_nodes *nodes, const double *safe,
                           const double *scale, const double *row_scale, double *V)
{
    const lf_response *response = &r->response;
    entries e = {0};
    lf_status status = LF_OK;
    if (!has_entries(r, nodes->count, safe)) {
        return LF_OK;
    }
    while (!status && e.end < nodes->count) {
        status = next_entries(ctx, r, nodes->count, safe, &e);
        if (status) {
            break;
        }
#pragma omp parallel for schedule(dynamic) if (e.count > 1000)
        for (size_t s = e.first; s < e.end; s++) {
            size_t from = e.start[s - e.first], to = e.start[s - e.first + 1];
            double complex v[CHUNK];
            for (size_t k = from; k < to; k += CHUNK) {
                size_t here = to - k < CHUNK ? to - k : CHUNK;
                lf_wave_responses(response->a, response->output->order, nodes->lambda[s], here,
                                  r->early_times + (k - from), v, NULL, NULL);
                for (size_t c = 0; c < here; c++) {
                    double factor = scale[s] * (row_scale ? row_scale[r->early[k - from + c]] : 1);
                    e.value[k + c] = factor * creal(v[c]);
                    e.value[e.count + k + c] = factor * cimag(v[c]);
                }
            }
        }
        r->device->op->put(r->device, 2 * e.count, e.index, e.value, V);
    }
    clear_entries(&e);
    return status;
}

/* The contributions of the entries of node s, whose values are their adjoints. by (constants). */
static void backward_node(const lf_device_rows *r, const entries *e, size_t s, const lf_cancelled_adjoint *a,
                          double *by)
{
    const lf_response *response = &r->response;
    size_t from = e->start[s - e->first], count = e->start[s - e->first + 1] - from;
    const double *re = e->value + from, *im = re + e->count;
    double lambda = a->nodes->lambda[s], scale = a->scale[s];
    int P = response->output->order, shift = response->output->op->first_coefficient;
    double complex v[CHUNK], slope[CHUNK], da[CHUNK * (LF_MAX_ORDER + 1)];
    for (size_t k = 0; k < count; k += CHUNK) {
        size_t here = count - k < CHUNK ? count - k : CHUNK;
        lf_wave_responses(response->a, P, lambda, here, r->early_times + k, v, da, a->by_lambda ? slope : NULL);
        for (size_t c = 0; c < here; c++) {
            double a_re = re[k + c], a_im = im[k + c];
            a->x[s] += a_re * creal(v[c]) + a_im * cimag(v[c]);
            for (int i = 0; i < response->output->constant_count; i++) {
                double complex d = da[c * (size_t)(P + 1) + (size_t)(i + shift)];
                by[i] += scale * (a_re * creal(d) + a_im * cimag(d));
            }
            if (a->by_lambda) {
                a->by_lambda[s] += scale * (a_re * creal(slope[c]) + a_im * cimag(slope[c]));
            }
        }
    }
}

lf_status lf_cancelled_backward(lf_context *ctx, lf_device_rows *r, const lf_cancelled_adjoint *a, double *gradient)
{
    const lf_nodes *nodes = a->nodes;
    if (!has_entries(r, nodes->count, a->safe)) {
        return LF_OK;
    }
    size_t constants = (size_t)r->response.output->constant_count;
    double *by_node = lf_doubles(nodes->count, constants);
    entries e = {0};
    lf_status status = by_node ? LF_OK : lf_no_memory(ctx);
    while (!status && e.end < nodes->count) {
        status = next_entries(ctx, r, nodes->count, a->safe, &e);
        if (status) {
            break;
        }
        r->device->op->get(r->device, 2 * e.count, e.index, a->adjoint, e.value);
        r->device->op->put(r->device, 2 * e.count, e.index, NULL, a->adjoint);
        r->device->op->put(r->device, 2 * e.count, e.index, NULL, a->V);
#pragma omp parallel for schedule(dynamic) if (e.count > 1000)
        for (size_t s = e.first; s < e.end; s++) {
            backward_node(r, &e, s, a, by_node + s * constants);
        }
    }
    for (size_t i = 0; !status && i < nodes->count * constants; i++) {
        gradient[i % constants] += by_node[i];
    }
    clear_entries(&e);
    free(by_node);
    return status;
}
