/* Scores of the rows of a report that are marked "test". */
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "page/document.h"
#include "predict/score.h"

lf_status lf_report_score(lf_context *ctx, const lf_report *report, lf_score_summary *score)
{
    size_t n = report->n, count = 0;
    double *y = lf_doubles(n + 1, 3), *mean = y + n, *variance = mean + n;
    int *output = calloc(n + 1, sizeof *output);
    lf_status status = y && output ? LF_OK : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < n; i++) {
        const lf_report_row *row = &report->rows[i];
        if (row->test) {
            double noise = lf_model_noise_variance(report->model, row->output) + row->sd * row->sd;
            output[count] = row->output;
            y[count] = row->y;
            mean[count] = row->mean;
            variance[count++] = row->variance + noise;
        }
    }
    const lf_predicted_rows rows = {count, output, y, mean, variance};
    LF_TRY(status, lf_score_outputs(ctx, &rows, report->model->output_count, score));
    free(y);
    free(output);
    return status;
}
