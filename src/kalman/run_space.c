/* Spaces with integrators, and states of the filter in their layout. */
#include "kalman/run_space.h"

#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"

void lf_copy_states(const lf_state_space *from, const double *mean, const double *P, const lf_state_space *to,
                    double *to_mean, double *to_P)
{
    size_t n = (size_t)(from->n < to->n ? from->n : to->n);
    size_t s = (size_t)from->sparsity.stride, to_s = (size_t)to->sparsity.stride;
    memcpy(to_mean, mean, n * sizeof *mean);
    for (size_t i = 0; i < n; i++) {
        memcpy(to_P + i * to_s, P + i * s, n * sizeof *P);
    }
}

lf_status lf_run_space_create(lf_context *ctx, const lf_state_space *base, double tolerance,
                              const lf_timeline *timeline, const lf_filter_state *start, lf_run_space *run)
{
    *run = (lf_run_space){.space = base, .mean = start->mean, .P = start->P};
    if (!timeline->slots) {
        return LF_OK;
    }
    run->mean = run->P = NULL;
    run->space = &run->own;
    lf_status status = lf_state_space_create_averaging(ctx, base->model, tolerance, timeline->slots, &run->own);
    LF_TRY(status, lf_state_space_update(ctx, &run->own));
    if (!status && start->mean) {
        run->copied = 1;
        run->mean = lf_doubles((size_t)run->own.sparsity.stride, 1);
        run->P = lf_doubles(lf_sparsity_size(&run->own.sparsity), 1);
        status = run->mean && run->P ? LF_OK : lf_no_memory(ctx);
    }
    if (!status && start->mean) {
        lf_copy_states(base, start->mean, start->P, &run->own, run->mean, run->P);
    }
    return status;
}

void lf_run_space_clear(lf_run_space *run)
{
    if (run->copied) {
        free(run->mean);
        free(run->P);
    }
    lf_state_space_clear(&run->own);
    *run = (lf_run_space){0};
}
