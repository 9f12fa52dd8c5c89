/* Scores of the rows of a report that are marked "test". */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "page/document.h"

static double squared_deviations(size_t n, const double *y)
{
    double average = 0, sum = 0;
    for (size_t i = 0; i < n; i++) {
        average += y[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        sum += (y[i] - average) * (y[i] - average);
    }
    return sum;
}

/* The test rows of an output, -1: of all; returns how many. y, mean, s2 (n) */
static size_t gather(const lf_report *report, int output, double *y, double *mean, double *s2)
{
    size_t count = 0;
    for (size_t i = 0; i < report->n; i++) {
        const lf_report_row *row = &report->rows[i];
        if (row->test && (output < 0 || row->output == output)) {
            y[count] = row->y;
            mean[count] = row->mean;
            s2[count++] = row->variance + (lf_model_noise_variance(report->model, row->output) + row->sd * row->sd);
        }
    }
    return count;
}

lf_status lf_report_score(lf_context *ctx, const lf_report *report, lf_score_summary *score)
{
    size_t n = report->n;
    int outputs = report->model->output_count;
    double deviations = 0, *y = lf_doubles(n + 1, 3), *mean = y + n, *s2 = mean + n;
    if (!y) {
        return lf_no_memory(ctx);
    }
    for (int d = 0; d < outputs; d++) {
        size_t count = gather(report, d, y, mean, s2);
        score[d] = lf_score_rows(count, y, mean, s2);
        deviations += count > 0 ? squared_deviations(count, y) : 0;
    }
    size_t all = gather(report, -1, y, mean, s2);
    lf_score_summary *overall = &score[outputs];
    *overall = lf_score_rows(all, y, mean, s2);
    overall->nmse = deviations > 0 ? overall->rmse * overall->rmse * (double)all / deviations : (double)NAN;
    free(y);
    return LF_OK;
}
