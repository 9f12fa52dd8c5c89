/* What the fourier engine allocates. With S frequencies, Q forces, M = 2 S Q and D outputs, for each replicate:
 *
 *   A and C_mixed          M^2 + S (2S + 1) Q (Q + 1) / 2
 *   of each output         (2S)^2 for its Gram matrix, S (2S + 1) twice, 6 S P for its sums, all parameters
 *     and, with columns    (2S)^2 + m^2 + 2S m, where m = 2S + P with a private force, P with a free start alone
 *
 * and, for each thread, two to five matrices of the columns of one output. */
#include <math.h>

#include "base/context.h"
#include "features/feature_cost.h"
#include "fourier/fourier.h"

/* Numbers of one output in a replicate, and the work of one thread on it. */
static double output_numbers(const lf_model *model, const lf_features *features, int d, double rows, double *work)
{
    double S2 = 2 * (double)features->grids.grids[0].count, P = model->outputs[d].order;
    double m = (double)lf_features_private(features, d), n = S2 + (lf_has_initial_state(model, d) ? P : 0);
    double motions = lf_starts_at_origin(model, d) ? P * (1 + model->outputs[d].constant_count) : 0;
    *work = S2 * S2 + (m > 0 ? n * n + m * m + S2 * m : 0);
    return n * n + S2 * (S2 + 1) + S2 * (4 + 3 * P) + (double)model->parameter_count + motions * rows +
           (m > 0 ? S2 * S2 + m * m + S2 * m : 0);
}

double lf_fourier_posterior_bytes(const lf_model *model, double S, int replicates)
{
    double S2 = 2 * S, M = S2 * model->force_count, weights = M * M, system = 1.5 * M * M;
    for (int d = 0; d < model->output_count; d++) {
        const lf_output *output = &model->outputs[d];
        double m = (output->has_private ? S2 : 0) + (lf_has_initial_state(model, d) ? output->order : 0);
        weights += m * (M + m);
        system += (m > 0 ? 3 : 1) * S2 * S2 + m * (m + S2);
    }
    return sizeof(double) * (replicates * weights + system);
}

int lf_fourier_memory(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                      lf_memory_estimate *memory)
{
    lf_features features;
    double numbers = 0, largest = 0, bytes = sizeof(double), posterior = 0;
    if (model->input_dim > 1 || !lf_model_has_force(model)) {
        return 0;
    }
    int applies = lf_features_trial(ctx, model, rows, options, 1, &features);
    double S = applies > 0 ? (double)features.grids.grids[0].count : 0, Q = model->force_count, M = 2 * S * Q;
    for (int r = 0; applies > 0 && r < rows->count; r++) {
        const lf_point_set *points = &rows->replicates[r].points;
        double longest = 0;
        numbers += M * M + S * (2 * S + 1) * Q * (Q + 1) / 2 + M * (Q + 4);
        posterior += M * M;
        for (int g = 0; g < points->group_count; g++) {
            double n = (double)(points->start[g + 1] - points->start[g]), work;
            double m = (double)lf_features_private(&features, points->target[g]);
            numbers += output_numbers(model, &features, points->target[g], n, &work);
            numbers += rows->any_targets ? n : 0; /* their weights */
            posterior += m * (M + m);
            largest = fmax(largest, work);
            longest = fmax(longest, n);
        }
        /* waves of one time grid; series with other times have their own */
        numbers += model->initial != LF_INITIAL_STATIONARY && longest * 2 * S * bytes <= 6.4e7 ? longest * 2 * S : 0;
    }
    memory->state = bytes * (numbers + (applies > 0 ? lf_features_numbers(&features) : 0));
    memory->work = bytes * largest;
    memory->thread = memory->work;
    memory->diagnosis = 0;
    memory->posterior = bytes * (posterior + largest); /* the file has the sums alone */
    lf_features_clear(&features);
    return applies;
}
