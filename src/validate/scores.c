/* Scores of predicted rows, per output, per fold and over all outputs. */
#include "validate/scores.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "predict/score.h"

static const double default_threshold = 3;

/* ---- what is scored ---- */

lf_status lf_name_failure(lf_context *ctx, lf_status status, const char *name)
{
    char message[LF_MESSAGE_SIZE];
    if (!status || status == LF_ERROR_MEMORY || !name) {
        return status;
    }
    memcpy(message, ctx->message, sizeof message);
    return lf_fail(ctx, status, "%s: %s", name, message);
}

/* "a, b, c": the outputs of a model, as many as there is room for. */
static void list_outputs(const lf_model *model, size_t size, char *text)
{
    size_t used = 0;
    *text = '\0';
    for (int d = 0; d < model->output_count; d++) {
        const char *name = model->outputs[d].name;
        int whole = used + strlen(name) + 8 < size;
        used += (size_t)snprintf(text + used, size - used, "%s%s", d ? ", " : "", whole ? name : "…");
        if (!whole) {
            return;
        }
    }
}

lf_status lf_check_scored(lf_context *ctx, const lf_model *model, const lf_data *data, const lf_options *validate)
{
    lf_status status = lf_options_are(ctx, validate, "validate");
    LF_TRY(status, validate ? lf_options_check(ctx, validate) : LF_OK);
    if (!status && (!model || !data)) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "there is no %s to score", model ? "table" : "model");
    }
    if (!status && data->input_dim != model->input_dim) {
        status =
            lf_fail(ctx, LF_ERROR_DATA, "a row has %d inputs, but the model has %d; --time or --x names their columns",
                    data->input_dim, model->input_dim);
    }
    for (int d = 0; !status && d < data->outputs.count; d++) {
        const char *name = data->outputs.name[d];
        if (lf_model_find_output(model, name) < 0 && lf_model_find_known(model, name) < 0) {
            char outputs[512];
            list_outputs(model, sizeof outputs, outputs);
            status =
                lf_fail(ctx, LF_ERROR_DATA, "the output '%s' is not in the model; its outputs are %s", name, outputs);
        }
    }
    for (size_t i = 0; !status && i < data->n; i++) {
        if (data->output[i] < 0 || !isfinite(data->y[i])) {
            status = lf_fail(ctx, LF_ERROR_DATA, "row %zu has no output or no value", i);
        }
    }
    return lf_name_failure(ctx, status, validate ? validate->table_name : NULL);
}

void lf_count_marks(const lf_model *model, const lf_data *data, size_t *marked, size_t *test)
{
    *marked = *test = 0;
    for (size_t i = 0; i < data->n; i++) {
        if (lf_model_find_known(model, data->outputs.name[data->output[i]]) < 0) {
            *marked += data->split[i] != LF_SPLIT_NONE;
            *test += data->split[i] == LF_SPLIT_TEST;
        }
    }
}

/* The rows that do not lie before the start of the model; *rows is replaced. */
static lf_status drop_before_start(lf_context *ctx, const lf_model *model, const char *name, lf_data **rows)
{
    lf_data *started = NULL;
    if ((*rows)->input_dim > 1 || (*rows)->n == 0) {
        return LF_OK;
    }
    lf_status status = lf_data_choose(ctx, *rows, model, "started", &started);
    size_t dropped = status ? 0 : (*rows)->n - started->n;
    if (dropped > 0) {
        lf_note(ctx,
                "%s%s%zu row%s before the start of the model %s left out: an output has no value there; to predict "
                "%s too, fit with --origin at the earliest time",
                name ? name : "", name ? ": " : "", dropped, dropped == 1 ? "" : "s", dropped == 1 ? "is" : "are",
                dropped == 1 ? "it" : "them");
    }
    if (!status) {
        lf_data_free(*rows);
        *rows = started;
    }
    return status;
}

lf_status lf_select_scored(lf_context *ctx, const lf_model *model, const lf_data *data, int test, const char *name,
                           lf_data **selected)
{
    lf_data *rows = NULL;
    *selected = NULL;
    lf_status status = lf_data_choose(ctx, data, model, test ? "test" : "train", &rows);
    LF_TRY(status, lf_data_choose(ctx, rows, model, "outputs", selected));
    LF_TRY(status, drop_before_start(ctx, model, name, selected));
    lf_data_free(rows);
    if (status) {
        lf_data_free(*selected);
        *selected = NULL;
    }
    return lf_name_failure(ctx, status, name);
}

/* ---- scores ---- */

