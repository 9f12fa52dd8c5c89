/* The points of a block in order of time, and the transitions between them. */
#include "exact/state_march.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "dynamics/atom_states.h"
#include "dynamics/start_covariance.h"
#include "exact/state_covariance.h"

int lf_force_has_states(const lf_model *model, const lf_force *force)
{
    return lf_model_composed_force(model) != NULL || force->kernel->tail_power > 0;
}

int lf_target_has_states(const lf_model *model, int target)
{
    int d = lf_target_output(model, target);
    return d >= 0 ? model->outputs[d].op->is_ode
                  : lf_force_has_states(model, &model->forces[lf_target_force(model, target)]);
}

int lf_state_covariance_covers(const lf_model *model, const lf_force *force, int a, int b)
{
    int d = lf_target_output(model, a), e = lf_target_output(model, b);
    return lf_force_has_states(model, force) && (d < 0 || model->outputs[d].op->is_ode) &&
           (e < 0 || model->outputs[e].op->is_ode);
}

/* ---- points ---- */

static size_t add_groups(lf_group_list groups, lf_point_set *to)
{
    const lf_point_set *from = groups.set;
    for (int i = 0; i < groups.count; i++) {
        int g = groups.group[i];
        to->target[to->group_count++] = from->target[g];
        for (size_t k = from->start[g]; k < from->start[g + 1]; k++) {
            to->x[to->n] = from->x[k];
            to->order[to->n++] = k;
        }
        to->start[to->group_count] = to->n;
    }
    return to->n;
}

static size_t count_points(lf_group_list groups)
{
    size_t n = 0;
    for (int i = 0; i < groups.count; i++) {
        n += groups.set->start[groups.group[i] + 1] - groups.set->start[groups.group[i]];
    }
    return n;
}

static lf_status make_points(lf_context *ctx, lf_group_list a, lf_group_list b, lf_state_march *march)
{
    size_t n = count_points(a) + (march->symmetric ? 0 : count_points(b)), groups = (size_t)a.count + (size_t)b.count;
    lf_point_set *set = &march->points;
    *set = (lf_point_set){.input_dim = 1,
                          .x = lf_doubles(n, 1),
                          .order = calloc(n + 1, sizeof(size_t)),
                          .target = calloc(groups + 1, sizeof(int)),
                          .start = calloc(groups + 2, sizeof(size_t))};
    if (!set->x || !set->order || !set->target || !set->start) {
        return lf_no_memory(ctx);
    }
    march->side_a = add_groups(a, set);
    march->n = march->symmetric ? march->side_a : add_groups(b, set);
    return LF_OK;
}

/* The space of the outputs that the points name. */
static lf_status make_space(lf_context *ctx, const lf_model *model, lf_state_march *march)
{
    int *outputs = calloc((size_t)march->points.group_count + 1, sizeof *outputs);
    size_t count = 0;
    if (!outputs) {
        return lf_no_memory(ctx);
    }
    for (int g = 0; g < march->points.group_count; g++) {
        int d = lf_target_output(model, march->points.target[g]), known = d < 0;
        for (size_t i = 0; i < count; i++) {
            known = known || outputs[i] == d;
        }
        if (!known) {
            outputs[count++] = d;
        }
    }
    lf_status status = lf_state_space_create_part(ctx, model, count, outputs, &march->space);
    free(outputs);
    return status ? status : lf_state_space_update(ctx, &march->space);
}

lf_status lf_state_march_check(lf_context *ctx, const lf_state_march *march, double matrices)
{
    static const double most_gigabytes = 1;
    double gigabytes = 8e-9 * (double)lf_sparsity_size(&march->space.sparsity) * matrices;
    if (march->whole && gigabytes > most_gigabytes) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                       "covariances through %d states, most of them of composed forces, at %zu times take %.1f GB; use "
                       "the kalman or lowrank engine, or fewer harmonics",
                       march->space.n, march->timeline.step_count, gigabytes);
    }
    return LF_OK;
}

lf_status lf_state_march_create(lf_context *ctx, const lf_model *model, lf_group_list a, lf_group_list b, int symmetric,
                                size_t keep, lf_state_march *march)
{
    *march = (lf_state_march){.symmetric = symmetric, .lower = a.set == b.set};
    lf_status status = make_points(ctx, a, b, march);
    LF_TRY(status, make_space(ctx, model, march));
    LF_TRY(status, lf_timeline_create(ctx, model, NAN, NULL, &march->points, &march->timeline));
    const lf_timeline *t = &march->timeline;
    enum { WORK = 60 }; /* matrices */
    march->whole = lf_model_composed_force(model) != NULL;
    march->first_separate = t->gap_count < keep ? t->gap_count : keep;
    LF_TRY(status, lf_state_march_check(ctx, march, WORK + 2 * (double)march->first_separate));
    LF_TRY(status, lf_transition_work_create(ctx, &march->space, t->longest_gap, &march->work));
    if (status) {
        return status;
    }
    size_t size = lf_sparsity_size(&march->space.sparsity), stride = (size_t)march->space.sparsity.stride;
    march->A = lf_doubles(march->first_separate + 1, size);
    march->Q = lf_doubles(march->first_separate + 1, size);
    march->P = lf_doubles(1, size);
    march->scratch = lf_doubles(2, size);
    march->rows = lf_doubles(march->n, stride);
    march->step = calloc(march->n + 1, sizeof *march->step);
    if (!march->A || !march->Q || !march->P || !march->scratch || !march->rows || !march->step) {
        return lf_no_memory(ctx);
    }
    march->constant = model->initial == LF_INITIAL_STATIONARY && !march->space.has_linear;
    if (t->step_count) {
        lf_start_covariance(&march->space, t->time[0], march->P);
    }
    for (size_t g = 0; g < march->first_separate; g++) {
        lf_transition(&march->space, march->space.F, t->gap_length[g], &march->work, march->A + g * size,
                      march->Q + g * size);
    }
    for (size_t k = 0; k < t->step_count; k++) {
        for (size_t j = t->first_query[k]; j < t->first_query[k + 1]; j++) {
            march->step[j] = k;
            lf_state_space_row(&march->space, t->target[j], march->rows + j * stride);
        }
    }
    return LF_OK;
}

