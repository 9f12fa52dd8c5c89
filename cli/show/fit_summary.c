/* The table of candidates and the lines at the end of a fit. */
#include "show/fit_summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/plural.h"
#include "message.h"
#include "show/counts.h"
#include "show/result_table.h"
#include "show/table.h"

int cli_fit_print_candidates(const lf_fit_result *result)
{
    static const char *const headings[] = {"operator",       "force kernel", "private kernel", "forces", "parameters",
                                           "log likelihood", "log prior",    "score",          ""};
    if (result->candidate_count == 0 || !result->candidates_asked) { /* a note says which number of forces was chosen */
        return CLI_DONE;
    }
    cli_table table = cli_table_create("llllrrrrl");
    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++) {
        cli_table_add(&table, "%s", headings[i]);
    }
    for (size_t i = 0; i < result->candidate_count; i++) {
        const lf_candidate *c = &result->candidates[i];
        cli_table_add(&table, "%s", c->operator_type);
        cli_table_add(&table, "%s", c->force_kernel);
        cli_table_add(&table, "%s", c->private_kernel ? c->private_kernel : "-");
        if (isfinite(c->score)) {
            cli_table_add(&table, "%d", c->forces);
            cli_table_add(&table, "%zu", c->parameters);
            cli_table_add(&table, "%.2f", c->log_likelihood);
            cli_table_add(&table, "%.2f", c->log_prior);
            cli_table_add(&table, "%.2f", c->score);
        } else {
            if (c->forces) {
                cli_table_add(&table, "%d", c->forces);
            } else {
                cli_table_add(&table, "-");
            }
            cli_table_add(&table, "-");
            cli_table_add(&table, "not fitted"); /* it failed, or the comparison was cancelled before */
            cli_table_add(&table, "-");
            cli_table_add(&table, "-");
        }
        cli_table_add(&table, "%s", c->chosen ? "chosen" : "");
    }
    return cli_table_print(&table, stderr);
}

int cli_fit_print_stages(lf_context *ctx, const lf_fit_result *result)
{
    lf_table *table = NULL;
    int status = cli_check(ctx, lf_fit_result_table(ctx, result, "stages", &table));
    status = status ? status : cli_result_table_print(ctx, stderr, table);
    lf_table_free(table);
    return status;
}

void cli_fit_print_summary(const cli_settings *settings, const lf_fit_result *result, const lf_model *model)
{
    char note[1024], counts[CLI_COUNTS_SIZE];
    const char *reason = strncmp(result->reason, "converged", 9) == 0 ? "converged" : result->reason;
    snprintf(note, sizeof note, "%s: %s, %zu reading%s, %zu free parameter%s; log likelihood %.2f by the %s engine; %s",
             strcmp(settings->output, "-") == 0 ? "standard output" : settings->output, cli_counts(model, counts),
             result->rows, lf_plural(result->rows), result->free_count, lf_plural(result->free_count),
             result->log_likelihood, result->engine, reason);
    cli_note(NULL, LF_LEVEL_NOTE, note);
}
