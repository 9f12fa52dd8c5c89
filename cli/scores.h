/* Scores of predicted rows, per output and over all. */
#ifndef CLI_SCORES_H
#define CLI_SCORES_H

#include <stdio.h>

#include "latentforce.h"

/* score (outputs) gets n = 0 where an output has no rows. Over all, rows are pooled; the pooled nmse divides the sum of
 * squared errors by the sum of squared deviations from each output's own mean. Returns an exit status. */
int cli_score_rows(int outputs, size_t n, const int *target, const double *y, const double *mean, const double *s2,
                   lf_score *score, lf_score *overall);

void cli_json_score(FILE *stream, const lf_score *score);

#endif
