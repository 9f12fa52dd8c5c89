/* Sums over the rows of several processes: what they exchange is as large as the weights, whatever the number of rows. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/processes.h"
#include "lowrank/lowrank.h"

/* Copies n numbers between an array and the place *at of the packed ones, which moves on. */
static void move(int pack, size_t n, double *array, double **at)
{
    memcpy(pack ? *at : array, pack ? array : *at, n * sizeof *array);
    *at += n;
}

/* The same for the lower triangle of X (m, m). */
static void move_triangle(int pack, size_t m, double *X, double **at)
{
    for (size_t j = 0; j < m; j++) {
        move(pack, m - j, X + j * m + j, at);
    }
}

static void move_all(int pack, const lf_features *features, lf_replicate_weights *weights, size_t count, double *totals,
                     double *packed)
{
    double *at = packed;
    size_t M = features->shared;
    move_triangle(pack, M, weights->L, &at);
    move(pack, M, weights->mean, &at);
    for (int d = 0; d < features->model->output_count; d++) {
        lf_private_weights *private = &weights->outputs[d];
        if (private->m) {
            move_triangle(pack, private->m, private->L, &at);
            move(pack, private->m * M, private->F, &at);
            move(pack, private->m, private->mean, &at);
        }
    }
    move(pack, count, totals, &at);
}

lf_status lf_lowrank_sum(lf_context *ctx, const lf_features *features, lf_replicate_weights *weights, size_t count,
                         double *totals)
{
    size_t M = features->shared, size = M * (M + 1) / 2 + M + count;
    for (int d = 0; d < features->model->output_count; d++) {
        size_t m = weights->outputs[d].m;
        size += m * (m + 1) / 2 + m * M + m;
    }
    double *packed = lf_doubles_unset(size, 1);
    lf_status status = packed ? LF_OK : lf_no_memory(ctx);
    if (!status) {
        move_all(1, features, weights, count, totals, packed);
    }
    status = lf_sum(ctx, status, size, packed);
    if (!status) {
        move_all(0, features, weights, count, totals, packed);
    }
    free(packed);
    return status;
}
