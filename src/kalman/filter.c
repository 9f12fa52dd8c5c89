/* The filter and its steps. */
#include "kalman/filter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "dynamics/start_covariance.h"
#include "kalman/measurement_update.h"

static const double cache_bytes = 256e6; /* for transitions and their derivatives */

/* Those that occur more than once, which come first, as far as memory allows. */
size_t lf_filter_cached_gaps(const lf_timeline *timeline, size_t size)
{
    double max_cached = cache_bytes / (4 * (double)(size * sizeof(double)));
    size_t cached = 0;
    while (cached < timeline->gap_count && timeline->gap_uses[cached] > 1 && (double)cached < max_cached) {
        cached++;
    }
    return cached;
}

size_t lf_filter_most_rows(const lf_timeline *timeline)
{
    size_t most = 1;
    for (size_t k = 0; k < timeline->step_count; k++) {
        size_t rows = timeline->first_row[k + 1] - timeline->first_row[k];
        most = rows > most ? rows : most;
    }
    return most;
}

/* The table of measurements: that of the state space, followed by the averages as integrators divided by their widths. */
static int make_measurements(lf_filter *filter)
{
    const lf_measurements *of_outputs = &filter->space->measurements;
    const lf_timeline *t = filter->timeline;
    size_t D = (size_t)filter->space->model->output_count, entries = (size_t)of_outputs->start[D];
    lf_measurements *m = &filter->measurements;
    *m = *of_outputs;
    if (!t->averages) {
        return 1;
    }
    m->start = calloc(D + t->average_count + 1, sizeof *m->start);
    m->state = calloc(entries + t->average_count + 1, sizeof *m->state);
    m->value = lf_doubles(entries + t->average_count, 1);
    if (!m->start || !m->state || !m->value) {
        return 0;
    }
    memcpy(m->start, of_outputs->start, (D + 1) * sizeof *m->start);
    memcpy(m->state, of_outputs->state, entries * sizeof *m->state);
    memcpy(m->value, of_outputs->value, entries * sizeof *m->value);
    for (size_t a = 0; a < t->average_count; a++) {
        m->start[D + a + 1] = (int)(entries + a + 1);
        m->state[entries + a] = filter->space->integrator[t->averages[a].output] + t->averages[a].slot;
        m->value[entries + a] = 1 / t->averages[a].width;
    }
    return 1;
}

void lf_filter_reset(const lf_filter *filter, size_t step, double *x, double *X, int only_rows)
{
    const lf_timeline *t = filter->timeline;
    size_t n = (size_t)filter->space->n, s = (size_t)filter->space->sparsity.stride;
    for (size_t r = t->first_reset[step]; r < t->first_reset[step + 1]; r++) {
        size_t i = (size_t)(filter->space->integrator[t->resets[r].output] + t->resets[r].slot);
        if (x) {
            x[i] = 0;
        }
        if (X) {
            memset(X + i * s, 0, s * sizeof *X);
        }
        for (size_t j = 0; X && !only_rows && j < n; j++) {
            X[j * s + i] = 0;
        }
    }
}

void lf_filter_transition(lf_filter *filter, size_t gap, double *A, double *Q)
{
    const lf_state_space *space = filter->space;
    double length = filter->timeline->gap_length[gap];
    if (!lf_transition_table_get(&filter->table, length, A, Q)) {
        lf_transition(space, space->F, length, &filter->transition_work, A, Q);
    }
}

