/* The backward pass. The records of all steps are kept where they fit into the processor cache (the inner one, if their memory is fresh) or where
 * steps have many rows, so that they take longer to compute than to read, and fit into memory. Otherwise there are checkpoints: the filter state
 * is stored at the start of each segment of steps, and the steps of a segment are recomputed and recorded when the pass reaches it. Segments have
 * about the square root of the number of steps, which minimises memory, but no more than fit into the cache. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cblas.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/widest.h"
#include "kalman/filter.h"

enum { MAX_SEGMENT = 128 };

static const double fresh_bytes = 512e3, kept_bytes = 8e6, memory_bytes = 256e6; /* for the records of all steps */

typedef double vector __attribute__((vector_size(LF_LANE * sizeof(double)), aligned(sizeof(double)), may_alias));

/* The records of one segment; record[0] holds the state before its first step. */
typedef struct segment {
    double *numbers;          /* (records, record_numbers), in the storage of the filter, where it has one */
    double *own;              /* the same where it has none */
    size_t record_numbers;    /* see lf_filter_record_numbers */
    int copies;               /* records have room for a transition */
    lf_filter_record *record; /* (records) pointers into the numbers */
} segment;

/* entries: one more than the steps of a segment. 0: no memory. */
static int segment_create(size_t entries, lf_record_storage *storage, segment *seg)
{
    if (!storage) {
        seg->numbers = seg->own = lf_doubles_unset(entries, seg->record_numbers);
    } else if (storage->count < entries * seg->record_numbers) {
        free(storage->numbers);
        storage->numbers = lf_doubles_unset(entries, seg->record_numbers);
        storage->count = storage->numbers ? entries * seg->record_numbers : 0;
    }
    seg->numbers = storage ? storage->numbers : seg->numbers;
    seg->record = calloc(entries, sizeof *seg->record);
    return seg->numbers && seg->record;
}

static void segment_clear(segment *seg)
{
    free(seg->own);
    free(seg->record);
}

/* The records of a segment have their own storage until a step of a stretch gives them that of the stretch. */
static void segment_begin(const lf_filter *filter, size_t entries, segment *seg)
{
    size_t size = lf_sparsity_size(&filter->space->sparsity), s = (size_t)filter->space->sparsity.stride;
    size_t rows = filter->max_rows;
    for (size_t i = 0; i < entries; i++) {
        double *P = seg->numbers + i * seg->record_numbers, *mean = P + size, *Kt = mean + s, *A_copy = Kt + rows * s,
               *w = A_copy + (seg->copies ? size : 0);
        seg->record[i] =
            (lf_filter_record){.mean = mean, .P = P, .A_copy = A_copy, .Kt = Kt, .w = w, .S_inverse = w + rows};
    }
}

/* Has the processor load what will be read soon. */
static inline void fetch(const double *numbers, size_t count)
{
    enum { LINE = 64 / sizeof(double) };
    for (size_t i = 0; i < count; i += LINE) {
        __builtin_prefetch(numbers + i);
    }
}

/* The steps of a segment from a filter state, recorded, and then backward_step for them in reverse order. */
static lf_status process_segment(lf_filter *filter, size_t first, size_t count, const double *mean, const double *P,
                                 segment *seg, lf_backward_step backward_step, void *user, double *log_likelihood)
{
    size_t size = lf_sparsity_size(&filter->space->sparsity), s = (size_t)filter->space->sparsity.stride;
    segment_begin(filter, count + 1, seg);
    lf_stretch_seek(filter, first);
    memcpy(seg->record[0].mean, mean, s * sizeof *mean);
    memcpy(seg->record[0].P, P, size * sizeof *P);
    if (mean != filter->mean) {
        memcpy(filter->mean, mean, s * sizeof *mean);
        memcpy(filter->P, P, size * sizeof *P);
    }
    lf_status status = LF_OK;
    for (size_t i = 0; !status && i < count; i++) {
        status = lf_filter_step(filter, first + i, &seg->record[i + 1], log_likelihood);
    }
    LF_TRY(status, lf_filter_check(filter, *log_likelihood));
    for (size_t i = count; !status && i-- > 0;) {
        fetch(seg->record[i].P, size);
        status = backward_step(user, filter, first + i, &seg->record[i + 1], first + i ? &seg->record[i] : NULL);
    }
    return status;
}

