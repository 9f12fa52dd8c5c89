/* The table of candidates and the lines at the end of a fit. */
#include "fit_summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "message.h"
#include "table.h"

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

void cli_fit_print_summary(const cli_settings *settings, const lf_fit_result *result, const lf_model *model)
{
    enum { MOST = 5 }; /* bounds that are listed one by one */
    char note[1024];
    for (size_t i = 0; i < result->bound_count && i < MOST; i++) {
        lf_parameter parameter = lf_parameter_get(model, result->bound[i]);
        snprintf(note, sizeof note, "%s ended on a bound, at %.6g", parameter.name, parameter.value);
        cli_note(NULL, note);
    }
    if (result->bound_count > MOST) {
        snprintf(note, sizeof note, "%zu more parameters ended on bounds; the model's provenance lists them",
                 result->bound_count - MOST);
        cli_note(NULL, note);
    }
    snprintf(note, sizeof note,
             "%s: %d output(s), %d force(s), %zu rows, %zu free parameters; log likelihood %.2f after %zu iterations "
             "from start %zu (%zu evaluations in all, %.1f s) by the %s engine; %s",
             strcmp(settings->output, "-") == 0 ? "standard output" : settings->output, lf_model_output_count(model),
             lf_model_force_count(model), result->rows, result->free_count, result->log_likelihood, result->iterations,
             result->restart + 1, result->evaluations, result->seconds, result->engine, result->reason);
    cli_note(NULL, note);
}
