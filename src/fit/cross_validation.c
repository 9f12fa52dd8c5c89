/* Cross-validation: predictions of rows by models that have not seen them.
 *
 * A fold is the table with the withheld rows marked test. It is fitted with the options of the fit that made the model, so that nothing of the withheld rows
 * (offset, scale, starting values, choice of the structure) reaches the fit; only their inputs count, as places of predictions. A fit
 * starts where the model does, also where the first rows are withheld. It is calibrated if the model was, by windows of the rows that are kept. A fold of
 * rolling origins lacks the rows after its span: they are neither kept nor predicted. */
#include "fit/cross_validation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/plural.h"
#include "fit/recipe.h"
#include "validate/folds.h"

enum { USUAL_FOLDS = 5 };

/* What every fold needs. */
typedef struct fold_work {
    lf_context *ctx;
    const lf_model *model;      /* that is judged */
    const lf_options *validate; /* NULL: defaults */
    lf_options *fit;            /* NULL: the parameters of the model are kept */
    uint64_t seed;              /* of every fit */
    const int *fold;            /* (rows of the table); NULL: forecasts from the origins of the scores */
    lf_data *table;             /* of the present fold */
    size_t *row;                /* (rows of the table) those of the present fold */
    lf_scores *scores;
} fold_work;

/* A fit of the rows that are kept. */
static lf_status refit(const fold_work *w, lf_model **fitted)
{
    lf_fit_result *result = NULL;
    lf_context_set_seed(w->ctx, w->seed);
    lf_status status = lf_fit(w->ctx, w->table, w->fit, fitted, &result);
    if (!status && result->cancelled) {
        status = lf_fail(w->ctx, LF_ERROR_CANCELLED, "the cross-validation was cancelled");
    }
    lf_fit_result_free(result);
    return status;
}

/* The posterior given the rows that are kept; *fitted, the model that it is of, stays NULL without a refit. */
static lf_status make_posterior(const fold_work *w, const lf_data *withheld, lf_model **fitted,
                                lf_posterior **posterior)
{
    lf_data *kept = NULL;
    lf_status status = w->fit ? refit(w, fitted) : LF_OK;
    if (!status && w->fit && lf_model_has_posterior(*fitted)) {
        return lf_posterior_restore(w->ctx, *fitted, posterior);
    }
    LF_TRY(status, lf_data_choose(w->ctx, w->table, w->model, "train", &kept));
    LF_TRY(status, lf_condition_for(w->ctx, w->fit ? *fitted : w->model, kept, withheld, w->validate, posterior));
    lf_data_free(kept);
    return status;
}

static lf_status run_fold(const fold_work *w, int k)
{
    lf_data *withheld = NULL;
    lf_model *fitted = NULL;
    lf_posterior *posterior = NULL;
    lf_status status = lf_data_choose(w->ctx, w->table, w->model, "test", &withheld);
    LF_TRY(status, make_posterior(w, withheld, &fitted, &posterior));
    LF_TRY(status, lf_scored_rows_add(w->ctx, w->model, posterior, withheld, w->row, k, &w->scores->rows));
    lf_posterior_free(posterior);
    lf_model_free(fitted);
    lf_data_free(withheld);
    return status;
}

/* What fold k is to a row. A reading of a known input is kept. */
typedef enum part { KEPT, WITHHELD, BEYOND } part;

static part part_of(const fold_work *w, int k, size_t i)
{
    const lf_data *table = w->scores->table;
    if (w->fold) {
        return w->fold[i] == k ? WITHHELD : KEPT;
    }
    const lf_origin *origin = &w->scores->origins[k];
    int known = lf_model_find_known(w->model, table->outputs.name[table->output[i]]) >= 0;
    return known || lf_origin_knows(origin, table->x[i]) ? KEPT
           : lf_origin_predicts(origin, table->x[i])     ? WITHHELD
                                                         : BEYOND;
}

/* What lf_data_pick asks. */
typedef struct present_fold {
    const fold_work *work;
    int k;
} present_fold;

static int is_not_beyond(const void *user, const lf_data *data, size_t row)
{
    const present_fold *f = user;
    (void)data;
    return part_of(f->work, f->k, row) != BEYOND;
}

/* Marks the rows for fold k and lists those that are withheld. Rows beyond its span are left out of its table. */
static lf_status make_table(fold_work *w, int k, size_t *count)
{
    lf_data *all = w->scores->table;
    size_t beyond = 0;
    *count = 0;
    for (size_t i = 0; i < all->n; i++) {
        part p = part_of(w, k, i);
        all->split[i] = p == WITHHELD ? LF_SPLIT_TEST : LF_SPLIT_TRAIN;
        beyond += p == BEYOND;
        if (p == WITHHELD) {
            w->row[(*count)++] = i;
        }
    }
    w->table = all;
    return beyond ? lf_data_pick(w->ctx, all, is_not_beyond, &(present_fold){w, k}, &w->table) : LF_OK;
}

/* Whether the caller lets the next fold begin. */
static lf_status ask(lf_context *ctx, size_t fold, size_t folds)
{
    const lf_progress at = {.size = sizeof at, .stage = "folds", .item = fold, .items = folds};
    return ctx->progress && ctx->progress(ctx->progress_user, &at)
               ? lf_fail(ctx, LF_ERROR_CANCELLED, "the cross-validation was cancelled")
               : LF_OK;
}

