/* The results of latentforce compare: the ranking as a table with a sentence, or as JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "scores/cross_validation.h"
#include "scores/scores.h"
#include "show/compare.h"
#include "show/formats.h"
#include "show/table.h"

/* What a smaller value of is better. Values that are not finite come last. */
static double criterion(const cli_comparison *result)
{
    double value = result->held_out.n > 0 ? result->held_out.nlpd : result->bic;
    return isfinite(value) ? value : (double)INFINITY;
}

static int compare(const void *left, const void *right)
{
    const cli_comparison *one = left, *other = right;
    double a = criterion(one), b = criterion(other);
    return a != b ? (a < b ? -1 : 1) : (one->place > other->place) - (one->place < other->place);
}

static const cli_comparison *best_by_bic(size_t count, const cli_comparison *results)
{
    const cli_comparison *best = results;
    for (size_t i = 1; i < count; i++) {
        best = results[i].bic < best->bic ? &results[i] : best;
    }
    return best;
}

static int is_bound(const cli_comparison *result) { return strcmp(result->engine, "variational") == 0; }

static int is_approximate(const cli_comparison *result)
{
    static const char *const engines[] = {"dtc", "fitc", "pitc"};
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        if (strcmp(result->engine, engines[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

static void add_headings(cli_table *table, int held_out)
{
    static const char *const headings[] = {"model",    "parameters", "log density", "BIC",  "BIC - best",
                                           "held out", "nlpd",       "nlpd - best", "nmse", "coverage of 95 %"};
    for (size_t i = 0; i < (held_out ? 10u : 5u); i++) {
        cli_table_add(table, "%s", headings[i]);
    }
}

static void add_model(cli_table *table, const cli_comparison *result, double least_bic, double least_nlpd)
{
    const lf_score *score = &result->held_out;
    cli_table_add(table, "%s", result->path);
    cli_table_add(table, "%zu", result->parameters);
    cli_table_add(table, "%s%.2f", is_bound(result) ? ">= " : is_approximate(result) ? "~ " : "", result->log_density);
    cli_table_add(table, "%s%.2f", is_bound(result) ? "<= " : is_approximate(result) ? "~ " : "", result->bic);
    cli_table_add(table, "%.2f", result->bic - least_bic);
    if (score->n > 0) {
        cli_table_add(table, "%zu", score->n);
        cli_table_add_number(table, score->nlpd);
        cli_table_add(table, "%.4g", score->nlpd - least_nlpd);
        cli_table_add_number(table, score->nmse);
        cli_table_add(table, "%.1f %%", 100 * score->coverage95);
    }
}

static void print_sentence(size_t count, const cli_comparison *results)
{
    const cli_comparison *best = results, *other = best_by_bic(count, results);
    double lead = count > 1 ? criterion(&results[1]) - criterion(best) : 0;
    if (best->held_out.n == 0) {
        printf("\n%s is best by BIC (by %.1f).\n", best->path, lead);
        return;
    }
    printf("\n%s is best by the held-out nlpd (by %.3g per row)%s", best->path, lead,
           other == best ? ", and by BIC" : "");
    if (other != best) {
        printf("; by BIC %s is (by %.1f)", other->path, best->bic - other->bic);
    }
    puts(".");
}

static int print_text(const cli_settings *settings, const char *held_out, size_t count, const cli_comparison *results)
{
    int any = results[0].held_out.n > 0;
    double least_bic = best_by_bic(count, results)->bic;
    cli_table table = cli_table_create(any ? "lrrrrrrrrr" : "lrrrr");
    printf("%s: %zu training rows", settings->data, results[0].rows);
    if (any) {
        printf("; held out: %s", held_out);
    }
    puts("\n");
    add_headings(&table, any);
    for (size_t i = 0; i < count; i++) {
        add_model(&table, &results[i], least_bic, results[0].held_out.nlpd);
    }
    int status = cli_table_print(&table, stdout);
    if (status == CLI_DONE) {
        print_sentence(count, results);
    }
    for (size_t i = 0; i < count; i++) {
        if (is_bound(&results[i]) || is_approximate(&results[i])) {
            puts("The log densities of inducing engines are bounds (>=) or approximations (~): BIC can mislead.");
            break;
        }
    }
    return status;
}

static void print_json(const cli_settings *settings, size_t count, const cli_comparison *results)
{
    int any = results[0].held_out.n > 0;
    fputs("{\"data\":", stdout);
    cli_json_string(stdout, settings->data);
    printf(",\"rows\":%zu,\"ranked_by\":\"%s\",\"held_out\":%s", results[0].rows, any ? "nlpd" : "bic",
           !any              ? "null"
           : settings->folds ? "\"cross-validation\""
                             : "\"test\"");
    if (settings->folds) {
        printf(",\"cross_validation\":{\"folds\":%zu,\"refit\":%s}", settings->folds,
               settings->no_refit ? "false" : "true");
    }
    fputs(",\"best\":", stdout);
    cli_json_string(stdout, results[0].path);
    fputs(",\"models\":[", stdout);
    for (size_t i = 0; i < count; i++) {
        const cli_comparison *r = &results[i];
        fputs(i ? ",{\"model\":" : "{\"model\":", stdout);
        cli_json_string(stdout, r->path);
        printf(",\"engine\":\"%s\",\"bound\":%s,\"parameters\":%zu,\"log_density\":", r->engine,
               is_bound(r) ? "true" : "false", r->parameters);
        cli_json_number(stdout, r->log_density);
        fputs(",\"bic\":", stdout);
        cli_json_number(stdout, r->bic);
        fputs(",\"held_out\":", stdout);
        if (r->held_out.n > 0) {
            cli_json_score(stdout, &r->held_out);
        } else {
            fputs("null", stdout);
        }
        fputc('}', stdout);
    }
    fputs("]}\n", stdout);
}

int cli_print_comparison(const cli_settings *settings, size_t count, cli_comparison *results)
{
    char held_out[256] = "the rows marked test";
    int status = CLI_DONE;
    for (size_t i = 0; i < count; i++) {
        results[i].place = i;
    }
    qsort(results, count, sizeof *results, compare);
    if (settings->folds) {
        snprintf(held_out, sizeof held_out, "%zu-fold cross-validation, %s", settings->folds,
                 settings->no_refit ? "with parameters that saw all rows" : "each model fitted again");
    }
    if (settings->json) {
        print_json(settings, count, results);
    } else {
        status = print_text(settings, held_out, count, results);
    }
    return status ? status : cli_flush();
}
