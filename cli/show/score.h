/* What latentforce score has computed, and how it is shown. */
#ifndef CLI_SCORE_H
#define CLI_SCORE_H

#include "latentforce.h"
#include "options/settings.h"
#include "scores/scored_rows.h"

/* What the scored rows are to the model. */
typedef enum cli_scored_kind {
    CLI_SCORED_TEST,
    CLI_SCORED_ALL,
    CLI_SCORED_TRAINING,
    CLI_SCORED_WITHHELD
} cli_scored_kind;
typedef struct cli_scoring {
    lf_context *ctx;
    const cli_settings *settings;
    lf_model *model;
    lf_data *table;    /* the rows to score */
    lf_data *inputs;   /* readings of known inputs in their file; NULL: none */
    lf_data *training; /* to condition on; NULL: the stored posterior is used, or each fold has its own */
    lf_posterior *posterior;
    cli_scored_kind kind;
    size_t known; /* how many of the scored rows are training rows */
    cli_scored_rows rows;
} cli_scoring;

/* Says on standard error what was scored where that is not what a score should be of. */
void cli_score_explain(const cli_scoring *s);
/* Writes the file of --rows. Returns an exit status. */
int cli_score_write_rows(const cli_scoring *s);
/* Prints the scores. Returns an exit status. */
int cli_score_print(const cli_scoring *s);

#endif
