/* The document of a report, from which the scripts of the page draw: where it comes from, the model, the panels. */
#include <stdlib.h>

#include "base/context.h"
#include "page/document.h"
#include "report/documents.h"
#include "report/remarks.h"

/* What an input measures; dated ones have the time of 0 in seconds since 1970 and the seconds of their unit. */
static void describe_input(lf_document *d, const lf_model *model, int k)
{
    char own[16];
    lf_label input = lf_model_input(model, k);
    lf_document_line(d, 0);
    lf_document_open(d, NULL, '{');
    lf_document_text(d, "name", lf_input_name(model, k, own));
    lf_document_text(d, "unit", input.unit);
    lf_document_rounded(d, "seconds", input.seconds, 10);
    lf_document_rounded(d, "offset", input.offset, 10);
    lf_document_rounded(d, "scale", input.scale, 10);
    if (input.dated) {
        lf_document_rounded(d, "zero", input.zero, 15);
    }
    lf_document_close(d);
}

static void describe_command(lf_document *d, const lf_option_list *command)
{
    if (command->count == 0) {
        lf_document_text(d, "command", NULL);
        return;
    }
    lf_document_open(d, "command", '[');
    for (size_t i = 0; i < command->count; i++) {
        lf_document_text(d, NULL, command->item[i]);
    }
    lf_document_close(d);
}

/* Names, sizes, engine, commands and provenance. */
static lf_status describe_origin(lf_context *ctx, lf_document *d, const lf_report *report)
{
    const lf_report_settings *settings = &report->settings;
    const lf_names *replicates = &report->posterior->replicates;
    lf_document_text(d, "version", lf_version());
    lf_document_integer(d, "input_dim", report->model->input_dim);
    lf_document_count(d, "training", lf_report_count(report, 0));
    lf_document_count(d, "test", lf_report_count(report, 1));
    lf_document_truth(d, "stored", report->stored);
    lf_document_rounded(d, "level", settings->level, 6);
    lf_document_line(d, 0);
    lf_document_text(d, "model", lf_report_model_name(report));
    lf_document_text(d, "data", report->table ? lf_report_data_name(report) : NULL);
    lf_document_text(d, "engine", report->posterior->scaled.class->name);
    lf_document_line(d, 0);
    lf_document_open(d, "inputs", '[');
    for (int k = 0; k < report->model->input_dim; k++) {
        describe_input(d, report->model, k);
    }
    lf_document_close(d);
    lf_document_line(d, 0);
    describe_command(d, &settings->command);
    lf_document_line(d, 0);
    lf_document_open(d, "replicates", '[');
    for (int r = 0; lf_report_has_named_replicates(report) && r < replicates->count; r++) {
        lf_document_text(d, NULL, replicates->name[r]);
    }
    lf_document_close(d);
    lf_document_line(d, 0);
    return lf_describe_provenance(ctx, d, report->model);
}

static lf_status describe_verdict(lf_context *ctx, lf_document *d, const lf_model *model)
{
    lf_verdict *verdict = NULL;
    lf_spell_function spell = ctx->spell;
    ctx->spell = NULL; /* the page names options as the commands that it shows */
    lf_status status = lf_verdict_create(ctx, model, &verdict);
    ctx->spell = spell;
    lf_document_line(d, 0);
    lf_document_open(d, "verdict", '[');
    for (size_t i = 0; !status && i < verdict->count; i++) {
        lf_document_open(d, NULL, '{');
        lf_document_text(d, "severity", verdict->remarks[i].severity);
        lf_document_text(d, "sentence", verdict->remarks[i].sentence);
        lf_document_text(d, "output", verdict->remarks[i].output);
        lf_document_close(d);
    }
    lf_document_close(d);
    lf_verdict_free(verdict);
    return status;
}

lf_status lf_report_json(lf_context *ctx, lf_report *report, char **text)
{
    *text = NULL;
    if (!report) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "there is no report");
    }
    lf_document d = lf_document_begin();
    lf_status status = lf_report_predict_rows(ctx, report);
    LF_TRY(status, lf_report_diagnose(ctx, report));
    LF_TRY(status, describe_origin(ctx, &d, report));
    LF_TRY(status, describe_verdict(ctx, &d, report->model));
    LF_TRY(status, lf_report_describe_model(ctx, &d, report));
    LF_TRY(status, lf_report_describe_panels(ctx, &d, report));
    return lf_document_end(ctx, status, &d, text);
}
