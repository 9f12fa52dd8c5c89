/* Scores of predictions, in the units of the data. */
#include <math.h>

#include "base/numbers.h"
#include "latentforce.h"

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
