/* The story of a fit. */
#include "fit_record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "message.h"
#include "table.h"

/* Options that say where and how the work is done, not what is done; `1`: followed by a value. */
static int is_about_the_machine(const char *word, int *has_value)
{
    static const struct {
        const char *name;
        int has_value;
    } options[] = {{"-o", 1},      {"--threads", 1}, {"--checkpoint", 1}, {"--checkpoint-every", 1},
                   {"--trace", 1}, {"--resume", 0},  {"--quiet", 0},      {"--progress", 0}};
    size_t length = strcspn(word, "=");
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (strlen(options[i].name) == length && strncmp(options[i].name, word, length) == 0) {
            *has_value = options[i].has_value && word[length] == '\0';
            return 1;
        }
    }
    return 0;
}

static void write_command(FILE *stream, const cli_settings *settings)
{
    fputs("\"command\": [\"latentforce\"", stream);
    for (int i = 0; i < settings->argc; i++) {
        int has_value = 0;
        if (is_about_the_machine(settings->argv[i], &has_value)) {
            i += has_value;
            continue;
        }
        fputs(", ", stream);
        cli_json_string(stream, settings->argv[i]);
    }
    fputs("]", stream);
}

static void write_number(FILE *stream, const char *key, double value)
{
    fprintf(stream, ", \"%s\": ", key);
    cli_json_number(stream, value);
}

static void write_candidates(FILE *stream, const cli_fit_record *record)
{
    for (size_t i = 0; i < record->candidate_count; i++) {
        const lf_candidate *c = &record->candidates[i];
        fputs(i ? ", {\"operator\": " : ", \"candidates\": [{\"operator\": ", stream);
        cli_json_string(stream, c->operator_type);
        fputs(", \"force_kernel\": ", stream);
        cli_json_string(stream, c->force_kernel);
        write_number(stream, "forces", c->forces);
        write_number(stream, "parameters", (double)c->parameters);
        write_number(stream, "log_likelihood", c->log_likelihood);
        write_number(stream, "score", c->score);
        fputs(i + 1 < record->candidate_count ? "}" : "}]", stream);
    }
}

static void write_story(FILE *stream, const cli_settings *settings, const cli_fit_record *record, const lf_model *model)
{
    const lf_fit_result *result = record->result;
    fputs("{", stream);
    write_command(stream, settings);
    fprintf(stream, ", \"version\": \"%s\", \"engine\": \"%s\", \"nodes\": \"%s\"", lf_version(),
            record->engine->engine, record->engine->nodes);
    write_number(stream, "columns", (double)record->engine->columns);
    write_number(stream, "rows", (double)record->rows);
    write_number(stream, "log_likelihood", result->log_likelihood);
    write_number(stream, "log_prior", result->log_prior);
    write_number(stream, "parameters", (double)result->free_count);
    write_number(stream, "start", (double)result->restart + 1);
    write_number(stream, "iterations", (double)result->iterations);
    fprintf(stream, ", \"converged\": %s, \"reason\": ", result->converged ? "true" : "false");
    cli_json_string(stream, result->reason);
    for (size_t i = 0; i < result->bound_count; i++) {
        fputs(i ? ", " : ", \"on_bounds\": [", stream);
        cli_json_string(stream, lf_parameter_get(model, result->bound[i]).name);
        fputs(i + 1 < result->bound_count ? "" : "]", stream);
    }
    write_candidates(stream, record);
    for (size_t i = 0; i < result->iterations; i++) {
        fputs(i ? ", " : ", \"trace\": [", stream);
        cli_json_number(stream, result->trace[i]);
        fputs(i + 1 < result->iterations ? "" : "]", stream);
    }
    fputs("}", stream);
}

int cli_fit_remember(lf_context *ctx, const cli_settings *settings, const cli_fit_record *record, lf_model *model)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream) {
        return cli_no_memory();
    }
    write_story(stream, settings, record, model);
    int status = fclose(stream) ? cli_no_memory() : cli_check(ctx, lf_model_set_provenance(ctx, model, text));
    free(text);
    return status;
}

int cli_fit_print_candidates(const lf_candidate *candidates, size_t count, const lf_draft_options *chosen)
{
    cli_table table = cli_table_create("lllrrrl");
    static const char *const headings[] = {"operator",       "force kernel", "forces", "parameters",
                                           "log likelihood", "score",        ""};
    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++) {
        cli_table_add(&table, "%s", headings[i]);
    }
    for (size_t i = 0; i < count; i++) {
        const lf_candidate *c = &candidates[i];
        int is_chosen = strcmp(c->operator_type, chosen->operator_type) == 0 &&
                        strcmp(c->force_kernel, chosen->force_kernel) == 0 && c->forces == chosen->forces;
        cli_table_add(&table, "%s", c->operator_type);
        cli_table_add(&table, "%s", c->force_kernel);
        cli_table_add(&table, "%d", c->forces);
        cli_table_add(&table, "%zu", c->parameters);
        if (isfinite(c->score)) {
            cli_table_add(&table, "%.2f", c->log_likelihood);
            cli_table_add(&table, "%.2f", c->score);
        } else {
            cli_table_add(&table, "failed");
            cli_table_add(&table, "-");
        }
        cli_table_add(&table, "%s", is_chosen ? "chosen" : "");
    }
    return cli_table_print(&table, stderr);
}

/* A parameter and the bound it ended on. */
static void tell_bound(const lf_parameter *parameter)
{
    char note[512];
    snprintf(note, sizeof note, "%s ended on a bound, at %.6g", parameter->name, parameter->value);
    cli_note(NULL, note);
}

void cli_fit_tell(const cli_settings *settings, const cli_fit_record *record, const lf_model *model)
{
    enum { MOST = 5 }; /* bounds that are told one by one */
    const lf_fit_result *result = record->result;
    char note[1024];
    for (size_t i = 0; i < result->bound_count && i < MOST; i++) {
        lf_parameter parameter = lf_parameter_get(model, result->bound[i]);
        tell_bound(&parameter);
    }
    if (result->bound_count > MOST) {
        snprintf(note, sizeof note, "%zu more parameters ended on bounds; the model's provenance lists them",
                 result->bound_count - MOST);
        cli_note(NULL, note);
    }
    snprintf(note, sizeof note,
             "%s: %d output(s), %d force(s), %zu rows, %zu free parameters; log likelihood %.2f after %zu iterations "
             "from start %zu (%zu evaluations in all, %.1f s) by the %s engine; it ended because %s",
             strcmp(settings->output, "-") == 0 ? "standard output" : settings->output, lf_model_output_count(model),
             lf_model_force_count(model), record->rows, result->free_count, result->log_likelihood, result->iterations,
             result->restart + 1, result->evaluations, result->seconds, record->engine->engine, result->reason);
    cli_note(NULL, note);
}
