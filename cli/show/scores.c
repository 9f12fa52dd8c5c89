/* Scores and comparisons of models as text. */
#include "show/scores.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "message.h"
#include "show/result_table.h"
#include "show/table.h"

/* The number in a row of a column. */
static double number(lf_context *ctx, const lf_table *table, const char *name, size_t row)
{
    size_t index;
    lf_column column = {.size = sizeof column};
    int found = lf_table_find(ctx, table, name, &index) == LF_OK &&
                lf_table_column_get(ctx, table, index, &column) == LF_OK && column.number;
    return found ? column.number[row] : (double)NAN;
}

int cli_scores_print_json(lf_context *ctx, const lf_scores *scores)
{
    char *text = NULL;
    int status = cli_check(ctx, lf_scores_json(ctx, scores, &text));
    if (status == CLI_DONE) {
        fputs(text, stdout);
    }
    lf_free(text);
    return status ? status : cli_flush();
}

int cli_scores_print(lf_context *ctx, const lf_scores *scores)
{
    static const char *const headings[] = {"output", "n", "nmse", "nlpd", "rmse", "coverage of 95 %", NULL};
    lf_scores_info info = {.size = sizeof info};
    lf_table *table = NULL;
    int status = cli_check(ctx, lf_scores_get(ctx, scores, &info));
    status = status ? status : cli_check(ctx, lf_scores_table(ctx, scores, "outputs", &table));
    if (status != CLI_DONE) {
        return status;
    }
    if (strcmp(info.scored, "training") == 0) {
        puts("training rows: the model has seen them\n");
    } else if (*info.how) {
        printf("%s\n\n", info.how);
    }
    cli_table text = cli_table_create("lrrrrr");
    cli_table_add_headings(&text, headings);
    for (size_t i = 0, n = lf_table_rows(table); i < n; i++) {
        cli_table_add(&text, "%s", i + 1 < n ? cli_word_at(ctx, table, "output", i) : "(all)");
        cli_table_add(&text, "%.0f", number(ctx, table, "n", i));
        cli_table_add_number(&text, number(ctx, table, "nmse", i));
        cli_table_add_number(&text, number(ctx, table, "nlpd", i));
        cli_table_add_number(&text, number(ctx, table, "rmse", i));
        cli_table_add(&text, "%.1f %%", 100 * number(ctx, table, "coverage95", i));
    }
    lf_table_free(table);
    status = cli_table_print(&text, stdout);
    return status ? status : cli_flush();
}

/* ---- comparisons ---- */

static void add_model(lf_context *ctx, const lf_table *table, size_t i, int held_out, cli_table *text)
{
    const char *bound = cli_word_at(ctx, table, "bound", i);
    int is_bound = strcmp(bound, "bound") == 0;
    cli_table_add(text, "%s", cli_word_at(ctx, table, "model", i));
    cli_table_add(text, "%.0f", number(ctx, table, "parameters", i));
    cli_table_add(text, "%s%.2f", is_bound ? ">= " : *bound ? "~ " : "", number(ctx, table, "log_density", i));
    cli_table_add(text, "%s%.2f", is_bound ? "<= " : *bound ? "~ " : "", number(ctx, table, "bic", i));
    cli_table_add(text, "%.2f", number(ctx, table, "bic_behind", i));
    if (held_out) {
        cli_table_add(text, "%.0f", number(ctx, table, "n", i));
        cli_table_add_number(text, number(ctx, table, "nlpd", i));
        cli_table_add(text, "%.4g", number(ctx, table, "nlpd_behind", i));
        cli_table_add_number(text, number(ctx, table, "nmse", i));
        cli_table_add(text, "%.1f %%", 100 * number(ctx, table, "coverage95", i));
    }
}

/* How far the second model lies behind by what they are ranked by; infinite where it has no such number. */
static double lead(lf_context *ctx, const lf_table *table, const char *column)
{
    double behind = lf_table_rows(table) > 1 ? number(ctx, table, column, 1) : 0;
    return isfinite(behind) ? behind : (double)INFINITY;
}

static void print_sentence(lf_context *ctx, const lf_table *table, int held_out)
{
    const char *best = cli_word_at(ctx, table, "model", 0);
    size_t other = 0;
    if (!held_out) {
        printf("\n%s is best by BIC (by %.1f).\n", best, lead(ctx, table, "bic_behind"));
        return;
    }
    for (size_t i = 1; i < lf_table_rows(table); i++) {
        other = number(ctx, table, "bic", i) < number(ctx, table, "bic", other) ? i : other;
    }
    printf("\n%s is best by the held-out nlpd (by %.3g per row)%s", best, lead(ctx, table, "nlpd_behind"),
           other == 0 ? ", and by BIC" : "");
    if (other != 0) {
        printf("; by BIC %s is (by %.1f)", cli_word_at(ctx, table, "model", other),
               number(ctx, table, "bic_behind", 0));
    }
    puts(".");
}

static void print_headings(const lf_scores_info *info, const char *data)
{
    printf("%s: %zu training rows", data, info->rows);
    if (info->folds) {
        const char *how = info->refit ? "each model fitted again" : "with parameters that saw all rows";
        int rolling = strcmp(info->held_out, "rolling") == 0;
        printf(rolling ? "; held out: forecasts from %zu origins, %s" : "; held out: %zu-fold cross-validation, %s",
               info->folds, how);
    } else if (*info->held_out) {
        printf("; held out: the rows marked test");
    }
    puts("\n");
}

int cli_comparison_print(lf_context *ctx, const lf_scores *scores, const char *data)
{
    static const char *const headings[] = {"model",    "parameters", "log density", "BIC",  "BIC - best",
                                           "held out", "nlpd",       "nlpd - best", "nmse", "coverage of 95 %"};
    lf_scores_info info = {.size = sizeof info};
    lf_table *table = NULL;
    int status = cli_check(ctx, lf_scores_get(ctx, scores, &info));
    status = status ? status : cli_check(ctx, lf_scores_table(ctx, scores, "models", &table));
    if (status != CLI_DONE) {
        return status;
    }
    int held_out = *info.held_out != '\0';
    cli_table text = cli_table_create(held_out ? "lrrrrrrrrr" : "lrrrr");
    print_headings(&info, data);
    for (size_t i = 0; i < (held_out ? 10u : 5u); i++) {
        cli_table_add(&text, "%s", headings[i]);
    }
    for (size_t i = 0; i < lf_table_rows(table); i++) {
        add_model(ctx, table, i, held_out, &text);
    }
    status = cli_table_print(&text, stdout);
    if (status == CLI_DONE) {
        print_sentence(ctx, table, held_out);
    }
    if (cli_has_any(ctx, table, "bound")) {
        puts("The log densities of inducing engines are bounds (>=) or approximations (~): BIC can mislead.");
    }
    lf_table_free(table);
    return status ? status : cli_flush();
}
