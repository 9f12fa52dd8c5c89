/* Products of feature rows. */
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
        double *own = lf_doubles(rows, M), *private = lf_doubles(rows, m);
        status = own && private
                     ? lf_features_rows(ctx, features, points->target[g], rows, points->x + start * p, own, private)
                     : lf_no_memory(ctx);
        for (size_t j = 0; !status && j < M; j++) {
            memcpy(shared + j * n + start, own + j * rows, rows * sizeof *own);
        }
        for (size_t j = 0; !status && j < m; j++) {
            memcpy(privates + j * n + start, private + j * rows, rows * sizeof *private);
        }
        free(own);
        free(private);
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
