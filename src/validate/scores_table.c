/* Scores as tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/table.h"
#include "validate/scores.h"

static void add_summary(lf_table *table, const lf_score_summary *score)
{
    lf_table_add_number(table, (double)score->n);
    lf_table_add_number(table, score->nmse);
    lf_table_add_number(table, score->nlpd);
    lf_table_add_number(table, score->rmse);
    lf_table_add_number(table, score->coverage95);
}

static lf_status outputs_table(lf_context *ctx, const lf_scores *s, lf_table **table)
{
    static const lf_table_heading headings[] = {{"output", LF_WORDS}, {"n", LF_NUMBERS},    {"nmse", LF_NUMBERS},
                                                {"nlpd", LF_NUMBERS}, {"rmse", LF_NUMBERS}, {"coverage95", LF_NUMBERS}};
    lf_status status = lf_table_create(ctx, sizeof headings / sizeof *headings, headings, table);
    for (int d = 0; !status && d < s->model->output_count; d++) {
        if (s->outputs[d].n > 0) {
            lf_table_add_word(*table, s->model->outputs[d].name);
            add_summary(*table, &s->outputs[d]);
        }
    }
    if (!status) {
        lf_table_add_word(*table, NULL);
        add_summary(*table, &s->overall);
    }
    return status;
}

/* Of forecasts, with their origins and the ends of their spans. */
static lf_status folds_table(lf_context *ctx, const lf_scores *s, lf_table **table)
{
    lf_table_heading headings[8] = {{"fold", LF_NUMBERS}};
    static const lf_table_heading rest[] = {{"n", LF_NUMBERS},
                                            {"nmse", LF_NUMBERS},
                                            {"nlpd", LF_NUMBERS},
                                            {"rmse", LF_NUMBERS},
                                            {"coverage95", LF_NUMBERS}};
    const lf_axis *axis = lf_model_axis(s->model, 0);
    size_t count = 1, stride = sizeof *s->origins / sizeof(double);
    if (s->origins) {
        lf_table_kind kind = lf_table_input_kind(axis, s->folds, &s->origins[0].end, stride);
        headings[count++] = (lf_table_heading){"origin", kind};
        headings[count++] = (lf_table_heading){"end", kind};
    }
    memcpy(headings + count, rest, sizeof rest);
    lf_status status = lf_table_create(ctx, count + sizeof rest / sizeof *rest, headings, table);
    for (size_t k = 0; !status && k < s->folds; k++) {
        lf_table_add_number(*table, (double)k + 1);
        if (s->origins) {
            lf_table_add_input(*table, axis, s->origins[k].time);
            lf_table_add_input(*table, axis, s->origins[k].end);
        }
        add_summary(*table, &s->of_fold[k]);
    }
    return status;
}

/* ---- rows ---- */

/* replicate (where there are any), output, the inputs, the origin of a forecast, y, mean, sd, z, flag. */
static lf_status create_rows(lf_context *ctx, const lf_scores *s, lf_table **table)
{
    static const lf_table_heading rest[] = {
        {"y", LF_NUMBERS}, {"mean", LF_NUMBERS}, {"sd", LF_NUMBERS}, {"z", LF_NUMBERS}, {"flag", LF_WORDS}};
    enum { REST = sizeof rest / sizeof *rest, NAME = 256 };
    size_t p = (size_t)s->model->input_dim, count = 0;
    lf_table_heading *headings = calloc(p + REST + 3, sizeof *headings);
    char *names = calloc(p, NAME);
    lf_status status = headings && names ? LF_OK : lf_no_memory(ctx);
    if (!status && s->table->replicates.count > 0) {
        headings[count++] = (lf_table_heading){"replicate", LF_WORDS};
    }
    if (!status) {
        headings[count++] = (lf_table_heading){"output", LF_WORDS};
    }
    for (size_t k = 0; !status && k < p; k++) {
        lf_model_input_heading(s->model, (int)k, NAME, names + k * NAME);
        lf_table_kind kind = lf_table_input_kind(lf_model_axis(s->model, (int)k), s->table->n, s->table->x + k, p);
        headings[count++] = (lf_table_heading){names + k * NAME, kind};
    }
    if (!status && s->origins) {
        headings[count] = (lf_table_heading){"origin", headings[count - 1].kind};
        count++;
    }
    if (!status) {
        memcpy(headings + count, rest, sizeof rest);
        status = lf_table_create(ctx, count + REST, headings, table);
    }
    free(headings);
    free(names);
    return status;
}

