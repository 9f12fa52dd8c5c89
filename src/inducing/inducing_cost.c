/* The cost estimate of the inducing engines. With M inducing values and n rows of an output, for every replicate:
 *
 *   3 N M^2 + M^3                 the pass over all rows and the Cholesky factor
 *   n^3 + 8 n^2 M                 Lambda of an output, where it is not diagonal
 *   2S (6 n K + 3 n^2 + 60 n)     covariances from a grid of S nodes that K inducing values use; n^2 where Lambda is not diagonal
 *   300 (n^2 + n M)               covariances in closed form
 *
 * The counts follow from the matrix products. The two last constants were measured. */
#include <math.h>

#include "inducing/inducing.h"
#include "inducing/kernel_rows.h"

static double node_cost(const lf_inducing_kernel *k, int output, double n, int dense)
{
    double cost = 0;
    for (int g = 0; k->has_features && g < k->features.grids.grid_count; g++) {
        double columns = 2 * (double)k->features.grids.grids[g].count, values = 0;
        for (int q = 0; q < k->model->force_count; q++) {
            values += k->features.grids.sources[q].grid == g ? (double)k->forces[q].K : 0;
        }
        if (lf_inducing_grid_drives(k, output, g)) {
            cost += columns * n * (6 * values + (dense ? 3 * n : 0) + 60);
        }
    }
    return cost;
}

double lf_inducing_cost(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                        lf_inducing_method method)
{
    lf_inducing_kernel kernel = {0};
    double cost = 0;
    int applies = lf_inducing_trial(ctx, model, rows, options, &kernel);
    for (int r = 0; applies > 0 && r < rows->count; r++) {
        const lf_point_set *points = &rows->replicates[r].points;
        double M = (double)kernel.u.n;
        cost += 3 * (double)points->n * M * M + M * M * M;
        for (int g = 0; g < points->group_count; g++) {
            int d = points->target[g], dense = method == LF_METHOD_PITC || lf_output_has_private_part(model, d);
            double n = (double)(points->start[g + 1] - points->start[g]);
            cost += dense ? n * n * (n + 8 * M) : 0;
            cost += node_cost(&kernel, d, n, dense);
            cost += kernel.source == LF_INDUCING_CLOSED_FORM ? 300 * n * ((dense ? n : 1) + M) : 0;
        }
    }
    if (kernel.model) {
        lf_inducing_kernel_clear(&kernel);
    }
    return applies < 0 ? -1 : applies ? cost : (double)INFINITY;
}
