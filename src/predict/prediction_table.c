/* Predictions as a table: what points ask about, mean and standard deviations, bounds and joint samples. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/table.h"
#include "predict/predicted.h"

enum { FIXED_COLUMNS = 9 };

static lf_status make_headings(lf_context *ctx, const lf_predicted *c, lf_table **table)
{
    static const char *const kinds[] = {[LF_KIND_OUTPUT] = "output",
                                        [LF_KIND_RATE] = "output",
                                        [LF_KIND_FORCE] = "force",
                                        [LF_KIND_STATE] = "state",
                                        [LF_KIND_TARGET] = "target"};
    size_t p = (size_t)c->model->input_dim, samples = c->options->samples, count = 0;
    lf_table_heading *heading = calloc(FIXED_COLUMNS + p + samples, sizeof *heading);
    char(*name)[LF_TARGET_NAME_SIZE] = calloc(p + samples, sizeof *name);
    lf_status status = heading && name ? LF_OK : lf_no_memory(ctx);
    if (!status) {
        const lf_table_heading begin[] = {{c->options->rows ? "row" : NULL, LF_NUMBERS},
                                          {c->named ? "replicate" : NULL, LF_WORDS},
                                          {kinds[c->kind], LF_WORDS}},
                               end[] = {{"mean", LF_NUMBERS},
                                        {c->noisy ? "sd_f" : "sd", LF_NUMBERS},
                                        {c->noisy ? "sd_y" : NULL, LF_NUMBERS},
                                        {c->lower ? "lower" : NULL, LF_NUMBERS},
                                        {c->lower ? "upper" : NULL, LF_NUMBERS}};
        for (size_t i = 0; i < sizeof begin / sizeof *begin; i++) {
            heading[count] = begin[i];
            count += begin[i].name != NULL;
        }
        for (size_t k = 0; k < p; k++) {
            const lf_axis *axis = lf_model_axis(c->model, (int)k);
            lf_model_input_heading(c->model, (int)k, LF_TARGET_NAME_SIZE, name[k]);
            heading[count++] = (lf_table_heading){name[k], lf_table_input_kind(axis, c->list.n, c->list.x + k, p)};
        }
        for (size_t i = 0; i < sizeof end / sizeof *end; i++) {
            heading[count] = end[i];
            count += end[i].name != NULL;
        }
        for (size_t k = 0; k < samples; k++) {
            snprintf(name[p + k], LF_TARGET_NAME_SIZE, "sample%zu", k + 1);
            heading[count++] = (lf_table_heading){name[p + k], LF_NUMBERS};
        }
        status = lf_table_create(ctx, count, heading, table);
    }
    free(name);
    free(heading);
    return status;
}

static void add_row(const lf_predicted *c, size_t i, lf_table *table)
{
    char name[LF_TARGET_NAME_SIZE];
    size_t p = (size_t)c->model->input_dim;
    if (c->options->rows) {
        lf_table_add_number(table, (double)c->points->row[i]);
    }
    if (c->named) {
        lf_table_add_word(table, c->posterior->replicates.name[c->list.replicate[i]]);
    }
    lf_table_add_word(table, lf_predicted_name(c, c->list.target[i], name));
    for (size_t k = 0; k < p; k++) {
        lf_table_add_input(table, lf_model_axis(c->model, (int)k), c->list.x[i * p + k]);
    }
    lf_table_add_number(table, c->mean[i]);
    lf_table_add_number(table, sqrt(c->variance[i]));
    if (c->noisy) {
        lf_table_add_number(table, sqrt(c->variance_new[i]));
    }
    if (c->lower) {
        lf_table_add_number(table, c->lower[i]);
        lf_table_add_number(table, c->upper[i]);
    }
    for (size_t k = 0; k < c->options->samples; k++) {
        lf_table_add_number(table, c->samples[k * c->list.n + i]);
    }
}

static lf_status make_table(lf_context *ctx, const lf_predicted *c, lf_table **table)
{
    lf_status status = make_headings(ctx, c, table);
    for (size_t i = 0; !status && i < c->list.n; i++) {
        add_row(c, i, *table);
    }
    LF_TRY(status, lf_table_check(ctx, *table));
    return status;
}

lf_status lf_predict_table(lf_context *ctx, lf_posterior *posterior, const lf_points *points, const lf_options *request,
                           lf_table **table)
{
    lf_predicted predicted;
    *table = NULL;
    if (!posterior || !points) {
        return lf_missing(ctx, posterior ? "points" : "posterior");
    }
    lf_status status = lf_predicted_create(ctx, posterior, points, request, &predicted);
    LF_TRY(status, make_table(ctx, &predicted, table));
    lf_predicted_clear(&predicted);
    if (status) {
        lf_table_free(*table);
        *table = NULL;
    }
    return status;
}
