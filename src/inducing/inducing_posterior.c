/* Creates the posterior from filled systems. */
#include "inducing/inducing_posterior.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "inducing/device_system.h"

static void free_posterior(void *posterior)
{
    lf_inducing_posterior *p = posterior;
    for (int r = 0; p->replicates && r < p->count; r++) {
        lf_inducing_weights *w = &p->replicates[r];
        for (size_t i = 0; w->private && i < w->count; i++) {
            free(w->private[i].x);
            free(w->private[i].W);
            free(w->private[i].g);
            free(w->private[i].F);
        }
        free(w->private);
        free(w->mean);
        free(w->A);
    }
    free(p->replicates);
    if (p->kernel.model) {
        lf_inducing_kernel_clear(&p->kernel);
    }
    lf_model_free(p->model);
    free(p);
}

lf_status lf_inducing_posterior_allocate(lf_context *ctx, const lf_model *model, const lf_inducing_kernel *prototype,
                                         const size_t *K, const double *z, int replicates,
                                         lf_inducing_posterior **posterior)
{
    lf_inducing_posterior *p = *posterior = calloc(1, sizeof *p);
    if (!p) {
        return lf_no_memory(ctx);
    }
    p->count = replicates;
    p->replicates = calloc((size_t)replicates + 1, sizeof *p->replicates);
    lf_status status = p->replicates ? lf_model_copy(ctx, model, &p->model) : lf_no_memory(ctx);
    if (status) {
        return status;
    }
    p->kernel = (lf_inducing_kernel){.model = p->model,
                                     .source = prototype->source,
                                     .exact = prototype->exact,
                                     .reported_jitter = prototype->reported_jitter};
    if (prototype->source == LF_INDUCING_FEATURES) {
        status = lf_grid_spec_copy(ctx, &prototype->spec, &p->kernel.spec);
    }
    return status ? status : lf_inducing_kernel_restore(ctx, p->model, K, z, &p->kernel);
}

lf_status lf_inducing_weights_create(lf_context *ctx, size_t M, lf_inducing_weights *w)
{
    w->mean = lf_doubles(M, 1);
    w->A = lf_doubles(M, M);
    return w->mean && w->A ? LF_OK : lf_no_memory(ctx);
}

lf_status lf_inducing_private_create(lf_context *ctx, size_t n, size_t p, size_t M, lf_inducing_private *private)
{
    private->n = n;
    private->x = lf_doubles(n, p);
    private->W = lf_doubles(n, n);
    private->g = lf_doubles(n, 1);
    private->F = lf_doubles(n, M);
    return private->x && private->W && private->g && private->F ? LF_OK : lf_no_memory(ctx);
}

static lf_status fill_private(lf_context *ctx, const lf_inducing_system *s, const lf_inducing_part *part,
                              const double *mean, lf_inducing_private *private)
{
    size_t n = part->rows.n, p = (size_t)s->model->input_dim, M = s->M;
    double *residual = lf_doubles(n, 1);
    lf_status status = residual ? lf_inducing_private_create(ctx, n, p, M, private) : lf_no_memory(ctx);
    if (!status) {
        private->output = part->rows.output;
        memcpy(private->x, part->rows.x, n * p * sizeof *private->x);
        for (size_t i = 0; i < n; i++) {
            private->W[i * n + i] = 1;
        }
        lf_row_compression_apply(&part->rows, 1, n, private->W); /* R' */
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)n, (int)n, 1, part->C, (int)n,
                    private->W, (int)n);
        memcpy(residual, s->y + part->first, n * sizeof *residual);
        cblas_dgemv(CblasColMajor, CblasNoTrans, (int)n, (int)M, -1, s->whitened + part->first, (int)s->n, mean, 1, 1,
                    residual, 1);
        cblas_dgemv(CblasColMajor, CblasNoTrans, (int)n, (int)n, 1, private->W, (int)n, residual, 1, 0, private->g, 1);
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)M, (int)n, 1, private->W, (int)n,
                    s->whitened + part->first, (int)s->n, 0, private->F, (int)n);
    }
    free(residual);
    return status;
}

/* A becomes the Cholesky factor of I + B'B, and w->mean the mean. */
static lf_status solve_weights(lf_context *ctx, lf_inducing_system *s, lf_inducing_weights *w)
{
    int M = (int)s->M;
    if (s->device) {
        double log_determinant = 0, quadratic_form;
        lf_status status = lf_inducing_device_solve(ctx, s, 0, &log_determinant, &quadratic_form);
        memcpy(w->A, s->core, s->M * s->M * sizeof *w->A);
        memcpy(w->mean, s->mean, s->M * sizeof *w->mean);
        return status;
    }
    lf_status status = lf_inducing_system_sums(ctx, s, w->A, w->mean);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < s->M; i++) {
        w->A[i * s->M + i] += 1;
    }
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', M, w->A, M)) {
        return lf_fail(ctx, LF_ERROR_NUMERIC, "the posterior cannot be computed: a parameter is out of range");
    }
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, M, w->A, M, w->mean, 1);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, M, w->A, M, w->mean, 1);
    return LF_OK;
}