lf_status lf_filter_create(lf_context *ctx, const lf_state_space *space, const lf_timeline *timeline, const double *y,
                           const double *noise, const double *mean, const double *P, lf_filter *filter)
{
    size_t size = lf_sparsity_size(&space->sparsity), s = (size_t)space->sparsity.stride;
    size_t max_rows = lf_filter_most_rows(timeline);
    *filter =
        (lf_filter){.ctx = ctx, .space = space, .timeline = timeline, .y = y, .noise = noise, .max_rows = max_rows};
    filter->cached = lf_filter_cached_gaps(timeline, size);
    filter->A = lf_doubles(filter->cached + 1, size);
    filter->Q = lf_doubles(filter->cached + 1, size);
    filter->mean = lf_doubles(s, 1);
    filter->P = lf_doubles(size, 1);
    filter->HP = lf_doubles(max_rows, s);
    filter->Kt = lf_doubles(max_rows, s);
    filter->S_diagonal = lf_doubles(max_rows, 1);
    filter->S = lf_doubles(max_rows, max_rows);
    filter->e = lf_doubles(max_rows, 1);
    filter->w = lf_doubles(max_rows, 1);
    filter->variance = lf_doubles((size_t)space->model->output_count, 1);
    filter->read_at = calloc((size_t)space->model->output_count + 1, sizeof *filter->read_at);
    filter->scratch = lf_doubles(2, size);
    filter->search.predicted = lf_doubles(size, 1);
    filter->search.on = timeline->step_count > 2 && filter->cached > 0;
    if (!filter->search.predicted || !filter->A || !filter->Q || !filter->mean || !filter->P || !filter->HP ||
        !filter->Kt || !filter->S_diagonal || !filter->S || !filter->e || !filter->w || !filter->variance ||
        !filter->read_at || !filter->scratch || !make_measurements(filter)) {
        return lf_no_memory(ctx);
    }
    lf_status status = lf_transition_work_create(ctx, space, timeline->longest_gap, &filter->transition_work);
    LF_TRY(status, lf_transition_table_create(ctx, space, timeline->gap_count, timeline->gap_length,
                                              &filter->transition_work, &filter->table));
    for (size_t g = 0; !status && g < filter->cached; g++) {
        lf_filter_transition(filter, g, filter->A + g * size, filter->Q + g * size);
    }
    if (mean) {
        memcpy(filter->mean, mean, s * sizeof *mean);
    }
    if (P) {
        memcpy(filter->P, P, size * sizeof *P);
    } else if (timeline->step_count) {
        lf_start_covariance(space, timeline->time[0], filter->P);
    }
    return status;
}

void lf_filter_clear(lf_filter *filter)
{
    lf_transition_work_clear(&filter->transition_work);
    lf_transition_table_clear(&filter->table);
    if (filter->timeline && filter->timeline->averages) {
        free(filter->measurements.start);
        free(filter->measurements.state);
        free(filter->measurements.value);
    }
    free(filter->A);
    free(filter->Q);
    free(filter->mean);
    free(filter->P);
    free(filter->HP);
    free(filter->Kt);
    free(filter->S_diagonal);
    free(filter->S);
    free(filter->e);
    free(filter->w);
    free(filter->variance);
    free(filter->read_at);
    free(filter->scratch);
    lf_stretch_search_clear(&filter->search);
    free(filter->probes);
    free(filter->magnitude);
    *filter = (lf_filter){0};
}

/* The slot of the step's transition in A and Q, computed unless it is cached; -1 where the gap is 0. */
static ptrdiff_t get_transition(lf_filter *filter, size_t step)
{
    const lf_timeline *t = filter->timeline;
    size_t size = lf_sparsity_size(&filter->space->sparsity), slot = filter->cached;
    double gap = step ? t->time[step] - t->time[step - 1] : 0;
    if (!(gap > 0)) {
        return -1;
    }
    const lf_state_space *space = filter->space;
    ptrdiff_t index = t->gap_index[step];
    if (index >= 0 && (size_t)index < filter->cached) {
        return index;
    }
    double *A = filter->A + slot * size, *Q = filter->Q + slot * size;
    if (index >= 0) {
        lf_filter_transition(filter, (size_t)index, A, Q);
    } else { /* before the origin, where white forces do not act yet */
        size_t first = (size_t)space->force_states * (size_t)space->sparsity.stride;
        lf_transition(space, space->F_before_origin, gap, &filter->transition_work, A, Q);
        memset(Q + first, 0, (size - first) * sizeof *Q);
    }
    return (ptrdiff_t)slot;
}

