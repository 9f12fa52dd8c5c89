/* Scores of the rows of a report that are marked "test". */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "page/document.h"
#include "predict/readings.h"
#include "predict/score.h"

/* How probable a row is through its likelihood, and whether it lies in its 95 % interval; through a link also mean and variance of a new reading. */
static void judge(const lf_report *report, const lf_report_row *row, double *log_density, double *covered, double *mean,
                  double *variance)
{
    const lf_output *output = &report->model->outputs[row->output];
    const lf_likelihood *likelihood = lf_output_likelihood(output);
    lf_reading reading = lf_reading_of(output, row->y, row->sd);
    lf_latent f = {row->mean, row->variance};
    double lower, upper;
    lf_reading_interval(likelihood, &reading, f, 0.95, 0, &lower, &upper);
    *log_density =
        likelihood->allows(row->y) ? likelihood->log_predictive(&reading, f.mean, f.variance) : -(double)INFINITY;
    *covered = row->y >= lower && row->y <= upper;
    if (lf_target_has_link(report->model, row->output)) {
        lf_moments moments = likelihood->moments(&reading, f.mean, f.variance);
        *mean = moments.mean;
        *variance = moments.variance_new;
    }
}

lf_status lf_report_score(lf_context *ctx, const lf_report *report, lf_score_summary *score)
{
    size_t n = report->n, count = 0;
    double *y = lf_doubles(n + 1, 5), *mean = y + n, *variance = mean + n, *log_density = variance + n,
           *covered = log_density + n;
    int likelihoods = lf_model_has_likelihoods(report->model);
    int *output = calloc(n + 1, sizeof *output);
    lf_status status = y && output ? LF_OK : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < n; i++) {
        const lf_report_row *row = &report->rows[i];
        if (row->test) {
            double noise = lf_model_noise_variance(report->model, row->output) + row->sd * row->sd;
            output[count] = row->output;
            y[count] = row->y;
            mean[count] = row->mean;
            variance[count] = row->variance + noise;
            if (likelihoods) {
                judge(report, row, &log_density[count], &covered[count], &mean[count], &variance[count]);
            }
            count++;
        }
    }
    const lf_predicted_rows rows = {.n = count,
                                    .output = output,
                                    .y = y,
                                    .mean = mean,
                                    .variance = variance,
                                    .log_density = likelihoods ? log_density : NULL,
                                    .covered = covered};
    LF_TRY(status, lf_score_outputs(ctx, &rows, report->model->output_count, score));
    free(y);
    free(output);
    return status;
}
