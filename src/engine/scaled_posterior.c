/* Posteriors of the scaled model. */
#include "engine/scaled_posterior.h"

#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/parallel.h"

lf_status lf_scaled_posterior_create(lf_engine *engine, const lf_targets *of_caller, lf_scaled_posterior *posterior)
{
    lf_targets targets;
    *posterior = (lf_scaled_posterior){.class = engine->class};
    lf_work_begin(engine->ctx);
    lf_status status = lf_model_copy(engine->ctx, engine->model, &posterior->model);
    int lent = !status && engine->sites && !of_caller;
    if (lent && !engine->sites->begun) {
        double unused;
        status = lf_sites_evaluate(engine, NULL, &unused, NULL);
    }
    if (lent) {
        lf_sites_exchange(engine->model, engine->sites, &engine->rows, 1);
    }
    LF_TRY(status, lf_engine_set_targets(engine, of_caller, &targets));
    targets.of_rows = targets.of_rows && !lent;
    if (!status) {
        int before = lf_threads_begin(lf_threads_for(engine->ctx, engine->cost));
        status =
            engine->class->posterior_create(engine->ctx, engine->state, engine->model, &targets, &posterior->state);
        lf_threads_end(before);
    }
    if (lent) {
        lf_sites_exchange(engine->model, engine->sites, &engine->rows, 0);
    }
    return status;
}

void lf_scaled_posterior_clear(lf_scaled_posterior *posterior)
{
    if (posterior->state) {
        posterior->class->posterior->free(posterior->state);
    }
    lf_model_free(posterior->model);
    *posterior = (lf_scaled_posterior){0};
}

lf_posterior_facts lf_scaled_posterior_describe(const lf_scaled_posterior *posterior, int replicate, size_t points,
                                                int joint)
{
    return posterior->class->posterior->describe(posterior->state, replicate, points, joint);
}

lf_status lf_scaled_posterior_predict(lf_context *ctx, const lf_scaled_posterior *posterior, const lf_model *model,
                                      int replicate, const lf_point_set *points, double *mean, double *variance,
                                      double *covariance)
{
    return posterior->class->posterior->predict(ctx, posterior->state, model, replicate, points, mean, variance,
                                                covariance);
}

lf_status lf_scaled_posterior_mean(lf_context *ctx, const lf_scaled_posterior *posterior, int replicate, size_t n,
                                   const int *target, const double *x, double *mean)
{
    lf_point_list points = {.n = n, .target = target, .x = x};
    lf_point_set set;
    lf_status status = lf_point_set_create(ctx, posterior->model, &points, n, NULL, &set);
    if (status) {
        return status;
    }
    double *sorted = lf_doubles(n, 1);
    status = sorted ? lf_scaled_posterior_predict(ctx, posterior, posterior->model, replicate, &set, sorted, NULL, NULL)
                    : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < n; i++) {
        mean[set.order[i]] = sorted[i];
    }
    free(sorted);
    lf_point_set_clear(&set);
    return status;
}