/* Without the notes of the fits, which would be nearly the same for every fold. */
static lf_status run_folds(fold_work *w)
{
    lf_context *ctx = w->ctx;
    lf_log_function log = ctx->log;
    lf_status status = LF_OK;
    ctx->log = NULL;
    for (size_t k = 0; !status && k < w->scores->folds; k++) {
        size_t count = 0;
        w->table = NULL;
        status = ask(ctx, k, w->scores->folds);
        LF_TRY(status, make_table(w, (int)k, &count));
        LF_TRY(status, count ? run_fold(w, (int)k) : LF_OK);
        if (w->table != w->scores->table) {
            lf_data_free(w->table);
        }
    }
    ctx->log = log;
    return status;
}

/* "5-fold cross-validation over windows of time, …", "forecasts from 5 origins, …". */
static void describe(const lf_model *model, lf_scores *s)
{
    if (s->origins) {
        snprintf(s->how, sizeof s->how, "forecasts from %zu origin%s, %s", s->folds, lf_plural(s->folds),
                 s->refit ? "fitted again at each" : "with parameters that saw all rows");
    } else {
        snprintf(s->how, sizeof s->how, "%zu-fold cross-validation over %s, %s", s->folds,
                 model->input_dim == 1 ? "windows of time" : "random groups of rows",
                 s->refit ? "fitted again without them" : "with parameters that saw all rows");
    }
}

/* The folds of the rows, or the origins of forecasts. */
static lf_status make_folds(lf_context *ctx, const lf_model *model, const lf_options *validate, uint64_t seed,
                            int *fold, lf_scores *s)
{
    int rolling = validate && validate->rolling;
    lf_status status = LF_OK;
    s->scored = rolling ? "rolling" : "cross-validation";
    s->refit = !(validate && validate->no_refit);
    s->folds = validate && validate->folds ? validate->folds : USUAL_FOLDS;
    if (rolling) {
        status = lf_origins_create(ctx, model, s->table, validate, &s->folds, &s->origins);
    } else {
        status = lf_folds_create(ctx, model, s->table, s->folds, seed, fold);
    }
    describe(model, s);
    return lf_name_failure(ctx, status, s->table_name);
}

lf_status lf_cross_validate_rows(lf_context *ctx, const lf_model *model, const lf_options *validate,
                                 const char *model_name, lf_scores *s)
{
    size_t n = s->table->n;
    uint64_t seed = validate && validate->seed ? *validate->seed : ctx->seed, before = ctx->seed;
    lf_random random = ctx->random;
    int *fold = calloc(n + 1, sizeof *fold);
    size_t *row = calloc(n + 1, sizeof *row);
    lf_options *fit = NULL;
    lf_status status = fold && row ? make_folds(ctx, model, validate, seed, fold, s) : lf_no_memory(ctx);
    if (!status && s->refit) {
        status = lf_name_failure(ctx, lf_recipe_create(ctx, model, validate, &fit), model_name);
    }
    if (!status) {
        status = run_folds(&(fold_work){.ctx = ctx,
                                        .model = model,
                                        .validate = validate,
                                        .fit = fit,
                                        .seed = seed,
                                        .fold = s->origins ? NULL : fold,
                                        .row = row,
                                        .scores = s});
    }
    ctx->seed = before;
    ctx->random = random;
    lf_options_free(fit);
    free(fold);
    free(row);
    return status;
}

lf_status lf_cross_validate_named(lf_context *ctx, const lf_model *model, const lf_data *data,
                                  const lf_options *validate, const char *model_name, lf_scores **scores)
{
    lf_data *table = NULL;
    lf_scores *s = NULL;
    *scores = NULL;
    lf_status status = lf_data_choose(ctx, data, model, "train", &table);
    status = lf_name_failure(ctx, status, validate ? validate->table_name : NULL);
    LF_TRY(status, lf_scores_create(ctx, model, table, validate, &s));
    LF_TRY(status, lf_cross_validate_rows(ctx, model, validate, model_name, s));
    LF_TRY(status, lf_scores_finish(ctx, s));
    if (status) {
        lf_scores_free(s);
        return status;
    }
    *scores = s;
    return LF_OK;
}

lf_status lf_cross_validate(lf_context *ctx, const lf_model *model, const lf_data *data, const lf_options *validate,
                            lf_scores **scores)
{
    *scores = NULL;
    if (!model || !data) {
        return lf_missing(ctx, model ? "table" : "model");
    }
    lf_status status = lf_check_scored(ctx, model, data, validate);
    const char *engine = !status && validate && !validate->no_refit ? lf_options_of_engine(validate) : NULL;
    if (!status && engine) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT,
                       "--%s needs --no-refit: a refit uses the options that the model was fitted with", engine);
    }
    if (!status && lf_data_is_shared(data)) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED, "a cross-validation needs one process");
    }
    const char *name = !status && validate && validate->model_names.count ? validate->model_names.item[0] : NULL;
    return status ? status : lf_cross_validate_named(ctx, model, data, validate, name, scores);
}