static lf_status fill_weights(lf_context *ctx, lf_inducing_system *s, lf_inducing_weights *w)
{
    lf_status status = lf_inducing_weights_create(ctx, s->M, w);
    w->private = calloc(s->count + 1, sizeof *w->private);
    LF_TRY(status, w->private ? LF_OK : lf_no_memory(ctx));
    LF_TRY(status, solve_weights(ctx, s, w));
    for (size_t d = 0; !status && d < s->count; d++) {
        if (s->parts[d].private) {
            status = fill_private(ctx, s, &s->parts[d], w->mean, &w->private[w->count++]);
        }
    }
    return s->shared ? lf_inducing_share_private(ctx, status, s, w) : status;
}

static int has_private_part(const lf_inducing_system *s)
{
    int any = 0;
    for (size_t d = 0; d < s->count; d++) {
        any = any || s->parts[d].private;
    }
    return any;
}

/* A posterior has the sampled frequencies of its engine. */
static void copy_frequencies(const lf_inducing_kernel *from, lf_inducing_kernel *to)
{
    for (int g = 0; to->has_features && g < to->features.grids.grid_count; g++) {
        const lf_nodes *nodes = &from->features.grids.grids[g];
        if (nodes->base) {
            memcpy(to->features.grids.grids[g].base, nodes->base,
                   nodes->count * (size_t)nodes->input_dim * sizeof *nodes->base);
        }
    }
}

lf_status lf_inducing_posterior_create(lf_context *ctx, void *state, const lf_model *model, const lf_targets *targets,
                                       void **posterior)
{
    lf_targets here = *targets;
    lf_inducing *engine = state;
    size_t *K = calloc((size_t)model->force_count + 1, sizeof *K);
    lf_inducing_posterior *p = NULL;
    lf_status status = K ? lf_inducing_prepare(ctx, engine, targets) : lf_no_memory(ctx);
    for (int q = 0; !status && q < model->force_count; q++) {
        K[q] = engine->kernel.forces[q].K;
    }
    if (!status) {
        status =
            lf_inducing_posterior_allocate(ctx, model, &engine->kernel, K, engine->kernel.u.x, engine->rows->count, &p);
        *posterior = p;
    }
    if (!status) {
        copy_frequencies(&engine->kernel, &p->kernel);
        status = lf_inducing_kernel_prepare(ctx, &p->kernel);
    }
    for (int r = 0; !status && r < engine->rows->count; r++) {
        lf_inducing_system *system = &engine->systems[r];
        if (system->device && has_private_part(system)) { /* its rows are needed here */
            system->whitened = lf_doubles(system->n, system->M);
            status = system->whitened ? LF_OK : lf_no_memory(ctx);
        }
        LF_TRY(status, lf_inducing_system_fill(ctx, &engine->kernel, &here, system));
        LF_TRY(status, fill_weights(ctx, system, &p->replicates[r]));
        if (system->device) {
            free(system->whitened);
            system->whitened = NULL;
        }
        here = lf_targets_after(here, engine->rows->replicates[r].points.n);
    }
    free(K);
    return status;
}

void lf_inducing_posterior_range(const void *posterior, double *from, double *to)
{
    const lf_inducing_kernel *k = &((const lf_inducing_posterior *)posterior)->kernel;
    int bounded = k->source == LF_INDUCING_FEATURES && k->spec.rule == LF_RULE_UNIFORM;
    *from = bounded ? k->spec.earliest : -(double)INFINITY;
    if (bounded && k->model->initial != LF_INITIAL_STATIONARY) {
        *from = fmin(*from, k->model->origin);
    }
    *to = bounded ? k->spec.latest : (double)INFINITY;
}

static lf_posterior_facts describe(const void *posterior, int replicate, size_t points, int joint)
{
    lf_posterior_facts facts = {.end = NAN,
                                .numbers = lf_inducing_predict_numbers(posterior, replicate, points, joint)};
    lf_inducing_posterior_range(posterior, &facts.from, &facts.to);
    return facts;
}

const lf_posterior_class lf_inducing_posterior_class = {.free = free_posterior,
                                                        .save = lf_inducing_posterior_save,
                                                        .load = lf_inducing_posterior_load,
                                                        .describe = describe,
                                                        .predict = lf_inducing_predict};