void lf_state_march_clear(lf_state_march *march)
{
    lf_transition_work_clear(&march->work);
    lf_timeline_clear(&march->timeline);
    lf_state_space_clear(&march->space);
    lf_point_set_clear(&march->points);
    free(march->rows);
    free(march->step);
    free(march->A);
    free(march->Q);
    free(march->P);
    free(march->scratch);
}

/* ---- transitions ---- */

const double *lf_state_march_transition(lf_state_march *march, size_t step, const double **Q)
{
    const lf_timeline *t = &march->timeline;
    size_t size = lf_sparsity_size(&march->space.sparsity), slot = march->first_separate;
    double gap = step ? t->time[step] - t->time[step - 1] : 0;
    if (!(gap > 0)) {
        return NULL;
    }
    int before_origin = t->gap_index[step] < 0;
    if (!before_origin && (size_t)t->gap_index[step] < slot) {
        slot = (size_t)t->gap_index[step];
    } else {
        lf_transition(&march->space, before_origin ? march->space.F_before_origin : march->space.F, gap, &march->work,
                      march->A + slot * size, march->Q + slot * size);
        if (before_origin) { /* white forces do not act yet */
            size_t first = (size_t)march->space.force_states * (size_t)march->space.sparsity.stride;
            memset(march->Q + slot * size + first, 0, (size - first) * sizeof(double));
        }
    }
    *Q = march->Q + slot * size;
    return march->A + slot * size;
}

void lf_state_march_advance(lf_state_march *march, const double *A, const double *Q)
{
    if (march->constant) {
        return;
    }
    lf_sparse_sandwich(&march->space.sparsity, A, march->P, Q, march->scratch, march->P);
}

void lf_state_march_columns(const lf_sparsity *sparsity, const double *A, size_t begin, size_t end, size_t pitch,
                            double *X)
{
    enum { TILE = 64, MANY = 4096 };
    size_t n = (size_t)sparsity->n, s = (size_t)sparsity->stride, tiles = (end - begin + TILE - 1) / TILE;
    static const double negligible = 1e-290; /* smaller numbers would become denormal, which is slow */
#pragma omp parallel for schedule(static) if ((end - begin) * n > MANY)
    for (size_t tile = 0; tile < tiles; tile++) {
        size_t from = begin + tile * TILE, width = from + TILE < end ? TILE : end - from;
        /* An output depends on forces and on itself, a force on itself: rows are finished from the last state on, and
         * each one overwrites states that no earlier row reads, except those of its own block. */
        double sum[TILE], block[(LF_MAX_ORDER > LF_ATOM_STATES ? LF_MAX_ORDER : LF_ATOM_STATES) * TILE];
        for (size_t i = n; i > 0;) {
            /* the block: consecutive rows with the same pattern */
            size_t last = i, first = i - 1;
            while (first > 0 &&
                   sparsity->row_start[first] - sparsity->row_start[first - 1] ==
                       sparsity->row_start[last] - sparsity->row_start[last - 1] &&
                   memcmp(sparsity->columns + sparsity->row_start[first - 1],
                          sparsity->columns + sparsity->row_start[last - 1],
                          (size_t)(sparsity->row_start[last] - sparsity->row_start[last - 1]) *
                              sizeof *sparsity->columns) == 0) {
                first--;
            }
            for (size_t r = first; r < last; r++) {
                memset(sum, 0, sizeof sum);
                for (int e = sparsity->row_start[r]; e < sparsity->row_start[r + 1]; e++) {
                    size_t k = (size_t)sparsity->columns[e];
                    double a = A[r * s + k];
                    const double *x = X + k * pitch + from;
                    for (size_t j = 0; j < width; j++) {
                        sum[j] += a * x[j];
                    }
                }
                memcpy(block + (r - first) * TILE, sum, sizeof sum);
            }
            for (size_t r = first; r < last; r++) {
                for (size_t j = 0; j < width; j++) {
                    double value = block[(r - first) * TILE + j];
                    X[r * pitch + from + j] = fabs(value) < negligible ? 0 : value;
                }
            }
            i = first;
        }
    }
}
