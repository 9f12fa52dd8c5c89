/* Scores of predicted rows, per output and over all outputs. */
#ifndef CLI_SCORES_H
#define CLI_SCORES_H

#include <stdio.h>

#include "latentforce.h"

/* score (outputs); n = 0 for an output without rows. `overall` pools all rows; its nmse is the sum of squared errors
 * divided by the sum of squared deviations of each output from its own mean. Returns an exit status. */
int cli_score_rows(int outputs, size_t n, const int *target, const double *y, const double *mean, const double *s2,
                   lf_score *score, lf_score *overall);

void cli_json_score(FILE *stream, const lf_score *score);

#endif
