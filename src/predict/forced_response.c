/* Over a gap g with the force f from f0 to f1, the state z = (y, y', …) of a_0 y^(P) + … + a_P y = f moves by the exponential
 * of the system of z, f and the change s = f1 - f0:   z' = F z + f e / a_0,   f' = s / g,   s' = 0. */
#include "predict/forced_response.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/matrix_exponential.h"
#include "base/memory.h"
#include "base/numbers.h"

/* Between two rows a mean force bends on the scale of its lengthscale. Where rows are dense it is straight. */
enum { LEAST_PIECES = 4, MOST_PIECES = 64, PIECES_PER_LENGTHSCALE = 8, STRAIGHT_PER_LENGTHSCALE = 128 };

static double shortest_lengthscale(const lf_model *model)
{
    double shortest = INFINITY;
    lf_atom atoms[LF_MAX_ATOMS];
    for (int q = 0; q < model->force_count; q++) {
        lf_force_atoms(&model->forces[q], atoms);
        for (int i = 0; i < lf_force_atom_count(&model->forces[q]); i++) {
            int has_scale = atoms[i].envelope && atoms[i].envelope != &lf_force_kernel_white;
            shortest = has_scale ? fmin(shortest, atoms[i].lengthscale) : shortest;
            shortest = atoms[i].frequency > 0 ? fmin(shortest, 1 / atoms[i].frequency) : shortest;
        }
    }
    return shortest;
}

static double pieces(double gap, double lengthscale)
{
    double least = fmin(ceil(STRAIGHT_PER_LENGTHSCALE * gap / lengthscale), LEAST_PIECES);
    return fmin(fmax(ceil(PIECES_PER_LENGTHSCALE * gap / lengthscale), fmax(least, 1)), MOST_PIECES);
}

/* The rows, the start and the end, each once; returns their number. */
static size_t collect_times(const lf_scaled_posterior *posterior, const lf_point_set *rows, double reach, double *time)
{
    const lf_model *model = posterior->model;
    size_t n = 0, distinct = 1;
    for (size_t i = 0; i < rows->n; i++) {
        time[n++] = rows->x[i];
    }
    qsort(time, n, sizeof *time, lf_order_doubles);
    double start = model->origin;
    if (model->initial == LF_INITIAL_STATIONARY) { /* the mean forces fade before the first row */
        start = fmax(lf_scaled_posterior_describe(posterior, 0, 0, 0).from, time[0] - (time[n - 1] - time[0]));
    }
    time[n++] = fmin(start, time[0]);
    time[n++] = reach;
    qsort(time, n, sizeof *time, lf_order_doubles);
    for (size_t i = 1; i < n; i++) {
        if (time[i] > time[distinct - 1]) {
            time[distinct++] = time[i];
        }
    }
    return distinct;
}

static lf_status fill_forces(lf_context *ctx, const lf_scaled_posterior *posterior, int replicate,
                             const lf_force_path *path)
{
    size_t Q = (size_t)path->force_count, n = path->count * Q, count = 0;
    int *target = calloc(n + 1, sizeof *target);
    double *x = lf_doubles(n, 1), *mean = lf_doubles(n, 1);
    lf_status status = target && x && mean ? LF_OK : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < n; i++) {
        if (!lf_model_force_is_white(posterior->model, (int)(i % Q))) {
            target[count] = posterior->model->output_count + (int)(i % Q);
            x[count++] = path->time[i / Q];
        }
    }
    LF_TRY(status, lf_scaled_posterior_mean(ctx, posterior, replicate, count, target, x, mean));
    count = 0;
    for (size_t i = 0; !status && i < n; i++) {
        path->value[i] = lf_model_force_is_white(posterior->model, (int)(i % Q)) ? 0 : mean[count++];
    }
    free(target);
    free(x);
    free(mean);
    return status;
}

lf_status lf_force_path_create(lf_context *ctx, const lf_scaled_posterior *posterior, int replicate,
                               const lf_point_set *rows, double reach, lf_force_path *path)
{
    const lf_model *model = posterior->model;
    *path = (lf_force_path){.force_count = model->force_count};
    double *time = lf_doubles(rows->n + 2, 1), lengthscale = shortest_lengthscale(model);
    if (!time) {
        return lf_no_memory(ctx);
    }
    size_t n = collect_times(posterior, rows, reach, time);
    path->count = 1;
    for (size_t i = 1; i < n; i++) {
        path->count += (size_t)pieces(time[i] - time[i - 1], lengthscale);
    }
    path->time = lf_doubles(path->count, 1);
    path->value = lf_doubles(path->count, (size_t)path->force_count);
    lf_status status = path->time && path->value ? LF_OK : lf_no_memory(ctx);
    for (size_t i = 0, node = 0; !status && i < n; i++) {
        double gap = i + 1 < n ? time[i + 1] - time[i] : 0, parts = i + 1 < n ? pieces(gap, lengthscale) : 1;
        for (double k = 0; k < parts; k++) {
            path->time[node++] = time[i] + gap * k / parts;
        }
    }
    LF_TRY(status, fill_forces(ctx, posterior, replicate, path));
    free(time);
    return status;
}

