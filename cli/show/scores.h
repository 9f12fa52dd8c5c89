/* Scores and comparisons of models as text. */
#ifndef CLI_SHOW_SCORES_H
#define CLI_SHOW_SCORES_H

#include "latentforce.h"

/* Scores per output and over all of them. Returns an exit status. */
int cli_scores_print(lf_context *ctx, const lf_scores *scores);
/* The ranking, with a sentence. data: the file of the rows. Returns an exit status. */
int cli_comparison_print(lf_context *ctx, const lf_scores *scores, const char *data);
/* The document of the library. Returns an exit status. */
int cli_scores_print_json(lf_context *ctx, const lf_scores *scores);

#endif