/* With checkpoints. */
static lf_status pass_in_segments(lf_filter *filter, size_t length, segment *seg, lf_backward_step backward_step,
                                  void *user, double *log_likelihood)
{
    size_t size = lf_sparsity_size(&filter->space->sparsity), s = (size_t)filter->space->sparsity.stride;
    size_t steps = filter->timeline->step_count, segments = (steps + length - 1) / length;
    double *means = lf_doubles(segments, s), *Ps = lf_doubles(segments, size);
    lf_status status = means && Ps ? LF_OK : lf_no_memory(filter->ctx);
    for (size_t k = 0; !status && k < steps; k++) {
        if (k % length == 0) {
            memcpy(means + k / length * s, filter->mean, s * sizeof *means);
            memcpy(Ps + k / length * size, filter->P, size * sizeof *Ps);
        }
        status = lf_filter_step(filter, k, NULL, log_likelihood);
    }
    LF_TRY(status, lf_filter_check(filter, *log_likelihood));
    filter->search.on = 0; /* stretches are known */
    for (size_t g = segments; !status && g-- > 0;) {
        size_t first = g * length, count = steps - first < length ? steps - first : length;
        double unused = 0;
        status = process_segment(filter, first, count, means + g * s, Ps + g * size, seg, backward_step, user, &unused);
    }
    free(means);
    free(Ps);
    return status;
}

int lf_filter_copies_transitions(const lf_timeline *timeline, size_t cached)
{
    for (size_t k = 1; k < timeline->step_count; k++) {
        if (timeline->gap_index[k] < 0 || (size_t)timeline->gap_index[k] >= cached) {
            return 1;
        }
    }
    return 0;
}

size_t lf_filter_record_numbers(size_t size, size_t stride, size_t rows, int copies)
{
    size_t numbers = (copies ? 2 : 1) * size + (rows + 1) * stride + rows * (rows + 1);
    return (numbers + LF_LANE - 1) / LF_LANE * LF_LANE;
}

size_t lf_filter_segment(size_t steps, size_t record_numbers, size_t rows, int kept)
{
    double room = rows >= LF_BLAS_MIN_ROWS ? memory_bytes : kept ? kept_bytes : fresh_bytes;
    return (double)(record_numbers * sizeof(double)) * (double)(steps + 1) <= room
               ? steps
               : (size_t)fmin(MAX_SEGMENT, ceil(sqrt((double)steps)));
}

lf_status lf_filter_backward_pass(lf_filter *filter, lf_backward_step backward_step, void *user, double *log_likelihood)
{
    size_t size = lf_sparsity_size(&filter->space->sparsity), s = (size_t)filter->space->sparsity.stride;
    size_t steps = filter->timeline->step_count, rows = filter->max_rows;
    segment seg = {.copies = lf_filter_copies_transitions(filter->timeline, filter->cached)};
    seg.record_numbers = lf_filter_record_numbers(size, s, rows, seg.copies);
    size_t length = lf_filter_segment(steps, seg.record_numbers, rows, filter->storage != NULL);
    int at_once = length == steps;
    lf_status status = segment_create(length + 1, filter->storage, &seg) ? LF_OK : lf_no_memory(filter->ctx);
    *log_likelihood = 0;
    if (!status && at_once) {
        status = process_segment(filter, 0, steps, filter->mean, filter->P, &seg, backward_step, user, log_likelihood);
    } else if (!status) {
        status = pass_in_segments(filter, length, &seg, backward_step, user, log_likelihood);
    }
    segment_clear(&seg);
    return status;
}

