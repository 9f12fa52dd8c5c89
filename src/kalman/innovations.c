/* One-step prediction errors of the filter. */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "kalman/filter.h"
#include "kalman/kalman.h"
#include "kalman/run_space.h"

/* After a step the filter holds e and the Cholesky factor of its covariance S. */
static void standardise(const lf_filter *filter, size_t step, double *z)
{
    const lf_timeline *t = filter->timeline;
    size_t from = t->first_row[step], m = t->first_row[step + 1] - from;
    for (size_t i = 0; i < m; i++) {
        double variance = 0;
        for (size_t k = 0; k <= i; k++) {
            variance += filter->S[i * filter->max_rows + k] * filter->S[i * filter->max_rows + k];
        }
        z[t->row[from + i]] = filter->e[i] / sqrt(variance);
    }
}

lf_status lf_kalman_innovations(lf_context *ctx, const void *posterior, int replicate, const lf_replicate *rows,
                                double *z)
{
    const lf_kalman_posterior *p = posterior;
    const lf_filter_state *start = &p->replicates[replicate].start;
    double *y = lf_doubles(rows->points.n, 1), *noise = lf_doubles(rows->points.n, 1), log_likelihood = 0;
    lf_timeline timeline = {0};
    lf_filter filter = {0};
    lf_run_space run = {0};
    lf_status status = y && noise ? LF_OK : lf_no_memory(ctx);
    if (!status) {
        lf_rows_scaled(p->model, rows, y, noise);
        status =
            lf_timeline_create(ctx, p->model, start->mean ? start->time : (double)NAN, &rows->points, NULL, &timeline);
    }
    LF_TRY(status, lf_run_space_create(ctx, &p->space, p->tolerance, &timeline, start, &run));
    LF_TRY(status, lf_filter_create(ctx, run.space, &timeline, y, noise, run.mean, run.P, &filter));
    for (size_t step = 0; !status && step < timeline.step_count; step++) {
        status = lf_filter_step(&filter, step, NULL, &log_likelihood);
        if (!status) {
            standardise(&filter, step, z);
        }
    }
    lf_filter_clear(&filter);
    lf_run_space_clear(&run);
    lf_timeline_clear(&timeline);
    free(y);
    free(noise);
    return status;
}
