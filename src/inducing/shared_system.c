/* What several processes that share the rows of a replicate exchange: B'B and B'y of M inducing values and, for a posterior, the private
 * parts of outputs, each of which one process has. */
#include <cblas.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/processes.h"
#include "inducing/inducing_posterior.h"

/* Copies the lower triangle of A (M, M) and b (M) to or from packed numbers. */
static void move(int unpack, size_t M, double *A, double *b, double *packed)
{
    for (size_t j = 0; j <= M; j++) {
        double *array = j < M ? A + j * M + j : b;
        size_t n = j < M ? M - j : M;
        memcpy(unpack ? array : packed, unpack ? packed : array, n * sizeof *array);
        packed += n;
    }
}

static lf_status exchange(lf_context *ctx, size_t M, double *A, double *b)
{
    size_t count = M * (M + 1) / 2 + M;
    double *packed = lf_doubles_unset(count, 1);
    if (packed) {
        move(0, M, A, b, packed);
    }
    lf_status status = lf_sum(ctx, packed ? LF_OK : lf_no_memory(ctx), count, packed);
    if (!status) {
        move(1, M, A, b, packed);
    }
    free(packed);
    return status;
}

lf_status lf_inducing_system_sums(lf_context *ctx, const lf_inducing_system *s, double *A, double *b)
{
    int n = (int)s->n, M = (int)s->M;
    if (n && !s->device) {
        cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, M, n, 1, s->whitened, n, 0, A, M);
        cblas_dgemv(CblasColMajor, CblasTrans, n, M, 1, s->whitened, n, s->y, 1, 0, b, 1);
    } else if (!s->device) {
        memset(A, 0, s->M * s->M * sizeof *A);
        memset(b, 0, s->M * sizeof *b);
    }
    return s->shared ? exchange(ctx, s->M, A, b) : LF_OK;
}

/* A list of the private parts of all outputs that have n[d] > 0 rows: those of this process, and the others with zeros. */
static lf_status extend(lf_context *ctx, const lf_inducing_system *s, const double *n, lf_inducing_weights *w)
{
    size_t count = 0, mine = 0;
    lf_inducing_private *own = w->private;
    lf_inducing_private *all = calloc((size_t)s->model->output_count + 1, sizeof *all);
    lf_status status = all ? LF_OK : lf_no_memory(ctx);
    for (int d = 0; !status && d < s->model->output_count; d++) {
        if (mine < w->count && own[mine].output == d) { /* both in the order of the outputs */
            all[count++] = own[mine++];
        } else if (n[d] > 0) {
            all[count].output = d;
            status = lf_inducing_private_create(ctx, (size_t)n[d], (size_t)s->model->input_dim, s->M, &all[count++]);
        }
    }
    for (; all && mine < w->count; mine++) { /* after a failure they are freed with the others */
        all[count++] = own[mine];
    }
    if (all) {
        free(own);
        w->private = all;
        w->count = count;
    }
    return status;
}

lf_status lf_inducing_share_private(lf_context *ctx, lf_status status, const lf_inducing_system *s,
                                    lf_inducing_weights *w)
{
    size_t D = (size_t)s->model->output_count, p = (size_t)s->model->input_dim;
    double *n = lf_doubles(D, 1);
    status = status || n ? status : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < w->count; i++) {
        n[w->private[i].output] = (double)w->private[i].n;
    }
    status = lf_sum(ctx, status, D, n);
    LF_TRY(status, lf_agree(ctx, extend(ctx, s, n, w)));
    for (size_t i = 0; !status && i < w->count; i++) { /* one process has numbers, the others have zeros */
        lf_inducing_private *private = &w->private[i];
        status = lf_sum(ctx, LF_OK, private->n * p, private->x);
        LF_TRY(status, lf_sum(ctx, LF_OK, private->n * private->n, private->W));
        LF_TRY(status, lf_sum(ctx, LF_OK, private->n, private->g));
        LF_TRY(status, lf_sum(ctx, LF_OK, private->n * s->M, private->F));
    }
    free(n);
    return status;
}
