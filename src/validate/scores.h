/* Scores of predicted rows, or what a comparison of models found. */
#ifndef LF_VALIDATE_SCORES_H
#define LF_VALIDATE_SCORES_H

#include "options/options.h"
#include "predict/score.h"
#include "validate/origins.h"
#include "validate/scored_rows.h"

/* One of several models. */
typedef struct lf_compared {
    char *name;         /* NULL: none was given */
    const char *engine; /* that evaluated it */
    unsigned abilities; /* of this engine */
    size_t parameters;  /* free ones */
    double log_density, bic;
    lf_score_summary held_out; /* n = 0: none */
    size_t place;              /* among the models that were given; the order of equal ones */
} lf_compared;

struct lf_scores {
    const char *scored; /* of lf_scores_info; of a comparison with folds as of the scores of each */
    char how[160];      /* a cross-validation, in words */
    char *table_name;   /* of the rows; NULL: none */
    size_t folds;       /* 0: there are none */
    lf_origin *origins; /* (folds) of forecasts; NULL: folds have none */
    int refit;

    /* Of rows. */
    lf_model *model; /* whose outputs are scored */
    lf_data *table;  /* the rows */
    lf_scored_rows rows;
    size_t training;           /* how many of them the posterior was given */
    double threshold;          /* of |z| */
    const char *not_left_out;  /* why these are predicted with themselves; NULL: they are left out */
    lf_score_summary *outputs; /* (outputs of the model) */
    lf_score_summary overall;  /* pooled */
    lf_score_summary *of_fold; /* (folds) */

    /* Of a comparison. */
    size_t model_count, training_rows;
    lf_compared *models; /* (model_count) the best first */
};

/* No rows yet; the model is copied and the table is taken, also after a failure. validate NULL: defaults. */
lf_status lf_scores_create(lf_context *ctx, const lf_model *model, lf_data *table, const lf_options *validate,
                           lf_scores **scores);
/* Computes the scores of the rows. */
lf_status lf_scores_finish(lf_context *ctx, lf_scores *scores);
/* By what a row is judged: without itself where it is a training row. */
lf_judgement lf_scores_judge(const lf_scores *scores, const lf_scored_row *row);

/* "nlpd" or "bic", and "test", "cross-validation", "rolling" or "": what models are ranked by, and what is held out. */
const char *lf_scores_ranked_by(const lf_scores *scores);
const char *lf_scores_held_out(const lf_scores *scores);

/* Puts the name of a table or a model before a message; NULL: there is none. Returns status. */
lf_status lf_name_failure(lf_context *ctx, lf_status status, const char *name);
/* Refuses options of another verb, and a table without outputs or for another model. */
lf_status lf_check_scored(lf_context *ctx, const lf_model *model, const lf_data *data, const lf_options *validate);
/* The rows marked test, or all of outputs, that do not lie before the start of the model; a note names what is left out. */
lf_status lf_select_scored(lf_context *ctx, const lf_model *model, const lf_data *data, int test, const char *name,
                           lf_data **selected);
/* How many rows of outputs are marked at all, and marked test. */
void lf_count_marks(const lf_model *model, const lf_data *data, size_t *marked, size_t *test);

#endif