static void add_row(const lf_scores *s, const lf_scored_row *scored, lf_table *table)
{
    const lf_data *data = s->table;
    size_t i = scored->row, p = (size_t)data->input_dim;
    lf_judgement found = lf_scores_judge(s, scored);
    if (data->replicates.count > 0) {
        lf_table_add_word(table, data->replicate[i] < 0 ? NULL : data->replicates.name[data->replicate[i]]);
    }
    lf_table_add_word(table, data->outputs.name[data->output[i]]);
    for (size_t k = 0; k < p; k++) {
        lf_table_add_input(table, lf_model_axis(s->model, (int)k), data->x[i * p + k]);
    }
    if (s->origins) {
        lf_table_add_input(table, lf_model_axis(s->model, 0), s->origins[scored->fold].time);
    }
    lf_table_add_number(table, scored->y);
    lf_table_add_number(table, found.mean);
    lf_table_add_number(table, found.sd);
    lf_table_add_number(table, found.z);
    lf_table_add_word(table, isnan(found.mean) ? "unknown" : fabs(found.z) > s->threshold ? "outlier" : NULL);
}

static int compare_rows(const void *left, const void *right)
{
    const lf_scored_row *a = *(const lf_scored_row *const *)left, *b = *(const lf_scored_row *const *)right;
    return a->row != b->row ? (a->row > b->row) - (a->row < b->row) : (a->fold > b->fold) - (a->fold < b->fold);
}

static lf_status rows_table(lf_context *ctx, const lf_scores *s, lf_table **table)
{
    const lf_scored_row **order = calloc(s->rows.n + 1, sizeof *order);
    lf_status status = order ? create_rows(ctx, s, table) : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < s->rows.n; i++) {
        order[i] = &s->rows.each[i];
    }
    if (!status) {
        qsort(order, s->rows.n, sizeof *order, compare_rows);
    }
    for (size_t i = 0; !status && i < s->rows.n; i++) {
        add_row(s, order[i], *table);
    }
    free(order);
    return status;
}

/* ---- models ---- */

static lf_status models_table(lf_context *ctx, const lf_scores *s, lf_table **table)
{
    static const lf_table_heading headings[] = {
        {"model", LF_WORDS},         {"engine", LF_WORDS},        {"bound", LF_WORDS},
        {"parameters", LF_NUMBERS},  {"log_density", LF_NUMBERS}, {"bic", LF_NUMBERS},
        {"bic_behind", LF_NUMBERS},  {"n", LF_NUMBERS},           {"nlpd", LF_NUMBERS},
        {"nlpd_behind", LF_NUMBERS}, {"nmse", LF_NUMBERS},        {"rmse", LF_NUMBERS},
        {"coverage95", LF_NUMBERS}};
    lf_status status = lf_table_create(ctx, sizeof headings / sizeof *headings, headings, table);
    double least_bic = INFINITY, least_nlpd = s->models[0].held_out.nlpd;
    for (size_t i = 0; i < s->model_count; i++) {
        least_bic = s->models[i].bic < least_bic ? s->models[i].bic : least_bic;
    }
    for (size_t i = 0; !status && i < s->model_count; i++) {
        const lf_compared *m = &s->models[i];
        lf_table_add_word(*table, m->name);
        lf_table_add_word(*table, m->engine);
        lf_table_add_word(*table, m->abilities & LF_GIVES_BOUND    ? "bound"
                                  : m->abilities & LF_HAS_INDUCING ? "approximation"
                                                                   : "");
        lf_table_add_number(*table, (double)m->parameters);
        lf_table_add_number(*table, m->log_density);
        lf_table_add_number(*table, m->bic);
        lf_table_add_number(*table, m->bic - least_bic);
        lf_table_add_number(*table, (double)m->held_out.n);
        lf_table_add_number(*table, m->held_out.nlpd);
        lf_table_add_number(*table, m->held_out.nlpd - least_nlpd);
        lf_table_add_number(*table, m->held_out.nmse);
        lf_table_add_number(*table, m->held_out.rmse);
        lf_table_add_number(*table, m->held_out.coverage95);
    }
    return status;
}

/* ---- */

lf_status lf_scores_table(lf_context *ctx, const lf_scores *s, const char *what, lf_table **table)
{
    static const struct {
        const char *name;
        int of_models;
        lf_status (*make)(lf_context *ctx, const lf_scores *scores, lf_table **table);
    } tables[] = {
        {"outputs", 0, outputs_table}, {"rows", 0, rows_table}, {"folds", 0, folds_table}, {"models", 1, models_table}};
    *table = NULL;
    if (!s) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "there are no scores");
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (what && strcmp(what, tables[i].name) == 0 && tables[i].of_models == (s->model_count > 0)) {
            lf_status status = tables[i].make(ctx, s, table);
            LF_TRY(status, lf_table_check(ctx, *table));
            if (status) {
                lf_table_free(*table);
                *table = NULL;
            }
            return status;
        }
    }
    return lf_fail(ctx, LF_ERROR_ARGUMENT, "these scores have no table '%s'; expected %s", what ? what : "",
                   s->model_count > 0 ? "models" : "outputs, rows or folds");
}