void lf_force_path_clear(lf_force_path *path)
{
    free(path->time);
    free(path->value);
    *path = (lf_force_path){0};
}

enum { SYSTEM = LF_MAX_ORDER + 2 };

/* move (P, P + 2): what z, f0 and s come to over a gap. */
static void find_move(const lf_output *output, double gap, double *move)
{
    int P = output->order, n = P + 2;
    double a[LF_MAX_ORDER + 1];
    double complex system[SYSTEM * SYSTEM] = {0}, moved[SYSTEM * SYSTEM];
    lf_ode_coefficients(output->op, output->constants, P, a);
    for (int k = 0; k + 1 < P; k++) {
        system[k * n + k + 1] = gap;
    }
    for (int k = 0; k < P; k++) {
        system[(P - 1) * n + k] -= gap * a[P - k] / a[0];
    }
    system[(P - 1) * n + P] = gap / a[0];
    system[P * n + P + 1] = 1;
    lf_matrix_exponential(n, system, moved);
    for (int i = 0; i < P * n; i++) {
        move[i] = creal(moved[i]);
    }
}

/* The state after a move with the forces from f0 to f1; `after` is not `before`. */
static void apply_move(int P, int Q, const double *move, const double *before, const double *f0, const double *f1,
                       double *after)
{
    for (int k = 0; k < P; k++) {
        const double *row = move + k * (P + 2);
        for (int q = 0; q < Q; q++) {
            double sum = row[P] * f0[q] + row[P + 1] * (f1[q] - f0[q]);
            for (int j = 0; j < P; j++) {
                sum += row[j] * before[j * Q + q];
            }
            after[k * Q + q] = sum;
        }
    }
}

void lf_forced_response_states(const lf_output *output, const lf_force_path *path, double *states)
{
    int P = output->order, Q = path->force_count;
    size_t size = (size_t)P * (size_t)Q;
    double move[LF_MAX_ORDER * SYSTEM], gap = 0;
    memset(states, 0, size * sizeof *states);
    for (size_t i = 1; i < path->count; i++) {
        double next = path->time[i] - path->time[i - 1];
        if (fabs(next - gap) > 1e-12 * next) { /* series are often evenly spaced */
            find_move(output, gap = next, move);
        }
        apply_move(P, Q, move, states + (i - 1) * size, path->value + (i - 1) * (size_t)Q, path->value + i * (size_t)Q,
                   states + i * size);
    }
}

/* The last node at or before a time, but not the very last. */
static size_t find_node(const lf_force_path *path, double time)
{
    size_t low = 0, high = path->count - 1;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (path->time[middle] <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

void lf_forced_response_at(const lf_output *output, const lf_force_path *path, const double *states, double time,
                           int rate, double *response)
{
    int P = output->order, Q = path->force_count;
    if (path->count < 2 || time < path->time[0]) { /* before anything has moved */
        memset(response, 0, (size_t)Q * sizeof *response);
        return;
    }
    size_t i = find_node(path, time);
    double gap = time - path->time[i], part = gap / (path->time[i + 1] - path->time[i]);
    double move[LF_MAX_ORDER * SYSTEM], a[LF_MAX_ORDER + 1];
    find_move(output, gap, move);
    lf_ode_coefficients(output->op, output->constants, P, a);
    for (int q = 0; q < Q; q++) {
        double f0 = path->value[i * (size_t)Q + (size_t)q];
        double f1 = f0 + part * (path->value[(i + 1) * (size_t)Q + (size_t)q] - f0), state[LF_MAX_ORDER],
               moved[LF_MAX_ORDER];
        for (int k = 0; k < P; k++) {
            state[k] = states[(i * (size_t)P + (size_t)k) * (size_t)Q + (size_t)q];
        }
        apply_move(P, 1, move, state, &f0, &f1, moved);
        response[q] = !rate ? moved[0] : P > 1 ? moved[1] : (f1 - a[1] * moved[0]) / a[0];
    }
}
