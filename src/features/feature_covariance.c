/* Products of feature rows: shared columns by one product over all points, private columns output by output. */
#include "features/feature_covariance.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "features/weights.h"

lf_status lf_feature_covariance(lf_context *ctx, const lf_features *features, const lf_point_set *points, double *K)
{
    size_t n = points->n, M = features->shared, p = (size_t)points->input_dim;
    size_t widest = 0;
    for (int g = 0; g < points->group_count; g++) {
        size_t m = lf_features_private(features, points->target[g]);
        widest = m > widest ? m : widest;
    }
    double *shared = lf_doubles(n, M), *privates = lf_doubles(n, widest);
    lf_status status = shared && privates ? LF_OK : lf_no_memory(ctx);
    memset(K, 0, n * n * sizeof *K);
    for (int g = 0; !status && g < points->group_count; g++) {
        size_t start = points->start[g], rows = points->start[g + 1] - start;
        size_t m = lf_features_private(features, points->target[g]);
        double *group_shared = lf_doubles(rows, M), *group_private = lf_doubles(rows, m);
        status = group_shared && group_private ? lf_features_rows(ctx, features, points->target[g], rows,
                                                                  points->x + start * p, group_shared, group_private)
                                               : lf_no_memory(ctx);
        for (size_t j = 0; !status && j < M; j++) {
            memcpy(shared + j * n + start, group_shared + j * rows, rows * sizeof *group_shared);
        }
        for (size_t j = 0; !status && j < m; j++) {
            memcpy(privates + j * n + start, group_private + j * rows, rows * sizeof *group_private);
        }
        free(group_shared);
        free(group_private);
    }
    if (!status) {
        lf_add_private_products(features->model, points, n, widest, privates, K);
    }
    if (!status && M) {
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)n, (int)M, 1, shared, (int)n, 1, K, (int)n);
    }
    free(shared);
    free(privates);
    return status;
}
