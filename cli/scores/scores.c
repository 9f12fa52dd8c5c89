/* Scores of predicted rows, per output and over all outputs. */
#include "scores/scores.h"

#include <math.h>
#include <stdlib.h>

#include "message.h"
#include "show/formats.h"

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

int cli_score_rows(int outputs, size_t n, const int *target, const double *y, const double *mean, const double *s2,
                   lf_score *score, lf_score *overall)
{
    double deviations = 0;
    double *rows = calloc(3 * n + 1, sizeof *rows); /* (3, n) y, mean, s2 of one output */
    if (!rows) {
        return cli_no_memory();
    }
    for (int d = 0; d < outputs; d++) {
        size_t count = 0;
        for (size_t i = 0; i < n; i++) {
            if (target[i] == d) {
                rows[count] = y[i];
                rows[n + count] = mean[i];
                rows[2 * n + count] = s2[i];
                count++;
            }
        }
        if (count > 0) {
            score[d] = lf_score_rows(count, rows, rows + n, rows + 2 * n);
            deviations += squared_deviations(count, rows);
        }
    }
    *overall = lf_score_rows(n, y, mean, s2);
    double errors = overall->rmse * overall->rmse * (double)n;
    overall->nmse = deviations > 0 ? errors / deviations : (double)NAN;
    free(rows);
    return CLI_DONE;
}

void cli_json_score(FILE *stream, const lf_score *score)
{
    fprintf(stream, "{\"n\":%zu,\"nmse\":", score->n);
    cli_json_number(stream, score->nmse);
    fputs(",\"nlpd\":", stream);
    cli_json_number(stream, score->nlpd);
    fputs(",\"rmse\":", stream);
    cli_json_number(stream, score->rmse);
    fputs(",\"coverage95\":", stream);
    cli_json_number(stream, score->coverage95);
    fputc('}', stream);
}
