/* What the kalman engine allocates, in matrices of n states (size = n stride numbers), m the largest number of rows of a step:
 *
 *   state       4 size
 *   filter      6 size + 2 size for each kept transition, 3 m stride + m^2; work of transitions: (46 + 2 doublings) size
 *   table       of transitions at uneven times (transition_table.h): its coefficients twice, and 80 size at the end of a gradient
 *   gradient    7 size + 2 size for each kept transition, m stride + m^2
 *   backward    size + m stride + m^2 for each step of a segment, size more where transitions are not kept, and size for each checkpoint; the
 *               segment of one replicate is kept from one evaluation to the next
 *   stretches   2 size + 2 m stride + 2 m^2 each, and 7 size + 3 m stride + m^2
 *   prior mean  the states at each step, and two matrices for each kept transition */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "dynamics/timeline.h"
#include "dynamics/transition.h"
#include "kalman/filter.h"
#include "kalman/kalman.h"

enum { EVENT = 16 }; /* numbers in the lists of times, for each */
/* Of a gap, where the forces are asked for along time: usually fewer (predict/forced_response.c). */
enum { MOST_PIECES = 6 };

/* Steps with the same gap and the same outputs as the step before begin a stretch after some of them. */
static double count_stretches(const lf_timeline *t)
{
    enum { LEAST = 32 }; /* steps alike */
    double count = 0;
    size_t alike = 0;
    for (size_t k = 1; k < t->step_count; k++) {
        size_t from = t->first_row[k], before = t->first_row[k - 1], rows = t->first_row[k + 1] - from;
        int same = t->gap_index[k] == t->gap_index[k - 1] && from - before == rows;
        for (size_t i = 0; same && i < rows; i++) {
            same = t->output[from + i] == t->output[before + i];
        }
        alike = same ? alike + 1 : 0;
        count += alike == LEAST;
    }
    return count;
}

/* Numbers of an evaluation with gradient along one timeline, where it has so many steps. kept: its records stay for the next one. *records: of
 * these numbers, those of a segment. */
static double filter_numbers(const lf_state_space *space, const lf_timeline *t, double steps, int kept, double *records)
{
    size_t size = lf_sparsity_size(&space->sparsity), s = (size_t)space->sparsity.stride, rows = lf_filter_most_rows(t);
    size_t cached = lf_filter_cached_gaps(t, size);
    size_t record = lf_filter_record_numbers(size, s, rows, lf_filter_copies_transitions(t, cached));
    double length = (double)lf_filter_segment((size_t)steps, record, rows, kept);
    double m = (double)rows, columns = m * (double)s, square = m * m;
    double matrices = 6 + 7 + LF_TRANSITION_MATRICES + 4 * ((double)cached + 1);
    double segments = length < steps ? ceil(steps / length) : 0, stretches = count_stretches(t);
    double sums = stretches > 0 ? 7 * (double)size + 3 * columns + square : 0;
    lf_transition_table_size shared = lf_transition_table_measure(space, t->gap_count, t->gap_length);
    double table = shared.slots * shared.numbers;
    matrices += table > 0 ? LF_TABLE_MATRICES : 0;
    *records = (length + 1) * (double)record;
    return 2 * table + matrices * (double)size + 4 * columns + 2 * square + *records + segments * (double)size +
           stretches * (2 * (double)size + 2 * columns + 2 * square) + sums;
}

/* The same for a smoother of the forces along time. Fewer steps may need more: the records of all are kept where there is room. */
static double path_numbers(const lf_model *model, const lf_state_space *space, const lf_timeline *t)
{
    double most = 0, unused;
    for (int pieces = 1; pieces <= MOST_PIECES; pieces++) {
        double steps = pieces * (double)t->step_count;
        most = fmax(most, filter_numbers(space, t, steps, 0, &unused) + EVENT * model->force_count * steps);
    }
    return most;
}

static double prior_mean_numbers(const lf_model *model, const lf_state_space *space, const lf_timeline *t)
{
    double size = (double)lf_sparsity_size(&space->sparsity), kept = (double)lf_filter_cached_gaps(t, (size_t)size);
    double states = space->n + 4 * (double)model->known_count;
    return model->known_count ? 2 * (kept + 1) * size + states * (double)t->step_count : 0;
}

/* Lists of events, the filter, and for a covariance the states of each point. */
double lf_kalman_predict_numbers(const lf_kalman_posterior *p, int replicate, size_t points, int joint)
{
    enum { FILTER = 100 };
    double events = (double)points + (double)p->replicates[replicate].rows.points.n;
    double stride = p->space.sparsity.stride, size = (double)lf_sparsity_size(&p->space.sparsity);
    return EVENT * events + FILTER * size + (joint ? (double)points * stride : 0);
}

int lf_kalman_memory(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                     lf_memory_estimate *memory)
{
    lf_state_space space = {0};
    double largest = 0, mean = 0, path = 0, records = 0;
    char message[sizeof ctx->message];
    memcpy(message, ctx->message, sizeof message);
    lf_status status = lf_state_space_create(ctx, model, options->tolerance, &space);
    if (!status &&
        lf_state_space_move(ctx, &space)) { /* parameters out of range, with which nothing will be evaluated */
        memset(space.F, 0, lf_sparsity_size(&space.sparsity) * sizeof *space.F);
    }
    for (int r = 0; !status && r < rows->count; r++) {
        lf_timeline timeline;
        status = lf_timeline_create(ctx, model, NAN, &rows->replicates[r].points, NULL, &timeline);
        if (!status) {
            largest = fmax(largest,
                           filter_numbers(&space, &timeline, (double)timeline.step_count, rows->count == 1, &records));
            path = fmax(path, path_numbers(model, &space, &timeline));
            mean += prior_mean_numbers(model, &space, &timeline);
        }
        lf_timeline_clear(&timeline);
    }
    memcpy(ctx->message, message, sizeof message);
    double bytes = sizeof(double), size = status ? 0 : (double)lf_sparsity_size(&space.sparsity), count = rows->count;
    double kept = rows->count == 1 ? records : 0; /* from one evaluation to the next */
    memory->state = bytes * (4 * size + mean + kept);
    memory->work = bytes * (largest - kept + count * (double)model->parameter_count);
    memory->thread = rows->count > 1 ? bytes * largest : 0;
    /* its own state space, and the states of every replicate with their text; the filter needs less than a gradient */
    double filter = 0.6 * (memory->work + bytes * kept);
    memory->posterior = bytes * (4 * size + count * (1 + 4.0 / 3) * size) + fmax(filter - bytes * kept, 0);
    memory->diagnosis = fmax(bytes * path - filter, 0); /* one smoother at a time */
    lf_state_space_clear(&space);
    return status == LF_ERROR_MEMORY ? -1 : !status;
}
