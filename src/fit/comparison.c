/* lf_compare: models of the same rows, by BIC and by scores of rows that are held out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "engine/engine.h"
#include "fit/cross_validation.h"

/* ---- parameters ---- */

static int has_output(const lf_data *data, const char *name)
{
    return lf_names_find(&data->outputs, name, strlen(name)) >= 0;
}

/* Whether a parameter "NAME.what" belongs to an output that the data do not have. Of the names that fit, the longest is meant. */
static int is_of_absent_output(const lf_model *model, const char *parameter, const lf_data *data)
{
    const char *owner = NULL;
    for (int d = 0; d < model->output_count; d++) {
        const char *name = model->outputs[d].name;
        size_t length = strlen(name);
        if (strncmp(parameter, name, length) == 0 && parameter[length] == '.' && (!owner || length > strlen(owner))) {
            owner = name;
        }
    }
    return owner && !has_output(data, owner);
}

static size_t count_free(const lf_model *model, const lf_data *data)
{
    size_t count = 0;
    for (size_t i = 0; i < lf_parameter_count(model); i++) {
        lf_parameter parameter = lf_parameter_get(model, i);
        count += !parameter.fixed && parameter.tied_to == LF_NONE && !is_of_absent_output(model, parameter.name, data);
    }
    return count;
}

/* ---- one model ---- */

/* The models and the tables as they were read for them. */
typedef struct work {
    lf_context *ctx;
    size_t count;
    const lf_model *const *models;
    const lf_data *const *data;
    const lf_options *validate; /* NULL: defaults */
    uint64_t seed;
    lf_scores *scores;
} work;

/* The log density of the training rows in the units of the data: a model of scaled outputs has the density of y / scale. */
static lf_status evaluate(const work *w, const lf_model *model, lf_engine *engine, lf_compared *found)
{
    double log_likelihood = NAN, rounding;
    lf_status status = lf_engine_evaluate(engine, 0, NULL, &log_likelihood, NULL);
    LF_TRY(status, lf_engine_rounding(engine, &rounding)); /* for its note */
    if (!status) {
        lf_engine_info info = lf_engine_describe(engine);
        found->engine = info.engine;
        found->abilities = engine->class->abilities;
        found->parameters = count_free(model, w->data[found->place]);
        found->log_density = log_likelihood + lf_engine_log_jacobian(engine);
        found->bic = -2 * found->log_density + (double)found->parameters * log((double)info.rows);
        w->scores->training_rows = found->place == 0 ? info.rows : w->scores->training_rows;
    }
    return status;
}

static lf_status score_test(const work *w, const lf_model *model, lf_engine *engine, lf_data *test, lf_compared *found)
{
    lf_posterior *posterior = NULL;
    lf_scores *scores = NULL;
    lf_status status = lf_scores_create(w->ctx, model, test, w->validate, &scores);
    LF_TRY(status, lf_engine_posterior(engine, &posterior));
    if (!status) {
        status = lf_scored_rows_add(w->ctx, model, posterior, scores->table, NULL, -1, &scores->rows);
        status = lf_name_failure(w->ctx, status, scores->table_name);
    }
    LF_TRY(status, lf_scores_finish(w->ctx, scores));
    if (!status) {
        found->held_out = scores->overall;
    }
    lf_posterior_free(posterior);
    lf_scores_free(scores);
    return status;
}

static lf_status cross_validate(const work *w, const lf_model *model, const lf_data *training, lf_compared *found)
{
    lf_scores *scores = NULL;
    lf_status status = lf_cross_validate_named(w->ctx, model, training, w->validate, found->name, &scores);
    if (!status) {
        found->held_out = scores->overall;
        w->scores->scored = scores->scored;
        w->scores->folds = scores->folds;
        w->scores->refit = scores->refit;
    }
    lf_scores_free(scores);
    return status;
}

/* Model i, with the rows that were read for it. */
static lf_status judge(const work *w, size_t i)
{
    lf_context *ctx = w->ctx;
    const lf_model *model = w->models[i];
    const lf_options *o = w->validate;
    lf_engine_options options = {.size = sizeof options};
    lf_engine *engine = NULL;
    lf_data *training = NULL, *test = NULL;
    size_t marked = 0, tests = 0;
    int folds = o && (o->folds > 0 || o->rolling);
    lf_compared *found = &w->scores->models[i];
    options = o ? o->engine : options;
    lf_context_set_seed(ctx, w->seed);
    lf_count_marks(model, w->data[i], &marked, &tests);
    lf_status status = lf_data_choose(ctx, w->data[i], model, "train", &training);
    status = lf_name_failure(ctx, status, w->scores->table_name);
    if (!status && tests && !folds) {
        status = lf_select_scored(ctx, model, w->data[i], 1, w->scores->table_name, &test);
    }
    LF_TRY(status, lf_set_reach(ctx, model, training, o ? o->horizon : NULL, test ? test->n : 0, test ? test->x : NULL,
                                &options));
    LF_TRY(status, lf_engine_create(ctx, model, training, &options, &engine));
    LF_TRY(status, evaluate(w, model, engine, found));
    if (!status && test) {
        status = score_test(w, model, engine, test, found);
        test = NULL; /* the scores took it */
    }
    lf_engine_free(engine);
    LF_TRY(status, folds ? cross_validate(w, model, training, found) : LF_OK);
    lf_data_free(training);
    lf_data_free(test);
    return status;
}

