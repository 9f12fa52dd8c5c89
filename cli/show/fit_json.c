/* latentforce fit --json: the result of a fit and the parameters it found. */
#include "show/fit_json.h"

#include "message.h"
#include "show/formats.h"
#include "show/result_table.h"
#include "show/show_json.h"

static void write_text(FILE *stream, const char *name, const char *value)
{
    fprintf(stream, "\"%s\":", name);
    cli_json_string(stream, value);
    fputc(',', stream);
}

static void write_number(FILE *stream, const char *name, double value)
{
    fprintf(stream, "\"%s\":", name);
    cli_json_number(stream, value);
    fputc(',', stream);
}

/* Parameters that ended on a bound, by name. */
static void write_bounds(FILE *stream, const lf_fit_result *result, const lf_model *model)
{
    fputs("\"on_bounds\":[", stream);
    for (size_t i = 0; i < result->bound_count; i++) {
        fputs(i ? "," : "", stream);
        cli_json_string(stream, lf_parameter_get(model, result->bound[i]).name);
    }
    fputs("],\n", stream);
}

static void write_candidates(FILE *stream, const lf_fit_result *result)
{
    fputs("\"candidates\":[", stream);
    for (size_t i = 0; i < result->candidate_count; i++) {
        const lf_candidate *c = &result->candidates[i];
        fputs(i ? ",\n {" : "{", stream);
        write_text(stream, "operator", c->operator_type);
        write_text(stream, "force_kernel", c->force_kernel);
        write_text(stream, "private_kernel", c->private_kernel ? c->private_kernel : "");
        write_number(stream, "log_likelihood", c->log_likelihood);
        write_number(stream, "log_prior", c->log_prior);
        write_number(stream, "score", c->score);
        fprintf(stream, "\"forces\":%d,\"parameters\":%zu,\"iterations\":%zu,\"chosen\":%s}", c->forces, c->parameters,
                c->iterations, c->chosen ? "true" : "false");
    }
    fputs("],\n", stream);
}

/* What the stages did; the evaluations of all of them are more than those of the optimisation alone. */
static int write_stages(lf_context *ctx, FILE *stream, const lf_fit_result *result)
{
    lf_table *table = NULL;
    int status = cli_check(ctx, lf_fit_result_table(ctx, result, "stages", &table));
    fprintf(stream, "\"total_evaluations\":%zu,\"stages\":", result->total_evaluations);
    status = status ? status : cli_result_table_json(ctx, stream, table);
    fputs(",\n", stream);
    lf_table_free(table);
    return status;
}

int cli_fit_print_json(lf_context *ctx, FILE *stream, const cli_settings *settings, const lf_fit_result *result,
                       const lf_model *model)
{
    fputc('{', stream);
    write_text(stream, "model", settings->output);
    write_number(stream, "log_likelihood", result->log_likelihood);
    write_number(stream, "log_prior", result->log_prior);
    write_number(stream, "objective", result->objective);
    fprintf(stream, "\"converged\":%s,\"cancelled\":%s,", result->converged ? "true" : "false",
            result->cancelled ? "true" : "false");
    write_text(stream, "reason", result->reason);
    fprintf(stream, "\"start\":%zu,\"iterations\":%zu,\"evaluations\":%zu,", result->restart + 1, result->iterations,
            result->evaluations);
    write_number(stream, "seconds", result->seconds);
    fprintf(stream, "\"rows\":%zu,\"outputs\":%d,\"forces\":%d,\"free_parameters\":%zu,", result->rows,
            lf_model_output_count(model), lf_model_force_count(model), result->free_count);
    write_text(stream, "engine", result->engine);
    write_text(stream, "nodes", result->nodes);
    fprintf(stream, "\"columns\":%zu,\n", result->columns);
    write_bounds(stream, result, model);
    write_candidates(stream, result);
    int written = write_stages(ctx, stream, result);
    if (written != CLI_DONE) {
        return written;
    }
    if (lf_model_equations(model)) {
        int status = cli_json_quantities(ctx, stream, model);
        if (status != CLI_DONE) {
            return status;
        }
        fputs(",\n", stream);
    }
    cli_json_parameters(stream, model);
    fputs("}\n", stream);
    return cli_flush();
}
