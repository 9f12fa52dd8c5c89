/* The result of a fit as a document: how it ended, what its stages did, and the parameters that it found. */
#include "base/context.h"
#include "fit/pipeline.h"
#include "model/description.h"

/* Parameters that ended on a bound, by name. */
static void write_bounds(lf_document *d, const lf_fit_result *result)
{
    lf_document_line(d, 0);
    lf_document_open(d, "on_bounds", '[');
    for (size_t i = 0; i < result->bound_count; i++) {
        lf_document_text(d, NULL, result->model->parameters[result->bound[i]].name);
    }
    lf_document_close(d);
}

static void write_candidates(lf_document *d, const lf_fit_result *result)
{
    lf_document_line(d, 0);
    lf_document_open(d, "candidates", '[');
    for (size_t i = 0; i < result->candidate_count; i++) {
        const lf_candidate *c = &result->candidates[i];
        lf_document_line(d, 1);
        lf_document_open(d, NULL, '{');
        lf_document_text(d, "operator", c->operator_type);
        lf_document_text(d, "force_kernel", c->force_kernel);
        lf_document_text(d, "private_kernel", c->private_kernel ? c->private_kernel : "");
        lf_document_number(d, "log_likelihood", c->log_likelihood);
        lf_document_number(d, "log_prior", c->log_prior);
        lf_document_number(d, "score", c->score);
        lf_document_integer(d, "forces", c->forces);
        lf_document_count(d, "parameters", c->parameters);
        lf_document_count(d, "iterations", c->iterations);
        lf_document_truth(d, "chosen", c->chosen);
        lf_document_close(d);
    }
    lf_document_close(d);
}

/* The evaluations of all stages are more than those of the optimisation alone. */
static void write_stages(lf_document *d, const lf_fit_result *result)
{
    lf_document_line(d, 0);
    lf_document_count(d, "total_evaluations", result->total_evaluations);
    lf_document_open(d, "stages", '[');
    for (size_t i = 0; i < result->stages->count; i++) {
        const lf_stage_report *stage = result->stages->each[i];
        lf_document_line(d, 1);
        lf_document_open(d, NULL, '{');
        lf_document_text(d, "stage", stage->name);
        lf_document_number(d, "seconds", stage->seconds);
        lf_document_count(d, "evaluations", stage->evaluations);
        lf_document_text(d, "decision", stage->decision);
        lf_document_text(d, "reason", stage->reason);
        lf_document_close(d);
    }
    lf_document_close(d);
}

lf_status lf_fit_result_json(lf_context *ctx, const lf_fit_result *result, char **text)
{
    *text = NULL;
    if (!result) {
        return lf_missing(ctx, "result");
    }
    const lf_model *model = result->model;
    lf_document d = lf_document_begin();
    lf_document_number(&d, "log_likelihood", result->log_likelihood);
    lf_document_number(&d, "log_prior", result->log_prior);
    lf_document_number(&d, "objective", result->objective);
    lf_document_truth(&d, "converged", result->converged);
    lf_document_truth(&d, "cancelled", result->cancelled);
    lf_document_text(&d, "reason", result->reason);
    lf_document_count(&d, "start", result->restart + 1);
    lf_document_count(&d, "iterations", result->iterations);
    lf_document_count(&d, "evaluations", result->evaluations);
    lf_document_number(&d, "seconds", result->seconds);
    lf_document_count(&d, "rows", result->rows);
    lf_document_integer(&d, "outputs", model->output_count);
    lf_document_integer(&d, "forces", model->force_count);
    lf_document_count(&d, "free_parameters", result->free_count);
    lf_document_text(&d, "engine", result->engine);
    lf_document_text(&d, "nodes", result->nodes);
    lf_document_count(&d, "columns", result->columns);
    write_bounds(&d, result);
    write_candidates(&d, result);
    write_stages(&d, result);
    lf_document_line(&d, 0);
    lf_status status = model->system ? lf_describe_quantities(ctx, &d, model) : LF_OK;
    lf_document_line(&d, 0);
    lf_describe_parameters(&d, model);
    return lf_document_end(ctx, status, &d, text);
}
