/* Rows with their predictions and scores: what score and compare compute. */
#ifndef CLI_SCORED_ROWS_H
#define CLI_SCORED_ROWS_H

#include <stdio.h>

#include "latentforce.h"
#include "options/points.h"
#include "options/settings.h"

typedef struct cli_scored_rows {
    const lf_model *model; /* whose outputs are scored */
    const lf_data *table;  /* the rows */
    size_t n, capacity;    /* predicted so far, and how many there can be */
    size_t *row;           /* (n) number in the table */
    int *target;           /* (n) output of the model */
    int *trained;          /* (n) the prediction was made with this row */
    double *y, *mean;      /* (n) */
    double *variance;      /* (n) of the output itself */
    double *noise;         /* (n) of the observation: noise variance of the output plus sd^2 of the row */
    lf_score *score;       /* (outputs) */
    lf_score overall;
} cli_scored_rows;

/* Functions that return int print an error and return an exit status. */

/* Room for all rows of `table`; both must outlive the result. The caller frees it, also after a failure. */
int cli_scored_rows_create(const lf_model *model, const lf_data *table, cli_scored_rows *rows);
void cli_scored_rows_free(cli_scored_rows *rows);

/* Predicts `points`, which are the `points->n` rows `row` of the table (NULL: the first ones), and appends them. predictor: the
 * model of the posterior, whose outputs may be numbered otherwise. */
int cli_scored_rows_predict(lf_context *ctx, const lf_model *predictor, lf_posterior *posterior,
                            const cli_points *points, const size_t *row, cli_scored_rows *rows);

/* Marks the rows that `training` has. Returns their number in *count. */
int cli_scored_rows_mark(lf_context *ctx, const lf_data *training, cli_scored_rows *rows, size_t *count);

/* Computes the scores. */
int cli_scored_rows_finish(cli_scored_rows *rows);

/* Prints the scores: as a table, or as the members "outputs" and "overall" of a JSON object that stays open. */
int cli_scored_rows_print(FILE *stream, const cli_scored_rows *rows);
void cli_scored_rows_print_json(FILE *stream, const cli_scored_rows *rows);

/* Writes every row with its prediction, z-score and flag to a CSV file. Rows that are marked are predicted without themselves
 * where `leave_out` is set; *undefined is the number of those for which that cannot be computed. */
int cli_scored_rows_write(lf_context *ctx, const cli_scored_rows *rows, const char *path, double threshold,
                          int leave_out, size_t *undefined);

/* Why the formula for leaving out a row does not hold for this posterior; NULL: it does. */
const char *cli_why_not_left_out(const lf_model *model, const lf_posterior *posterior);

#endif