static void time_update(lf_filter *filter, size_t slot)
{
    const lf_sparsity *sparsity = &filter->space->sparsity;
    size_t size = lf_sparsity_size(sparsity);
    const double *A = filter->A + slot * size, *Q = filter->Q + slot * size;
    lf_sparse_sandwich(sparsity, A, filter->P, Q, filter->scratch, filter->P);
    lf_sparse_multiply_vector(sparsity, A, filter->mean, filter->scratch);
    memcpy(filter->mean, filter->scratch, (size_t)sparsity->n * sizeof(double));
}

static void step_in_stretch(lf_filter *filter, const lf_stretch *stretch, size_t step, lf_filter_record *record,
                            double *log_likelihood)
{
    size_t size = lf_sparsity_size(&filter->space->sparsity);
    if (lf_filter_resets(filter, step - 1)) {
        lf_filter_reset(filter, step - 1, filter->mean, NULL, 0);
    }
    lf_move_mean(filter, stretch, step, log_likelihood);
    if (record) {
        record->stretch = stretch;
        record->A = filter->A + stretch->slot * size;
        record->P = stretch->P;
        record->Kt = stretch->Kt;
        record->S_inverse = stretch->S_inverse;
        memcpy(record->mean, filter->mean, (size_t)filter->space->sparsity.stride * sizeof(double));
        memcpy(record->w, filter->w, stretch->rows * sizeof(double));
    }
}

lf_status lf_filter_step(lf_filter *filter, size_t step, lf_filter_record *record, double *log_likelihood)
{
    size_t size = lf_sparsity_size(&filter->space->sparsity);
    const lf_stretch *stretch = filter->search.count ? lf_stretch_find(filter, step) : NULL;
    if (stretch) {
        step_in_stretch(filter, stretch, step, record, log_likelihood);
        return LF_OK;
    }
    ptrdiff_t slot = get_transition(filter, step);
    if (step && lf_filter_resets(filter, step - 1)) {
        lf_filter_reset(filter, step - 1, filter->mean, filter->P, 0);
    }
    if (slot >= 0) {
        time_update(filter, (size_t)slot);
    }
    if (filter->probes) {
        lf_filter_begin_rounding(filter, step, slot >= 0 ? filter->A + (size_t)slot * size : NULL);
    } else if (filter->search.on) {
        lf_stretch_before_update(filter, step);
    }
    lf_status status = lf_measurement_update(filter, step, record, log_likelihood);
    if (!status && filter->probes) {
        lf_filter_end_rounding(filter, step);
    } else if (!status && filter->search.on) {
        status = lf_stretch_after_update(filter, step);
    }
    if (record) {
        record->stretch = NULL;
        memcpy(record->mean, filter->mean, (size_t)filter->space->sparsity.stride * sizeof(double));
        memcpy(record->P, filter->P, size * sizeof(double));
        record->A = slot < 0 ? NULL : filter->A + (size_t)slot * size;
        if (slot == (ptrdiff_t)filter->cached) {
            record->A = memcpy(record->A_copy, record->A, size * sizeof(double));
        }
    }
    return status;
}

lf_status lf_filter_check(const lf_filter *filter, double log_likelihood)
{
    return isfinite(log_likelihood)
               ? LF_OK
               : lf_fail(filter->ctx, LF_ERROR_NUMERIC, "the log likelihood is not a finite number");
}

lf_status lf_filter_run(lf_filter *filter, double *log_likelihood)
{
    lf_status status = LF_OK;
    *log_likelihood = 0;
    for (size_t k = 0; !status && k < filter->timeline->step_count; k++) {
        status = lf_filter_step(filter, k, NULL, log_likelihood);
    }
    return status ? status : lf_filter_check(filter, *log_likelihood);
}