/* ---- all of them ---- */

/* Densities must be of the same rows: no output of the data may be left out because a model does not have it. */
static lf_status check_outputs(const work *w, size_t i)
{
    const lf_model *model = w->models[i];
    for (size_t j = 0; j < w->count; j++) {
        const lf_data *data = w->data[j];
        for (int d = 0; d < data->outputs.count; d++) {
            const char *name = data->outputs.name[d], *table = w->scores->table_name;
            if (lf_model_find_known(w->models[j], name) < 0 && lf_model_find_output(model, name) < 0) {
                lf_status status = lf_fail(
                    w->ctx, LF_ERROR_DATA,
                    "has no output '%s', which is in %s: models are compared on the same rows; compare those that have "
                    "all outputs of the data, or choose outputs that all have with --outputs",
                    name, table ? table : "the data");
                return lf_name_failure(w->ctx, status, w->scores->models[i].name);
            }
        }
    }
    return LF_OK;
}

static lf_status name_models(const work *w)
{
    size_t names = w->validate ? w->validate->model_names.count : 0;
    for (size_t i = 0; i < w->count; i++) {
        lf_compared *found = &w->scores->models[i];
        found->place = i;
        found->name = i < names ? lf_copy_string(w->validate->model_names.item[i]) : NULL;
        if (i < names && !found->name) {
            return lf_no_memory(w->ctx);
        }
    }
    return LF_OK;
}

/* What a smaller value of is better. Values that are not finite come last. */
static double criterion(const lf_compared *model)
{
    double value = model->held_out.n > 0 ? model->held_out.nlpd : model->bic;
    return isfinite(value) ? value : (double)INFINITY;
}

static int compare(const void *left, const void *right)
{
    const lf_compared *one = left, *other = right;
    double a = criterion(one), b = criterion(other);
    return a != b ? (a < b ? -1 : 1) : (one->place > other->place) - (one->place < other->place);
}

static lf_status compare_models(const work *w)
{
    lf_scores *s = w->scores;
    s->models = calloc(w->count, sizeof *s->models);
    s->model_count = s->models ? w->count : 0;
    s->scored = "comparison";
    lf_status status = s->models ? name_models(w) : lf_no_memory(w->ctx);
    for (size_t i = 0; !status && i < w->count; i++) {
        status = check_outputs(w, i);
    }
    for (size_t i = 0; !status && i < w->count; i++) {
        status = lf_check_scored(w->ctx, w->models[i], w->data[i], w->validate);
        LF_TRY(status, judge(w, i));
    }
    if (!status) {
        qsort(s->models, w->count, sizeof *s->models, compare);
    }
    return status;
}

lf_status lf_compare(lf_context *ctx, size_t count, const lf_model *const *models, const lf_data *const *data,
                     const lf_options *validate, lf_scores **scores)
{
    *scores = NULL;
    lf_status status = lf_options_are(ctx, validate, "validate");
    for (size_t i = 0; !status && i < count; i++) {
        if (!models || !data || !models[i] || !data[i]) {
            status = lf_fail(ctx, LF_ERROR_ARGUMENT, "model %zu or its table is missing", i);
        }
    }
    if (!status && count < 1) {
        status = lf_fail(ctx, LF_ERROR_ARGUMENT, "there are no models to compare");
    }
    work w = {.ctx = ctx, .count = count, .models = models, .data = data, .validate = validate, .seed = ctx->seed};
    lf_random random = ctx->random;
    LF_TRY(status, lf_scores_create(ctx, NULL, NULL, validate, &w.scores));
    w.seed = !status && validate && validate->seed ? *validate->seed : w.seed;
    uint64_t before = ctx->seed;
    LF_TRY(status, compare_models(&w));
    ctx->seed = before;
    ctx->random = random;
    if (status) {
        lf_scores_free(w.scores);
        return status;
    }
    *scores = w.scores;
    return LF_OK;
}