lf_status lf_scores_create(lf_context *ctx, const lf_model *model, lf_data *table, const lf_options *validate,
                           lf_scores **scores)
{
    const char *name = validate ? validate->table_name : NULL;
    lf_scores *s = *scores = calloc(1, sizeof *s);
    if (!s) {
        lf_data_free(table);
        return lf_no_memory(ctx);
    }
    s->table = table;
    s->threshold = validate && validate->threshold > 0 ? validate->threshold : default_threshold;
    s->table_name = name ? lf_copy_string(name) : NULL;
    lf_status status = name && !s->table_name ? lf_no_memory(ctx) : LF_OK;
    LF_TRY(status, model ? lf_model_copy(ctx, model, &s->model) : LF_OK);
    if (!status && model) {
        lf_model_drop_posterior(s->model);
        s->outputs = calloc((size_t)model->output_count + 1, sizeof *s->outputs);
        status = s->outputs ? LF_OK : lf_no_memory(ctx);
    }
    if (status) {
        lf_scores_free(s);
        *scores = NULL;
    }
    return status;
}

void lf_scores_free(lf_scores *scores)
{
    if (!scores) {
        return;
    }
    for (size_t i = 0; i < scores->model_count; i++) {
        free(scores->models[i].name);
    }
    free(scores->models);
    free(scores->table_name);
    free(scores->outputs);
    free(scores->of_fold);
    free(scores->origins);
    lf_scored_rows_clear(&scores->rows);
    lf_data_free(scores->table);
    lf_model_free(scores->model);
    free(scores);
}

/* The scores of the rows of a fold, negative: of all rows. score (outputs + 1) */
static lf_status score_fold(lf_context *ctx, const lf_scores *s, int fold, lf_score_summary *score)
{
    size_t n = s->rows.n, count = 0;
    double *y = lf_doubles(n + 1, 5), *mean = y + n, *variance = mean + n, *log_density = variance + n,
           *covered = log_density + n;
    int *output = calloc(n + 1, sizeof *output);
    lf_status status = y && output ? LF_OK : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < n; i++) {
        const lf_scored_row *row = &s->rows.each[i];
        if (fold < 0 || row->fold == fold) {
            output[count] = row->target;
            y[count] = row->y;
            mean[count] = row->mean;
            log_density[count] = row->log_density;
            covered[count] = row->covered;
            variance[count++] = row->variance + row->noise;
        }
    }
    int likelihoods = lf_model_has_likelihoods(s->model);
    const lf_predicted_rows rows = {.n = count,
                                    .output = output,
                                    .y = y,
                                    .mean = mean,
                                    .variance = variance,
                                    .log_density = likelihoods ? log_density : NULL,
                                    .covered = covered};
    LF_TRY(status, lf_score_outputs(ctx, &rows, s->model->output_count, score));
    free(y);
    free(output);
    return status;
}

lf_status lf_scores_finish(lf_context *ctx, lf_scores *s)
{
    size_t outputs = (size_t)s->model->output_count;
    s->of_fold = calloc(s->folds + 1, sizeof *s->of_fold);
    lf_status status = s->of_fold ? LF_OK : lf_no_memory(ctx);
    for (size_t k = 0; !status && k < s->folds; k++) {
        status = score_fold(ctx, s, (int)k, s->outputs);
        s->of_fold[k] = s->outputs[outputs];
    }
    LF_TRY(status, score_fold(ctx, s, -1, s->outputs));
    s->overall = s->outputs[outputs];
    return status;
}

lf_judgement lf_scores_judge(const lf_scores *s, const lf_scored_row *row)
{
    return lf_judge(s->model, row, row->trained && !s->not_left_out);
}

lf_status lf_scores_get(lf_context *ctx, const lf_scores *s, lf_scores_info *info)
{
    if (!s) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "there are no scores");
    }
    lf_scores_info found = {.scored = s->model_count > 0 ? "comparison" : s->scored,
                            .how = s->how,
                            .rows = s->model ? s->rows.n : s->training_rows,
                            .training = s->training,
                            .nmse = s->overall.nmse,
                            .nlpd = s->overall.nlpd,
                            .rmse = s->overall.rmse,
                            .coverage95 = s->overall.coverage95,
                            .folds = s->folds,
                            .refit = s->refit,
                            .not_left_out = s->training ? s->not_left_out : NULL,
                            .models = s->model_count,
                            .ranked_by = lf_scores_ranked_by(s),
                            .held_out = lf_scores_held_out(s)};
    for (size_t i = 0; i < s->rows.n; i++) {
        found.unknown += isnan(lf_scores_judge(s, &s->rows.each[i]).mean) ? 1 : 0;
        found.left_out += s->rows.each[i].trained && !s->not_left_out;
    }
    return lf_give_struct(ctx, "lf_scores_info", &found, sizeof found, info);
}

const char *lf_scores_ranked_by(const lf_scores *s)
{
    return s->model_count == 0 ? "" : s->models[0].held_out.n > 0 ? "nlpd" : "bic";
}

const char *lf_scores_held_out(const lf_scores *s)
{
    return s->model_count == 0 || s->models[0].held_out.n == 0 ? "" : s->folds ? s->scored : "test";
}
