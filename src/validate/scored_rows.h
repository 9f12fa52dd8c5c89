/* Rows with their predictions. */
#ifndef LF_VALIDATE_SCORED_ROWS_H
#define LF_VALIDATE_SCORED_ROWS_H

#include "data/data.h"
#include "model/model.h"
#include "options/options.h"
#include "predict/posterior.h"
#include "predict/readings.h"

/* A row and its prediction, in the units of the data. */
typedef struct lf_scored_row {
    size_t row;      /* of the table */
    int target;      /* output of the model that is judged */
    int fold;        /* from 0; -1: there are none */
    int trained;     /* the prediction was made with this row */
    double y, mean;  /* of the row, of its prediction */
    double sd;       /* known standard error of the reading */
    double variance; /* of the output itself */
    double noise;    /* of the reading: noise variance of the output plus sd^2 of the row */
    lf_latent f;     /* through a link: what mean and variance follow from */
    double
        log_density; /* of the reading, in a model whose likelihoods are not all Gaussian; else NaN: it follows from the other numbers */
    int covered; /* there: the reading lies in its 95 % interval */
} lf_scored_row;

typedef struct lf_scored_rows {
    size_t n;
    lf_scored_row *each; /* (n) */
} lf_scored_rows;

/* The posterior of the model given the rows, which reaches those of another table, with the engine options of a validation; NULL: the usual ones. */
lf_status lf_condition_for(lf_context *ctx, const lf_model *model, const lf_data *training, const lf_data *rows,
                           const lf_options *validate, lf_posterior **posterior);

/* Predicts all rows of a table of outputs and appends them; places (n): their rows in the table of the scores, NULL: they are that table. The outputs of
 * the judged model may have other numbers than those of the posterior. */
lf_status lf_scored_rows_add(lf_context *ctx, const lf_model *judged, lf_posterior *posterior, const lf_data *table,
                             const size_t *places, int fold, lf_scored_rows *rows);
void lf_scored_rows_clear(lf_scored_rows *rows);

/* Marks the rows of the table that the posterior was given, as far as it is known; *count: how many. */
lf_status lf_scored_rows_mark(lf_context *ctx, const lf_posterior *posterior, const lf_data *table,
                              lf_scored_rows *rows, size_t *count);

/* Why rows cannot be left out of this posterior; NULL: they can. */
const char *lf_why_not_left_out(const lf_posterior *posterior);
/* By what a reading is judged; NaN where it cannot be computed. */
typedef struct lf_judgement {
    double mean, sd; /* of a new reading there */
    double z;        /* (y - mean) / sd; through a link the standard normal number that is as probable as the reading */
} lf_judgement;

/* By its prediction, or by that given all other rows. */
lf_judgement lf_judge(const lf_model *model, const lf_scored_row *row, int left_out);

#endif
