/* lf_score: predictions of rows by one posterior. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "validate/scores.h"

/* Rows beyond the range of a posterior are refused before the engine does it in its own words. */
static lf_status check_range(lf_context *ctx, const lf_posterior *posterior, const lf_data *table)
{
    const lf_model *model = posterior->scaled.model;
    double from, to;
    lf_posterior_range(posterior, &from, &to);
    for (size_t i = 0; i < table->n; i++) {
        double x = table->x[i * (size_t)table->input_dim];
        if (!(x >= from && x <= to)) {
            char name[64], at[LF_TIMESTAMP_SIZE], low[LF_TIMESTAMP_SIZE], high[LF_TIMESTAMP_SIZE];
            lf_model_input_heading(model, 0, sizeof name, name);
            lf_model_format_input(model, 0, x, sizeof at, at);
            lf_model_format_input(model, 0, from, sizeof low, low);
            lf_model_format_input(model, 0, to, sizeof high, high);
            return lf_fail(ctx, LF_ERROR_DATA,
                           "%s = %s lies outside [%s, %s], where the posterior stored in the model can predict; give "
                           "the data again with --data DATA",
                           name, at, low, high);
        }
    }
    return LF_OK;
}

/* Finds out which of the rows are training rows: from the rows themselves or, of a posterior from a file, by the fingerprint of all of them. Where
 * neither is known, marks that leave none for a test say it. */
static lf_status find_training_rows(lf_context *ctx, const lf_posterior *posterior, int test, int marked, lf_scores *s)
{
    int training = marked;
    s->scored = test ? "test" : "all";
    if (posterior->hash_count > 0 || posterior->shared) {
        lf_status status = lf_scored_rows_mark(ctx, posterior, s->table, &s->rows, &s->training);
        s->scored = !test && !status && s->training == s->rows.n ? "training" : s->scored;
        return status;
    }
    if (posterior->count > 0) {
        training = posterior->count == s->rows.n && posterior->fingerprint == lf_data_fingerprint(s->table);
    }
    for (size_t i = 0; !test && training && i < s->rows.n; i++) {
        s->rows.each[i].trained = 1;
    }
    s->training = !test && training ? s->rows.n : 0;
    s->scored = !test && training ? "training" : s->scored;
    return LF_OK;
}

/* Later predictions use the readings of known inputs that the table has. */
static lf_status add_inputs(lf_context *ctx, const lf_data *data, lf_posterior *posterior)
{
    lf_data *known = NULL;
    lf_context *own = posterior->ctx;
    lf_status status = lf_data_select(ctx, data, posterior->scaled.model, "known", &known);
    posterior->ctx = ctx;
    LF_TRY(status, lf_posterior_update(ctx, posterior, known, "inputs"));
    posterior->ctx = own;
    lf_data_free(known);
    return status;
}

lf_status lf_score(lf_context *ctx, lf_posterior *posterior, const lf_data *data, const lf_options *validate,
                   lf_scores **scores)
{
    const lf_model *model = posterior ? posterior->scaled.model : NULL;
    const char *name = validate ? validate->table_name : NULL;
    size_t marked = 0, test = 0;
    lf_data *table = NULL;
    lf_scores *s = NULL;
    *scores = NULL;
    if (!posterior || !data) {
        return lf_missing(ctx, posterior ? "table" : "posterior");
    }
    lf_status status = lf_check_scored(ctx, model, data, validate);
    if (status) {
        return status;
    }
    lf_count_marks(model, data, &marked, &test);
    status = lf_select_scored(ctx, model, data, test > 0, name, &table);
    LF_TRY(status, lf_scores_create(ctx, model, table, validate, &s));
    if (!status) {
        status = add_inputs(ctx, data, posterior);
        LF_TRY(status, check_range(ctx, posterior, table));
        LF_TRY(status, lf_scored_rows_add(ctx, model, posterior, table, NULL, -1, &s->rows));
        status = lf_name_failure(ctx, status, name);
    }
    LF_TRY(status, find_training_rows(ctx, posterior, test > 0, marked > 0, s));
    LF_TRY(status, lf_scores_finish(ctx, s));
    if (status) {
        lf_scores_free(s);
        return status;
    }
    s->not_left_out = lf_why_not_left_out(posterior);
    *scores = s;
    return LF_OK;
}
