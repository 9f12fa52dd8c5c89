/* Rows with their predictions and scores: what score and compare compute. */
#include "scores/scored_rows.h"

#include <math.h>
#include <stdlib.h>

#include "base/processes.h"
#include "message.h"
#include "scores/scores.h"
#include "show/formats.h"
#include "show/table.h"

int cli_scored_rows_create(const lf_model *model, const lf_data *table, cli_scored_rows *rows)
{
    size_t n = lf_data_count(table, LF_KIND_ROW);
    *rows = (cli_scored_rows){.model = model, .table = table, .capacity = n};
    rows->row = calloc(n + 1, sizeof *rows->row);
    rows->target = calloc(n + 1, sizeof *rows->target);
    rows->trained = calloc(n + 1, sizeof *rows->trained);
    rows->y = calloc(n + 1, sizeof *rows->y);
    rows->mean = calloc(n + 1, sizeof *rows->mean);
    rows->variance = calloc(n + 1, sizeof *rows->variance);
    rows->noise = calloc(n + 1, sizeof *rows->noise);
    rows->score = calloc((size_t)lf_model_output_count(model) + 1, sizeof *rows->score);
    int done = rows->row && rows->target && rows->trained && rows->y && rows->mean && rows->variance && rows->noise &&
               rows->score;
    return done ? CLI_DONE : cli_no_memory();
}

void cli_scored_rows_free(cli_scored_rows *rows)
{
    free(rows->row);
    free(rows->target);
    free(rows->trained);
    free(rows->y);
    free(rows->mean);
    free(rows->variance);
    free(rows->noise);
    free(rows->score);
    *rows = (cli_scored_rows){0};
}

int cli_scored_rows_predict(lf_context *ctx, const lf_model *predictor, lf_posterior *posterior,
                            const cli_points *points, const size_t *row, cli_scored_rows *rows)
{
    size_t first = rows->n, n = points->n <= rows->capacity - first ? points->n : rows->capacity - first;
    cli_points part = *points;
    part.n = n;
    int status = cli_points_predict(ctx, predictor, posterior, &part,
                                    (lf_prediction){.mean = rows->mean + first, .variance = rows->variance + first});
    for (size_t i = 0; status == CLI_DONE && i < n; i++) {
        size_t k = first + i;
        rows->row[k] = row ? row[i] : i;
        lf_observation source = lf_data_row(rows->table, rows->row[k]);
        rows->target[k] =
            lf_model_find_output(rows->model, lf_data_name(rows->table, LF_KIND_OUTPUT, (size_t)source.output));
        rows->y[k] = source.y;
        rows->noise[k] = lf_model_noise_variance(predictor, points->target[i]) + source.sd * source.sd;
        rows->n++;
    }
    return status;
}

static int compare_hashes(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* A row that is in the share of one process is a training row for all. */
static int mark_for_all(lf_context *ctx, cli_scored_rows *rows)
{
    double *marks = calloc(rows->n + 1, sizeof *marks);
    for (size_t i = 0; marks && i < rows->n; i++) {
        marks[i] = rows->trained[i];
    }
    int status = cli_check(ctx, lf_sum(ctx, marks ? LF_OK : LF_ERROR_MEMORY, rows->n, marks));
    for (size_t i = 0; status == CLI_DONE && i < rows->n; i++) {
        rows->trained[i] = marks[i] > 0;
    }
    free(marks);
    return status;
}

int cli_scored_rows_mark(lf_context *ctx, const lf_data *training, cli_scored_rows *rows, size_t *count)
{
    size_t n = lf_data_count(training, LF_KIND_ROW);
    uint64_t *hash = calloc(n + 1, sizeof *hash);
    *count = 0;
    if (!hash) {
        return cli_no_memory();
    }
    for (size_t i = 0; i < n; i++) {
        hash[i] = lf_data_row_fingerprint(training, i);
    }
    qsort(hash, n, sizeof *hash, compare_hashes);
    for (size_t i = 0; i < rows->n; i++) {
        uint64_t own = lf_data_row_fingerprint(rows->table, rows->row[i]);
        rows->trained[i] = bsearch(&own, hash, n, sizeof *hash, compare_hashes) != NULL;
    }
    free(hash);
    int status = lf_data_is_shared(training) ? mark_for_all(ctx, rows) : CLI_DONE;
    for (size_t i = 0; i < rows->n; i++) {
        *count += (size_t)rows->trained[i];
    }
    return status;
}

int cli_scored_rows_finish(cli_scored_rows *rows)
{
    double *s2 = calloc(rows->n + 1, sizeof *s2);
    if (!s2) {
        return cli_no_memory();
    }
    for (size_t i = 0; i < rows->n; i++) {
        s2[i] = rows->variance[i] + rows->noise[i];
    }
    int status = cli_score_rows(lf_model_output_count(rows->model), rows->n, rows->target, rows->y, rows->mean, s2,
                                rows->score, &rows->overall);
    free(s2);
    return status;
}

void cli_scored_rows_print_json(FILE *stream, const cli_scored_rows *rows)
{
    const char *separator = "";
    fputs("{\"outputs\":{", stream);
    for (int d = 0; d < lf_model_output_count(rows->model); d++) {
        if (rows->score[d].n > 0) {
            fputs(separator, stream);
            cli_json_string(stream, lf_model_output_name(rows->model, d));
            fputc(':', stream);
            cli_json_score(stream, &rows->score[d]);
            separator = ",";
        }
    }
    fputs("},\"overall\":", stream);
    cli_json_score(stream, &rows->overall);
}

static void add_score(cli_table *table, const char *name, const lf_score *score)
{
    cli_table_add(table, "%s", name);
    cli_table_add(table, "%zu", score->n);
    cli_table_add_number(table, score->nmse);
    cli_table_add_number(table, score->nlpd);
    cli_table_add_number(table, score->rmse);
    cli_table_add(table, "%.1f %%", 100 * score->coverage95);
}

int cli_scored_rows_print(FILE *stream, const cli_scored_rows *rows)
{
    static const char *const headings[] = {"output", "n", "nmse", "nlpd", "rmse", "coverage of 95 %"};
    cli_table table = cli_table_create("lrrrrr");
    for (size_t k = 0; k < sizeof headings / sizeof headings[0]; k++) {
        cli_table_add(&table, "%s", headings[k]);
    }
    for (int d = 0; d < lf_model_output_count(rows->model); d++) {
        if (rows->score[d].n > 0) {
            add_score(&table, lf_model_output_name(rows->model, d), &rows->score[d]);
        }
    }
    add_score(&table, "(all)", &rows->overall);
    return cli_table_print(&table, stream);
}