/* U (m, stride) = K'X, X (n, stride). */
WIDEST static void multiply_gain_transposed(size_t m, size_t n, size_t s, const double *restrict Kt,
                                            const double *restrict X, double *restrict U)
{
    for (size_t lane = 0; lane < s; lane += LF_LANE) {
        size_t i = 0;
        for (; i + 4 <= m; i += 4) {
            const double *k0 = Kt + i * s, *k1 = k0 + s, *k2 = k1 + s, *k3 = k2 + s;
            vector sum0 = {0}, sum1 = {0}, sum2 = {0}, sum3 = {0};
            for (size_t j = 0; j < n; j++) {
                const vector *x = (const vector *)(X + j * s + lane);
                sum0 += k0[j] * *x;
                sum1 += k1[j] * *x;
                sum2 += k2[j] * *x;
                sum3 += k3[j] * *x;
            }
            double *u = U + i * s + lane;
            *(vector *)u = sum0;
            *(vector *)(u + s) = sum1;
            *(vector *)(u + 2 * s) = sum2;
            *(vector *)(u + 3 * s) = sum3;
        }
        for (; i < m; i++) {
            vector sum = {0};
            for (size_t j = 0; j < n; j++) {
                sum += Kt[i * s + j] * *(const vector *)(X + j * s + lane);
            }
            *(vector *)(U + i * s + lane) = sum;
        }
    }
}

/* The same with BLAS, for many rows. */
static void multiply_gain_transposed_blas(size_t m, size_t n, size_t s, const double *Kt, const double *X, double *U)
{
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)m, (int)s, (int)n, 1, Kt, (int)s, X, (int)s, 0, U,
                (int)s);
}

static void multiply_gain(size_t m, size_t n, size_t s, const double *Kt, const double *X, double *U)
{
    (m < LF_BLAS_MIN_ROWS ? multiply_gain_transposed : multiply_gain_transposed_blas)(m, n, s, Kt, X, U);
}

/* X (n, stride) += factor h x', h the measurement row of an output. */
static void add_to_measured(const lf_measurements *measurements, int output, double factor, size_t n, size_t stride,
                            const double *x, double *X)
{
    for (int e = measurements->start[output]; e < measurements->start[output + 1]; e++) {
        double *row = X + (size_t)measurements->state[e] * stride, value = factor * measurements->value[e];
        for (size_t j = 0; j < n; j++) {
            row[j] += value * x[j];
        }
    }
}

void lf_update_multiply_transposed(const lf_filter *filter, size_t step, const lf_filter_record *record, double *X,
                                   double *U)
{
    const lf_timeline *t = filter->timeline;
    size_t from = t->first_row[step], m = t->first_row[step + 1] - from;
    size_t n = (size_t)filter->space->n, s = (size_t)filter->space->sparsity.stride;
    const lf_measurements *measurements = &filter->measurements;
    multiply_gain(m, n, s, record->Kt, X, U);
    for (size_t i = 0; i < m; i++) {
        add_to_measured(measurements, t->measured[from + i], -1, n, s, U + i * s, X);
    }
}

void lf_update_products(const lf_filter *filter, size_t step, const lf_filter_record *record, const double *X,
                        double *U, double *C)
{
    const lf_timeline *t = filter->timeline;
    size_t m = t->first_row[step + 1] - t->first_row[step];
    size_t n = (size_t)filter->space->n, s = (size_t)filter->space->sparsity.stride;
    multiply_gain(m, n, s, record->Kt, X, U);
    if (m >= LF_BLAS_MIN_ROWS) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)m, (int)m, (int)s, 1, U, (int)s, record->Kt, (int)s,
                    0, C, (int)m);
        return;
    }
    for (size_t i = 0; i < m; i++) {
        for (size_t k = 0; k < m; k++) {
            C[i * m + k] = lf_row_product((int)s, U + i * s, record->Kt + k * s);
        }
    }
}

void lf_update_add(const lf_filter *filter, size_t step, double factor, const double *G, const double *B, double *X)
{
    const lf_timeline *t = filter->timeline;
    size_t from = t->first_row[step], m = t->first_row[step + 1] - from;
    size_t n = (size_t)filter->space->n, s = (size_t)filter->space->sparsity.stride;
    const lf_measurements *measurements = &filter->measurements;
    for (size_t i = 0; i < m; i++) {
        int d = t->measured[from + i];
        add_to_measured(measurements, d, factor, n, s, G + i * s, X);
        for (size_t j = 0; j < n; j++) {
            lf_measure_backward(measurements, d, factor * G[i * s + j], X + j * s);
        }
        for (size_t k = 0; k < m; k++) {
            lf_measure_pair_backward(measurements, d, t->measured[from + k], B[i * m + k], s, X);
        }
    }
}
