/* Scores of predictions, in the units of the data. */
#include "predict/score.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/numbers.h"

lf_score_summary lf_score_rows(size_t n, const double *y, const double *mean, const double *s2)
{
    lf_score_summary score = {.n = n, .nmse = NAN, .nlpd = NAN, .rmse = NAN, .coverage95 = NAN};
    if (n == 0) {
        return score;
    }
    double average = 0, error = 0, spread = 0, nlpd = 0, covered = 0;
    for (size_t i = 0; i < n; i++) {
        average += y[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        double e = y[i] - mean[i];
        error += e * e;
        spread += (y[i] - average) * (y[i] - average);
        nlpd += 0.5 * (e * e / s2[i] + log(2 * LF_PI * s2[i]));
        covered += fabs(e) <= 1.959963984540054 * sqrt(s2[i]);
    }
    score.nmse = spread > 0 ? error / spread : NAN;
    score.nlpd = nlpd / (double)n;
    score.rmse = sqrt(error / (double)n);
    score.coverage95 = covered / (double)n;
    return score;
}

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

/* Density and coverage of the rows of an output, -1: of all, through their likelihood. */
static void score_by_likelihood(const lf_predicted_rows *rows, int output, lf_score_summary *score)
{
    double density = 0, covered = 0;
    for (size_t i = 0; i < rows->n; i++) {
        if (output < 0 || rows->output[i] == output) {
            density += rows->log_density[i];
            covered += rows->covered[i];
        }
    }
    if (score->n > 0) {
        score->nlpd = -density / (double)score->n;
        score->coverage95 = covered / (double)score->n;
    }
}

lf_status lf_score_outputs(lf_context *ctx, const lf_predicted_rows *rows, int outputs, lf_score_summary *score)
{
    double deviations = 0, *y = lf_doubles(rows->n + 1, 3), *mean = y + rows->n, *variance = mean + rows->n;
    if (!y) {
        return lf_no_memory(ctx);
    }
    for (int d = 0; d < outputs; d++) {
        size_t count = 0;
        for (size_t i = 0; i < rows->n; i++) {
            if (rows->output[i] == d) {
                y[count] = rows->y[i];
                mean[count] = rows->mean[i];
                variance[count++] = rows->variance[i];
            }
        }
        score[d] = lf_score_rows(count, y, mean, variance);
        deviations += squared_deviations(count, y);
    }
    lf_score_summary *all = &score[outputs];
    *all = lf_score_rows(rows->n, rows->y, rows->mean, rows->variance);
    all->nmse = deviations > 0 ? all->rmse * all->rmse * (double)all->n / deviations : (double)NAN;
    for (int d = 0; rows->log_density && d <= outputs; d++) {
        score_by_likelihood(rows, d < outputs ? d : -1, &score[d]);
    }
    free(y);
    return LF_OK;
}

void lf_score_describe(lf_document *d, const char *key, const lf_score_summary *score)
{
    if (score->n == 0) {
        lf_document_text(d, key, NULL);
        return;
    }
    lf_document_open(d, key, '{');
    lf_document_count(d, "n", score->n);
    lf_document_number(d, "nmse", score->nmse);
    lf_document_number(d, "nlpd", score->nlpd);
    lf_document_number(d, "rmse", score->rmse);
    lf_document_number(d, "coverage95", score->coverage95);
    lf_document_close(d);
}
