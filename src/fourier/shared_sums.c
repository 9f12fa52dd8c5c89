/* The sums over the rows of several processes. What they exchange does not grow with the number of rows: for each series E, Y and yy, once
 * or, where rows have known error variances, at every evaluation, and F, H and Yh of outputs that start at the origin. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/processes.h"
#include "fourier/fourier_sums.h"

/* The packed numbers: where the next ones are, and how many there were. With at NULL they are only counted. */
typedef struct packed {
    int unpack;
    double *at;
    size_t count;
} packed;

static void move(packed *p, size_t n, double *values)
{
    if (p->at) {
        memcpy(p->unpack ? values : p->at, p->unpack ? p->at : values, n * sizeof *values);
        p->at += n;
    }
    p->count += n;
}

static void move_complex(packed *p, size_t n, double complex *values) { move(p, 2 * n, (double *)values); }

static void move_series(packed *p, const lf_model *model, size_t S, lf_series *series, int updated)
{
    lf_series_sums *sums = &series->sums;
    if (!updated && !series->weighted) {
        move_complex(p, 2 * S - 1, sums->E);
        move_complex(p, S, series->Y_raw);
        move(p, 1, &series->yy_raw);
    }
    if (updated && series->weighted) {
        move_complex(p, 2 * S - 1, sums->E);
        move_complex(p, S, sums->Y);
        move(p, 1, &sums->yy);
        move(p, 1, &sums->log_noise);
    }
    if (updated && lf_starts_at_origin(model, series->output)) {
        size_t P = (size_t)model->outputs[series->output].order;
        move_complex(p, P * S, sums->F);
        move(p, P * P, sums->H);
        move(p, P, sums->Yh);
    }
}

static size_t move_all(int unpack, double *at, const lf_model *model, lf_fourier_sums *fourier_sums, int updated)
{
    packed p = {.unpack = unpack, .at = at};
    for (int i = 0; i < fourier_sums->series_count; i++) {
        move_series(&p, model, fourier_sums->S, &fourier_sums->series[i], updated);
    }
    return p.count;
}

lf_status lf_fourier_sums_exchange(lf_context *ctx, lf_status status, const lf_model *model,
                                   lf_fourier_sums *fourier_sums, int updated)
{
    size_t count = status ? 0 : move_all(0, NULL, model, fourier_sums, updated);
    double *sums = lf_doubles(count, 1);
    status = status || sums ? status : lf_no_memory(ctx);
    if (!status) {
        move_all(0, sums, model, fourier_sums, updated);
    }
    status = lf_sum(ctx, status, count, sums);
    if (!status) {
        move_all(1, sums, model, fourier_sums, updated);
    }
    free(sums);
    return status;
}
